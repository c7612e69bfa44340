//! Handlers for the export and import of workflows.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::Error;
use domain::id::WorkflowId;
use domain::sharing::TeamRole;
use domain::workflow::{NewWorkflow, Workflow};
use importers::atelier::Export;
use importers::{Imported, read};
use platform::offload;
use store::idempotency::CreateOutcome;
use web::builder::{Caller, Data, ErrorBody, ErrorResponses, KeyReused, NotFound, Viewer};
use web::etag::ETag;
use web::idempotency::{self, IdempotencyHeaders};
use web::{Hashed, Path, Result, TextFile};

use crate::Stores;
use crate::dto::exchange::{ImportedOut, ReportOut};
use crate::dto::workflow::WorkflowOut;

/// Export a workflow
///
/// Returns the draft as a file for `import` on this or another installation. The file contains no secrets and no
/// channels. Credentials and teams are referenced by id and must be connected again after the import.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/export", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The file", body = Export,
            headers(("Content-Disposition" = String, description = "The name of the file"))),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn export_workflow(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Response> {
    let workflow = stores.workflows.get(access.account, id).await?;
    let export = Export::new(&workflow.name, workflow.description.as_deref(), &workflow.graph);
    // The file is not indented. In deeply nested JSON, indentation would be most of the bytes.
    let file = serde_json::to_string(&export).map_err(Error::internal)?;
    let disposition = format!("attachment; filename=\"workflow-{id}.json\"");
    Ok(([(CONTENT_TYPE, "application/json".to_owned()), (CONTENT_DISPOSITION, disposition)], file).into_response())
}

/// Import a workflow
///
/// The body is the file: an export of this platform, an n8n workflow (JSON) or a Dify app (YAML). The result is a draft
/// and a report on each node. A node that is not supported becomes a `placeholder`.
#[utoipa::path(
    post, path = "/builder/v1/workflows/import", tag = "workflows", params(IdempotencyHeaders),
    request_body(
        content((Object = "application/json"), (String = "application/yaml")), description = "The file",
    ),
    responses(
        (status = 201, description = "The new workflow and the report", body = ImportedOut, headers(
            ("ETag" = String, description = "The workflow's version"),
            ("Idempotent-Replayed" = bool, description = "`true` if this is a replayed response"),
        )),
        (status = 415, description = "The body is neither JSON nor YAML", body = ErrorBody),
        KeyReused, ErrorResponses,
    ),
)]
pub async fn import_workflow(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    headers: HeaderMap,
    Hashed { body: TextFile(file), hash, .. }: Hashed<TextFile>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let Imported { name, description, graph, report } = offload(move || read(&file)).await?;
    let given = NewWorkflow { name: Some(name), description, graph };
    let workflow = Workflow::new(WorkflowId::new(), caller.account(), given)?;
    let etag = ETag::from_revision(workflow.revision);
    let report = ReportOut::from(report);
    let kept = serde_json::to_vec(&report).map_err(Error::internal)?;
    stores.workflows.put_import_report(workflow.account, workflow.id, kept).await?;
    let answer = ImportedOut { data: WorkflowOut::new(workflow.clone(), TeamRole::Owner), report };
    let answer = serde_json::to_string(&answer).map_err(Error::internal)?;
    let created = stores.workflows.create(&workflow, "workflows/import", idempotency_key.as_ref(), &answer).await;
    if !matches!(created, Ok(CreateOutcome::Now)) {
        stores.workflows.discard_import_report(workflow.account, workflow.id).await;
    }
    Ok(idempotency::creation_response(created?, Some(etag), answer))
}

/// Read the report of an import
///
/// Returns the report that the import of this workflow returned. Later changes of the workflow do not change it.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/import-report", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The report", body = Data<ReportOut>),
        (status = 404, description = "There is no such workflow, or it was not imported", body = ErrorBody),
        ErrorResponses,
    ),
)]
pub async fn get_import_report(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Data<ReportOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let report = stores.workflows.import_report(access.account, id).await?;
    Ok(Data { data: serde_json::from_slice(&report).map_err(Error::internal)? })
}
