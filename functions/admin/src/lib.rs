//! `/gateway/v1/admin…` and `/gateway/v1/billing/admin…`: the administration API of the platform operator.

mod dto;
mod handlers;
mod routes;
mod setup;
mod snapshot;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use outbound::Outbound;
use platform::Context;
use platform::aws::Aws;
use platform::secrets::Secrets;
use store::work::Hints;
use store::{
    Admin, CallLog, Catalog, Identities, KeyRing, Leases, Ledger, McpServers, ReceiptKeys, Spend, WorkbenchCluster,
};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    admin: Admin,
    catalog: Catalog,
    identities: Identities,
    keys: KeyRing,
    leases: Leases,
    ledger: Ledger,
    calls: CallLog,
    spend: Spend,
    mcp_servers: McpServers,
    secrets: Arc<Secrets>,
    outbound: Outbound,
    aws: Aws,
    hints: Hints,
    workbench_cluster: WorkbenchCluster,
    receipt_keys: ReceiptKeys,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            admin: Admin::new(context)?,
            catalog: Catalog::new(context)?,
            identities: Identities::new(context)?,
            keys: KeyRing::new(context)?,
            leases: Leases::new(context)?,
            ledger: Ledger::new(context)?,
            calls: CallLog::new(context)?,
            spend: Spend::new(context)?,
            mcp_servers: McpServers::new(context)?,
            secrets: Arc::new(Secrets::of_credentials(context)?),
            outbound: Outbound::from_config(&context.config)?,
            aws: context.aws.clone(),
            hints: Hints::new(context)?,
            workbench_cluster: WorkbenchCluster::new(context)?,
            receipt_keys: ReceiptKeys::new(context)?,
        })
    }
}

impl AsRef<KeyRing> for Stores {
    fn as_ref(&self) -> &KeyRing {
        &self.keys
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
