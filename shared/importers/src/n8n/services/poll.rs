//! Triggers that ask a service again and again. `nodes/poll.rs` puts a schedule before the list, and a table after it, which lets
//! only new entries pass.

use serde_json::json;

use crate::translation::Translation;

/// How many entries a list has at most, the newest first.
pub const MAX_POLLED: u64 = 100;

pub struct Poll {
    pub list: Translation,
    /// What identifies an entry: a value or a list, in JavaScript. An entry is new if no earlier one had the same.
    pub key: String,
    /// What makes the items of the trigger from new entries.
    pub then: Option<Translation>,
}

impl Poll {
    pub fn new(list: Translation, key: impl Into<String>) -> Self {
        Self { list, key: key.into(), then: None }
    }

    /// With the items that a function of the library makes of entries.
    pub fn with_items(list: Translation, key: impl Into<String>, function: &str) -> Self {
        let javascript = format!("return n8n.received().map((item) => ({{ ...item, json: {function}(item.json) }}));");
        let then = Translation::new("code", json!({"javascript": javascript}));
        Self { then: Some(then), ..Self::new(list, key) }
    }
}
