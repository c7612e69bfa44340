//! The effect of `workflow` nodes: a run of another workflow of the same owner.

use std::sync::Arc;

use domain::Result;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::run::{NewRun, ParentStep, RunOrigin};
use engine::drive::{Effect, EffectError, EffectOutcome};
use engine::nodes::workflow::WorkflowCall;
use platform::Context;
use runner::Triggers;
use serde_json::Value;
use store::Workflows;
use store::runs::{MAX_CAUSED_RUNS, RunTrees};

use crate::errors::{refused, to_effect_error};
use crate::retry::retry_while_unavailable;
use crate::{EffectOrigin, EffectOwner};

/// How many runs may wait for each other.
const MAX_DEPTH: u32 = 8;

pub struct WorkflowEffects {
    workflows: Workflows,
    triggers: Arc<Triggers>,
    trees: RunTrees,
}

impl WorkflowEffects {
    pub fn new(context: &Context, triggers: Arc<Triggers>) -> Result<Self> {
        Ok(Self { workflows: Workflows::new(context)?, triggers, trees: RunTrees::new(context)? })
    }

    /// Prepares a run of the active release. The driver starts it.
    pub async fn call(
        &self,
        owner: &EffectOwner,
        effect: &Effect,
        call: &WorkflowCall,
    ) -> Result<EffectOutcome, EffectError> {
        let (origin, scheduled_at, parent) = match &owner.origin {
            EffectOrigin::Preview { conversation: None } => {
                return Err(refused("not_in_preview", "a preview runs no other workflow; pin the output of this node"));
            }
            EffectOrigin::Preview { conversation: Some(_) } => {
                return Err(refused("not_in_preview", "a test runs no other workflow; test a graph without this node"));
            }
            EffectOrigin::Invocation { .. } => (RunOrigin::Manual, None, None),
            EffectOrigin::Run(run) => {
                let depth = run.parent.as_ref().map_or(0, |parent| parent.depth) + 1;
                let parent = ParentStep { run: run.id, step: effect.step.clone(), depth, root: run.root() };
                (run.origin, run.scheduled_at, Some(parent))
            }
        };
        if parent.as_ref().is_some_and(|parent| parent.depth > MAX_DEPTH) {
            let message =
                format!("too many nested workflows: at most {MAX_DEPTH} may wait for each other; one may run itself");
            return Err(refused("too_deep", &message));
        }
        let root = parent.as_ref().map(|parent| parent.root);
        let prepare = || async move {
            let new = self.prepare(owner.account, call.workflow_id, origin, call.input.clone()).await?;
            let may_start = match root {
                Some(root) => self.trees.count_start(root).await?,
                None => true,
            };
            Ok(may_start.then_some(new))
        };
        match retry_while_unavailable(prepare).await.map_err(to_effect_error)? {
            Some(new) => Ok(EffectOutcome::Call(Box::new(NewRun { parent, scheduled_at, ..new }))),
            None => {
                let message = format!("the first run has caused {MAX_CAUSED_RUNS} runs, the maximum; start fewer runs");
                Err(refused("too_many_runs", &message))
            }
        }
    }

    async fn prepare(&self, account: Account, workflow: WorkflowId, origin: RunOrigin, input: Value) -> Result<NewRun> {
        let startable = self.workflows.get_header(account, workflow).await?.startable_release()?;
        let trigger = self.triggers.find(account, workflow, startable.release).await?;
        let input = trigger.clone().run_input(Some(input)).await?;
        Ok(NewRun::new(startable, origin, trigger.node_id.clone(), input))
    }
}
