//! Handlers for the definition of workflows: create, list, read, update, copy, delete and validate.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::Error;
use domain::graph::Graph;
use domain::id::{WorkId, WorkflowId};
use domain::merge::MergePatch;
use domain::sharing::TeamRole;
use domain::workflow::{EditableWorkflow, FIRST_REVISION, NewWorkflow, Workflow};
use engine::compile::{ProblemOut, complete_connections};
use store::idempotency::IdempotencyKey;
use web::builder::{
    Caller, Changed, Created, Data, DataList, Editor, ErrorBody, ErrorResponses, KeyReused, NotFound, NotJson,
    NotPermitted, Owner, Viewer,
};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::idempotency::{self, IdempotencyHeaders};
use web::language::{self, AcceptLanguageHeaders};
use web::responses::Replayed;
use web::{Hashed, Json, NoBody, OptionalJson, Path, Query, Result};

use crate::Stores;
use crate::dto::list::ListWorkflows;
use crate::dto::validation::ValidationOut;
use crate::dto::workflow::{CloneIn, ImpactOut, WorkflowOut, WorkflowSummaryOut};
use crate::validation::GraphValidator;

/// List workflows
///
/// Returns the caller's workflows without their graphs.
#[utoipa::path(
    get, path = "/builder/v1/workflows", tag = "workflows", params(ListWorkflows),
    responses((status = 200, description = "A page of workflows", body = DataList<WorkflowSummaryOut>), ErrorResponses),
)]
pub async fn list_workflows(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListWorkflows>,
) -> Result<DataList<WorkflowSummaryOut>> {
    let ListWorkflows { ownership, sort, order, .. } = query;
    let (page, filter) = (query.page(), query.filter()?);
    let page = stores.workflows.list(caller.account(), ownership, &filter, sort.into(), order.into(), page).await?;
    let meta = (&page).into();
    Ok(DataList { data: page.items.into_iter().map(WorkflowSummaryOut::from).collect(), meta })
}

/// Create a workflow
///
/// Creates a draft, which is empty if no graph is sent. The graph must be well-formed; other problems are returned in
/// `problems`. A connection can omit a port if its node has only one, and `{"from": "a", "to": "b"}` omits both.
#[utoipa::path(
    post, path = "/builder/v1/workflows", tag = "workflows",
    params(IdempotencyHeaders, AcceptLanguageHeaders), request_body = Option<NewWorkflow>,
    responses(Created<WorkflowOut, (ETag, Replayed)>, KeyReused, NotJson, ErrorResponses),
)]
pub async fn create_workflow(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    headers: HeaderMap,
    Hashed { body: OptionalJson(mut given), hash, .. }: Hashed<OptionalJson<NewWorkflow>>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    complete_connections(&mut given.graph, language::of_request())?;
    let workflow = Workflow::new(WorkflowId::new(), caller.account(), given)?;
    create_and_respond(&stores, &caller, workflow, "workflows", idempotency_key).await
}

/// Stores a new workflow and returns the response. A repeated `Idempotency-Key` of the same route replays the first
/// response.
pub async fn create_and_respond(
    stores: &Stores,
    caller: &auth::Caller,
    workflow: Workflow,
    route: &str,
    idempotency_key: Option<IdempotencyKey>,
) -> Result<Response> {
    let etag = ETag::from_revision(workflow.revision);
    let problems = GraphValidator { stores, caller, account: workflow.account }.draft_problems(&workflow).await;
    let data = WorkflowOut::with_draft_problems(workflow.clone(), TeamRole::Owner, problems);
    let answer = serde_json::to_string(&Data { data }).map_err(Error::internal)?;
    let created = stores.workflows.create(&workflow, route, idempotency_key.as_ref(), &answer).await?;
    Ok(idempotency::creation_response(created, Some(etag), answer))
}

/// Read a workflow
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The workflow with its draft", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn get_workflow(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<(ETag, Data<WorkflowOut>)> {
    Ok(workflow_response(stores.workflows.get(access.account, id).await?, access.role))
}

/// Builds a response from a workflow, with its ETag.
pub fn workflow_response(workflow: Workflow, role: TeamRole) -> (ETag, Data<WorkflowOut>) {
    (ETag::from_revision(workflow.revision), Data { data: WorkflowOut::new(workflow, role) })
}

