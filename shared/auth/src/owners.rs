//! The owners of work that the platform does without a request, such as a run.

use super::{Caller, admit, refused};
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::time::{Clock, Time};
use domain::{Error, Refusal, Result};
use platform::Context;
use store::callers::KnownPerson;
use store::{Callers, Workflows};

pub struct Owners {
    callers: Callers,
    clock: Clock,
}

impl Owners {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { callers: Callers::new(context)?, clock: context.clock.clone() })
    }

    /// The owner as a caller. Refused if the user or the organization is suspended, or the user has left.
    pub async fn admit(&self, account: Account) -> Result<Caller> {
        admit_owner(self.callers.find(account).await?, self.clock.now())
    }
}

/// The owner with these records as a caller, see [`Owners::admit`].
pub fn admit_owner(owner: Option<KnownPerson>, now: Time) -> Result<Caller> {
    let owner = owner.ok_or_else(|| refused(Refusal::Unknown, "the owner is not a member of the organization"))?;
    admit(owner, now)
}

/// Who pays for the runs of workflows.
pub struct Payers {
    owners: Owners,
    workflows: Workflows,
}

impl Payers {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { owners: Owners::new(context)?, workflows: Workflows::new(context)? })
    }

    /// The user who pays for the run of a workflow. That is who owned it when the run began. If they cannot act any more, it is
    /// who owns it now. `home` is the account under which the workflow is stored.
    pub async fn admit(&self, home: Account, workflow: WorkflowId, payer: Account) -> Result<Caller> {
        let refused = match self.owners.admit(payer).await {
            Err(Error::Unauthenticated(refusal)) if refusal != Refusal::OrgSuspended => Error::Unauthenticated(refusal),
            other => return other,
        };
        match self.workflows.get_header(home, workflow).await {
            Ok(workflow) if workflow.owner != payer.user => {
                self.owners.admit(Account { org: home.org, user: workflow.owner }).await
            }
            Ok(_) | Err(Error::NotFound { .. }) => Err(refused),
            Err(error) => Err(error),
        }
    }
}
