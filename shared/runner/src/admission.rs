//! Which runs may be carried out. A refused run keeps its state. The ticker sends its message again every five minutes.

use std::future::Future;

use auth::Payers;
use domain::run::{Run, RunState};
use domain::{Error, Refusal, Result};
use platform::Context;
use store::Workflows;

pub trait Admission: Sync {
    /// Whether a process may carry out the run now.
    fn admits(&self, run: &Run) -> impl Future<Output = Result<bool>> + Send;
}

/// The runs of a suspended owner wait. A run that has not begun also waits while its workflow is paused or archived.
pub struct RunAdmission {
    payers: Payers,
    workflows: Workflows,
}

impl RunAdmission {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { payers: Payers::new(context)?, workflows: Workflows::new(context)? })
    }
}

impl Admission for RunAdmission {
    async fn admits(&self, run: &Run) -> Result<bool> {
        match self.payers.admit(run.account, run.workflow, run.payer()).await {
            Ok(_) => {}
            Err(Error::Unauthenticated(Refusal::OrgSuspended | Refusal::UserSuspended)) => return Ok(false),
            // The owner has left the organization. Their runs go on, but cannot call models.
            Err(Error::Unauthenticated(_)) => {}
            Err(error) => return Err(error),
        }
        if run.state != RunState::Queued {
            return Ok(true);
        }
        match self.workflows.get_header(run.account, run.workflow).await {
            Ok(workflow) => Ok(workflow.state.may_start()),
            // Nothing would ever resume the runs of a deleted workflow.
            Err(Error::NotFound { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }
}
