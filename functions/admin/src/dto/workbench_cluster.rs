//! The response body of the cluster of workbenches.

use domain::workbench::ClusterLoginType;
use serde::Serialize;
use store::workbench_cluster::StoredCluster;
use utoipa::ToSchema;

/// The cluster of workbenches without its credentials.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchCluster)]
pub struct WorkbenchClusterOut {
    /// The URL of its API server.
    #[schema(example = "https://10.0.0.1:6443")]
    server: String,
    /// How the platform authenticates there.
    login: LoginWire,
    updated_at: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkbenchClusterLogin)]
pub enum LoginWire {
    Token,
    ClientCertificate,
}

impl From<&StoredCluster> for WorkbenchClusterOut {
    fn from(cluster: &StoredCluster) -> Self {
        let login = match cluster.login {
            ClusterLoginType::Token => LoginWire::Token,
            ClusterLoginType::ClientCertificate => LoginWire::ClientCertificate,
        };
        Self { server: cluster.server.clone(), login, updated_at: cluster.updated_at.to_string() }
    }
}
