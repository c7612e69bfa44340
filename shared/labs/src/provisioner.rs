//! The worker of a queue message: claim, one step, result.

use std::sync::Arc;
use std::time::Duration;

use domain::time::Clock;
use domain::workbench::{Report, Workbench};
use domain::{Error, Result};
use shared::Context;
use shared::store::Workbenches;
use shared::store::workbenches::{CLAIM, Claimed, StepEnd, WorkbenchHint};

use crate::backend::backend_error;
use crate::{Backend, Permit};

/// The timeout of one step. It is shorter than its permit.
const STEP_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct Provisioner {
    workbenches: Workbenches,
    backend: Arc<dyn Backend>,
    clock: Clock,
}

impl Provisioner {
    pub fn new(context: &Context, backend: Arc<dyn Backend>) -> Result<Self> {
        Ok(Self { workbenches: Workbenches::new(context)?, backend, clock: context.clock.clone() })
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
    async fn step(&self, Claimed { workbench, .. }: &Claimed, permit: &Permit) -> (Report, StepEnd) {
        let step = tokio::time::timeout(STEP_TIMEOUT, self.backend.step(workbench, permit)).await;
        let step = step.unwrap_or_else(|_| Err(Error::busy("a step of the backend took too long")));
        match step {
            Ok(report) => (report, StepEnd::Complete),
            Err(error) => {
                tracing::warn!(?error, workbench_id = %workbench.id, "a step of a workbench failed; it is tried again");
                (backend_error(), StepEnd::Uncertain)
            }
        }
    }
}
