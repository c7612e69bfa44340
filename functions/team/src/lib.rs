//! `/builder/v1/members`: the people of the caller's organization. `/builder/v1/{workflows,agents}/{id}/members` and
//! `…/transfer`: who may use a workflow or an agent, and who owns it. `/builder/v1/organization…`: all workflows and agents of
//! an organization, for its administrators.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use store::sharing::{ShareChanges, Shares};
use store::{Admin, Agents, Identities, Workflows};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    identities: Identities,
    shares: Shares,
    changes: ShareChanges,
    workflows: Workflows,
    agents: Agents,
    admin: Admin,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            identities: Identities::new(context)?,
            shares: Shares::new(context)?,
            changes: ShareChanges::new(context)?,
            workflows: Workflows::new(context)?,
            agents: Agents::new(context)?,
            admin: Admin::new(context)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
