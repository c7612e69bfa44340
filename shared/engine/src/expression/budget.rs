//! What one evaluation may use. Every step is counted and so is every byte that is made, and none is given back:
//! whatever a text says, it ends soon and stays small. Nothing else guards it: no thread, no clock, no allocator.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use super::Why;

/// Some tens of milliseconds.
pub const MAX_STEPS: u64 = 1_000_000;
/// Of all values that are made on the way.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Of what an evaluation gives, as JSON.
pub const MAX_OUTPUT_BYTES: usize = 1024 * 1024;
/// Of lists in lists: comparing and printing recurse. What comes in nests no deeper than JSON may.
pub const MAX_VALUE_DEPTH: u16 = 250;

#[derive(Debug)]
pub struct Budget {
    steps: u64,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: MAX_STEPS, bytes: MAX_BYTES }
    }
}

impl Budget {
    pub fn steps(&mut self, count: usize) -> Result<(), Why> {
        self.steps = self.steps.checked_sub(count as u64).ok_or(Why::Limit("takes too many steps"))?;
        Ok(())
    }

    /// Before the bytes are made. Making them takes time too.
    pub fn bytes(&mut self, count: usize) -> Result<(), Why> {
        self.bytes = self.bytes.checked_sub(count).ok_or(Why::Limit("makes too much data"))?;
        self.steps(count / 64)
    }
}

/// Refuses what would be more JSON than a value may be.
pub fn hold_output(value: &impl Serialize) -> Result<(), Why> {
    serde_json::to_writer(Room(MAX_OUTPUT_BYTES), value).map_err(|_| Why::Limit("gives more than 1 MiB as JSON"))
}

/// JSON as a text, charged as it is written: escapes make it longer than what it says.
pub fn json_text(value: &impl Serialize, budget: &mut Budget) -> Result<String, Why> {
    json_text_as(CompactFormatter, value, budget)
}

pub fn json_text_as(form: impl Formatter, value: &impl Serialize, budget: &mut Budget) -> Result<String, Why> {
    let mut written = Charged { budget, text: Vec::new() };
    let outcome = value.serialize(&mut Serializer::with_formatter(&mut written, form));
    let Charged { text, budget } = written;
    outcome.map_err(|_| Why::Limit("makes too much data"))?;
    budget.steps(text.len() / 64)?;
    String::from_utf8(text).map_err(|_| Why::Message("not JSON"))
}

/// Keeps what is written as far as the budget reaches.
struct Charged<'b> {
    budget: &'b mut Budget,
    text: Vec<u8>,
}

impl io::Write for Charged<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.budget.bytes(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps nothing of what is written, and takes no more than so many bytes.
struct Room(usize);

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
