//! Starts the run of a call. A run without effects is carried out at once and stored in one write, at its end: a crash
//! before loses nothing, because the call was not answered and nothing happened outside. A run with effects is carried out here
//! as far as this function can perform them.

use std::sync::Arc;
use std::time::Duration;

use auth::admit_owner;
use axum::http::StatusCode;
use domain::id::{Id, RunId, WebhookId};
use domain::retention::RunRetention;
use domain::run::{NewRun, RunEnd, RunOrigin};
use domain::time::Time;
use domain::webhook::{WebhookMode, WebhookOutcome};
use domain::workflow::WorkflowState;
use domain::{Error, Result};
use engine::drive::{PureOutcome, PureRun, carry_out_pure, mask_run_input};
use engine::nodes::NodeConfig;
use engine::nodes::webhook::{WebhookNode, WebhookResponse};
use engine::run::{RunFacts, RunStart};
use platform::offload;
use runner::{Arrived, ArrivingRun, ReleasePlan, wait_for_end};
use serde_json::Value;
use store::called_webhooks::CalledWebhook;
use store::runs::{StartKey, Started};
use store::workflows::WorkflowHeader;
use tokio::time::{Instant, timeout_at};

use crate::Stores;
use crate::call::Call;
use crate::response::HookResponse;

/// A call that may start runs: it has the token of its webhook, or comes from the page of its form.
pub struct AuthorizedCall<'a> {
    stores: &'a Stores,
    called: CalledWebhook,
    call: &'a Call,
    /// How many runs the form of the webhook may start in an hour. A call with the token has no such limit.
    max_per_hour: Option<u64>,
    /// What the caller gets when the run has completed.
    answers_with: WebhookResponse,
    /// How long the caller waits for the run.
    until: Instant,
}

impl<'a> AuthorizedCall<'a> {
    pub fn new(stores: &'a Stores, called: CalledWebhook, call: &'a Call) -> Self {
        let until = Instant::now() + Duration::from_millis(called.webhook.timeout_ms);
        Self { stores, called, call, max_per_hour: None, answers_with: WebhookResponse::Run, until }
    }

    /// The call that the page of a form makes. It does not wait for the run: the next page does, and it may be one that the
    /// person must send first.
    pub fn of_form(stores: &'a Stores, mut called: CalledWebhook, call: &'a Call, max_per_hour: u64) -> Self {
        called.webhook.mode = WebhookMode::Async;
        Self { max_per_hour: Some(max_per_hour), ..Self::new(stores, called, call) }
    }

    /// Whether a GET starts a run.
    pub async fn starts_on_get(&self) -> Result<bool> {
        let found = self.find_trigger().await?;
        Ok(found
            .as_ref()
            .and_then(|(release, trigger)| webhook_node(release, *trigger))
            .is_some_and(|node| node.allow_get))
    }

    /// Starts the run of the call, or finds the run of an earlier call with the same key.
    pub async fn start_run(mut self) -> Result<HookResponse> {
        let found = self.find_trigger().await?;
        let node = found.as_ref().and_then(|(release, trigger)| webhook_node(release, *trigger));
        let kind = node.and_then(|node| node.input).unwrap_or_default();
        self.answers_with = node.and_then(|node| node.response).unwrap_or_default();
        let Self { stores, called: CalledWebhook { webhook, .. }, call, .. } = &self;
        let body = call.body().await;
        if let Some((release, trigger)) = &found {
            call.mask(&release.plan.steps[*trigger].redaction, kind, body.as_ref().ok());
        }
        let (workflow, retention) = self.admit().await?;
        let body = body?;
        let start_key = call.start_key(webhook.id, kind, &body)?;
        if let Some(start_key) = &start_key
            && let Some(first) = stores.runs.find_started(start_key).await?
        {
            return self.repeat(first).await;
        }
        let startable = workflow.startable_release()?;
        let (release, trigger) = found.ok_or_else(unused_webhook)?;
        call.check_query(kind)?;
        let input = call.checked_input(kind, body)?;
        let mut input = self.read_fields(&release, trigger, input).await?;
        self.take_place().await?;
        let step = &release.plan.steps[trigger];
        mask_run_input(&step.redaction, &mut input);
        let new = NewRun::new(startable, RunOrigin::Webhook, step.id.clone(), input);
        let new = new.with_retention(retention);
        if webhook.mode == WebhookMode::Async {
            return self.hand_over(new, start_key).await;
        }
        match self.carry_out_pure(&release, &new, trigger).await? {
            PureOutcome::Ended(pure) => self.store_ended(new, pure, start_key).await,
            PureOutcome::NeedsEffect => {
                let new = self.with_event(new, StatusCode::ACCEPTED);
                let arriving = ArrivingRun { new, start_key, plan: release.plan.clone(), trigger };
                self.carry_out(arriving).await
            }
            PureOutcome::NeedsWorker => self.hand_over(new, start_key).await,
        }
    }

