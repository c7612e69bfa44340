//! Evaluations by the guard: for a request, for the input of a call before it is made, and for a chat after its answer.
//!
//! An evaluation is a model call of its own: it counts towards limits and caps, and is charged. Its event is stored in
//! the transaction of its charge.

mod model;
mod task;

use std::time::Duration;

use super::usage::UsageOut;
use crate::guard::{GuardInput, GuardRequest};
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::guard::{GuardEvent, GuardMessage, GuardOutcome, GuardSource, kept_input};
use domain::id::GuardEventId;
use domain::identity::{Account, InputGuard};
use domain::lease::Payer;
use domain::ledger::CallOrigin;
use domain::time::Time;
use domain::{Error, Result};
use shared::http::code;
use shared::store::leases::CallEnd;

use model::Evaluated;
pub(super) use task::GuardOfChat;
pub use task::GuardTask;

/// How long a call waits for the evaluation of its input.
const INPUT_TIMEOUT: Duration = Duration::from_secs(10);

/// Writes the response body of an evaluation.
pub type RenderEvaluation = fn(&GuardEvent, UsageOut) -> Result<Vec<u8>>;

/// What the event of an evaluation says about its call.
struct EventOrigin<'a> {
    id: GuardEventId,
    payer: &'a Payer,
    call: &'a CallOrigin,
    source: GuardSource,
    keeps_input: bool,
    created_at: Time,
}

impl EventOrigin<'_> {
    fn event(&self, model: &str, messages: &[GuardMessage], outcome: GuardOutcome) -> GuardEvent {
        GuardEvent {
            id: self.id,
            account: Account { org: self.payer.org, user: self.payer.user },
            key: self.payer.key,
            request_id: self.call.request_id.clone(),
            source: self.source,
            model: model.to_owned(),
            outcome,
            blocked: false,
            failures: 0,
            input: self.keeps_input.then(|| kept_input(messages)),
            created_at: self.created_at,
        }
    }
}

impl Gateway {
    /// Evaluates the input of a request, and returns the response body.
    pub async fn evaluate(
        &self,
        caller: GatewayCaller,
        request: GuardRequest,
        render: RenderEvaluation,
    ) -> Result<(Vec<u8>, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        self.run_to_completion(claim, async move { gateway.run_evaluation(&caller, &request, render).await }).await
    }

    async fn run_evaluation(
        &self,
        caller: &GatewayCaller,
        request: &GuardRequest,
        render: RenderEvaluation,
    ) -> Result<(Vec<u8>, CallReport)> {
        let guard = self.find_guard(caller, request.model.as_deref()).await?;
        let origin = self.origin_of(caller, &caller.call, GuardSource::Guard);
        let Evaluated { event, charge, mut slot } = self.evaluate_input(&origin, &guard, &request.input).await?;
        let usage = match charge.tokens.output {
            0 => UsageOut::from_input(&charge.tokens, charge.cost),
            _ => UsageOut::new(&charge.tokens, charge.cost),
        };
        let body = render(&event, usage)?;
        let answer = match &caller.claim {
            Some(claim) => Some((claim, self.store_answer("application/json", &body).await?)),
            None => None,
        };
        let answer = answer.as_ref().map(|(claim, answer)| (*claim, answer));
        if !slot.record_once(&charge, CallEnd::Evaluation(&event, answer)).await? {
            slot.put_back();
            return Err(Error::busy("another request with this Idempotency-Key took over the call"));
        }
        let quota_left = slot.quota_left();
        slot.close_if_finished().await;
        let notes = ParameterNotes::default();
        Ok((body, CallReport { chosen: guard.chosen, notes, quota_left, cost: Some(charge.cost) }))
    }

    /// Evaluates the input of a call before the call is made, if the plan wants it. Refuses flagged input.
    pub(super) async fn check_input(&self, caller: &GatewayCaller, messages: Vec<GuardMessage>) -> Result<()> {
        let is_required = match caller.plan.input_guard {
            InputGuard::Off => return Ok(()),
            InputGuard::Block => false,
            InputGuard::Require => true,
        };
        let input = GuardInput::Conversation(messages);
        if !input.has_text() {
            return Ok(());
        }
        let call = call_of_guard(&caller.call);
        let origin = self.origin_of(caller, &call, GuardSource::Chat);
        let failure = match tokio::time::timeout(INPUT_TIMEOUT, self.is_flagged(caller, &origin, &input)).await {
            Ok(Ok(false)) => return Ok(()),
            Ok(Ok(true)) => {
                return Err(Error::Forbidden {
                    code: "guard_blocked",
                    message: "the guard refused the input; see /v1/guard/events for the reason".to_owned(),
                });
            }
            Ok(Err(error)) => error,
            Err(_) => Error::busy("the guard model did not answer in time"),
        };
        tracing::warn!(error = ?failure, "the input of a call could not be evaluated");
        if is_required {
            return Err(Error::busy("the plan requires an evaluation of the input, which failed"));
        }
        Ok(())
    }

    /// Whether the guard flags the input. A failure is recorded, and the evaluation is tried again later.
    async fn is_flagged(&self, caller: &GatewayCaller, origin: &EventOrigin<'_>, input: &GuardInput) -> Result<bool> {
        let guard = self.find_guard(caller, None).await?;
        match self.evaluate_input(origin, &guard, input).await {
            Ok(Evaluated { mut event, charge, mut slot }) => {
                event.blocked = event.is_flagged();
                slot.record_once(&charge, CallEnd::Evaluation(&event, None)).await?;
                slot.close_if_finished().await;
                Ok(event.blocked)
            }
            Err(error) => {
                self.try_later(origin, &guard, input.messages(), &error).await;
                Err(error)
            }
        }
    }

    fn origin_of<'a>(&self, caller: &'a GatewayCaller, call: &'a CallOrigin, source: GuardSource) -> EventOrigin<'a> {
        EventOrigin {
            id: GuardEventId::new(),
            payer: &caller.payer,
            call,
            source,
            keeps_input: caller.keeps_guard_input,
            created_at: self.inner.clock.now(),
        }
    }
}

/// The origin of the evaluation of a call. Its charge is not an attempt of the call itself.
fn call_of_guard(call: &CallOrigin) -> CallOrigin {
    CallOrigin { retries: 0, body_hash: format!("guard:{}", call.body_hash), ..call.clone() }
}

fn failed(error: &Error) -> GuardOutcome {
    GuardOutcome::Failed { code: code(error), message: error.to_string() }
}
