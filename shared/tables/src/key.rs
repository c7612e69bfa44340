//! The primary key of an item. `store::keys` builds each one.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::item::Item;

/// The primary key of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub pk: String,
    pub sk: String,
}

impl Key {
    /// The names of the attributes, in each table.
    pub const PK: &str = "pk";
    pub const SK: &str = "sk";

    pub fn new(pk: impl Into<String>, sk: impl ToString) -> Self {
        Self { pk: pk.into(), sk: sk.to_string() }
    }

    /// The key of a stored item.
    pub fn from_item(item: &Item) -> Option<Self> {
        let text = |name: &str| item.get(name)?.as_s().ok().cloned();
        Some(Self { pk: text(Self::PK)?, sk: text(Self::SK)? })
    }

    pub fn attributes(&self) -> Item {
        let text = |text: &String| AttributeValue::S(text.clone());
        Item::from([(Self::PK.to_owned(), text(&self.pk)), (Self::SK.to_owned(), text(&self.sk))])
    }
}
