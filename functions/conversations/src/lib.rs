//! `/builder/v1/workflows/{id}/threads…`: conversations on messaging channels, and the operators who take part in them.
//! `/builder/v1/threads`: those of all workflows of the caller.
//! `/builder/v1/workflows/{id}/records…`: runs, as a user of a workflow sees them, and what they exchanged with models, other
//! systems and people.

mod delivery;
mod dto;
mod follow;
mod handlers;
mod routes;

use std::sync::Arc;
use std::time::Duration;

use auth::Auth;
use domain::Result;
use domain::id::{ThreadId, WorkflowId};
use domain::identity::Account;
use domain::thread::Thread;
use messaging::{Deliveries, Messenger};
use outbound::{Calls, Outbound};
use platform::{Context, config};
use runner::ReleasePlans;
use store::{Runs, Shares, Workflows};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    shares: Shares,
    runs: Runs,
    plans: Arc<ReleasePlans>,
    deliveries: Deliveries,
    /// How long a stream of messages stays open. Then its client opens the next one.
    stream_time: Duration,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let workflows = Workflows::new(context)?;
        let calls = Calls::new(Outbound::from_config(&context.config)?);
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            runs: Runs::new(context)?,
            plans: Arc::new(ReleasePlans::new(workflows.clone(), None)),
            workflows,
            shares: Shares::new(context)?,
            deliveries: Deliveries::new(context, Messenger::from_context(context, calls))?,
            stream_time: context.config.required_seconds(config::STREAM_SECONDS)?,
        })
    }

    /// Checks that the account has the workflow.
    async fn check_workflow(&self, account: Account, id: WorkflowId) -> Result<()> {
        self.workflows.get_header(account, id).await.map(drop)
    }

    /// Reads a thread, if its workflow still exists.
    async fn load_thread(&self, account: Account, workflow: WorkflowId, id: ThreadId) -> Result<Thread> {
        self.check_workflow(account, workflow).await?;
        self.deliveries.threads.get(account, workflow, id).await
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
