//! The rows of a result as JSON.

use std::collections::HashSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use crate::errors::{MAX_SESSION_BYTES, Result, stop, too_large};

/// What the name of a column takes in JSON beside its characters.
const NAME_BYTES: usize = 4;
/// The largest integer that every reader of JSON represents exactly.
const MAX_EXACT: i128 = (1 << 53) - 1;

/// What a statement gave.
#[derive(Default)]
pub struct Outcome {
    pub rows: Vec<Value>,
    pub affected: u64,
    pub last_insert_id: Option<u64>,
}

pub struct Rows {
    pub rows: Vec<Value>,
    most: usize,
    /// How many bytes of names the rows may still have: a null takes only a bit in a message of MySQL.
    left: usize,
}

impl Rows {
    pub fn new(most: usize) -> Self {
        Self { rows: Vec::new(), most, left: MAX_SESSION_BYTES }
    }

    /// How many rows to ask for: one more than there may be, so that too many are noticed.
    pub fn wanted(&self) -> usize {
        self.most + 1
    }

    pub fn push(&mut self, row: Map<String, Value>) -> Result<()> {
        if self.rows.len() == self.most {
            let most = self.most;
            let message =
                format!("the result has more than {most} rows; add LIMIT {most} to the statement, or set `maxRows`");
            return Err(stop("too_many_rows", &message));
        }
        let names = row.keys().map(|name| name.len() + NAME_BYTES).sum();
        self.left = self.left.checked_sub(names).ok_or_else(too_large)?;
        self.rows.push(Value::Object(row));
        Ok(())
    }
}

/// A row is an object, so the names of its columns must differ.
pub fn check_columns<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("two columns of the result are called `{name}`; rename one with AS");
            Err(stop("database_duplicate_column", &message))
        }
    }
}

pub fn integer(value: i128) -> Value {
    if value.abs() > MAX_EXACT {
        return value.to_string().into();
    }
    i64::try_from(value).map_or(Value::Null, Value::from)
}

/// A number, or a text if JSON has no such number.
pub fn float(text: &str) -> Value {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => value.into(),
        _ => text.into(),
    }
}

/// Parsed JSON, or the text if it is none.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

pub fn bytes(bytes: &[u8]) -> Value {
    BASE64_STANDARD.encode(bytes).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_exact() {
        assert_eq!(integer(-9_007_199_254_740_991), json!(-9_007_199_254_740_991_i64));
        assert_eq!(integer(9_007_199_254_740_992), json!("9007199254740992"));
        assert_eq!(integer(u64::MAX.into()), json!("18446744073709551615"));
    }

    #[test]
    fn rows_without_values_are_limited_too() {
        let mut rows = Rows::new(10_000);
        let row: Map<String, Value> = (0..4_096).map(|index| (format!("column{index}"), Value::Null)).collect();
        let pushed = (0..10_000).take_while(|_| rows.push(row.clone()).is_ok()).count();
        assert!(pushed < 100, "{pushed}");
    }
}
