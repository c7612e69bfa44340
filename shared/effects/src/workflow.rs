//! The effect of `workflow` nodes: a run of another workflow of the same owner.

use std::time::Duration;

use domain::id::{RunId, WorkflowId};
use domain::run::{NewRun, ParentStep, Run, StepError};
use domain::{Error, Result};
use engine::drive::{Effect, EffectError, EffectOutcome, RetryHint};
use runner::Triggers;
use serde_json::Value;
use shared::Context;
use shared::http::code;
use shared::store::Workflows;
use tokio::time::sleep;

use crate::EffectOwner;

/// How many runs may wait for each other.
const MAX_DEPTH: u32 = 8;
/// How often a run is prepared if the storage does not answer.
const MAX_TRIES: u32 = 5;

pub struct WorkflowEffects {
    workflows: Workflows,
    triggers: Triggers,
}

impl WorkflowEffects {
    pub fn new(context: &Context) -> Result<Self> {
        let workflows = Workflows::new(context)?;
        Ok(Self { triggers: Triggers::new(workflows.clone()), workflows })
    }

    /// Prepares a run of the active release. The driver starts it.
    pub async fn call(&self, owner: &EffectOwner, effect: &Effect) -> Result<EffectOutcome, EffectError> {
        let Some(run) = &owner.run else {
            let message = "a preview runs no other workflow; pin the output of this node";
            return Err(EffectError { error: StepError::new("not_in_preview", message), retry: RetryHint::Never });
        };
        let depth = run.parent.as_ref().map_or(0, |parent| parent.depth) + 1;
        if depth > MAX_DEPTH {
            let message =
                format!("too many nested workflows: at most {MAX_DEPTH} may wait for each other; one may run itself");
            return Err(EffectError { error: StepError::new("too_deep", message), retry: RetryHint::Never });
        }
        let workflow = effect.config.get("workflowId").and_then(Value::as_str).and_then(|id| id.parse().ok());
        let workflow = workflow.ok_or_else(|| failed(Error::NotFound { kind: "workflow" }))?;
        let input = effect.config.get("input").unwrap_or(&effect.input).clone();
        let parent = ParentStep { run: run.id, step: effect.step.clone(), depth };
        let mut tries = 1;
        loop {
            match self.prepare(run, workflow, input.clone(), parent.clone()).await {
                Ok(new) => return Ok(EffectOutcome::Call(Box::new(new))),
                // Nothing has happened yet, so it is tried again without a policy of the node.
                Err(Error::Unavailable { .. }) if tries < MAX_TRIES => {
                    tries += 1;
                    sleep(Duration::from_secs(1)).await;
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    async fn prepare(&self, run: &Run, workflow: WorkflowId, input: Value, parent: ParentStep) -> Result<NewRun> {
        let header = self.workflows.get_header(run.account, workflow).await?;
        header.state.check_startable()?;
        let active = header.active.ok_or_else(|| Error::internal("a workflow that may start has no release"))?;
        let trigger = self.triggers.find(run.account, workflow, active.release).await?;
        Ok(NewRun {
            id: RunId::new(),
            account: run.account,
            workflow,
            release: active.release,
            release_number: active.number,
            origin: run.origin,
            trigger: trigger.node_id.clone(),
            input: trigger.check_input(Some(input)).await?,
            call: None,
            parent: Some(parent),
        })
    }
}

fn failed(error: Error) -> EffectError {
    let retry = match &error {
        Error::Unavailable { retry_after_s, .. } => RetryHint::After(Duration::from_secs((*retry_after_s).into())),
        _ => RetryHint::Never,
    };
    EffectError { error: StepError::new(code(&error), error.to_string()), retry }
}
