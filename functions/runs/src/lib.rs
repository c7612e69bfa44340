//! `/builder/v1/workflows/{id}/runs…`, `…/analytics…` and `…/tables…`: starts, lists, shows and controls runs of workflows, and
//! shows and changes the rows that they keep. The function `run-worker` carries
//! them out. `/builder/v1/runs`, `…/reviews` and `…/analytics`: runs, open reviews and analytics over several workflows.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use runner::{ReleasePlans, Triggers};
use store::{DataTables, RunStatistics, RunUsage, Runs, Shares, Webhooks, Workflows};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    shares: Shares,
    runs: Runs,
    usage: RunUsage,
    statistics: RunStatistics,
    tables: DataTables,
    webhooks: Webhooks,
    triggers: Arc<Triggers>,
    plans: Arc<ReleasePlans>,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let workflows = Workflows::new(context)?;
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            runs: Runs::with_keys(context)?,
            shares: Shares::new(context)?,
            usage: RunUsage::new(context)?,
            statistics: RunStatistics::new(context)?,
            tables: DataTables::new(context)?,
            webhooks: Webhooks::new(context)?,
            triggers: Arc::new(Triggers::new(workflows.clone())),
            plans: Arc::new(ReleasePlans::new(workflows.clone(), script::interpreter())),
            workflows,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
