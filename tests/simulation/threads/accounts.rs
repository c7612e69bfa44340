//! What really happened: the committed messages and heads, who holds the threads, and what the provider accepted.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::{MessageId, RunId, ThreadId};
use domain::thread::{BusyPolicy, ThreadControl};

use super::oracle::Oracle;
use crate::machine::report::Findings;
use crate::machine::simulated::OracleAccounts;

#[derive(Default)]
pub struct Accounts {
    pub findings: Findings<Oracle>,
    pub threads: BTreeMap<ThreadId, ThreadAccount>,
    /// The planned messages whose delivery was acknowledged, and those that were stored.
    pub acknowledged: BTreeSet<usize>,
    pub stored: BTreeSet<usize>,
    pub runs: BTreeSet<RunId>,
    /// The messages that were stored to be sent.
    pub outgoing: BTreeMap<MessageId, Outgoing>,
    /// How often the provider accepted each part.
    pub accepted: BTreeMap<String, u32>,
    /// The messages that an erasure must delete.
    pub erased: BTreeSet<usize>,
    /// An erasure was requested, and the item of the participant is not deleted yet.
    pub is_erasing: bool,
    /// The messages whose delivery was recorded.
    pub delivered: BTreeSet<MessageId>,
}

/// A message that is sent to a participant.
pub struct Outgoing {
    pub number: u64,
    pub is_of_operator: bool,
    pub run: Option<RunId>,
}

#[derive(Default)]
pub struct ThreadAccount {
    /// The control as it is stored.
    pub control: ThreadControl,
    /// The messages without a run that a run must answer, in the order of the provider: their positions and numbers.
    pub waiting: BTreeSet<(u64, u64)>,
    /// The numbers of messages that have a run.
    pub answered: BTreeSet<u64>,
    /// The planned message with each number.
    pub planned: BTreeMap<u64, usize>,
    /// The run that was in progress when an operator took the thread.
    pub overtaken: Option<RunId>,
    /// The operator whose take was answered and who has not released the thread.
    pub holder: Option<String>,
    /// The message that is being sent.
    pub in_flight: Option<String>,
}

impl ThreadAccount {
    pub fn run(&self) -> Option<RunId> {
        self.control.run
    }

    /// Whether a message that arrives now gets a run.
    pub fn answers_messages(&self) -> bool {
        let rejects = self.control.run.is_some() && self.control.busy == BusyPolicy::Reject;
        self.control.hold.is_none() && !rejects
    }
}

impl OracleAccounts for Accounts {
    type Oracle = Oracle;

    const FAILED: Oracle = Oracle::Failed;

    fn findings(&mut self) -> &mut Findings<Oracle> {
        &mut self.findings
    }
}
