//! What the requests of several operations have in common. A parameter that is not known is refused, because it could
//! change what the call means.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tables::Key;
use tables::item::Item;

use super::refusal::{Refusal, Result};
use crate::writes::check_key;

/// The answer has the stored item if the condition fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ItemOnFailure {
    #[default]
    #[serde(rename = "NONE")]
    Omit,
    #[serde(rename = "ALL_OLD")]
    Return,
}

/// The item that the answer of a write has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReturnValues {
    #[default]
    None,
    AllOld,
    AllNew,
}

pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(Refusal::invalid)
}

/// The key in a request. It has no other attributes.
pub fn read_key(attributes: &Item) -> Result<Key> {
    let key = Key::from_item(attributes).filter(|_| attributes.len() == 2);
    let key = key.ok_or_else(|| Refusal::invalid("a key has pk and sk, both texts, and nothing else"))?;
    check_key(&key).map_err(Refusal::invalid)?;
    Ok(key)
}
