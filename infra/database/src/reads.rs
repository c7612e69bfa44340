//! Reads of items: by key, and of the partitions of a table or of an index.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::page::Order;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use tables::Key;
use tables::condition::{Comparison, Condition};
use tables::item::Item;
use tables::query::{QueryResult, TableIndex, TableQuery};

use crate::codec;
use crate::conditions::holds;
use crate::error::{Error, Result};
use crate::schema::{Column, IndexSchema, Stored};
use crate::units::{item_size, projected_size};

/// The most bytes of items that one query reads.
const PAGE_BYTES: usize = 1 << 20;

/// The row of an item.
pub struct StoredItem {
    pub id: i64,
    pub item: Item,
}

pub fn get(connection: &Connection, table: &Stored, key: &Key) -> Result<Option<StoredItem>> {
    let sql = format!("SELECT id, item FROM \"{}\" WHERE pk = ? AND sk = ?", table.schema.name);
    let mut select = connection.prepare_cached(&sql)?;
    let found = select
        .query_row([&key.pk, &key.sk], |row| Ok((row.get(0)?, codec::decode(key.clone(), row.get_ref(1)?.as_blob()?))));
    let Some((id, item)) = found.optional()? else { return Ok(None) };
    Ok(Some(StoredItem { id, item: item? }))
}

/// One page, and what its read has cost.
pub struct Page {
    pub found: QueryResult,
    /// The number of items that were read. The filter drops some of them.
    pub scanned: u64,
    pub bytes: usize,
}

/// A bound of the sort key, besides the range of a query.
pub type SortBound = (Comparison, AttributeValue);

/// A read of a whole table, in the order of the keys.
#[derive(Default)]
pub struct Scan {
    pub filter: Option<Condition>,
    pub after: Option<Key>,
    pub limit: Option<u32>,
    pub count_only: bool,
}

/// One page of a query. The sort keys of its items are within all bounds.
pub fn query(connection: &Connection, table: &Stored, query: &TableQuery, bounds: &[SortBound]) -> Result<Page> {
    let source = Source::new(table, query)?;
    let (sql, values) = source.select(query, bounds)?;
    let selection = Selection { filter: query.filter.as_ref(), limit: query.limit, count_only: query.count_only };
    read_page(connection, &source, &selection, &sql, values)
}

pub fn scan(connection: &Connection, table: &Stored, scan: &Scan) -> Result<Page> {
    let source = Source { table, index: None };
    let name = &table.schema.name;
    let after = if scan.after.is_some() { "WHERE (pk, sk) > (?, ?) " } else { "" };
    let sql = format!("SELECT pk, sk, item FROM \"{name}\" INDEXED BY \"{name} keys\" {after}ORDER BY pk, sk");
    let values = scan.after.iter().flat_map(|key| [&key.pk, &key.sk]).map(|text| Value::Text(text.clone()));
    let selection = Selection { filter: scan.filter.as_ref(), limit: scan.limit, count_only: scan.count_only };
    read_page(connection, &source, &selection, &sql, values.collect())
}

/// What a page has of the items that are read.
struct Selection<'q> {
    filter: Option<&'q Condition>,
    limit: Option<u32>,
    count_only: bool,
}

fn read_page(
    connection: &Connection,
    source: &Source<'_>,
    selection: &Selection<'_>,
    sql: &str,
    values: Vec<Value>,
) -> Result<Page> {
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query(params_from_iter(values))?;
    let mut page = QueryResult { items: Vec::new(), count: 0, next: None };
    let (mut bytes, mut read, mut last) = (0, 0, None);
    while let Some(row) = rows.next()? {
        let item = read_item(row)?;
        let size = source.index.map_or_else(|| item_size(&item), |index| projected_size(index, &item));
        if read > 0 && bytes + size > PAGE_BYTES {
            page.next = last;
            break;
        }
        (bytes, read) = (bytes + size, read + 1);
        let is_full = selection.limit.is_some_and(|limit| read >= limit);
        if is_full {
            page.next = Some(source.cursor(&item));
        } else if bytes > PAGE_BYTES / 2 {
            // Only a page that may be full needs the cursor of its last item.
            last = Some(source.cursor(&item));
        }
        let seen = source.seen(item);
        if selection.filter.map_or(Ok(true), |filter| holds(filter, &seen))? {
            page.count += 1;
            if !selection.count_only {
                page.items.push(seen);
            }
        }
        if is_full {
            break;
        }
    }
    Ok(Page { found: page, scanned: read.into(), bytes })
}

