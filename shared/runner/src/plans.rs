//! The execution plans of releases. A release never changes, so its plan is compiled once in each process.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use domain::id::ReleaseId;
use domain::run::Run;
use domain::{Error, Result};
use engine::compile::{ExecutionPlan, compile};
use shared::cache::Cache;
use shared::offload::offload;
use shared::store::Workflows;

/// Finds the plan of a run.
pub trait Plans: Sync {
    fn plan(&self, run: &Run) -> impl Future<Output = Result<Arc<ExecutionPlan>>> + Send;
}

/// The number of plans in memory.
const PLANS: usize = 200;
const KEPT: Duration = Duration::from_secs(60 * 60);

/// The plans of published releases.
pub struct ReleasePlans {
    workflows: Workflows,
    plans: Cache<ReleaseId, Arc<ExecutionPlan>>,
}

impl ReleasePlans {
    pub fn new(workflows: Workflows) -> Self {
        Self { workflows, plans: Cache::new(KEPT, PLANS) }
    }

    async fn load(&self, run: &Run) -> Result<Arc<ExecutionPlan>> {
        let release = self.workflows.release(run.account, run.workflow, run.release).await?;
        let manifest = self.workflows.manifest(run.account, run.workflow, &release).await?;
        let (plan, problems) = offload(move || Ok(compile(&manifest.graph).finish())).await?;
        let problem = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        plan.map(Arc::new).ok_or_else(|| Error::internal(format!("a release has an invalid graph: {problem}")))
    }
}

impl Plans for ReleasePlans {
    async fn plan(&self, run: &Run) -> Result<Arc<ExecutionPlan>> {
        self.plans.get_or_load(&run.release, async || self.load(run).await).await
    }
}
