//! Handlers for the teams of a workflow: agents of type `multiple` that are private to it.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::Error;
use domain::agent::{Agent, AgentPatch, EditableAgent};
use domain::id::{AgentId, TeamId, WorkId, WorkflowId};
use domain::sharing::TeamRole;
use store::agents::{AgentSummary, PrivateList};
use web::builder::agent::{AgentDetailOut, AgentOut};
use web::builder::{
    Created, Data, DataList, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Stale, Viewer,
};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::idempotency::{self, IdempotencyHeaders};
use web::responses::Replayed;
use web::{Hashed, Json, OptionalJson, Path, Query, Result};

use crate::Stores;
use crate::dto::team::ListTeams;

/// List teams
///
/// Returns the workflow's teams. They are not listed with the caller's other agents.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/teams", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), ListTeams),
    responses(
        (status = 200, description = "A page of teams", body = DataList<AgentOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_teams(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(query): Query<ListTeams>,
) -> Result<DataList<AgentOut>> {
    query.check()?;
    let teams = stores.agents.list_private(PrivateList::teams(access.account, id)).await?;
    let page = query.page(teams);
    let meta = (&page).into();
    Ok(DataList { data: page.map(|team| AgentSummary::new(team, access.role).into()).items, meta })
}

/// Create a team
///
/// A team is an agent of type `multiple` that only this workflow can use: in its `agent` nodes, and as a member or a tool
/// of its other teams. The members are agents of the caller or other teams of the workflow. Fields that the body omits
/// have their defaults. The id of a team is the id of its agent, which `/builder/v1/agents/{id}` also accepts.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/teams", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), IdempotencyHeaders),
    request_body = Option<EditableAgent>,
    responses(
        Created<AgentDetailOut, (ETag, Replayed)>,
        (status = 409, description = "`too_many_teams`: the workflow already has 20; `idempotency_conflict`: the \
            `Idempotency-Key` was used with another request", body = ErrorBody),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn create_team(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    headers: HeaderMap,
    Hashed { body: OptionalJson(fields), hash, .. }: Hashed<OptionalJson<AgentPatch>>,
) -> Result<Response> {
    let teams = PrivateList::teams(access.account, id);
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let version = Some(ETag::from_revision(Agent::FIRST_REVISION));
    // A replay returns the first answer, even if a member was deleted since.
    if let Some(key) = &idempotency_key
        && let Some(first) = stores.agents.first_answer(access.account, teams.scope(), key).await?
    {
        return Ok(idempotency::replay_response(version, first));
    }
    let team = stores.agents.build_private(teams, &fields, &access.caller.plan).await?;
    let answer = serde_json::to_string(&Data { data: AgentDetailOut::new(team.clone(), access.role) })
        .map_err(Error::internal)?;
    let created = stores.agents.create(&team, idempotency_key.as_ref(), &answer).await?;
    Ok(idempotency::creation_response(created, version, answer))
}

/// Read a team
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/teams/{team_id}", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), ("team_id" = Uuid, Path, description = "The team")),
    responses(
        (status = 200, description = "The team with its configuration", body = Data<AgentDetailOut>,
            headers(("ETag" = String, description = "The team's version"))),
        NotFound<(WorkflowId, TeamId)>, ErrorResponses,
    ),
)]
pub async fn get_team(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, team_id)): Path<(WorkflowId, TeamId)>,
) -> Result<(ETag, Data<AgentDetailOut>)> {
    let teams = PrivateList::teams(access.account, id);
    Ok(team_response(stores.agents.get_private(teams, to_agent_id(team_id)).await?, access.role))
}

/// Update a team
///
/// Applies a JSON merge patch (RFC 7396). Fields that the patch omits keep their values; null removes a field or resets
/// it to its default. The `type` is always `multiple`.
#[utoipa::path(
    patch, path = "/builder/v1/workflows/{id}/teams/{team_id}", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("team_id" = Uuid, Path, description = "The team"),
        IfMatchHeaders,
    ),
    request_body = EditableAgent,
    responses(
        (status = 200, description = "The updated team", body = Data<AgentDetailOut>,
            headers(("ETag" = String, description = "The team's version"))),
        NotFound<(WorkflowId, TeamId)>, Stale, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn update_team(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, team_id)): Path<(WorkflowId, TeamId)>,
    if_match: IfMatch,
    Json(patch): Json<AgentPatch>,
) -> Result<(ETag, Data<AgentDetailOut>)> {
    let teams = PrivateList::teams(access.account, id);
    let expected = |team: &Agent| if_match.allows(&ETag::from_revision(team.revision));
    let team = stores.agents.patch_private(teams, to_agent_id(team_id), &patch, &access.caller.plan, expected).await?;
    Ok(team_response(team, access.role))
}

/// Update a team with POST
///
/// The same as `PATCH`, for clients that cannot send it.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/teams/{team_id}", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("team_id" = Uuid, Path, description = "The team"),
        IfMatchHeaders,
    ),
    request_body = EditableAgent,
    responses(
        (status = 200, description = "The updated team", body = Data<AgentDetailOut>,
            headers(("ETag" = String, description = "The team's version"))),
        NotFound<(WorkflowId, TeamId)>, Stale, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn update_team_with_post(
    stores: State<Stores>,
    access: Editor<WorkflowId>,
    ids: Path<(WorkflowId, TeamId)>,
    if_match: IfMatch,
    patch: Json<AgentPatch>,
) -> Result<(ETag, Data<AgentDetailOut>)> {
    update_team(stores, access, ids, if_match, patch).await
}

/// Delete a team
///
/// Its executions are kept. Teams that include it, and the workflow if its active release uses it, change to
/// `needs_attention`.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/teams/{team_id}", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), ("team_id" = Uuid, Path, description = "The team")),
    responses((status = 204, description = "Deleted"), NotFound<(WorkflowId, TeamId)>, NotPermitted, ErrorResponses),
)]
pub async fn delete_team(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, team_id)): Path<(WorkflowId, TeamId)>,
) -> Result<StatusCode> {
    let work_id = WorkId::new();
    let teams = PrivateList::teams(access.account, id);
    stores.agents.delete_private(teams, to_agent_id(team_id), work_id).await?;
    stores.hints.send_all([work_id]).await;
    Ok(StatusCode::NO_CONTENT)
}

fn team_response(team: Agent, role: TeamRole) -> (ETag, Data<AgentDetailOut>) {
    (ETag::from_revision(team.revision), Data { data: AgentDetailOut::new(team, role) })
}

/// A team and its agent have the same id.
fn to_agent_id(id: TeamId) -> AgentId {
    AgentId::from(id.uuid())
}