    /// Finds the active release and the step that the webhook starts. They also say which parts of a call are masked in its event,
    /// even if the call starts no run.
    async fn find_trigger(&self) -> Result<Option<(Arc<ReleasePlan>, usize)>> {
        let Self { stores, called: CalledWebhook { webhook, workflow, .. }, .. } = self;
        let Some(active) = workflow.as_ref().and_then(|workflow| workflow.active.as_ref()) else { return Ok(None) };
        let release = stores.plans.find(webhook.account, webhook.workflow, active.release).await?;
        Ok(release.trigger_of(webhook.id).map(|trigger| (release, trigger)))
    }

    /// Checks that the owner of the webhook may run workflows. Returns the workflow, and how long its runs are kept.
    async fn admit(&self) -> Result<(&WorkflowHeader, RunRetention)> {
        let Self { stores, called: CalledWebhook { webhook, workflow, owner }, .. } = self;
        if let Err(error) = stores.webhooks.record_use(webhook, stores.clock.now()).await {
            tracing::warn!(?error, webhook_id = %webhook.id, "the use of a webhook was not recorded");
        }
        let owner = admit_owner(owner.clone(), stores.clock.now())?;
        // To the caller, the webhook of a deleted or archived workflow does not exist.
        let workflow = workflow.as_ref().filter(|workflow| workflow.state != WorkflowState::Archived);
        Ok((workflow.ok_or(Error::NotFound { kind: WebhookId::KIND })?, owner.plan.run_retention))
    }

    /// Checks an input against the fields of the form, if the webhook has one.
    async fn read_fields(&self, release: &Arc<ReleasePlan>, trigger: usize, input: Value) -> Result<Value> {
        if !matches!(release.plan.config(trigger), NodeConfig::FormNode(_)) {
            return Ok(input);
        }
        let release = release.clone();
        offload(move || match release.plan.config(trigger) {
            NodeConfig::FormNode(form) => {
                form.read_input("", input).map_err(|(field, problem)| Error::invalid_body(field, problem.en))
            }
            _ => Ok(input),
        })
        .await
    }

    /// Counts a run that a form starts.
    async fn take_place(&self) -> Result<()> {
        let Self { stores, called: CalledWebhook { webhook, .. }, .. } = self;
        let Some(most) = self.max_per_hour else { return Ok(()) };
        if stores.sent_forms.admit(webhook.id, most, stores.clock.now()).await? {
            return Ok(());
        }
        let message = "the form has started as many runs as it may in an hour; raise `maxPerHour`".to_owned();
        Err(Error::TooManyRequests { message, retry_after_s: 3_600 })
    }

    /// Carries out the run if it needs no effect and ends in time.
    async fn carry_out_pure(&self, release: &ReleasePlan, new: &NewRun, trigger: usize) -> Result<PureOutcome> {
        let plan = release.plan.clone();
        let facts = RunFacts::new(new.id.to_string(), Time::from_uuid(new.id.uuid()));
        let facts = RunFacts { workflow: Some(new.workflow.to_string()), origin: new.origin, ..facts };
        let start = RunStart { facts, trigger, input: new.input.clone() };
        let run = offload(move || Ok(carry_out_pure(plan, start)));
        timeout_at(self.until, run).await.unwrap_or(Ok(PureOutcome::NeedsWorker))
    }

