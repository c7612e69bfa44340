//! The report of a history: the violations that its oracles found, the events it contains, and its trace.

use std::collections::BTreeMap;
use std::fmt;

use domain::Error;

use super::process::Process;

/// A violation, found by one of the oracles `O` of a protocol.
#[derive(Clone, Debug)]
pub struct Violation<O> {
    pub oracle: O,
    pub what: String,
}

impl<O: fmt::Debug> fmt::Display for Violation<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.oracle, self.what)
    }
}

/// The violations and the number of each event.
#[derive(Debug)]
pub struct Findings<O> {
    pub violations: Vec<Violation<O>>,
    pub tally: BTreeMap<&'static str, u64>,
}

impl<O> Findings<O> {
    pub fn count(&mut self, what: &'static str) {
        *self.tally.entry(what).or_default() += 1;
    }

    pub fn record_violation(&mut self, oracle: O, what: String) {
        self.violations.push(Violation { oracle, what });
    }

    /// Records that an operation of a process failed. `Unavailable` is allowed; any other error is a violation.
    pub fn record_failure(&mut self, oracle: O, process: &Process, what: &str, error: &Error) {
        process.world.note(|| format!("{}: {what} fails: {error:?}", process.name));
        self.count("busy");
        if !matches!(error, Error::Unavailable { .. }) {
            self.record_violation(oracle, format!("{what}: {error:?}"));
        }
    }
}

impl<O> Default for Findings<O> {
    fn default() -> Self {
        Self { violations: Vec::new(), tally: BTreeMap::new() }
    }
}

pub struct Report<O> {
    pub findings: Findings<O>,
    pub trace: Vec<String>,
}