fn read_item(row: &Row<'_>) -> Result<Item> {
    let key = Key { pk: row.get(0)?, sk: row.get(1)? };
    let bytes = row.get_ref(2)?.as_blob().map_err(|_| Error::Damaged("an item is no bytes"))?;
    codec::decode(key, bytes)
}

/// What a query reads: the table, or one of its indexes.
struct Source<'t> {
    table: &'t Stored,
    index: Option<&'t IndexSchema>,
}

impl<'t> Source<'t> {
    fn new(table: &'t Stored, query: &TableQuery) -> Result<Self> {
        let name = match &query.index {
            None => return Ok(Self { table, index: None }),
            Some(TableIndex::Local(sort)) => sort.attribute.as_ref(),
            Some(TableIndex::Global { name, .. }) => name,
        };
        Ok(Self { table, index: Some(table.index(name)?) })
    }

    /// The column of an attribute that is a key of an index.
    fn column(&self, attribute: &str) -> Result<&Column> {
        self.table.column(attribute).ok_or_else(|| Error::invalid(format_args!("{attribute} is the key of no index")))
    }

    /// The value of a sort key in SQLite.
    fn sort_value(&self, value: &AttributeValue) -> Result<Value> {
        match (self.index, value) {
            (Some(index), value) => Ok(Value::Blob(self.column(&index.sort.name)?.key(value)?)),
            (None, AttributeValue::S(text)) => Ok(Value::Text(text.clone())),
            (None, _) => Err(Error::invalid("a sort key is a text")),
        }
    }

    fn select(&self, query: &TableQuery, bounds: &[SortBound]) -> Result<(String, Vec<Value>)> {
        let name = &self.table.schema.name;
        let (by, partition, sort) = match self.index {
            None => (format!("{name} keys"), Key::PK, Key::SK),
            Some(index) => (format!("{name}.{}", index.name), index.partition.as_str(), index.sort.name.as_str()),
        };
        let partition_value = match self.index {
            Some(index) if !index.is_local() => Value::Blob(query.partition.clone().into_bytes()),
            _ => Value::Text(query.partition.clone()),
        };
        let mut sql = format!("SELECT pk, sk, item FROM \"{name}\" INDEXED BY \"{by}\" WHERE \"{partition}\" = ?");
        let mut values = vec![partition_value];
        if self.index.is_some() {
            sql += &format!(" AND \"{sort}\" IS NOT NULL");
        }
        if let Some(range) = &query.range {
            if range.sort.attribute != sort {
                return Err(Error::invalid(format_args!("{} does not sort what is queried", range.sort)));
            }
            sql += &format!(" AND \"{sort}\" BETWEEN ? AND ?");
            values.extend([self.sort_value(&range.from)?, self.sort_value(&range.to)?]);
        }
        for (comparison, value) in bounds {
            sql += &format!(" AND \"{sort}\" {} ?", comparison.operator());
            values.push(self.sort_value(value)?);
        }
        let (follows, order) = match query.order {
            Order::Asc => (">", "ASC"),
            Order::Desc => ("<", "DESC"),
        };
        if let Some(after) = &query.after {
            let key = Key::from_item(after).ok_or_else(|| Error::invalid("a cursor has no key"))?;
            match self.index {
                None => {
                    sql += &format!(" AND sk {follows} ?");
                    values.push(Value::Text(key.sk));
                }
                Some(index) => {
                    let sort_value =
                        after.get(&index.sort.name).ok_or_else(|| Error::invalid("a cursor has no sort key"))?;
                    sql += &format!(" AND (\"{sort}\", pk, sk) {follows} (?, ?, ?)");
                    values.extend([self.sort_value(sort_value)?, Value::Text(key.pk), Value::Text(key.sk)]);
                }
            }
        }
        sql += &match self.index {
            None => format!(" ORDER BY sk {order}"),
            Some(_) => format!(" ORDER BY \"{sort}\" {order}, pk {order}, sk {order}"),
        };
        Ok((sql, values))
    }

    /// The keys of an item, after which a later query continues.
    fn cursor(&self, item: &Item) -> Item {
        let of_index = self.index.map(|index| [index.partition.as_str(), index.sort.name.as_str()]);
        let names = [Key::PK, Key::SK].into_iter().chain(of_index.into_iter().flatten());
        names.filter_map(|name| Some((name.to_owned(), item.get(name)?.clone()))).collect()
    }

    /// The part of an item that the index has.
    fn seen(&self, mut item: Item) -> Item {
        if let Some(index) = self.index {
            item.retain(|name, _| index.has(name));
        }
        item
    }
}
