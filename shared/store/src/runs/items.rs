//! The items of a run: its head, the parts of its log, its reviews, and the runs that it has called.

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::keys::{self, AccountList, Key};
use super::super::run_statistics::RunPlace;
use super::super::write::Write;
use super::sealing::{RunKey, open_or_hide};
use domain::id::{OrgId, ReleaseId, RunId, UserId, WebhookEventId, WebhookId, WorkflowId};
use domain::identity::Account;
use domain::retention::RunRetention;
use domain::run::{
    NewReview, ParentStep, QuestionKind, ReviewAnswer, Run, RunError, RunEvent, RunOrigin, RunStarter, RunState,
    RunThread,
};
use domain::time::Time;
use domain::{Error, Result};
use platform::secrets::Sealed;
use uuid::Uuid;

#[derive(Clone, Debug, Serialize, Deserialize, Attributes)]
pub struct RunItem {
    pub pk: String,
    pub sk: String,
    pub run_id: RunId,
    pub org: OrgId,
    pub user: UserId,
    /// Who pays, if that is not `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer: Option<UserId>,
    pub workflow: WorkflowId,
    pub release: ReleaseId,
    pub release_number: u64,
    pub origin: RunOrigin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<RunStarter>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<Time>,
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
    /// The call of a webhook that started the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_event: Option<(WebhookId, WebhookEventId)>,
    /// The run that this one repeats in part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<RunId>,
    /// The conversation of the message that started the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<RunThread>,
    /// The number of exchanges that have begun, so that a list need not read the log.
    #[serde(default)]
    pub exchanges: u64,
    /// When the user erased the values of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_at: Option<Time>,
    /// The key of the masked parts, until it is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Sealed>,
    /// The run has masked parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<bool>,
    #[serde(default)]
    pub retention: RunRetention,
    /// When a run that has ended is deleted. TTL deletes items late, so readers compare it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// The partitions of the lists that the run is in. An index orders each by `run_id`.
    #[serde(default)]
    pub listed_in: String,
    #[serde(default)]
    pub listed_by_origin: String,
    #[serde(default)]
    pub listed_by_state: String,
    /// Only a run with a thread is in these two lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_by_channel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_by_participant: Option<String>,
    /// The part of the list of all runs of the account. Earlier versions had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_of: Option<String>,
    /// The id of the run, by which that list is ordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_at: Option<Uuid>,
    /// The part of the list of failed or paused runs of the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_of: Option<String>,
    /// An id of the time when it failed or began to wait, by which that list is ordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_at: Option<Uuid>,
}

impl RunItem {
    pub(crate) fn place(&self) -> RunPlace {
        let account = Account { org: self.org, user: self.user };
        RunPlace { id: self.run_id, account, workflow: self.workflow, retention: self.retention }
    }

    pub fn has_expired(&self, now: Time) -> bool {
        self.expires_at.is_some_and(|at| at <= now.as_seconds())
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
            payer: item.payer,
            workflow: item.workflow,
            release: item.release,
            release_number: item.release_number,
            origin: item.origin,
            started_by: item.started_by,
            scheduled_at: item.scheduled_at,
            trigger: item.trigger,
            state: match item.state {
                // A holder that hands over a run queues it again, but for a person it goes on.
                RunState::Queued if item.epoch > 0 => RunState::Running,
                // It was answered, and the next claim lets it go on.
                RunState::Paused if item.wakes > item.seen_wakes => RunState::Running,
                state => state,
            },
            started_at: item.started_at,
            ended_at: item.ended_at,
            error: item.error,
            erased_at: item.erased_at,
            retry_of: item.retry_of,
            thread: item.thread,
            retention: item.retention,
            exchange_count: item.exchanges,
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
#[derive(Clone, Debug, Serialize, Deserialize, Attributes)]
pub struct CalledRunItem {
    pub pk: String,
    pub sk: String,
    pub step: String,
    pub run_id: RunId,
    /// The end of that run was stored.
    pub has_ended: bool,
    expires_at: i64,
}

impl CalledRunItem {
    pub fn new(parent: &ParentStep, run_id: RunId, expires_at: Time) -> Self {
        let Key { pk, sk } = keys::called_run(parent.run, &parent.step);
        Self { pk, sk, step: parent.step.clone(), run_id, has_ended: false, expires_at: expires_at.as_seconds() }
    }
}

/// Events that were stored together.
#[derive(Debug, Serialize, Deserialize, Attributes)]
pub struct LogItem {
    pub pk: String,
    pub sk: String,
    /// JSON, because one text is read and written faster than many attributes.
    events: String,
    expires_at: i64,
}

impl LogItem {
    pub fn new(run: RunId, first: u64, events: &[String], expires_at: Time) -> Self {
        let Key { pk, sk } = keys::run_log_part(run, first);
        Self { pk, sk, events: format!("[{}]", events.join(",")), expires_at: expires_at.as_seconds() }
    }

    /// The number of the first event.
    pub fn first(&self) -> Result<u64> {
        self.sk.parse().map_err(Error::internal)
    }

    /// The events. Without the key of the run, their masked parts are hidden.
    pub fn events(&self, key: Option<&RunKey>) -> Result<Vec<RunEvent>> {
        let mut events: Vec<RunEvent> = serde_json::from_str(&self.events).map_err(Error::internal)?;
        for event in &mut events {
            if let Some(value) = event.kind.inline_value_mut() {
                open_or_hide(value, key);
            }
        }
        Ok(events)
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

#[derive(Clone, Debug, Serialize, Deserialize, Attributes)]
pub struct ReviewItem {
    pub pk: String,
    pub sk: String,
    pub step: String,
    /// Earlier versions had only reviews.
    #[serde(default)]
    pub kind: QuestionKind,
    pub state: ReviewState,
    pub request: Map<String, Value>,
    pub closes_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ReviewAnswer>,
    /// The part of the list of open reviews of the account. A closed review and a page of a form have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    listed_of: Option<String>,
    /// When the review was opened, by which that list is ordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_at: Option<Uuid>,
    expires_at: i64,
}

impl ReviewItem {
    /// `expires_at` is when the item is deleted. The review itself closes earlier.
    pub(super) fn new(run: RunPlace, review: &NewReview, expires_at: Time) -> Self {
        let Key { pk, sk } = keys::review(run.id, &review.step);
        let NewReview { kind, step, expires_at: closes_at, request } = review.clone();
        let (state, expires_at) = (ReviewState::Open, expires_at.as_seconds());
        let opened = Uuid::now_v7();
        let is_listed = kind == QuestionKind::Review;
        let listed_of = is_listed.then(|| AccountList::Reviews.partition_of(run.account, opened));
        let listed_at = is_listed.then_some(opened);
        Self { pk, sk, step, kind, state, request, closes_at, answer: None, listed_of, listed_at, expires_at }
    }

    /// Takes a review out of the list of open reviews.
    pub fn unlist(review: Write) -> Write {
        review.remove(Self::LISTED_OF).remove(Self::LISTED_AT)
    }
}
