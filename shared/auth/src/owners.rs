//! The owners of work that the platform does without a request, such as a run.

use super::{Caller, admit, refused};
use domain::identity::Account;
use domain::time::{Clock, Time};
use domain::{Refusal, Result};
use platform::Context;
use store::Callers;
use store::callers::KnownPerson;

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
