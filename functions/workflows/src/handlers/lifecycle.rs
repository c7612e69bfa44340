//! Handlers for the life cycle of workflows: pause, resume, archive and restore.

use std::collections::HashSet;

use axum::extract::State;
use domain::Error;
use domain::id::{Id, WorkflowId};
use domain::sharing::{Shareable, TeamRole};
use domain::time::Time;
use domain::workflow::Workflow;
use futures::stream::{self, StreamExt};
use web::builder::{Access, Caller, Data, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted};
use web::etag::ETag;
use web::{Json, NoBody, Path, Result};

use super::definition::workflow_response;
use crate::Stores;
use crate::dto::workflow::{BatchArchiveIn, BatchArchivedOut, BatchFailureOut, WorkflowOut};

/// The maximum number of workflows that are archived concurrently.
const CONCURRENCY: usize = 8;

/// Pause a workflow
///
/// Triggers of a paused workflow are refused, and its queued runs wait until it is resumed.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/pause", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The updated workflow", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        (status = 409, description = "`unpublished_changes`: never published; `invalid_state`: not published now",
            body = ErrorBody),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn pause_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    _: NoBody,
) -> Result<(ETag, Data<WorkflowOut>)> {
    change_workflow(&stores, &access, id, Workflow::paused).await
}

/// Resume a workflow
///
/// Scheduled times that were missed are handled by the `catchUp` of their schedule.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/resume", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The updated workflow", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        (status = 409, description = "`unpublished_changes`: never published; `invalid_state`: not paused",
            body = ErrorBody),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn resume_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    _: NoBody,
) -> Result<(ETag, Data<WorkflowOut>)> {
    change_workflow(&stores, &access, id, Workflow::resumed).await
}

/// Archive a workflow
///
/// The triggers of the workflow stop. An archived workflow cannot be edited until it is restored.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/archive", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The updated workflow", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        (status = 409, description = "`invalid_state`: the workflow is archived", body = ErrorBody),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn archive_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    _: NoBody,
) -> Result<(ETag, Data<WorkflowOut>)> {
    change_workflow(&stores, &access, id, Workflow::archived).await
}

/// Restore an archived workflow
///
/// A workflow that was published becomes `paused`, any other becomes `draft`.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/restore", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The updated workflow", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        (status = 409, description = "`invalid_state`: the workflow is not archived", body = ErrorBody),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn restore_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    _: NoBody,
) -> Result<(ETag, Data<WorkflowOut>)> {
    change_workflow(&stores, &access, id, Workflow::restored).await
}

pub async fn change_workflow(
    stores: &Stores,
    access: &Access,
    id: WorkflowId,
    change: impl Fn(&Workflow, Time) -> domain::Result<Workflow>,
) -> Result<(ETag, Data<WorkflowOut>)> {
    let change = |workflow: &Workflow| change(workflow, access.caller.at);
    Ok(workflow_response(stores.workflows.change(access.account, id, change).await?, access.role))
}

/// Archive several workflows
///
/// Archives each workflow independently. A failure does not affect the others.
#[utoipa::path(
    post, path = "/builder/v1/workflows/batch/archive", tag = "workflows", request_body = BatchArchiveIn,
    responses(
        (status = 200, description = "The archived workflows and the failures", body = Data<BatchArchivedOut>),
        NotJson, ErrorResponses,
    ),
)]
pub async fn archive_workflows(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Json(BatchArchiveIn { ids }): Json<BatchArchiveIn>,
) -> Result<Data<BatchArchivedOut>> {
    let (account, now) = (caller.account(), caller.at);
    let mut seen = HashSet::new();
    let ids: Vec<String> = ids.into_iter().filter(|id| seen.insert(id.clone())).collect();
    let known = ids.iter().filter_map(|id| id.parse::<WorkflowId>().ok());
    let shared = &stores.shares.find_all(account, known).await?;
    let archive = |id: String| {
        let workflows = stores.workflows.clone();
        async move {
            let gone = Error::NotFound { kind: WorkflowId::KIND };
            let Ok(workflow) = id.parse::<WorkflowId>() else { return (id, Err(gone)) };
            let home = match shared.get(&workflow) {
                None => Ok(account),
                Some(access) => access.require(account, TeamRole::Editor, Shareable::Workflow(workflow)),
            };
            let outcome = match home {
                Ok(home) => workflows.change(home, workflow, |workflow| workflow.archived(now)).await,
                Err(error) => Err(error),
            };
            (id, outcome)
        }
    };
    let outcomes: Vec<_> = stream::iter(ids).map(archive).buffered(CONCURRENCY).collect().await;

    let mut data = BatchArchivedOut { archived: Vec::new(), failed: Vec::new() };
    for (id, outcome) in outcomes {
        match outcome {
            Ok(_) => data.archived.push(id),
            Err(error) => {
                let (code, message) = (web::code(&error), error.to_string());
                data.failed.push(BatchFailureOut { id, code, message });
            }
        }
    }
    Ok(Data { data })
}
