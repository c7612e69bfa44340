//! Runs, as the requests and responses of several functions show them.

use domain::run::{ReviewField, ReviewRequest, Run, RunError, RunOrigin, RunStarter, RunState};
use serde::Serialize;
use store::run_rows::RunRow;
use store::runs::OpenReview;
use utoipa::ToSchema;
use uuid::Uuid;

use super::usage::ModelUsageOut;

/// What is known of a run without its values and its usage.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunHead")]
pub struct RunHeadOut {
    id: Uuid,
    workflow_id: Uuid,
    /// The release that runs. A later publication does not change it.
    release_id: Uuid,
    release_number: u64,
    state: RunState,
    /// What started the run.
    origin: RunOrigin,
    /// Who started the run with an assistant. Only runs with the origin `mcp` have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    started_by: Option<RunStarter>,
    /// The conversation of the message that started the run.
    #[schema(required)]
    thread_id: Option<Uuid>,
    /// Why the run failed.
    #[schema(required)]
    error: Option<RunErrorOut>,
    #[schema(format = DateTime)]
    queued_at: String,
    /// When a worker first claimed the run.
    #[schema(required, format = DateTime)]
    started_at: Option<String>,
    #[schema(required, format = DateTime)]
    finished_at: Option<String>,
    /// The time between `startedAt` and `finishedAt`.
    #[schema(required)]
    duration_ms: Option<u64>,
    /// The run that this one repeats in part.
    #[schema(required)]
    retry_of: Option<Uuid>,
    /// When the values of the run were erased.
    #[schema(required, format = DateTime)]
    erased_at: Option<String>,
}

/// A run, as a list shows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunEntry")]
pub struct RunEntryOut {
    #[serde(flatten)]
    head: RunHeadOut,
    /// The review that the run waits for. If several are open, it is the one that expires first.
    #[schema(required)]
    waiting: Option<WaitHeadOut>,
    /// The calls of models that the run has made so far. Runs that it has started have their own usage.
    usage: ModelUsageOut,
}

/// Why a run failed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunError")]
pub struct RunErrorOut {
    /// A stable identifier for programs.
    #[schema(example = "timeout")]
    code: String,
    message: String,
    /// The node that failed; null if the run failed as a whole.
    #[schema(required)]
    node_id: Option<String>,
}

/// What a run waits for, as a list shows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WaitHead")]
pub struct WaitHeadOut {
    node_id: String,
    /// The path of the step: the node's id, or in a loop the iteration and the id, such as `lines[2]/review`.
    step: String,
    kind: WaitKind,
    title: String,
    /// After this time the review expires.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// What a run waits for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Wait")]
pub struct WaitOut {
    #[serde(flatten)]
    head: WaitHeadOut,
    #[schema(required)]
    message: Option<String>,
    /// The fields that the person may change.
    fields: Vec<ReviewField>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitKind {
    /// The decision of a person
    Review,
}

impl From<Run> for RunHeadOut {
    fn from(run: Run) -> Self {
        Self {
            id: run.id.uuid(),
            workflow_id: run.workflow.uuid(),
            release_id: run.release.uuid(),
            release_number: run.release_number,
            state: run.state,
            origin: run.origin,
            started_by: run.started_by.clone(),
            thread_id: run.thread.as_ref().map(|thread| thread.id.uuid()),
            queued_at: run.queued_at().to_string(),
            started_at: run.started_at.map(|at| at.to_string()),
            finished_at: run.ended_at.map(|at| at.to_string()),
            duration_ms: run.duration().map(|duration| duration.as_millis() as u64),
            retry_of: run.retry_of.map(|run| run.uuid()),
            erased_at: run.erased_at.map(|at| at.to_string()),
            error: run.error.map(RunErrorOut::from),
        }
    }
}

impl From<RunRow> for RunEntryOut {
    fn from(RunRow { run, usage, waiting }: RunRow) -> Self {
        let waiting = waiting.map(|review| WaitOut::from(review).head);
        Self { head: run.into(), waiting, usage: usage.into() }
    }
}

impl From<RunError> for RunErrorOut {
    fn from(error: RunError) -> Self {
        let RunError { code, message, node_id } = error;
        Self { code, message, node_id }
    }
}

impl From<OpenReview> for WaitOut {
    fn from(review: OpenReview) -> Self {
        let ReviewRequest { title, message, fields } = review.content();
        let head = WaitHeadOut {
            node_id: review.node_id().to_owned(),
            step: review.step,
            kind: WaitKind::Review,
            title,
            expires_at: review.closes_at.to_string(),
        };
        Self { head, message, fields }
    }
}
