//! Carries out each task in a process of its own, because its input may crash the code that reads it, or take it over.
//!
//! The program that this process executes is started a second time, as a server that has one thread and prepares what all
//! tasks need. It forks for each task, so a task starts fast and finds nothing of other tasks. The fork has hard limits of
//! memory and processor time, and a filter of system calls: it can compute, and answer. See the README.

mod crash;
mod filter;
mod messages;
mod processes;
mod program;
mod server;

pub use messages::{Cause, Crash, Failure};
pub use processes::Processes;
pub use program::ServerProgram;

use std::io;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind of task: the code that runs in its processes.
pub trait Workload: Sized {
    type Task: DeserializeOwned;
    type Answer: Serialize;

    /// Prepares what all tasks need, once in each server, before it forks. It must not start a thread.
    fn prepare() -> io::Result<Self>;

    fn limits(&self, task: &Self::Task) -> Limits;

    fn run(&self, task: Self::Task) -> Self::Answer;

    /// What the caller needs to know of a crash. It is called in a handler of signals, so it may only read atomic values.
    fn mark() -> u8 {
        0
    }
}

/// The hard limits of a process, which the kernel enforces.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The memory beyond that of the server and of the task's text.
    pub memory_bytes: u64,
    /// It is rounded up to whole seconds.
    pub cpu_time: Duration,
}
