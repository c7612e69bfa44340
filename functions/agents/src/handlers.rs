//! HTTP handlers: one function for each route.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::Error;
use domain::agent::{Agent, AgentPatch, AgentScope, EditableAgent};
use domain::id::{AgentId, WorkId};
use domain::sharing::TeamRole;
use domain::tool_mark::ToolMarkIn;
use web::builder::agent::{AgentDetailOut, AgentOut};
use web::builder::{
    Caller, Changed, Created, Data, DataList, Editor, ErrorBody, ErrorResponses, KeyReused, NotFound, NotJson,
    NotPermitted, Owner, PrivateAgent, Viewer,
};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::idempotency::{self, IdempotencyHeaders};
use web::responses::Replayed;
use web::{Hashed, Json, NoBody, OptionalJson, Path, Query, Result};

use crate::Stores;
use crate::dto::{ListAgents, ListModels, ModelOut};

/// List agents
///
/// Returns the caller's global agents. Agents that are private to a workflow are not listed.
#[utoipa::path(
    get, path = "/builder/v1/agents", tag = "agents", params(ListAgents),
    responses((status = 200, description = "A page of agents", body = DataList<AgentOut>), ErrorResponses),
)]
pub async fn list_agents(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListAgents>,
) -> Result<DataList<AgentOut>> {
    let ListAgents { ownership, sort, order, .. } = query;
    let (page, filter) = (query.page(), query.filter()?);
    let page = stores.agents.list(caller.account(), ownership, &filter, sort.into(), order.into(), page).await?;
    let meta = (&page).into();
    Ok(DataList { data: page.items.into_iter().map(AgentOut::from).collect(), meta })
}

/// Create an agent
///
/// The body has the fields of `PATCH`. Fields that it omits have their defaults, and so has an agent without a body.
#[utoipa::path(
    post, path = "/builder/v1/agents", tag = "agents", params(IdempotencyHeaders),
    request_body = Option<EditableAgent>,
    responses(Created<AgentDetailOut, (ETag, Replayed)>, KeyReused, NotJson, ErrorResponses),
)]
pub async fn create_agent(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    headers: HeaderMap,
    Hashed { body: OptionalJson(fields), hash, .. }: Hashed<OptionalJson<AgentPatch>>,
) -> Result<Response> {
    // A call without a body and one with `{}` are the same request.
    let hash = if fields.is_empty() { String::new() } else { hash };
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let version = Some(ETag::from_revision(Agent::FIRST_REVISION));
    // A replay returns the first answer, even if a reference of the body was deleted since.
    if let Some(key) = idempotency_key.as_ref().filter(|_| !fields.is_empty())
        && let Some(first) = stores.agents.first_answer(caller.account(), AgentScope::Global, key).await?
    {
        return Ok(idempotency::replay_response(version, first));
    }
    let agent = stores.agents.build(caller.account(), &fields, &caller.plan).await?;
    let answer = serde_json::to_string(&Data { data: AgentDetailOut::new(agent.clone(), TeamRole::Owner) })
        .map_err(Error::internal)?;
    let created = stores.agents.create(&agent, idempotency_key.as_ref(), &answer).await?;
    Ok(idempotency::creation_response(created, version, answer))
}

/// Read an agent
#[utoipa::path(
    get, path = "/builder/v1/agents/{id}", tag = "agents", params(("id" = Uuid, Path, description = "The agent")),
    responses(
        (status = 200, description = "The agent with its configuration", body = Data<AgentDetailOut>,
            headers(("ETag" = String, description = "The agent's version"))),
        NotFound<AgentId>, ErrorResponses,
    ),
)]
pub async fn get_agent(
    State(stores): State<Stores>,
    access: Viewer<AgentId>,
    Path(id): Path<AgentId>,
) -> Result<(ETag, Data<AgentDetailOut>)> {
    let agent = stores.agents.get(access.account, id).await?;
    Ok((ETag::from_revision(agent.revision), Data { data: AgentDetailOut::new(agent, access.role) }))
}

