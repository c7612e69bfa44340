//! Who answers the messages of a thread.

use std::future::Future;
use std::sync::Arc;

use auth::Owners;
use domain::identity::Account;
use domain::retention::RunRetention;
use domain::run::StartableRelease;
use domain::thread::Thread;
use domain::{Error, Result};
use engine::compile::{ExecutionPlan, PlanStep};
use platform::Context;
use store::Workflows;

use crate::plans::ReleasePlans;

/// Finds who answers the messages of a thread.
pub trait Answerers: Sync {
    fn find(&self, thread: &Thread) -> impl Future<Output = Result<Answerer>> + Send;
}

pub enum Answerer {
    Release(Box<AnsweringRelease>),
    /// Nobody for now: the workflow is paused, or its owner is suspended.
    Later,
    /// The workflow was deleted, or no node of its active release answers messages of this account.
    Nobody,
}

/// A release with a node that answers the messages.
pub struct AnsweringRelease {
    pub startable: StartableRelease,
    /// How long its runs are kept.
    pub retention: RunRetention,
    pub plan: Arc<ExecutionPlan>,
    /// The `message` node, as a step of the plan.
    pub trigger: usize,
}

impl AnsweringRelease {
    pub fn step(&self) -> &PlanStep {
        &self.plan.steps[self.trigger]
    }
}

/// Messages are answered by the active release of the workflow.
pub struct ActiveReleases {
    workflows: Workflows,
    owners: Owners,
    plans: Arc<ReleasePlans>,
}

impl ActiveReleases {
    pub fn new(context: &Context, plans: Arc<ReleasePlans>) -> Result<Self> {
        Ok(Self { workflows: Workflows::new(context)?, owners: Owners::new(context)?, plans })
    }
}

impl Answerers for ActiveReleases {
    async fn find(&self, thread: &Thread) -> Result<Answerer> {
        let workflow = match self.workflows.get_header(thread.account, thread.workflow).await {
            Ok(workflow) => workflow,
            Err(Error::NotFound { .. }) => return Ok(Answerer::Nobody),
            Err(error) => return Err(error),
        };
        let owner = match self.owners.admit(Account { org: thread.account.org, user: workflow.owner }).await {
            Ok(owner) => owner,
            Err(Error::Unauthenticated(_)) => return Ok(Answerer::Later),
            Err(error) => return Err(error),
        };
        let Ok(startable) = workflow.startable_release() else { return Ok(Answerer::Later) };
        let release = self.plans.find(thread.account, thread.workflow, startable.release).await?;
        let Some(trigger) = release.trigger_of_inbox(thread.credential) else { return Ok(Answerer::Nobody) };
        let (retention, plan) = (owner.plan.run_retention, release.plan.clone());
        Ok(Answerer::Release(Box::new(AnsweringRelease { startable, retention, plan, trigger })))
    }
}
