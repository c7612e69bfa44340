//! A limit on the memory of parsed JSON. `[[0]]` has five bytes as text but takes hundreds as values, so the size is
//! estimated before parsing and a document that would be too large is refused.

use serde_json::Value;

use crate::{Error, Result};

/// A body of 4 MB with one number per five bytes fits. A function has 256 MB of memory, and parsing takes up to twice
/// this limit because lists grow by doubling.
pub(super) const MOST_TREE_BYTES: usize = 64 * 1024 * 1024;
/// Sizes of what `serde_json` allocates. Objects keep the order of their fields, and a list first allocates four items.
const VALUE_BYTES: usize = size_of::<Value>();
const ARRAY_BYTES: usize = 4 * VALUE_BYTES;
const OBJECT_BYTES: usize = 512;
const ENTRY_BYTES: usize = 160;
const STRING_BYTES: usize = 32;

/// Refuses a text that would take too much memory. It does not check whether the text is valid JSON.
pub fn check_size(text: &[u8]) -> Result<()> {
    if tree_bytes(text) <= MOST_TREE_BYTES {
        return Ok(());
    }
    let problem = "holds too many values for one request; send fewer objects and lists, or several requests";
    Err(Error::invalid_body("", problem))
}

/// Whether lists and objects of the value are nested deeper than a limit.
pub fn is_deeper_than(value: &Value, limit: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(fields) => Box::new(fields.values()),
        _ => return false,
    };
    limit == 0 || inner.any(|value| is_deeper_than(value, limit - 1))
}

/// An upper bound of the memory that the parsed text takes.
pub(super) fn tree_bytes(text: &[u8]) -> usize {
    let (mut total, mut rest) = (VALUE_BYTES, text.iter());
    while let Some(byte) = rest.next() {
        total += match byte {
            b'[' => ARRAY_BYTES,
            b'{' => OBJECT_BYTES,
            b',' => VALUE_BYTES,
            b':' => ENTRY_BYTES,
            b'"' => {
                skip_string(&mut rest);
                STRING_BYTES
            }
            _ => 0,
        };
    }
    total
}

/// Skips the rest of a string, including its closing quote.
fn skip_string<'t>(rest: &mut impl Iterator<Item = &'t u8>) {
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(rest.next()),
            _ => {}
        }
    }
}
