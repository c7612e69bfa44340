//! Workflows that come from elsewhere, and go there.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use shared::Error;
use shared::domain::id::WorkflowId;
use shared::domain::workflow::{NewWorkflow, Workflow};
use shared::engine::import::atelier::Export;
use shared::engine::import::{Imported, read};
use shared::http::etag::ETag;
use shared::http::idempotency::{self, IdempotencyHeaders};
use shared::http::standard::{Caller, ErrorBody, Path, Refused, Result, TextFile};

use crate::Stores;
use crate::dto::exchange::ImportedOut;

/// Export a workflow
///
/// Its draft as a file that `import` takes, here or elsewhere. It holds no secrets, and nothing of the workflow's
/// channels: a credential is named by its id, and to be bound again where the file is imported.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/export", tag = "workflows", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The file", body = Export,
            headers(("Content-Disposition" = String, description = "What to call the file"))),
        (status = 404, description = "No such workflow of the caller's", body = ErrorBody),
        Refused,
    ),
)]
pub async fn export_workflow(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkflowId>,
) -> Result<Response> {
    let workflow = stores.workflows.get(caller.account(), id).await?;
    let export = Export::new(&workflow.name, workflow.description.as_deref(), &workflow.graph);
    // Without the space that would make it easier to read: nested deep enough, most of a file would be that.
    let file = serde_json::to_string(&export).map_err(Error::internal)?;
    let disposition = format!("attachment; filename=\"workflow-{id}.json\"");
    Ok(([(CONTENT_TYPE, "application/json".to_owned()), (CONTENT_DISPOSITION, disposition)], file).into_response())
}

/// Import a workflow
///
/// An export of this platform, a workflow of n8n (JSON) or an app of Dify (YAML), as the file is. It becomes a draft,
/// with a report of what came of each node; a node that is not known here becomes one that fails.
#[utoipa::path(
    post, path = "/builder/v1/workflows/import", tag = "workflows", security(("bearer" = [])),
    params(IdempotencyHeaders),
    request_body(
        content((Object = "application/json"), (String = "application/yaml")), description = "The file",
    ),
    responses(
        (status = 201, description = "The new workflow, and the report", body = ImportedOut, headers(
            ("ETag" = String, description = "The workflow's version"),
            ("Idempotent-Replayed" = bool, description = "Present on the answer to a repeated `Idempotency-Key`"),
        )),
        (status = 415, description = "The body is neither JSON nor YAML", body = ErrorBody),
        Refused,
    ),
)]
pub async fn import_workflow(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    headers: HeaderMap,
    TextFile(file): TextFile,
) -> Result<Response> {
    let Imported { name, description, graph, report } = read(&file)?;
    let given = NewWorkflow { name: Some(name), description, graph };
    let workflow = Workflow::new(WorkflowId::new(), caller.account(), given)?;
    let etag = ETag::of(workflow.revision);
    let answer = ImportedOut { data: workflow.clone().into(), report: report.into() };
    let answer = serde_json::to_string(&answer).map_err(Error::internal)?;
    let key = idempotency::key(&headers)?;
    let outcome = stores.workflows.create(&workflow, "workflows/import", key, &answer).await?;
    Ok(idempotency::created(outcome, etag, answer))
}
