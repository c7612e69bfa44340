//! The limits of one execution.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a script may use. A script that reaches one of these limits ends with [`crate::ScriptError::Limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The steps: calls, turns of loops, and native work by the size of its input.
    pub steps: u64,
    /// The memory that the engine and the script use together. A single block may use half of it.
    pub memory_bytes: usize,
    /// The processor time of the thread.
    pub cpu_time: Duration,
    /// The length of the result as JSON.
    pub output_bytes: usize,
    /// The length of the source.
    pub source_bytes: usize,
    /// The number of lines that the console records. Later lines are dropped.
    pub console_lines: usize,
    /// The length of one line of the console. The rest of a longer line is dropped.
    pub console_line_bytes: usize,
    /// The length of all lines of the console together.
    pub console_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 50_000_000,
            memory_bytes: 64 << 20,
            cpu_time: Duration::from_secs(2),
            output_bytes: 1 << 20,
            source_bytes: 64 << 10,
            console_lines: 100,
            console_line_bytes: 2 << 10,
            console_bytes: 64 << 10,
        }
    }
}

/// The memory beyond [`Limits::memory_bytes`] from which the engine ends a script that reached a limit.
pub const RESERVE_BYTES: usize = 8 << 20;

/// The limit that a script reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LimitKind {
    Steps,
    Memory,
    Time,
    Output,
    Source,
}

impl LimitKind {
    pub const ALL: [Self; 5] = [Self::Steps, Self::Memory, Self::Time, Self::Output, Self::Source];
}

impl fmt::Display for LimitKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Steps => "The script takes too many steps. Process less data, or split the work among several nodes.",
            Self::Memory => "The script uses too much memory. Process less data at once.",
            Self::Time => {
                "The script uses too much processor time. Process less data, or simplify its loops and patterns."
            }
            Self::Output => "The result of the script is too large. Return less data.",
            Self::Source => "The source of the script is too long. Shorten it, or split it among several nodes.",
        })
    }
}
