//! One write of one item with its condition (put, update, delete or check), for a single call or for a transaction.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::attribute::{Attribute, EXPIRES_AT, Number, PK, ValueOf};
use crate::condition::{Condition, Path};
use crate::item::{Item, item_bytes, value_bytes};
use crate::key::Key;
use domain::time::Time;

#[derive(Clone, Debug)]
pub struct Write {
    pub table: String,
    /// A refusal of this write is matched by this label.
    pub label: &'static str,
    pub operation: WriteOperation,
    pub condition: Option<Condition>,
}

#[derive(Clone, Debug)]
pub enum WriteOperation {
    Put(Item),
    Update { key: Key, changes: Vec<Change> },
    Delete(Key),
    Check(Key),
}

/// What an update does to one attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Set(Path, AttributeValue),
    /// Adds to an existing number inside a map, where `Add` does not work.
    Increase(Path, AttributeValue),
    /// Adds to a top-level number. A missing number counts as zero.
    Add(Path, AttributeValue),
    Remove(Path),
}

impl Write {
    pub fn new(table: &str, operation: WriteOperation) -> Self {
        Self { table: table.to_owned(), label: "", operation, condition: None }
    }

    /// Labels the write, so that its refusal is matched by the label and not by its position in the transaction.
    pub fn labeled(mut self, label: &'static str) -> Self {
        self.label = label;
        self
    }

    /// The key of the item that is written.
    pub fn key(&self) -> Option<Key> {
        match &self.operation {
            WriteOperation::Put(item) => Key::from_item(item),
            WriteOperation::Update { key, .. } | WriteOperation::Delete(key) | WriteOperation::Check(key) => {
                Some(key.clone())
            }
        }
    }

    /// The approximate size of what is written.
    pub fn bytes(&self) -> usize {
        match &self.operation {
            WriteOperation::Put(item) => item_bytes(item),
            WriteOperation::Update { changes, .. } => changes.iter().map(Change::bytes).sum(),
            WriteOperation::Delete(_) | WriteOperation::Check(_) => 0,
        }
    }

    pub fn set<T>(self, attribute: Attribute<T>, value: impl ValueOf<T>) -> Self {
        self.change(Change::Set(attribute.path(), value.value()))
    }

    /// Sets an attribute to a stored value, such as one that was read.
    pub fn set_raw<T>(self, attribute: Attribute<T>, value: AttributeValue) -> Self {
        self.change(Change::Set(attribute.path(), value))
    }

    /// Sets an attribute, or removes it.
    pub fn set_or_remove<T>(self, attribute: Attribute<T>, value: Option<impl ValueOf<T>>) -> Self {
        match value {
            Some(value) => self.set(attribute, value),
            None => self.remove(attribute),
        }
    }

    /// Adds to an existing number inside a map.
    pub fn increase<T: Number>(self, attribute: Attribute<T>, by: impl Number) -> Self {
        self.change(Change::Increase(attribute.path(), by.number()))
    }

    /// Adds to a top-level number. A missing number counts as zero.
    pub fn add<T: Number>(self, attribute: Attribute<T>, number: impl Number) -> Self {
        self.change(Change::Add(attribute.path(), number.number()))
    }

    pub fn remove<T>(self, attribute: Attribute<T>) -> Self {
        self.change(Change::Remove(attribute.path()))
    }

    fn change(mut self, change: Change) -> Self {
        if let WriteOperation::Update { changes, .. } = &mut self.operation {
            changes.push(change);
        }
        self
    }

    pub fn require(mut self, condition: Condition) -> Self {
        self.condition = Some(match self.condition.take() {
            None => condition,
            Some(others) => others.and(condition),
        });
        self
    }

    /// Requires that the item exists.
    pub fn require_exists(self) -> Self {
        self.require(PK.exists())
    }

    /// Requires that the item does not exist yet.
    pub fn require_new(self) -> Self {
        self.require(PK.is_missing())
    }

    /// Requires that an attribute has this value.
    pub fn require_is<T>(self, attribute: Attribute<T>, value: impl ValueOf<T>) -> Self {
        self.require(attribute.is(value))
    }

    /// Requires that an attribute has this value, or that it is absent if there is none.
    pub fn require_same<T>(self, attribute: Attribute<T>, value: Option<impl ValueOf<T>>) -> Self {
        self.require(attribute.is_same(value))
    }

    /// Whether this is an update without any action, which DynamoDB refuses.
    pub fn changes_nothing(&self) -> bool {
        matches!(&self.operation, WriteOperation::Update { changes, .. } if changes.is_empty())
    }
}

impl Change {
    /// The place that changes.
    pub fn path(&self) -> &Path {
        match self {
            Self::Set(path, _) | Self::Increase(path, _) | Self::Add(path, _) | Self::Remove(path) => path,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Set(_, value) | Self::Increase(_, value) | Self::Add(_, value) => value_bytes(value),
            Self::Remove(_) => 0,
        }
    }
}

/// The item does not exist, or has expired and is only not deleted yet.
pub fn is_new_or_expired(now: Time) -> Condition {
    PK.is_missing().or(EXPIRES_AT.is_at_most(now.as_seconds()))
}
