//! Handlers that show what happened in a run: its events, and its activity.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::Result as DomainResult;
use domain::id::{RunId, WorkflowId};
use domain::identity::Account;
use domain::page::Slice;
use domain::run::Run;
use store::runs::NumberedEvent;
use tokio::time::Instant;
use web::builder::{DataSlice, ErrorBody, ErrorResponses, NotFound, Viewer};
use web::cursor::{CursorQuery, Cursors};
use web::follow::{FollowedLog, Follower, last_event_id};
use web::language::AcceptLanguageHeaders;
use web::{Path, Query, Result};

use crate::Stores;
use crate::dto::activity::ActivityOut;
use crate::dto::event::{ListRunEvents, RunEventOut};
use crate::follow::RunLog;

const CURSORS: Cursors = Cursors("run-events");

/// List or follow the events of a run
///
/// Returns what happened, in the order of the log. Events are numbered from 1 without gaps.
///
/// With `follow=true`, the response is a stream of server-sent events: the events so far, and each new one within a second.
/// A message has the number of its event as `id`. When the run has ended, the stream sends `end` and closes. A stream lasts
/// at most some minutes. Then the client opens the next one with `Last-Event-ID`, as an `EventSource` of a browser does by
/// itself. When there is nothing left to follow, the status is 204.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}/events", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run"),
        ("Last-Event-ID" = Option<u32>, Header, description = "With `follow`: the number of the last event that the client has"),
        ListRunEvents,
    ),
    responses(
        (status = 200, description = "A page of events, or a stream",
            content((DataSlice<RunEventOut> = "application/json"), (Value = "text/event-stream"))),
        (status = 204, description = "With `follow`: the run has ended, and the client has all events"),
        (status = 409, description = "`invalid_state`: the run was erased", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn list_run_events(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Query(query): Query<ListRunEvents>,
    headers: HeaderMap,
) -> Result<Response> {
    let run = load_run(&stores, access.account, id, run_id).await?;
    let after = CURSORS.read_number(query.cursor.as_deref())?.unwrap_or(0);
    if query.follow {
        let after = last_event_id(&headers)?.unwrap_or(after);
        return Ok(follow(stores, run, after).await?);
    }
    let Slice { items, next } = list(&stores, &run, after, query.limit).await?;
    let items = show_all(&stores, run.id, items).await?;
    Ok(DataSlice::<RunEventOut>::new(Slice { items, next }, CURSORS).into_response())
}

/// Show the activity of a run
///
/// Shows the events as sentences.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}/activity", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run"),
        CursorQuery, AcceptLanguageHeaders,
    ),
    responses(
        (status = 200, description = "A page of the timeline", body = DataSlice<ActivityOut>),
        (status = 409, description = "`invalid_state`: the run was erased", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn list_run_activity(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Query(query): Query<CursorQuery>,
) -> Result<DataSlice<ActivityOut>> {
    let run = load_run(&stores, access.account, id, run_id).await?;
    let slice = list(&stores, &run, CURSORS.read_number(query.cursor.as_deref())?.unwrap_or(0), query.limit).await?;
    Ok(DataSlice::new(slice.map(|event| ActivityOut::new(event, &run)), CURSORS))
}

async fn load_run(stores: &Stores, account: Account, workflow: WorkflowId, id: RunId) -> DomainResult<Run> {
    stores.workflows.get_header(account, workflow).await?;
    let run = stores.runs.get(account, workflow, id).await?;
    run.check_not_erased()?;
    Ok(run)
}

/// The page of events after a number.
async fn list(stores: &Stores, run: &Run, after: u32, limit: u32) -> DomainResult<Slice<NumberedEvent>> {
    let limit = limit as usize;
    // One extra event shows whether there is a next page.
    let mut items = stores.runs.events_after(run.id, after, limit + 1).await?;
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| has_more).map(|last| last.number.to_string());
    Ok(Slice { items, next })
}

/// The stream of events after a number.
async fn follow(stores: Stores, run: Run, after: u32) -> DomainResult<Response> {
    let until = Instant::now() + stores.stream_time;
    let watcher = stores.runs.watch(run.id);
    let reader = stores.runs.read_events(run.id, after).await?;
    let mut log = RunLog { stores, run: run.id, reader };
    let found = log.read().await?;
    if found.events.is_empty() && run.ended_at.is_some() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(Follower { log, watcher, found, until }.into_response())
}

/// Builds events, with the URLs of large values and the usage of the steps that ended.
pub async fn show_all(stores: &Stores, run: RunId, events: Vec<NumberedEvent>) -> DomainResult<Vec<RunEventOut>> {
    let ended: Vec<&str> = events.iter().filter_map(|event| event.event.kind.ended_effect()).collect();
    let usage = if ended.is_empty() { BTreeMap::new() } else { stores.usage.of_steps(run, &ended).await? };
    let mut shown = Vec::new();
    for event in events {
        let url = match event.event.kind.value() {
            Some(value) => stores.runs.value_url(value).await?,
            None => None,
        };
        let usage = event.event.kind.ended_effect().and_then(|step| usage.get(step).copied());
        shown.push(RunEventOut::new(event, url, usage));
    }
    Ok(shown)
}
