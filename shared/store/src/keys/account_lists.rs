//! The keys of the lists over all workflows that are stored under an account, in the table `entities`.

use uuid::Uuid;

use super::shard_of;
use domain::identity::Account;
use domain::run::RunState;

/// A list over all workflows of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountList {
    /// By the start of the run.
    Runs,
    /// The runs that have failed.
    FailedRuns,
    /// The runs that wait.
    PausedRuns,
    /// By the last message, or by the last time that an operator has taken or released the thread.
    Threads,
    /// The threads in which a participant waits for an operator.
    WaitingThreads,
    /// The reviews that are open, by the time when they were opened.
    Reviews,
}

/// The number of partitions of each list of an account, which may start a thousand runs a second.
pub const ACCOUNT_LIST_SHARDS: u8 = 4;
/// A run that waits enters its list and leaves it.
pub const ATTENTION_LIST_SHARDS: u8 = 8;

impl AccountList {
    /// The list in the index `attention` that has the runs in a state. None if most runs pass through the state.
    pub fn of_state(state: RunState) -> Option<Self> {
        match state {
            RunState::Failed => Some(Self::FailedRuns),
            RunState::Paused => Some(Self::PausedRuns),
            RunState::Queued | RunState::Running | RunState::Completed | RunState::Cancelled => None,
        }
    }

    pub fn shards(self) -> u8 {
        match self {
            Self::FailedRuns | Self::PausedRuns => ATTENTION_LIST_SHARDS,
            Self::Runs | Self::Threads | Self::WaitingThreads | Self::Reviews => ACCOUNT_LIST_SHARDS,
        }
    }

    /// A part of the list.
    pub fn partition(self, home: Account, shard: u8) -> String {
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
        self.partition(home, shard_of(id, self.shards()))
    }
}
