//! The tables of a workflow: rows that the platform keeps between runs. A row is an object with an id; its fields have any
//! JSON values.

mod filter;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::json::is_deeper_than;
use crate::time::Time;

pub use filter::{Filter, Matching, Operator, RowFilter, by_field};

/// The maximum number of tables of a workflow, and of rows of a table.
pub const MAX_TABLES: usize = 50;
pub const MAX_ROWS: usize = 10_000;
/// The maximum size of a row as JSON.
pub const MAX_ROW_BYTES: usize = 32 * 1024;
/// The maximum depth of its lists and objects. A run takes 100 levels, of which lists of rows add some.
const MAX_ROW_DEPTH: usize = 60;
/// The maximum number of rows that one operation adds, changes, deletes or returns.
pub const MAX_ROWS_AT_ONCE: usize = 1_000;
/// The maximum size of these rows as JSON. It is that of a value of a run, so that the step can return what it has written.
pub const MAX_BYTES_AT_ONCE: usize = 1024 * 1024;
pub const MAX_ID_CHARS: usize = 200;
pub const TABLE_NAME: &str = "^[A-Za-z0-9_-]{1,60}$";

/// The fields of a row that the platform sets.
pub const ID: &str = "id";
pub const CREATED_AT: &str = "createdAt";
pub const UPDATED_AT: &str = "updatedAt";

/// A table, without its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataTable {
    pub name: String,
    pub rows: usize,
    pub created_at: Time,
}

/// Whether this is the name of a table: letters, digits, `_` and `-`.
pub fn is_table_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=60).contains(&text.len()) && text.bytes().all(is_allowed)
}

pub fn is_row_id(text: &str) -> bool {
    (1..=MAX_ID_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: String,
    /// Without the fields that the platform sets.
    pub values: Map<String, Value>,
    pub created_at: Time,
    pub updated_at: Time,
}

impl Row {
    /// The value of a field, also of one that the platform sets.
    pub fn field(&self, name: &str) -> Option<Cow<'_, Value>> {
        let set = match name {
            ID => self.id.clone(),
            CREATED_AT => self.created_at.to_string(),
            UPDATED_AT => self.updated_at.to_string(),
            _ => return self.values.get(name).map(Cow::Borrowed),
        };
        Some(Cow::Owned(set.into()))
    }

    pub fn is_set_by_platform(field: &str) -> bool {
        [ID, CREATED_AT, UPDATED_AT].contains(&field)
    }

    /// The row with all of its fields.
    pub fn to_value(&self) -> Value {
        let set = [ID, CREATED_AT, UPDATED_AT].into_iter();
        let set = set.filter_map(|name| Some((name.to_owned(), self.field(name)?.into_owned())));
        Value::Object(set.chain(self.values.clone()).collect())
    }
}

/// The values of a row that a workflow or a person gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewValues {
    /// Of the field `id`.
    pub id: Option<String>,
    pub values: Map<String, Value>,
}

/// Why values cannot be those of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowProblem {
    pub code: &'static str,
    pub message: String,
}

impl NewValues {
    /// Reads an object. A row that was read can be written back, so the times are left out.
    pub fn read(value: Value) -> Result<Self, RowProblem> {
        let Value::Object(mut values) = value else {
            return Err(invalid("a row is an object, such as {\"email\": \"ada@example.com\"}"));
        };
        values.remove(CREATED_AT);
        values.remove(UPDATED_AT);
        let id = values.remove(ID).filter(|id| !id.is_null()).map(read_id).transpose()?;
        let new = Self { id, values };
        measure_values(&new.values)?;
        Ok(new)
    }
}

/// The size of the values of a row as JSON. They may be neither too large nor too deep.
pub fn measure_values(values: &Map<String, Value>) -> Result<usize, RowProblem> {
    if values.values().any(|value| is_deeper_than(value, MAX_ROW_DEPTH)) {
        return Err(invalid(&format!("the lists and objects of a row nest at most {MAX_ROW_DEPTH} levels")));
    }
    let bytes = serde_json::to_vec(values).map_or(usize::MAX, |text| text.len());
    if bytes <= MAX_ROW_BYTES {
        return Ok(bytes);
    }
    let message = format!("the row has {bytes} bytes; the maximum is {MAX_ROW_BYTES}, so keep large texts elsewhere");
    Err(RowProblem { code: "row_too_large", message })
}

/// An id is a text. A number is taken as its digits.
fn read_id(id: Value) -> Result<String, RowProblem> {
    let id = match id {
        Value::String(id) => id,
        Value::Number(id) => id.to_string(),
        _ => return Err(invalid("the id of a row is a text or a number")),
    };
    if is_row_id(&id) { Ok(id) } else { Err(invalid("the id of a row has 1 to 200 characters, without line breaks")) }
}

/// The code of values that are not those of a row.
pub const INVALID: &str = "row_invalid";

fn invalid(message: &str) -> RowProblem {
    RowProblem { code: INVALID, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_the_values_of_rows() {
        let read = |value| NewValues::read(value).map(|new| (new.id, Value::Object(new.values)));
        assert_eq!(read(json!({"a": 1})), Ok((None, json!({"a": 1}))));
        let stored =
            json!({"id": "x", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z", "a": null});
        assert_eq!(read(stored), Ok((Some("x".into()), json!({"a": null}))));
        assert_eq!(read(json!({"id": 17})), Ok((Some("17".into()), json!({}))));
        for wrong in [json!([]), json!("a"), json!({"id": ""}), json!({"id": true}), json!({"id": "a\nb"})] {
            assert_eq!(read(wrong.clone()).unwrap_err().code, "row_invalid", "{wrong}");
        }
        assert_eq!(read(json!({"a": "x".repeat(MAX_ROW_BYTES)})).unwrap_err().code, "row_too_large");
        let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert!(read(json!({"a": nested(MAX_ROW_DEPTH)})).is_ok());
        assert_eq!(read(json!({"a": nested(MAX_ROW_DEPTH + 1)})).unwrap_err().code, "row_invalid");
    }

    #[test]
    fn the_pattern_of_names_says_what_is_read() {
        let pattern = regex_lite::Regex::new(TABLE_NAME).unwrap();
        for name in ["a", "Seen_orders-2", "", "a b", "a/b", "á", &"x".repeat(60), &"x".repeat(61)] {
            assert_eq!(is_table_name(name), pattern.is_match(name), "{name}");
        }
    }
}
