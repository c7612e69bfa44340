//! How much memory a JSON text takes as a tree. `[[0]]` is five bytes as text and hundreds as values: a text is counted
//! before it is read, and refused where its tree would be too large.

use serde_json::Value;

use crate::{Error, Result};

/// A body of 4 MB fits with one number to five bytes. A function has 256 MB; lists grow by doubling, so that reading
/// takes up to twice as much.
pub(super) const MOST_TREE_BYTES: usize = 64 * 1024 * 1024;
/// What `serde_json` allocates, which keeps the order of fields and has room for four at first.
const VALUE_BYTES: usize = size_of::<Value>();
const ARRAY_BYTES: usize = 4 * VALUE_BYTES;
const OBJECT_BYTES: usize = 512;
const ENTRY_BYTES: usize = 160;
const STRING_BYTES: usize = 32;

/// Refuses a text whose tree is too large. Whether it is JSON is not checked here.
pub fn check_size(text: &[u8]) -> Result<()> {
    if tree_bytes(text) <= MOST_TREE_BYTES {
        return Ok(());
    }
    let problem = "holds too many values for one request; send fewer objects and lists, or several requests";
    Err(Error::invalid_body("", problem))
}

/// As much as its tree takes, or more.
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

/// Goes behind the quote that ends a string.
fn skip_string<'t>(rest: &mut impl Iterator<Item = &'t u8>) {
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(rest.next()),
            _ => {}
        }
    }
}
