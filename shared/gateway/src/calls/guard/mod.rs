//! Evaluations by the guard: for a request, for the input of a call before it is made, and for a chat after its answer.
//!
//! An evaluation is a model call of its own: it counts towards limits and caps, and is charged. Its event is stored in
//! the transaction of its charge.

mod model;
mod task;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::record_once;
use crate::answers::{Evaluation, Usage};
use crate::guard::{GuardInput, GuardRequest};
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::guard::{GuardEvent, GuardMessage, GuardOutcome, GuardSource, GuardVerdict, kept_input};
use domain::id::GuardEventId;
use domain::identity::{Account, InputGuard, Plan};
use domain::lease::Payer;
use domain::ledger::{CallOrigin, EVALUATION};
use domain::time::Time;
use domain::{Error, ProviderTrouble, Result};
use platform::telemetry;
use store::leases::CallEnd;
use store::model_catalog::{MissingGuard, means_default_guard};

use model::{Evaluated, GuardModel};
pub use task::GuardTask;
pub(super) use task::PendingEvaluation;

/// How long a call waits for the evaluation of its input.
pub(crate) const INPUT_PATIENCE: Duration = Duration::from_secs(10);
const REFUSING_PROVIDER: &str = "the provider of the guard model refuses the platform's credentials or does not know the \
                                 model; ask the operator to test the provider";
/// How long other evaluations wait for the guard model. It is shorter than the time limit of `guard-worker`.
const PATIENCE: Duration = Duration::from_secs(280);

/// What the event of an evaluation says about its call.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct EventOrigin {
    event: GuardEventId,
    payer: Payer,
    call: CallOrigin,
    source: GuardSource,
    /// The name of the guard model.
    model: String,
    keeps_input: bool,
    created_at: Time,
}

impl EventOrigin {
    fn event(&self, messages: &[GuardMessage], outcome: GuardOutcome) -> GuardEvent {
        GuardEvent {
            id: self.event,
            account: Account { org: self.payer.org, user: self.payer.user },
            key: self.payer.key,
            request_id: self.call.request_id.clone(),
            source: self.source,
            model: self.model.clone(),
            outcome,
            blocked: false,
            failures: 0,
            input: self.keeps_input.then(|| kept_input(messages)),
            created_at: self.created_at,
        }
    }

    fn completed_event(&self, messages: &[GuardMessage], verdict: GuardVerdict) -> GuardEvent {
        self.event(messages, GuardOutcome::Completed(verdict))
    }

    /// The event of an evaluation whose last attempt failed. A provider's error message can quote the input, so it is kept
    /// only if the organization keeps the input.
    fn failed_event(&self, messages: &[GuardMessage], error: &Error, failures: u32) -> GuardEvent {
        let message = match error {
            Error::Provider { .. } if !self.keeps_input => {
                "the provider of the guard model refused or failed the evaluation".to_owned()
            }
            _ => error.to_string(),
        };
        let outcome = GuardOutcome::Failed { code: error.code().into_owned(), message };
        GuardEvent { failures, ..self.event(messages, outcome) }
    }
}

