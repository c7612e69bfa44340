//! The owners of work that the platform does without a request, such as a run.

use super::{Caller, admit, refused};
use crate::Context;
use crate::store::Callers;
use crate::store::callers::KnownPerson;
use domain::identity::Account;
use domain::time::Clock;
use domain::{Refusal, Result};

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
        self.check(self.callers.find(account).await?)
    }

    /// The owner as a caller, whose records were read.
    pub fn check(&self, owner: Option<KnownPerson>) -> Result<Caller> {
        let owner = owner.ok_or_else(|| refused(Refusal::Unknown, "the owner is not a member of the organization"))?;
        admit(owner, self.clock.now())
    }
}
