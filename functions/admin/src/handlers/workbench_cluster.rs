//! Handlers for the Kubernetes cluster that provides workbenches, if its access is stored as a kubeconfig.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::workbench::ClusterAccess;
use serde_json::Value;
use store::workbench_cluster::StoredCluster;
use web::gateway::{BodyRefused, ErrorBody, ErrorResponses, Operator, OperatorOnly};
use web::{Result, UncheckedJson};

use crate::Stores;
use crate::dto::workbench_cluster::WorkbenchClusterOut;
use crate::snapshot::render_snapshot;

/// The target of its entries in the audit log.
const TARGET: &str = "workbench-cluster";

/// Read the cluster of workbenches
///
/// Credentials are never returned.
#[utoipa::path(
    get, path = "/gateway/v1/admin/workbench-cluster", tag = "admin",
    responses(
        (status = 200, description = "The cluster", body = WorkbenchClusterOut),
        (status = 404, description = "No kubeconfig is stored", body = ErrorBody),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_workbench_cluster(State(stores): State<Stores>, _: Operator) -> Result<Body<WorkbenchClusterOut>> {
    let found = stores.workbench_cluster.find().await?.ok_or(Error::NotFound { kind: "workbench cluster" })?;
    Ok(Body(WorkbenchClusterOut::from(&found)))
}

/// Store the cluster of workbenches
///
/// The body is a kubeconfig, as `kubectl config view --raw --minify --flatten -o json` prints it: with the certificates, and a token
/// or a client certificate, instead of files and programs. Only its current context is used. It is stored encrypted and never
/// returned. Workers whose setting `WORKBENCH_CLUSTER` has the connection `kubeconfig` use it within a minute.
#[utoipa::path(
    put, path = "/gateway/v1/admin/workbench-cluster", tag = "admin",
    request_body(content = Object, description = "A kubeconfig"),
    responses(
        (status = 200, description = "The cluster", body = WorkbenchClusterOut),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_workbench_cluster(
    State(stores): State<Stores>,
    operator: Operator,
    UncheckedJson(kubeconfig): UncheckedJson<Value>,
) -> Result<Body<WorkbenchClusterOut>> {
    let access = ClusterAccess::from_kubeconfig(&kubeconfig)?;
    let action = operator.audit_action("workbench_cluster.put", TARGET);
    let cluster = stores.workbench_cluster.seal(&access, action.at).await?;
    stores.admin.put_workbench_cluster(&action, &cluster, render).await?;
    Ok(Body(WorkbenchClusterOut::from(&cluster)))
}

/// Remove the cluster of workbenches
///
/// The environments in the cluster stay as they are. Until a kubeconfig is stored again, workbenches cannot be started, stopped or
/// deleted.
#[utoipa::path(
    delete, path = "/gateway/v1/admin/workbench-cluster", tag = "admin",
    responses(
        (status = 204, description = "The kubeconfig is removed"),
        (status = 404, description = "No kubeconfig is stored", body = ErrorBody),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn delete_workbench_cluster(State(stores): State<Stores>, operator: Operator) -> Result<StatusCode> {
    let action = operator.audit_action("workbench_cluster.delete", TARGET);
    stores.admin.delete_workbench_cluster(&action, render).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn render(cluster: &StoredCluster) -> String {
    render_snapshot(&WorkbenchClusterOut::from(cluster))
}
