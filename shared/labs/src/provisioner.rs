//! The worker of a queue message: claim, one step, result.

use std::sync::Arc;
use std::time::Duration;

use domain::time::Clock;
use domain::workbench::{Intent, Phase, Report, Workbench};
use domain::{Error, Result};
use platform::Context;
use store::workbenches::{CLAIM, Claimed, StepEnd, WorkbenchHint};
use store::{WorkbenchKeys, Workbenches};

use crate::backend::backend_error;
use crate::{Backend, Permit};

/// The timeout of one step. It is shorter than its permit.
const STEP_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct Provisioner {
    workbenches: Workbenches,
    keys: WorkbenchKeys,
    backend: Arc<dyn Backend>,
    clock: Clock,
}

impl Provisioner {
    pub fn new(context: &Context, backend: Arc<dyn Backend>) -> Result<Self> {
        let (workbenches, keys) = (Workbenches::new(context)?, WorkbenchKeys::new(context)?);
        Ok(Self { workbenches, keys, backend, clock: context.clock.clone() })
    }

    /// Makes the next step of a workbench, if one is due. Returns the workbench after the step.
    pub async fn advance(&self, hint: WorkbenchHint) -> Result<Option<Workbench>> {
        // The claim begins after this time, so the permit ends early rather than late.
        let now = self.clock.now();
        let Some(claimed) = self.workbenches.claim(hint).await? else { return Ok(None) };
        let permit = Permit::new(claimed.attempt, now, CLAIM, self.clock.clone());
        let (report, end) = self.step(&claimed, &permit).await;
        let observed = claimed.workbench.observed(&report, self.clock.now());
        self.workbenches.conclude(&claimed, &observed, end).await
    }

    /// A failed step is an observation too: the workbench shows it, and its deadline applies.
    async fn step(&self, Claimed { workbench, attempt }: &Claimed, permit: &Permit) -> (Report, StepEnd) {
        let step = tokio::time::timeout(STEP_TIMEOUT, self.backend.step(workbench, permit)).await;
        let step = step.unwrap_or_else(|_| Err(Error::busy("a step of the backend took too long")));
        match step {
            Ok(report) => match self.revoke_key(workbench, *attempt, report.phase).await {
                Ok(()) => (report, StepEnd::Complete),
                Err(error) => {
                    tracing::warn!(?error, workbench_id = %workbench.id, "a key was not revoked; it is tried again");
                    (backend_error(), StepEnd::Complete)
                }
            },
            Err(error) => {
                tracing::warn!(?error, workbench_id = %workbench.id, "a step of a workbench failed; it is tried again");
                (backend_error(), StepEnd::Uncertain)
            }
        }
    }

    /// Revokes the key of a workbench whose programs have ended. Not earlier: if the workbench is started again before its
    /// programs have ended, they go on with their key.
    async fn revoke_key(&self, workbench: &Workbench, attempt: u64, phase: Phase) -> Result<()> {
        let is_ended = workbench.target() != Intent::Run && workbench.is_at_rest(phase);
        if is_ended && workbench.key_cap.is_some() { self.keys.revoke(workbench, attempt).await } else { Ok(()) }
    }
}
