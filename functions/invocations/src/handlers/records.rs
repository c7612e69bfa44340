//! Handlers of recorded invocations.

use axum::extract::State;
use axum::http::StatusCode;
use domain::Result as DomainResult;
use domain::agent::InvocationRecord;
use domain::id::{AgentId, InvocationId, RunId};
use domain::page::Slice;
use futures::{StreamExt, TryStreamExt, stream};
use web::builder::{Data, DataSlice, ErrorBody, ErrorResponses, NotFound, NotPermitted, Operator, Viewer};
use web::cursor::Cursors;
use web::{Path, Query, Result};

use crate::Stores;
use crate::dto::record::{InvocationEntryOut, InvocationOut, ListInvocations};

const CURSORS: Cursors = Cursors("invocations");
/// The number of invocations whose usage is read at once.
const CONCURRENCY: usize = 16;

/// List the invocations of an agent
///
/// Returns the direct calls of the agent, newest first. They are kept for the days that your plan keeps runs. What an agent
/// did as part of a workflow is in the trace of the run. With a filter, a page can have fewer items than `limit` although
/// more pages follow.
#[utoipa::path(
    get, path = "/builder/v1/agents/{id}/invocations", tag = "agents",
    params(("id" = Uuid, Path, description = "The agent"), ListInvocations),
    responses(
        (status = 200, description = "A page of invocations", body = DataSlice<InvocationEntryOut>),
        NotFound<AgentId>, ErrorResponses,
    ),
)]
pub async fn list_invocations(
    State(stores): State<Stores>,
    access: Viewer<AgentId>,
    Path(id): Path<AgentId>,
    Query(query): Query<ListInvocations>,
) -> Result<DataSlice<InvocationEntryOut>> {
    stores.agents.get(access.account, id).await?;
    let after = CURSORS.read(query.cursor.as_deref())?;
    let Slice { items, next } = stores.records.list(id, &query.filter(), query.limit, after).await?;
    let rows = stream::iter(items.into_iter().map(|record| entry(&stores, record)));
    let items: Vec<_> = rows.buffered(CONCURRENCY).try_collect().await?;
    Ok(DataSlice::new(Slice { items, next }, CURSORS))
}

async fn entry(stores: &Stores, record: InvocationRecord) -> DomainResult<InvocationEntryOut> {
    let usage = stores.usage.total(RunId::from(record.id.uuid())).await?;
    Ok(InvocationEntryOut::new(record, usage))
}

/// Read an invocation
///
/// Returns the conversation of a direct call of the agent, and its trace: each step with its result, its duration and its cost.
/// What the workflows among its tools mask is hidden.
#[utoipa::path(
    get, path = "/builder/v1/agents/{id}/invocations/{invocation_id}", tag = "agents",
    params(
        ("id" = Uuid, Path, description = "The agent"),
        ("invocation_id" = Uuid, Path, description = "The invocation: the `id` of its answer"),
    ),
    responses(
        (status = 200, description = "The invocation", body = Data<InvocationOut>),
        NotFound<(AgentId, InvocationId)>, ErrorResponses,
    ),
)]
pub async fn get_invocation(
    State(stores): State<Stores>,
    access: Viewer<AgentId>,
    Path((id, invocation)): Path<(AgentId, InvocationId)>,
) -> Result<Data<InvocationOut>> {
    stores.agents.get(access.account, id).await?;
    let (record, usage) =
        futures::try_join!(stores.records.get(id, invocation), stores.usage.find(RunId::from(invocation.uuid())))?;
    let (record, content) = record;
    Ok(Data { data: InvocationOut::new(record, content, usage) })
}

/// Erase an invocation
///
/// Deletes the conversation and the steps of an invocation that has ended. That it took place, its times and what it cost stay. The
/// runs of workflows that its tools have started are kept; erase each of them.
#[utoipa::path(
    delete, path = "/builder/v1/agents/{id}/invocations/{invocation_id}", tag = "agents",
    params(
        ("id" = Uuid, Path, description = "The agent"),
        ("invocation_id" = Uuid, Path, description = "The invocation"),
    ),
    responses(
        (status = 204, description = "The content is deleted"),
        (status = 409, description = "`invalid_state`: the invocation is in progress", body = ErrorBody),
        NotFound<(AgentId, InvocationId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn erase_invocation(
    State(stores): State<Stores>,
    access: Operator<AgentId>,
    Path((id, invocation)): Path<(AgentId, InvocationId)>,
) -> Result<StatusCode> {
    stores.agents.get(access.account, id).await?;
    stores.records.erase(id, invocation).await?;
    Ok(StatusCode::NO_CONTENT)
}
