//! `/workbenches/v1`: isolated lab environments with resources, owners and editors.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::workbench::Resources;
use domain::{Error, Result};
use platform::{Context, config};
use store::{Identities, WorkbenchVariables, Workbenches};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workbenches: Workbenches,
    variables: WorkbenchVariables,
    identities: Identities,
    /// The resources of all workbenches of the platform. None: there is no limit.
    capacity: Option<Resources>,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let capacity = context.config.optional(config::WORKBENCH_CAPACITY).map(Resources::read_list).transpose();
        let invalid = |problem| Error::internal(format!("{}: {problem}", config::WORKBENCH_CAPACITY));
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            workbenches: Workbenches::new(context)?,
            variables: WorkbenchVariables::new(context)?,
            identities: Identities::new(context)?,
            capacity: capacity.map_err(invalid)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