/// Update a workflow's draft
///
/// Applies a JSON merge patch (RFC 7396). Fields that the patch omits keep their values; null removes an optional
/// field. Published releases do not change. The graph must be well-formed; other problems of the draft are returned in
/// `problems`. Connections can omit ports as in the creation.
#[utoipa::path(
    patch, path = "/builder/v1/workflows/{id}", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow"), IfMatchHeaders, AcceptLanguageHeaders),
    request_body = EditableWorkflow,
    responses(
        (status = 200, description = "The updated workflow", body = Data<WorkflowOut>,
            headers(("ETag" = String, description = "The workflow's version"))),
        (status = 409, description = "`invalid_state`: the workflow is archived", body = ErrorBody),
        (status = 412, description = "`precondition_failed`: the workflow has changed. The details have the stored workflow as \
            `current`, and its `etag`", body = ErrorBody, headers(("ETag" = String, description = "The stored version"))),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn update_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    if_match: IfMatch,
    Json(patch): Json<MergePatch>,
) -> Result<Changed<WorkflowOut>> {
    let change = |workflow: &Workflow| {
        let complete = |graph: &mut Graph| complete_connections(graph, language::of_request());
        let after = workflow.patched(&patch, access.caller.at, complete)?;
        if if_match.allows(&ETag::from_revision(workflow.revision)) {
            Ok(after)
        } else {
            Err(Error::PreconditionFailed)
        }
    };
    let workflow = match stores.workflows.change(access.account, id, change).await {
        Err(Error::PreconditionFailed) => {
            let stored = stores.workflows.get(access.account, id).await?;
            let (etag, stored) = workflow_response(stored, access.role);
            return Ok(Changed::Stale(etag, stored));
        }
        changed => changed?,
    };
    let problems = GraphValidator::new(&stores, &access).draft_problems(&workflow).await;
    let etag = ETag::from_revision(workflow.revision);
    Ok(Changed::Saved(etag, Data { data: WorkflowOut::with_draft_problems(workflow, access.role, problems) }))
}

/// Delete a workflow
///
/// The workflow is no longer listed and its triggers stop. Its teams are deleted. Its runs are kept, but its participants are
/// erased with their conversations, and so are the values of the runs that their messages started. Agents and workflows that
/// use it change to `needs_attention`.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses((status = 204, description = "Deleted"), NotFound<WorkflowId>, NotPermitted, ErrorResponses),
)]
pub async fn delete_workflow(
    State(stores): State<Stores>,
    access: Owner<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<StatusCode> {
    let work_id = WorkId::new();
    stores.workflows.delete(access.account, access.caller.user, id, work_id).await?;
    stores.hints.send_all([work_id]).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Preview the impact of deleting a workflow
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/delete-impact", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "At most 100 agents and workflows that use it", body = Data<ImpactOut>),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn get_delete_impact(
    State(stores): State<Stores>,
    access: Owner<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Data<ImpactOut>> {
    Ok(Data { data: stores.workflows.impact(access.account, id).await?.into() })
}

/// Copy a workflow
///
/// Copies the draft to a new workflow, which is not published. Its webhooks, credentials and teams are not copied: nodes
/// that refer to them must be connected again.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/clone", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow"), IdempotencyHeaders), request_body = Option<CloneIn>,
    responses(Created<WorkflowOut, (ETag, Replayed)>, NotFound<WorkflowId>, KeyReused, NotJson, ErrorResponses),
)]
pub async fn clone_workflow(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    headers: HeaderMap,
    Hashed { body: OptionalJson(CloneIn { name }), hash, .. }: Hashed<OptionalJson<CloneIn>>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let route = format!("workflows/{id}/clone");
    // A replay returns the first answer, even if the original was changed or deleted since.
    if let Some(idempotency_key) = &idempotency_key
        && let Some(first) = stores.workflows.first_answer(access.caller.account(), &route, idempotency_key).await?
    {
        return Ok(idempotency::replay_response(Some(ETag::from_revision(FIRST_REVISION)), first));
    }
    let original = stores.workflows.get(access.account, id).await?;
    let copy = original.cloned(WorkflowId::new(), access.caller.account(), name)?;
    create_and_respond(&stores, &access.caller, copy, &route, idempotency_key).await
}

/// Validate a workflow's draft
///
/// Returns all problems of the draft. Nothing is published.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/validate", tag = "workflows",
    params(("id" = Uuid, Path, description = "The workflow"), AcceptLanguageHeaders),
    responses(
        (status = 200, description = "The problems, errors first", body = Data<ValidationOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn validate_workflow(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    _: NoBody,
) -> Result<Data<ValidationOut>> {
    let workflow = stores.workflows.get(access.account, id).await?;
    let validator = GraphValidator::new(&stores, &access);
    let (references, problems) = validator.validate(id, &workflow.graph, &workflow.channels).await?;
    let problems = ProblemOut::list(&problems, language::of_request());
    Ok(Data { data: ValidationOut { valid: references.is_some(), problems } })
}
