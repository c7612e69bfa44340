//! The Kubernetes cluster of workbenches that the operator has stored: its address, and its credentials, encrypted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::identities::entity;
use super::keys;
use super::table::Table;
use domain::time::Time;
use domain::workbench::{ClusterAccess, ClusterLoginType};
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

/// The associated data of the encrypted access.
const PLACE: &str = "workbench-cluster";

/// The cluster as it is stored. Everything but `sealed` may be shown to operators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredCluster {
    pub server: String,
    pub login: ClusterLoginType,
    pub updated_at: Time,
    /// The whole `ClusterAccess`.
    sealed: Sealed,
}

#[derive(Clone)]
pub struct WorkbenchCluster {
    entities: Table,
    secrets: Arc<Secrets>,
}

impl WorkbenchCluster {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(Secrets::of_credentials(context)?);
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, secrets })
    }

    pub async fn find(&self) -> Result<Option<StoredCluster>> {
        entity(self.entities.get(&keys::workbench_cluster()).await?)
    }

    pub async fn seal(&self, access: &ClusterAccess, now: Time) -> Result<StoredCluster> {
        let secret = Zeroizing::new(serde_json::to_vec(access).map_err(Error::internal)?);
        let sealed = self.secrets.seal(PLACE, &secret).await?;
        Ok(StoredCluster { server: access.server.clone(), login: access.login.r#type(), updated_at: now, sealed })
    }

    pub async fn open(&self, stored: &StoredCluster) -> Result<ClusterAccess> {
        serde_json::from_slice(&self.secrets.open(PLACE, &stored.sealed).await?).map_err(Error::internal)
    }
}
