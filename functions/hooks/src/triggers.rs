//! Starts the run of a call. A run without effects is carried out at once and stored in one write, at its end: a crash
//! before loses nothing, because the call was not answered and nothing happened outside.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use domain::id::{Id, RunId, WebhookId, WorkflowId};
use domain::run::{NewRun, RunEnd, RunError, RunOrigin, RunState};
use domain::time::Time;
use domain::webhook::{Webhook, WebhookMode, WebhookOutcome};
use domain::workflow::WorkflowState;
use domain::{Error, Result};
use engine::drive::{PureRun, carry_out_pure};
use engine::run::RunStart;
use runner::ReleasePlan;
use serde_json::{Value, json};
use shared::http::base_url::BaseUrl;
use shared::http::standard::ApiError;
use shared::offload;
use shared::store::runs::{StartKey, Started};
use shared::store::workflows::WorkflowHeader;
use tokio::time::{Instant, sleep, timeout_at};

use crate::Stores;
use crate::call::Call;
use crate::dto::{AcceptedOut, TriggeredOut};

/// The interval between two reads of the run. It grows with each read.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// The run of a call, as the response shows it.
pub struct Answer {
    run_id: RunId,
    result: RunResult,
}

enum RunResult {
    /// The run has not ended yet.
    Accepted,
    Completed(Arc<Value>),
    Failed(RunError),
    Cancelled,
}

/// A call with the token of its webhook.
pub struct Trigger<'a> {
    stores: &'a Stores,
    webhook: &'a Webhook,
    call: &'a Call,
    /// How long the caller waits for the run.
    until: Instant,
}

impl<'a> Trigger<'a> {
    pub fn new(stores: &'a Stores, webhook: &'a Webhook, call: &'a Call) -> Self {
        Self { stores, webhook, call, until: Instant::now() + Duration::from_millis(webhook.timeout_ms) }
    }

    /// Starts the run of the call, or finds the run of an earlier call with the same key.
    pub async fn start_run(&self) -> Result<Answer> {
        let Self { stores, webhook, call, .. } = self;
        let input = call.input()?;
        let start_key = call.start_key(webhook.id, &input)?;
        let workflow = self.admit().await?;
        if let Some(start_key) = &start_key
            && let Some(first) = stores.runs.started(start_key).await?
        {
            return self.repeat(first).await;
        }
        workflow.state.check_startable()?;
        let active = workflow.active.ok_or_else(|| Error::internal("a workflow that may start has no release"))?;
        let release = stores.plans.find(webhook.account, webhook.workflow, active.release).await?;
        let trigger = release.trigger_of(webhook.id).ok_or_else(unused_webhook)?;
        let new = NewRun {
            id: RunId::new(),
            account: webhook.account,
            workflow: webhook.workflow,
            release: active.release,
            release_number: active.number,
            origin: RunOrigin::Webhook,
            trigger: release.plan.steps[trigger].id.clone(),
            input,
            call: None,
            parent: None,
        };
        let pure = match webhook.mode {
            WebhookMode::Sync => self.carry_out(&release, &new, trigger).await?,
            WebhookMode::Async => None,
        };
        match pure {
            Some(pure) => self.record(new, pure, start_key).await,
            None => self.hand_over(new, start_key).await,
        }
    }

    /// Checks that the owner of the webhook may run workflows, and reads the workflow.
    async fn admit(&self) -> Result<WorkflowHeader> {
        let Self { stores, webhook, .. } = self;
        let workflow = async {
            match stores.workflows.get_header(webhook.account, webhook.workflow).await {
                // To the caller, the webhook of a deleted or archived workflow does not exist.
                Ok(workflow) if workflow.state != WorkflowState::Archived => Ok(workflow),
                Ok(_) | Err(Error::NotFound { .. }) => Err(Error::NotFound { kind: WebhookId::KIND }),
                Err(error) => Err(error),
            }
        };
        let record_use = async {
            if let Err(error) = stores.webhooks.record_use(webhook, stores.clock.now()).await {
                tracing::warn!(?error, webhook_id = %webhook.id, "the use of a webhook was not recorded");
            }
            Ok(())
        };
        let (_, workflow, ()) = futures::try_join!(stores.owners.admit(webhook.account), workflow, record_use)?;
        Ok(workflow)
    }

    /// Carries out the run if it needs no effect and ends in time.
    async fn carry_out(&self, release: &ReleasePlan, new: &NewRun, trigger: usize) -> Result<Option<PureRun>> {
        let (plan, now) = (release.plan.clone(), Time::from_uuid(new.id.uuid()).into());
        let start = RunStart { run_id: new.id.to_string(), trigger, input: new.input.clone(), now };
        let run = offload(move || Ok(carry_out_pure(plan, start)));
        timeout_at(self.until, run).await.unwrap_or(Ok(None))
    }

    /// Stores a run that has ended.
    async fn record(&self, new: NewRun, pure: PureRun, start_key: Option<StartKey>) -> Result<Answer> {
        let PureRun { events, end } = pure;
        let answer = Answer { run_id: new.id, result: end.clone().into() };
        let event = self.call.answered(WebhookOutcome::Accepted, new.id, answer.status().as_u16());
        let new = NewRun { call: Some((self.webhook.id, event)), ..new };
        match self.stores.runs.record(new, events, &end, start_key).await? {
            Started::Now(_) => Ok(answer),
            Started::Before(first) => self.repeat(first).await,
        }
    }

