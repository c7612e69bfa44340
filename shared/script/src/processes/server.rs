//! What a process does with its script.

use std::io;
use std::time::Duration;

use isolation::Workload;

use super::messages::{Answer, Task};
use crate::budget::stop_mark;
use crate::limits::{Limits, RESERVE_BYTES};
use crate::program::Program;
use crate::sandbox::Sandbox;

/// What a process needs beside the memory of the script: the answer, and copies of values.
const OTHER_BYTES: u64 = 256 << 20;

/// The kernel's limit of processor time, beyond that of the sandbox, which is finer.
const EXTRA_TIME: Duration = Duration::from_secs(1);

/// The engine with its prelude, which the process of each script finds ready; with the library of scripts that work on items, too.
pub struct Scripts<const WITH_ITEMS: bool>(Sandbox);

impl<const WITH_ITEMS: bool> Workload for Scripts<WITH_ITEMS> {
    type Task = Task<'static>;
    type Answer = Answer;

    fn prepare() -> io::Result<Self> {
        let sandbox = if WITH_ITEMS { Sandbox::open_with_items() } else { Sandbox::open() };
        sandbox.map(Self).map_err(io::Error::other)
    }

    /// The sandbox reaches its own limits earlier, unless the engine fails.
    fn limits(&self, task: &Task<'static>) -> isolation::Limits {
        let limits = match task {
            Task::Check { .. } => Limits::default(),
            Task::Execute(task) => task.limits,
        };
        let script = limits.memory_bytes.saturating_add(RESERVE_BYTES) as u64;
        isolation::Limits {
            memory_bytes: script.saturating_add(OTHER_BYTES),
            cpu_time: limits.cpu_time.saturating_add(EXTRA_TIME),
        }
    }

    fn run(&self, task: Task<'static>) -> Answer {
        match task {
            Task::Check { source, form } => Answer::Checked(Program::check_in(&self.0, &source, form)),
            Task::Execute(task) => Answer::Executed(task.run(&self.0)),
        }
    }

    fn mark() -> u8 {
        stop_mark()
    }
}
