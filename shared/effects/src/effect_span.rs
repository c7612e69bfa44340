//! The span of an attempt at an effect. It names the step, and has nothing of its input or output.

use engine::drive::{Effect, EffectError, EffectOutcome};
use platform::telemetry::attributes::{ATTEMPT, RUN_ID, STEP, WORKFLOW_ID};
use platform::telemetry::{SpanKind, Telemetry};

use crate::EffectOwner;

/// Performs an attempt as a span of its own.
pub async fn perform(
    telemetry: &Telemetry,
    owner: &EffectOwner,
    effect: &Effect,
    attempt: impl Future<Output = Result<EffectOutcome, EffectError>>,
) -> Result<EffectOutcome, EffectError> {
    let mut span = telemetry.start_span(SpanKind::Internal, format_args!("perform {}", effect.operation.name()));
    if span.is_recording() {
        span.set(STEP, effect.step.clone());
        span.set(ATTEMPT, u64::from(effect.attempt));
        if let Some(step) = owner.step(effect) {
            span.set(RUN_ID, step.run.to_string());
        }
        if let Some(workflow) = owner.workflow {
            span.set(WORKFLOW_ID, workflow.to_string());
        }
    }
    let outcome = span.scope(attempt).await;
    if let Err(EffectError { error, .. }) = &outcome {
        span.fail(error.code.clone());
    }
    outcome
}
