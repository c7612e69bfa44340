//! Queries of a table: which partition, in which order, and what they select.

use std::borrow::Cow;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::attribute::{Attribute, SK, ValueOf};
use crate::condition::{Condition, Path};
use crate::item::Item;
use domain::page::Order;

/// A query of one partition of the table or of an index.
#[derive(Clone, Debug)]
pub struct TableQuery {
    pub partition: String,
    pub index: Option<TableIndex>,
    pub range: Option<Range>,
    pub order: Order,
    pub filter: Option<Condition>,
    pub after: Option<Item>,
    pub limit: Option<u32>,
    pub count_only: bool,
}

/// An index of the table.
#[derive(Clone, Debug)]
pub enum TableIndex {
    /// A local index, with the name of its sort key. It has the table's partitions, and its reads are as consistent as the
    /// table's.
    Local(Path),
    /// A global index. It lags behind the table, so it is used for lists and queues and never for a decision.
    Global { name: Cow<'static, str>, partition: Path },
}

impl TableIndex {
    pub fn local<T>(sort: Attribute<T>) -> Self {
        Self::Local(sort.path())
    }

    pub fn global(name: &'static str, partition: Attribute<String>) -> Self {
        Self::Global { name: Cow::Borrowed(name), partition: partition.path() }
    }
}

/// Selects the items whose sort key lies between two values, both included.
#[derive(Clone, Debug)]
pub struct Range {
    pub sort: Path,
    pub from: AttributeValue,
    pub to: AttributeValue,
}

impl Range {
    pub fn between<T>(sort: Attribute<T>, from: impl ValueOf<T>, to: impl ValueOf<T>) -> Self {
        Self { sort: sort.path(), from: from.value(), to: to.value() }
    }

    /// Selects the items of a table whose sort key begins with a prefix.
    pub fn beginning(prefix: &str) -> Self {
        Self::beginning_between(prefix, prefix)
    }

    /// Selects the items of a table whose sort key begins with one of two prefixes, or lies between them.
    pub fn beginning_between(first: &str, last: &str) -> Self {
        Self::between(SK, first, format!("{last}\u{10ffff}"))
    }
}

#[derive(Debug)]
pub struct QueryResult {
    pub items: Vec<Item>,
    pub count: u64,
    /// The cursor of the next query, `None` when this query reached the end.
    pub next: Option<Item>,
}

impl TableQuery {
    pub fn partition(partition: impl Into<String>) -> Self {
        Self {
            partition: partition.into(),
            index: None,
            range: None,
            order: Order::Asc,
            filter: None,
            after: None,
            limit: None,
            count_only: false,
        }
    }
}
