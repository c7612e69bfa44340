//! The limits of the work and the memory of a run.

use std::time::Duration;

use crate::run::Execution;
use domain::run::RunError;

/// The limits of one run. The unit of work is one step of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The work between two pauses.
    pub slice: u64,
    pub work: u64,
    /// The approximate memory of the values.
    pub bytes: usize,
    pub time: Duration,
}

impl Limits {
    /// A slice is some tens of milliseconds of processor time. All work is about a minute, much less than a shift: the next
    /// process does it again, so a run that is handed over always goes on.
    ///
    /// A step waits for 30 days at most. One more day lets the run go on after such a wait.
    pub const RUN: Self = Self {
        slice: 1_000_000,
        work: 1_000_000_000,
        bytes: 128 * 1024 * 1024,
        time: Duration::from_secs(31 * 24 * 60 * 60),
    };

    /// For a person who waits for the response: about half a second of processor time.
    pub const SHOWN: Self = Self { work: 10_000_000, bytes: 64 * 1024 * 1024, ..Self::RUN };

    /// Computes the steps that need no further result. Stops early if the execution exceeds a limit, and returns whether it
    /// stayed within them.
    pub fn settle(&self, execution: &mut Execution) -> bool {
        while self.exceeded_by(execution, 0).is_none() {
            if !execution.has_more() {
                return true;
            }
            execution.settle(execution.work() + self.slice);
        }
        false
    }

    pub fn time_error(&self) -> RunError {
        let days = self.time.as_secs() / (24 * 60 * 60);
        let message = format!("the run has lasted {days} days; divide long work among several runs");
        RunError { code: "run_too_long".to_owned(), message, node_id: None }
    }

    /// Why the run may not go on, if it exceeds a limit. `other_bytes` is memory that the execution does not count.
    pub fn exceeded_by(&self, execution: &Execution, other_bytes: usize) -> Option<RunError> {
        let (code, message) = if execution.work() > self.work {
            let message =
                "the expressions of the run take too much time; simplify them, or divide the work among several runs";
            ("too_much_work", message.to_owned())
        } else if execution.bytes() + other_bytes > self.bytes {
            let mebibytes = self.bytes >> 20;
            let message =
                format!("the values of the run take more than {mebibytes} MiB of memory; pass on less of them");
            ("run_too_large", message)
        } else {
            return None;
        };
        Some(RunError { code: code.to_owned(), message, node_id: None })
    }
}