    /// Stores a run that has ended.
    async fn store_ended(&self, new: NewRun, pure: PureRun, start_key: Option<StartKey>) -> Result<HookResponse> {
        let PureRun { events, end } = pure;
        let response = self.ended(new.id, end.clone());
        let new = self.with_event(new, response.status());
        match self.stores.runs.store_ended(new, events, &end, start_key).await? {
            Started::Now(_) => Ok(response),
            Started::Before(first) => self.repeat(first).await,
        }
    }

    /// Carries out a run with effects, as far as this function can, and waits for what the workers do.
    async fn carry_out(&self, arriving: ArrivingRun) -> Result<HookResponse> {
        let run_id = arriving.new.id;
        match self.stores.arrivals.carry_out(arriving, self.until).await? {
            Arrived::Before(first) => self.repeat(first).await,
            Arrived::GoesOn => Ok(self.follow(run_id).await),
            Arrived::Ended(end) => Ok(self.note_status(self.ended(run_id, end)).await),
        }
    }

    /// Leaves the run to the workers.
    async fn hand_over(&self, new: NewRun, start_key: Option<StartKey>) -> Result<HookResponse> {
        match self.stores.runs.start(self.with_event(new, StatusCode::ACCEPTED), start_key).await? {
            Started::Now(run) => Ok(self.follow(run.id).await),
            Started::Before(first) => self.repeat(first).await,
        }
    }

    /// Waits for the end of a run that is stored.
    async fn follow(&self, run_id: RunId) -> HookResponse {
        // The run has started, so an error would make the caller start another one.
        let response = self.wait(run_id).await.unwrap_or_else(|error| {
            tracing::warn!(?error, %run_id, "the result of a run could not be read");
            HookResponse::accepted(run_id)
        });
        self.note_status(response).await
    }

    /// The run with the event of its call.
    fn with_event(&self, new: NewRun, status: StatusCode) -> NewRun {
        let event = self.call.answered(WebhookOutcome::Accepted, new.id, status.as_u16());
        NewRun { webhook_call: Some((self.called.webhook.id, event)), ..new }
    }

    /// Corrects the status in the event of a call that was stored before the response was known.
    async fn note_status(&self, response: HookResponse) -> HookResponse {
        let (webhook, status) = (self.called.webhook.id, response.status());
        if status != StatusCode::ACCEPTED {
            let stored = self.stores.webhook_events.set_status(webhook, self.call.event_id, status.as_u16()).await;
            log_failure(webhook, stored);
        }
        response
    }

    /// Answers a repeated call with the run of the first one.
    async fn repeat(&self, first: RunId) -> Result<HookResponse> {
        let response = self.wait(first).await?;
        let event = self.call.answered(WebhookOutcome::Repeated, first, response.status().as_u16());
        log_failure(self.called.webhook.id, self.stores.webhook_events.record(self.called.webhook.id, event).await);
        Ok(response)
    }

    /// Waits for the end of a run, if the webhook is synchronous.
    async fn wait(&self, run_id: RunId) -> Result<HookResponse> {
        if self.called.webhook.mode == WebhookMode::Async {
            return Ok(HookResponse::accepted(run_id));
        }
        let end = wait_for_end(&self.stores.runs, run_id, self.until, &mut |_| {}).await?;
        Ok(end.map_or_else(|| HookResponse::accepted(run_id), |end| self.ended(run_id, end)))
    }

    fn ended(&self, run_id: RunId, end: RunEnd) -> HookResponse {
        HookResponse::ended(run_id, end, self.answers_with)
    }
}

fn webhook_node(release: &ReleasePlan, trigger: usize) -> Option<&WebhookNode> {
    match release.plan.config(trigger) {
        NodeConfig::WebhookNode(node) => Some(node),
        _ => None,
    }
}

/// Logs that an event was not stored, which is no reason to refuse the response.
fn log_failure(webhook_id: WebhookId, stored: Result<()>) {
    if let Err(error) = stored {
        tracing::warn!(?error, %webhook_id, "the event of a call was not stored");
    }
}

fn unused_webhook() -> Error {
    let message =
        "no channel of the active release uses this webhook; choose it in the workflow's channels and publish";
    Error::Unprocessable { code: "channel_incomplete", message: message.to_owned(), details: Value::Null }
}
