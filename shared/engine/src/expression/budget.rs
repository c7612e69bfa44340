//! The budget of one evaluation: a limit on steps and on created bytes. Bytes are never credited back, so every
//! evaluation ends soon and stays small. No thread, clock or allocator limits it.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use super::Cause;
use crate::value_size::measure;

/// The maximum number of steps, some tens of milliseconds.
pub const MAX_STEPS: u64 = 1_000_000;
/// The maximum total size of all values that an evaluation creates.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The maximum nesting of created values, because comparison and printing recurse. Input values nest no deeper than the
/// JSON parser allows.
pub const MAX_VALUE_DEPTH: u16 = 250;

#[derive(Debug)]
pub struct EvaluationBudget {
    steps: u64,
    bytes: usize,
}

impl Default for EvaluationBudget {
    fn default() -> Self {
        Self { steps: MAX_STEPS, bytes: MAX_BYTES }
    }
}

impl EvaluationBudget {
    pub fn steps(&mut self, count: usize) -> Result<(), Cause> {
        self.steps = self
            .steps
            .checked_sub(count as u64)
            .ok_or(Cause::Limit("the evaluation takes too many steps; simplify it or use less data"))?;
        Ok(())
    }

    pub fn steps_taken(&self) -> u64 {
        MAX_STEPS - self.steps
    }

    /// Charges for bytes before they are created. Creating them also costs steps.
    pub fn bytes(&mut self, count: usize) -> Result<(), Cause> {
        self.bytes = self
            .bytes
            .checked_sub(count)
            .ok_or(Cause::Limit("the evaluation creates too much data; simplify it or use less data"))?;
        self.steps(count / 64)
    }
}

/// Checks that a result is within the size limit as JSON.
pub fn check_output_size(value: &impl Serialize) -> Result<(), Cause> {
    measure(value).map(drop).ok_or(Cause::Limit("the result is larger than 1 MiB as JSON; return less data"))
}

/// Serializes a value to JSON, and charges for each byte as it is written: escapes make JSON longer than its value.
pub fn json_text(value: &impl Serialize, budget: &mut EvaluationBudget) -> Result<String, Cause> {
    json_text_as(CompactFormatter, value, budget)
}

pub fn json_text_as(
    form: impl Formatter,
    value: &impl Serialize,
    budget: &mut EvaluationBudget,
) -> Result<String, Cause> {
    let mut writer = ChargedWriter { budget, text: Vec::new() };
    let outcome = value.serialize(&mut Serializer::with_formatter(&mut writer, form));
    let ChargedWriter { text, budget } = writer;
    outcome.map_err(|_| Cause::Limit("the evaluation creates too much data; simplify it or use less data"))?;
    budget.steps(text.len() / 64)?;
    String::from_utf8(text).map_err(|_| Cause::Message("not JSON"))
}

/// A writer that keeps its bytes and charges the budget for them.
struct ChargedWriter<'b> {
    budget: &'b mut EvaluationBudget,
    text: Vec<u8>,
}

impl io::Write for ChargedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.budget.bytes(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
