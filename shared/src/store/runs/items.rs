//! The items of a run: its head, the parts of its log, its reviews, and the runs that it has called.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::keys::{self, Key};
use super::super::run_statistics::RunPlace;
use domain::id::{OrgId, ReleaseId, RunId, UserId, WorkflowId};
use domain::identity::Account;
use domain::run::{NewReview, ParentStep, ReviewAnswer, Run, RunError, RunEvent, RunOrigin, RunState};
use domain::time::Time;
use domain::{Error, Result};
use uuid::Uuid;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunItem {
    pub pk: String,
    pub sk: String,
    pub run_id: RunId,
    pub org: OrgId,
    pub user: UserId,
    pub workflow: WorkflowId,
    pub release: ReleaseId,
    pub release_number: u64,
    pub origin: RunOrigin,
    pub trigger: String,
    pub state: RunState,
    /// The number of claims so far.
    pub epoch: u64,
    /// The number of the next event.
    pub next_event: u64,
    /// How often somebody answered a review or stopped the run, or a called run ended. `seen_wakes` is the number that was
    /// known when the run parked.
    pub wakes: u64,
    pub seen_wakes: u64,
    /// How many holders in a row crashed.
    pub crashes: u32,
    /// The epoch of the last holder that wrote to the head after a crash.
    pub reached: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_until: Option<Time>,
    /// When a parked run goes on by itself. `due_at` only says when the ticker looks at the run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Time>,
    /// The user stopped the run. No holder can write to it; `end_stopped` ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_shard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// The step of another run that waits for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentItem>,
    /// The run has started others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<bool>,
    /// The partitions of the lists that the run is in. An index orders each by `run_id`.
    #[serde(default)]
    pub listed_in: String,
    #[serde(default)]
    pub listed_by_origin: String,
    #[serde(default)]
    pub listed_by_state: String,
}

impl RunItem {
    pub(in crate::store) fn place(&self) -> RunPlace {
        RunPlace { id: self.run_id, account: Account { org: self.org, user: self.user }, workflow: self.workflow }
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }
}

impl From<RunItem> for Run {
    fn from(item: RunItem) -> Self {
        Self {
            id: item.run_id,
            account: Account { org: item.org, user: item.user },
            workflow: item.workflow,
            release: item.release,
            release_number: item.release_number,
            origin: item.origin,
            trigger: item.trigger,
            // A holder that hands over a run queues it again, but for a person it goes on.
            state: if item.state == RunState::Queued && item.epoch > 0 { RunState::Running } else { item.state },
            started_at: item.started_at,
            ended_at: item.ended_at,
            error: item.error,
            parent: item.parent.map(ParentStep::from),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParentItem {
    pub run: RunId,
    pub step: String,
    pub depth: u32,
    pub root: RunId,
}

impl From<ParentItem> for ParentStep {
    fn from(ParentItem { run, step, depth, root }: ParentItem) -> Self {
        Self { run, step, depth, root }
    }
}

impl From<ParentStep> for ParentItem {
    fn from(ParentStep { run, step, depth, root }: ParentStep) -> Self {
        Self { run, step, depth, root }
    }
}

/// A run that a step has started.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CalledRunItem {
    pub pk: String,
    pub sk: String,
    pub step: String,
    pub run_id: RunId,
    /// The end of that run was stored.
    pub has_ended: bool,
}

impl CalledRunItem {
    pub fn new(parent: &ParentStep, run_id: RunId) -> Self {
        let Key { pk, sk } = keys::called_run(parent.run, &parent.step);
        Self { pk, sk, step: parent.step.clone(), run_id, has_ended: false }
    }
}

/// Events that were stored together.
#[derive(Debug, Serialize, Deserialize)]
pub struct LogItem {
    pub pk: String,
    pub sk: String,
    /// JSON, because one text is read and written faster than many attributes.
    events: String,
}

impl LogItem {
    pub fn new(run: RunId, first: u64, events: &[String]) -> Self {
        let Key { pk, sk } = keys::run_log_part(run, first);
        Self { pk, sk, events: format!("[{}]", events.join(",")) }
    }

    /// The number of the first event.
    pub fn first(&self) -> Result<u64> {
        self.sk.parse().map_err(Error::internal)
    }

    pub fn events(&self) -> Result<Vec<RunEvent>> {
        serde_json::from_str(&self.events).map_err(Error::internal)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewState {
    Open,
    Answered,
    Expired,
    /// The run no longer needs the answer.
    Canceled,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReviewItem {
    pub pk: String,
    pub sk: String,
    pub step: String,
    pub state: ReviewState,
    pub request: Map<String, Value>,
    pub closes_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ReviewAnswer>,
}

impl ReviewItem {
    pub fn new(run: RunId, review: &NewReview) -> Self {
        let Key { pk, sk } = keys::review(run, &review.step);
        let NewReview { step, expires_at, request } = review.clone();
        Self { pk, sk, step, state: ReviewState::Open, request, closes_at: expires_at, answer: None }
    }
}