    /// Leaves the run to the workers.
    async fn hand_over(&self, new: NewRun, start_key: Option<StartKey>) -> Result<Answer> {
        let Self { stores, webhook, call, .. } = self;
        let event = call.answered(WebhookOutcome::Accepted, new.id, StatusCode::ACCEPTED.as_u16());
        let new = NewRun { call: Some((webhook.id, event)), ..new };
        let run_id = match stores.runs.start(new, start_key).await? {
            Started::Now(run) => run.id,
            Started::Before(first) => return self.repeat(first).await,
        };
        // The run has started, so an error would make the caller start another one.
        let answer = self.wait(run_id).await.unwrap_or_else(|error| {
            tracing::warn!(?error, %run_id, "the result of a run could not be read");
            Answer { run_id, result: RunResult::Accepted }
        });
        if answer.status() != StatusCode::ACCEPTED {
            let stored = stores.webhook_events.set_status(webhook.id, call.event_id, answer.status().as_u16()).await;
            log_failure(webhook.id, stored);
        }
        Ok(answer)
    }

    /// Answers a repeated call with the run of the first one.
    async fn repeat(&self, first: RunId) -> Result<Answer> {
        let answer = self.wait(first).await?;
        let event = self.call.answered(WebhookOutcome::Repeated, first, answer.status().as_u16());
        log_failure(self.webhook.id, self.stores.webhook_events.record(self.webhook.id, event).await);
        Ok(answer)
    }

    /// Waits for the end of a run, if the webhook is synchronous.
    async fn wait(&self, run_id: RunId) -> Result<Answer> {
        let accepted = Answer { run_id, result: RunResult::Accepted };
        if self.webhook.mode == WebhookMode::Async {
            return Ok(accepted);
        }
        let mut wait = FIRST_WAIT;
        loop {
            if let Some(result) = read_result(self.stores, run_id).await? {
                return Ok(Answer { run_id, result });
            }
            if Instant::now() + wait > self.until {
                return Ok(accepted);
            }
            sleep(wait).await;
            wait = LONGEST_WAIT.min(wait * 3 / 2);
        }
    }
}

/// Logs that an event was not stored, which is no reason to refuse the answer.
fn log_failure(webhook_id: WebhookId, stored: Result<()>) {
    if let Err(error) = stored {
        tracing::warn!(?error, %webhook_id, "the event of a call was not stored");
    }
}

async fn read_result(stores: &Stores, run_id: RunId) -> Result<Option<RunResult>> {
    let run = stores.runs.find(run_id).await?.ok_or_else(|| Error::internal("the run of a call is missing"))?;
    Ok(match run.state {
        RunState::Queued | RunState::Running | RunState::Paused => None,
        RunState::Completed => Some(RunResult::Completed(Arc::new(stores.runs.whole_output(run_id).await?))),
        RunState::Cancelled => Some(RunResult::Cancelled),
        RunState::Failed => {
            let error = run.error.ok_or_else(|| Error::internal("a failed run has no error"))?;
            Some(RunResult::Failed(error))
        }
    })
}

fn unused_webhook() -> Error {
    let message =
        "no channel of the active release uses this webhook; choose it in the workflow's channels and publish";
    Error::Unsound { code: "channel_incomplete", message: message.to_owned(), details: Value::Null }
}

impl From<RunEnd> for RunResult {
    fn from(end: RunEnd) -> Self {
        match end {
            RunEnd::Completed { output } => Self::Completed(output),
            RunEnd::Failed(error) => Self::Failed(error),
            RunEnd::Cancelled => Self::Cancelled,
        }
    }
}

impl Answer {
    fn status(&self) -> StatusCode {
        match self.result {
            RunResult::Accepted => StatusCode::ACCEPTED,
            RunResult::Completed(_) => StatusCode::OK,
            RunResult::Failed(_) | RunResult::Cancelled => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    pub fn into_response(self, workflow: WorkflowId, BaseUrl(base_url): BaseUrl) -> Response {
        let (status, run_id) = (self.status(), self.run_id.uuid());
        match self.result {
            RunResult::Accepted => {
                let url =
                    base_url.map(|base| [(LOCATION, format!("{base}/builder/v1/workflows/{workflow}/runs/{run_id}"))]);
                (status, url, Json(AcceptedOut { run_id })).into_response()
            }
            RunResult::Completed(output) => {
                (status, Json(TriggeredOut { run_id, output: Arc::unwrap_or_clone(output) })).into_response()
            }
            RunResult::Failed(RunError { code, message, node_id }) => {
                let place = node_id.as_ref().map(|id| format!(" at the node `{id}`")).unwrap_or_default();
                let message = format!("the run failed{place}: {message}");
                let details = json!({"runId": run_id, "code": code, "nodeId": node_id});
                ApiError(Error::Unsound { code: "run_failed", message, details }).into_response()
            }
            RunResult::Cancelled => {
                let (message, details) = ("the run was stopped".to_owned(), json!({"runId": run_id}));
                ApiError(Error::Unsound { code: "run_cancelled", message, details }).into_response()
            }
        }
    }
}
