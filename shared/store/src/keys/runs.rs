//! The keys of runs and schedules in the table `entities`.

use super::{DueShards, Key, shard_of};
use domain::id::{ParticipantId, RunId, WorkflowId};
use domain::messaging::MessagingProvider;
use domain::run::{RunOrigin, RunState};

/// The partition of a run: its head, and its reviews.
pub fn run_items(id: RunId) -> String {
    format!("{RUN}{id}")
}

pub fn run(id: RunId) -> Key {
    Key::new(run_items(id), "RUN")
}

/// A list of a workflow's runs.
#[derive(Clone, Copy, Debug)]
pub enum RunList {
    All,
    OfOrigin(RunOrigin),
    OfState(RunState),
    /// The runs that messages of a provider have started.
    OfChannel(MessagingProvider),
    /// The runs that messages of a participant have started.
    OfParticipant(ParticipantId),
}

/// The number of partitions of each list of a workflow's runs. A workflow may start a thousand runs a second.
pub const LIST_SHARDS: u8 = 8;
/// More than other lists, because each change of state removes an entry and adds one.
pub const STATE_LIST_SHARDS: u8 = 16;

impl RunList {
    pub fn shards(self) -> u8 {
        match self {
            Self::All | Self::OfOrigin(_) | Self::OfChannel(_) => LIST_SHARDS,
            Self::OfState(_) => STATE_LIST_SHARDS,
            // One person does not write a thousand messages a second.
            Self::OfParticipant(_) => 1,
        }
    }

    /// A part of the list.
    pub fn partition(self, workflow: WorkflowId, shard: u8) -> String {
        match self {
            Self::All => format!("RUNS#{workflow}#{shard}"),
            Self::OfOrigin(origin) => format!("RUNS#{workflow}#{}#{shard}", origin.as_str()),
            Self::OfState(state) => format!("RUNS#{workflow}#{}#{shard}", state.as_str()),
            Self::OfChannel(provider) => format!("RUNS#{workflow}#{}#{shard}", provider.as_str()),
            Self::OfParticipant(participant) => format!("RUNS#{workflow}#{participant}#{shard}"),
        }
    }

    /// The part that a run is in.
    pub fn partition_of(self, workflow: WorkflowId, id: RunId) -> String {
        self.partition(workflow, shard_of(id.uuid(), self.shards()))
    }
}

/// A question to a person, by the path of its step.
pub fn review(run: RunId, step: &str) -> Key {
    Key::new(run_items(run), format!("{REVIEW}{step}"))
}

/// The run that a step of another run has started.
pub fn called_run(run: RunId, step: &str) -> Key {
    Key::new(run_items(run), format!("{CALLED_RUN}{step}"))
}

/// The number of runs that a run has caused.
pub fn run_tree(root: RunId) -> Key {
    Key::new(run_items(root), "TREE")
}

/// The run that a caller has started with this key. `source` is what starts runs, such as a webhook. Each start has its own
/// partition, because one source may start thousands of runs a second.
pub fn run_start(source: &str, key_hash: &str) -> Key {
    Key::new(format!("STARTED#{source}#{key_hash}"), "STARTED")
}

/// The schedules of a workflow's active release.
pub fn schedules(workflow: WorkflowId) -> String {
    format!("{SCHEDULE}{workflow}")
}

/// A schedule, by the id of its node.
pub fn schedule(workflow: WorkflowId, node_id: &str) -> Key {
    Key::new(schedules(workflow), node_id)
}

/// The partition of a schedule is that of its workflow.
pub const SCHEDULES_DUE: DueShards = DueShards::new("SCHEDULES#", 4);

pub const RUNS_DUE: DueShards = DueShards::new("RUNS#", 32);

pub const SCHEDULE: &str = "SCHEDULE#";
pub const RUN: &str = "RUN#";
pub const REVIEW: &str = "REVIEW#";
/// It sorts before `REVIEW`, so one query reads both.
pub const CALLED_RUN: &str = "CALLED#";
