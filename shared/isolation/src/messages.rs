//! What a process sends back: a byte when it has started, the kind of its end, and what belongs to it.

use std::io;

use serde::de::DeserializeOwned;

/// The byte before an end: the task has a process.
pub const STARTED: u8 = b'+';
/// The answer follows, as JSON.
pub const ANSWERED: u8 = b'=';
/// A signal ended the process. Its number and the mark of the workload follow.
pub const CRASHED: u8 = b'!';
/// The process could not limit itself, so it has run nothing. The error follows.
pub const UNLIMITED: u8 = b'~';

/// Why a task has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("No process can be started ({0}). Try again. If the error continues, report it to the operator.")]
    NotStarted(#[from] io::Error),
    #[error(
        "A process cannot be limited ({0}), so it ran nothing. The operator must allow resource limits and filters of \
         system calls (seccomp)."
    )]
    Unlimited(String),
    #[error("The process ended without an answer.")]
    Crashed(Crash),
}

/// How a process ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    pub cause: Cause,
    /// See [`crate::Workload::mark`].
    pub mark: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The limit of processor time.
    Time,
    /// A mistake in the code, the limit of memory, or a system call that is forbidden.
    Other,
}

impl Crash {
    const UNKNOWN: Self = Self { cause: Cause::Other, mark: 0 };

    fn read(report: &[u8]) -> Self {
        let &[signal, mark] = report else { return Self::UNKNOWN };
        let cause = if libc::c_int::from(signal) == libc::SIGXCPU { Cause::Time } else { Cause::Other };
        Self { cause, mark }
    }
}

/// Reads what a process sent. None if the task never started.
pub fn read_end<A: DeserializeOwned>(bytes: &[u8]) -> Option<Result<A, Failure>> {
    let (&STARTED, end) = bytes.split_first()? else { return None };
    // A process that was killed sends nothing or a part.
    Some(match end.split_first() {
        Some((&ANSWERED, answer)) => serde_json::from_slice(answer).map_err(|_| Failure::Crashed(Crash::UNKNOWN)),
        Some((&CRASHED, report)) => Err(Failure::Crashed(Crash::read(report))),
        Some((&UNLIMITED, error)) => Err(Failure::Unlimited(String::from_utf8_lossy(error).into_owned())),
        _ => Err(Failure::Crashed(Crash::UNKNOWN)),
    })
}
