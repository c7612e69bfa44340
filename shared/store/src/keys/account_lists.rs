//! The keys of the lists over all workflows that are stored under an account, in the table `entities`.

use uuid::Uuid;

use super::shard_of;
use domain::identity::Account;
use domain::run::RunState;

/// A list over all workflows of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountList {
    /// By the time when the run was queued.
    Runs,
    /// The runs that have failed, by the time of the failure.
    FailedRuns,
    /// The runs that wait, by the time since when they do.
    PausedRuns,
    /// By the last message, or by the last time that an operator has taken or released the thread.
    Threads,
    /// The threads in which a participant waits for an operator.
    WaitingThreads,
    /// The reviews that are open, by the time when they were opened.
    Reviews,
}

/// The number of partitions of each list of an account, which may start a thousand runs a second. A list over all workflows
/// reads those of several accounts, so there are fewer than of a list of one workflow.
pub const ACCOUNT_LIST_SHARDS: u8 = 4;

impl AccountList {
    /// The list in the index `attention` that has the runs in a state. None if most runs pass through the state.
    pub fn of_state(state: RunState) -> Option<Self> {
        match state {
            RunState::Failed => Some(Self::FailedRuns),
            RunState::Paused => Some(Self::PausedRuns),
            RunState::Queued | RunState::Running | RunState::Completed | RunState::Cancelled => None,
        }
    }

    /// The keys of all parts of the list.
    pub fn partitions(self, home: Account) -> impl Iterator<Item = String> {
        (0..ACCOUNT_LIST_SHARDS).map(move |shard| self.partition(home, shard))
    }

    fn partition(self, home: Account, shard: u8) -> String {
        let name = match self {
            Self::Runs => "RUNS",
            Self::FailedRuns => "FAILED",
            Self::PausedRuns => "PAUSED",
            Self::Threads => "THREADS",
            Self::WaitingThreads => "WAITING",
            Self::Reviews => "REVIEWS",
        };
        format!("{name}#{}#{}#{shard}", home.org, home.user)
    }

    /// The part that an item is in, by the last byte of an id of it.
    pub fn partition_of(self, home: Account, id: Uuid) -> String {
        self.partition(home, shard_of(id, ACCOUNT_LIST_SHARDS))
    }
}
