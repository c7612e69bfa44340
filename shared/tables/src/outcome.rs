//! The outcome of a write.

use serde::de::DeserializeOwned;

use crate::item::{Item, parse};
use crate::key::Key;
use crate::write::Write;
use domain::{Error, Result};

/// A write whose condition failed. `item` is the stored item at that time; it is `None` if there was no item.
#[derive(Debug)]
pub struct RefusedWrite {
    /// The label of the write.
    pub label: &'static str,
    pub key: Option<Key>,
    pub item: Option<Item>,
}

impl RefusedWrite {
    pub fn new(write: &Write, item: Option<Item>) -> Self {
        Self { label: write.label, key: write.key(), item }
    }

    /// Deserializes the stored item.
    pub fn parse_item<T: DeserializeOwned>(self) -> Result<Option<T>> {
        self.item.map(parse).transpose()
    }
}

/// The outcome of a conditional write, or of a transaction of several.
#[derive(Debug)]
#[must_use = "a refused write changed nothing"]
pub enum WriteOutcome {
    Written,
    Refused(RefusedWrite),
}

impl WriteOutcome {
    pub fn is_written(&self) -> bool {
        matches!(self, Self::Written)
    }

    /// Turns a refusal into an error.
    pub fn or_error(self, error: impl FnOnce(RefusedWrite) -> Error) -> Result<()> {
        match self {
            Self::Written => Ok(()),
            Self::Refused(refused) => Err(error(refused)),
        }
    }
}
