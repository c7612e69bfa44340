//! Handlers that mark workflows as tools for assistants.

use axum::extract::State;
use domain::id::WorkflowId;
use domain::tool_mark::ToolMarkIn;
use web::builder::{Data, ErrorResponses, NotFound, NotJson, NotPermitted, Owner};
use web::etag::ETag;
use web::{NoBody, OptionalJson, Path, Result};

use super::lifecycle::change_workflow;
use crate::Stores;
use crate::dto::workflow::WorkflowOut;

/// Mark a workflow as a tool
///
/// Assistants of everyone who may run the workflow find it as a tool at the MCP server `/mcp/v1`, once it is published. A call of
/// the tool starts a run. Its trigger must be a node `input` or `message`.
#[utoipa::path(
    put, path = "/builder/v1/workflows/{id}/tool", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = Option<ToolMarkIn>,
    responses(
        (status = 200, description = "The updated workflow", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn mark_workflow_as_tool(
    State(stores): State<Stores>,
    access: Owner<WorkflowId>,
    Path(id): Path<WorkflowId>,
    OptionalJson(mark): OptionalJson<ToolMarkIn>,
) -> Result<(ETag, Data<WorkflowOut>)> {
    let marked = |before: &domain::workflow::Workflow, now| {
        Ok(before.with_tool_mark(Some(mark.clone().into_mark(&before.name)), now))
    };
    change_workflow(&stores, &access, id, marked).await
}

/// Remove the mark of a workflow as a tool
///
/// Assistants do not find the workflow any more, and can no longer call it. Calls that have begun go on.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/tool", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The updated workflow", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn unmark_workflow_as_tool(
    State(stores): State<Stores>,
    access: Owner<WorkflowId>,
    Path(id): Path<WorkflowId>,
    _: NoBody,
) -> Result<(ETag, Data<WorkflowOut>)> {
    change_workflow(&stores, &access, id, |before, now| Ok(before.with_tool_mark(None, now))).await
}