impl Gateway {
    /// Evaluates the input of a request.
    pub async fn evaluate(&self, caller: GatewayCaller, request: GuardRequest) -> Result<(Evaluation, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.run_evaluation(&caller, &request).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn run_evaluation(&self, caller: &GatewayCaller, request: &GuardRequest) -> Result<(Evaluation, CallReport)> {
        let listing = self.models().listing().await?;
        let guard = match request.model.as_deref().filter(|name| !means_default_guard(&listing, name)) {
            Some(name) => GuardModel::new(caller.find_model(self.models(), name).await?)?,
            None => {
                let guard = self.find_default_guard(caller, Error::from).await?;
                // It must be on the key's list too.
                caller.find_model(self.models(), &guard.chosen.model.name).await?;
                guard
            }
        };
        let origin = self.make_origin(caller, caller.call.clone(), GuardSource::Guard, &guard);
        let Evaluated { verdict, charge, mut slot } =
            self.evaluate_input(&origin, caller.body.as_ref(), &guard, &request.input, PATIENCE).await?;
        let event = origin.completed_event(request.input.messages(), verdict.clone());
        let evaluation = Evaluation { event: event.id, model: origin.model, verdict, usage: Usage::of_charge(&charge) };
        let answer = match &caller.claim {
            Some(claim) => Some((claim, self.store_answer(&evaluation).await?)),
            None => None,
        };
        let answer = answer.as_ref().map(|(claim, answer)| (*claim, answer));
        record_once(&mut slot, &charge, CallEnd::Evaluation(&event, answer)).await?;
        self.keep_bodies(caller.body.as_ref(), &charge, &evaluation);
        let quota_left = slot.quota_left();
        slot.close_if_finished().await;
        let notes = ParameterNotes::default();
        Ok((
            evaluation,
            CallReport {
                chosen: guard.chosen,
                notes,
                deployment: None,
                quota_left,
                cost: Some(charge.cost),
                cache: None,
            },
        ))
    }

    /// Evaluates the input of a call before the call is made, if the plan wants it. Refuses flagged input. If the plan has
    /// no guard, every call is refused: it must not pass as if it had been evaluated.
    pub(super) async fn check_input(&self, caller: &GatewayCaller, messages: Vec<GuardMessage>) -> Result<()> {
        let is_required = match caller.plan.input_guard {
            InputGuard::Off => return Ok(()),
            InputGuard::Block => false,
            InputGuard::Require => true,
        };
        let guard =
            self.find_default_guard(caller, |missing| misconfigured(&caller.plan, missing_guard(missing))).await?;
        let input = GuardInput::Conversation(messages);
        if !input.has_text() {
            return Ok(());
        }
        let failure = match self.evaluate_call_input(caller, &guard, &input).await {
            Ok(false) => return Ok(()),
            Ok(true) => {
                return Err(Error::Forbidden {
                    code: "guard_blocked",
                    message: "the guard refused the input; GET /gateway/v1/guard/events shows the reason".to_owned(),
                });
            }
            Err(error) if is_refusal(&error) => return Err(error),
            Err(error) => error,
        };
        telemetry::log_cause(&failure);
        tracing::warn!(code = &*failure.code(), "the input of a call could not be evaluated");
        match failure {
            _ if !is_required => Ok(()),
            Error::Provider { trouble: ProviderTrouble::Setup, .. } => {
                Err(misconfigured(&caller.plan, REFUSING_PROVIDER))
            }
            _ => Err(Error::busy("the input could not be evaluated, and the plan requires it")),
        }
    }

    /// Evaluates the input of a call, and returns whether the guard flags it. A failure of the guard is recorded, and the
    /// evaluation is sent to the queue.
    async fn evaluate_call_input(
        &self,
        caller: &GatewayCaller,
        guard: &GuardModel,
        input: &GuardInput,
    ) -> Result<bool> {
        let origin = self.make_call_origin(caller, guard);
        match self.evaluate_input(&origin, None, guard, input, self.inner.input_patience).await {
            Ok(Evaluated { verdict, charge, mut slot }) => {
                let mut event = origin.completed_event(input.messages(), verdict);
                event.blocked = event.is_flagged();
                match slot.record_once(&charge, CallEnd::Evaluation(&event, None)).await {
                    Ok(_) => slot.close_if_finished().await,
                    // The verdict is known, so the call is answered by it, although the charge is missing.
                    Err(error) => {
                        tracing::error!(?error, "the charge of an evaluation could not be written");
                        if let Err(error) = self.inner.guard_events.put(&event).await {
                            tracing::error!(?error, "the event of an evaluation could not be stored");
                        }
                    }
                }
                Ok(event.blocked)
            }
            Err(error) => {
                if !is_refusal(&error) {
                    self.record_first_failure(origin, input.messages(), &error).await;
                }
                Err(error)
            }
        }
    }

    /// The origin of the evaluation of a call. It has another body hash than the call, so the evaluation of a retried call
    /// is not taken for the call's earlier attempt. It keeps no bodies, because those of the call are kept. It pays no price of
    /// a batch, because the guard model is called at once.
    fn make_call_origin(&self, caller: &GatewayCaller, guard: &GuardModel) -> EventOrigin {
        let body_hash = format!("{EVALUATION}{}", caller.call.body_hash);
        let call = CallOrigin { retries: 0, body_hash, retention: None, is_batch: false, ..caller.call.clone() };
        self.make_origin(caller, call, GuardSource::Chat, guard)
    }

    fn make_origin(
        &self,
        caller: &GatewayCaller,
        call: CallOrigin,
        source: GuardSource,
        guard: &GuardModel,
    ) -> EventOrigin {
        EventOrigin {
            event: GuardEventId::new(),
            payer: caller.payer.clone(),
            call,
            source,
            model: guard.chosen.model.name.clone(),
            keeps_input: caller.keeps_guard_input,
            created_at: self.inner.clock.now(),
        }
    }
}

/// The error of a call whose plan wants an evaluation that its guard cannot make. A retry is of no use: only an operator
/// can repair the guard.
fn misconfigured(plan: &Plan, problem: &str) -> Error {
    tracing::error!(plan_id = plan.id, problem, "the guard that a plan enforces cannot evaluate input");
    Error::Provider {
        trouble: ProviderTrouble::Setup,
        code: "guard_misconfigured".to_owned(),
        message: format!("the plan {} evaluates all input, but {problem}", plan.id),
        param: None,
        retry_after_s: None,
    }
}

fn missing_guard(missing: MissingGuard) -> &'static str {
    match missing {
        MissingGuard::Model => {
            "it has no guard model; ask the operator to add one to the plan, or to set its input_guard to off"
        }
        MissingGuard::Category => {
            "no risk category is active; ask the operator to activate one, or to set the plan's input_guard to off"
        }
    }
}

/// Whether the caller's own credits or limits refuse the evaluation. The call is refused too, because it would be made
/// without the evaluation.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::Billing { .. } | Error::RateLimited { .. } | Error::Unauthenticated(_) | Error::Forbidden { .. }
    )
}