/// Update an agent
///
/// Applies a JSON merge patch (RFC 7396). Fields that the patch omits keep their values; null removes a field or resets
/// it to its default.
#[utoipa::path(
    patch, path = "/builder/v1/agents/{id}", tag = "agents",
    params(("id" = Uuid, Path, description = "The agent"), IfMatchHeaders), request_body = EditableAgent,
    responses(
        (status = 200, description = "The updated agent", body = Data<AgentDetailOut>,
            headers(("ETag" = String, description = "The agent's version"))),
        (status = 412, description = "`precondition_failed`: the agent has changed. The details have the stored agent as \
            `current`, and its `etag`", body = ErrorBody, headers(("ETag" = String, description = "The stored version"))),
        NotFound<AgentId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn update_agent(
    State(stores): State<Stores>,
    access: Editor<AgentId>,
    Path(id): Path<AgentId>,
    if_match: IfMatch,
    Json(patch): Json<AgentPatch>,
) -> Result<Changed<AgentDetailOut>> {
    let expected = |agent: &Agent| if_match.allows(&ETag::from_revision(agent.revision));
    let respond =
        |agent: Agent| (ETag::from_revision(agent.revision), Data { data: AgentDetailOut::new(agent, access.role) });
    match stores.agents.patch(access.account, id, &patch, &access.caller.plan, expected).await {
        Err(Error::PreconditionFailed) => {
            let (etag, stored) = respond(stores.agents.get(access.account, id).await?);
            Ok(Changed::Stale(etag, stored))
        }
        changed => {
            let (etag, saved) = respond(changed?);
            Ok(Changed::Saved(etag, saved))
        }
    }
}

/// Mark an agent as a tool
///
/// Assistants of everyone who may run the agent find it as a tool at the MCP server `/mcp/v1`. A call of the tool is an invocation.
#[utoipa::path(
    put, path = "/builder/v1/agents/{id}/tool", tag = "agents",
    params(("id" = Uuid, Path, description = "The agent")), request_body = Option<ToolMarkIn>,
    responses(
        (status = 200, description = "The updated agent", body = Data<AgentDetailOut>,
            headers(("ETag" = String, description = "The agent's version"))),
        NotFound<AgentId>, NotJson, NotPermitted, PrivateAgent, ErrorResponses,
    ),
)]
pub async fn mark_agent_as_tool(
    State(stores): State<Stores>,
    access: Owner<AgentId>,
    Path(id): Path<AgentId>,
    OptionalJson(mark): OptionalJson<ToolMarkIn>,
) -> Result<(ETag, Data<AgentDetailOut>)> {
    let agent = stores.agents.mark_as_tool(access.account, id, Some(mark)).await?;
    Ok((ETag::from_revision(agent.revision), Data { data: AgentDetailOut::new(agent, access.role) }))
}

/// Remove the mark of an agent as a tool
///
/// Assistants do not find the agent any more, and can no longer call it. Calls that have begun go on.
#[utoipa::path(
    delete, path = "/builder/v1/agents/{id}/tool", tag = "agents",
    params(("id" = Uuid, Path, description = "The agent")),
    responses(
        (status = 200, description = "The updated agent", body = Data<AgentDetailOut>,
            headers(("ETag" = String, description = "The agent's version"))),
        NotFound<AgentId>, NotPermitted, PrivateAgent, ErrorResponses,
    ),
)]
pub async fn unmark_agent_as_tool(
    State(stores): State<Stores>,
    access: Owner<AgentId>,
    Path(id): Path<AgentId>,
    _: NoBody,
) -> Result<(ETag, Data<AgentDetailOut>)> {
    let agent = stores.agents.mark_as_tool(access.account, id, None).await?;
    Ok((ETag::from_revision(agent.revision), Data { data: AgentDetailOut::new(agent, access.role) }))
}

/// Delete an agent
///
/// The agent is no longer listed. The runs that used it are kept. Its recorded invocations cannot be read or erased any more, and
/// are deleted when their retention ends. Teams that include it change to `needs_attention`.
#[utoipa::path(
    delete, path = "/builder/v1/agents/{id}", tag = "agents", params(("id" = Uuid, Path, description = "The agent")),
    responses((status = 204, description = "Deleted"), NotFound<AgentId>, NotPermitted, ErrorResponses),
)]
pub async fn delete_agent(
    State(stores): State<Stores>,
    access: Owner<AgentId>,
    Path(id): Path<AgentId>,
) -> Result<StatusCode> {
    let work_id = WorkId::new();
    stores.agents.delete(access.account, access.caller.user, id, work_id).await?;
    stores.hints.send_all([work_id]).await;
    Ok(StatusCode::NO_CONTENT)
}

/// List models
///
/// Returns the models that the caller's plan allows for agents.
#[utoipa::path(
    get, path = "/builder/v1/models", tag = "models", params(ListModels),
    responses((status = 200, description = "A page of models", body = DataList<ModelOut>), ErrorResponses),
)]
pub async fn list_models(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListModels>,
) -> Result<DataList<ModelOut>> {
    let page = query.page(stores.catalog.list(&caller.plan, caller.at).await?);
    let meta = (&page).into();
    Ok(DataList { data: page.items.into_iter().map(ModelOut::from).collect(), meta })
}
