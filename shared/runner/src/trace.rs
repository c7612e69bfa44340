//! The trace of a stored run.

use std::sync::Arc;

use domain::Result;
use domain::run::Run;
use engine::compile::ExecutionPlan;
use engine::drive::{Span, trace};
use engine::run::RunFacts;
use platform::offload::offload;
use store::Runs;

use crate::{Plans, ReleasePlans, find_trigger_step};

/// What each attempt of each step received, did and returned.
pub struct RunTrace {
    pub spans: Vec<Span>,
    /// The plan of the release of the run.
    pub plan: Arc<ExecutionPlan>,
}

impl RunTrace {
    /// Reads the log of a run that was not erased. Masked values are hidden.
    pub async fn load(plans: &ReleasePlans, runs: &Runs, run: &Run) -> Result<Self> {
        run.check_not_erased()?;
        let (plan, log) = futures::try_join!(plans.plan(run), runs.log(run.id))?;
        let trigger = find_trigger_step(&plan, run)?;
        let (facts, planned) = (RunFacts::from(run), plan.clone());
        let spans = offload(move || trace(facts, planned, trigger, log)).await?;
        Ok(Self { spans, plan })
    }
}
