//! Handlers for the channels of a workflow.

use axum::extract::State;
use domain::Error;
use domain::id::WorkflowId;
use domain::workflow::Workflow;
use web::builder::{Data, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Stale, Viewer};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::{Json, Path, Result};

use crate::Stores;
use crate::dto::connection::{ConnectionsIn, ConnectionsOut};

/// Read a workflow's channels
///
/// Returns one channel for each trigger node and each output node of the draft, with the fields that are missing.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/connections", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The channels", body = Data<ConnectionsOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn get_connections(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<(ETag, Data<ConnectionsOut>)> {
    let workflow = stores.workflows.get(access.account, id).await?;
    let resources = stores.workflows.available_resources(access.account, id).await?;
    Ok((ETag::from_revision(workflow.revision), Data { data: ConnectionsOut::new(&workflow, &resources) }))
}

/// Configure a workflow's channels
///
/// Replaces the configuration of all channels. The configuration of a channel that is omitted is removed. The change
/// affects the draft and takes effect when the draft is published.
#[utoipa::path(
    put, path = "/builder/v1/workflows/{id}/connections", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), IfMatchHeaders), request_body = ConnectionsIn,
    responses(
        (status = 200, description = "The updated channels", body = Data<ConnectionsOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        (status = 409, description = "`invalid_state`: the workflow is archived", body = ErrorBody),
        NotFound<WorkflowId>, Stale, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn replace_connections(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    if_match: IfMatch,
    Json(connections): Json<ConnectionsIn>,
) -> Result<(ETag, Data<ConnectionsOut>)> {
    let requests = connections.into_requests();
    let available_resources = stores.workflows.available_resources(access.account, id).await?;
    let change = |workflow: &Workflow| {
        let after = workflow.with_channels(&requests, &available_resources, access.caller.at)?;
        if if_match.allows(&ETag::from_revision(workflow.revision)) {
            Ok(after)
        } else {
            Err(Error::PreconditionFailed)
        }
    };
    let workflow = stores.workflows.change(access.account, id, change).await?;
    Ok((ETag::from_revision(workflow.revision), Data { data: ConnectionsOut::new(&workflow, &available_resources) }))
}
