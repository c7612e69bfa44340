//! The size of a value as JSON, and its maximum in a run.

use std::io;

use serde::Serialize;

/// The maximum size of a value as JSON: of the result of an expression, and of the input and the output of a step.
pub const MAX_VALUE_BYTES: usize = 1024 * 1024;

/// The size of a value as JSON; none if it is larger than a value may be.
pub fn measure(value: &impl Serialize) -> Option<usize> {
    let mut limit = ByteLimit(MAX_VALUE_BYTES);
    serde_json::to_writer(&mut limit, value).ok()?;
    Some(MAX_VALUE_BYTES - limit.0)
}

/// A writer that only counts bytes, and fails above its limit.
struct ByteLimit(usize);

impl io::Write for ByteLimit {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
