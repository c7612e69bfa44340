//! Handlers that show what happened in a run: its events, its activity, its trace, and its analytics.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use domain::id::{RunId, WorkflowId};
use domain::page::Slice;
use domain::run::Run;
use engine::compile::ExecutionPlan;
use engine::drive::{Span, trace};
use runner::{Plans, find_trigger_step};
use shared::http::cursor::Cursors;
use shared::http::standard::{Caller, Data, DataSlice, ErrorResponses, NotFound, Path, Query, Result};
use shared::offload::offload;
use shared::store::runs::NumberedEvent;
use shared::store::usage::Figures;

use super::runs::load_run;
use crate::Stores;
use crate::dto::event::{ActivityOut, ListRunEvents, RunEventOut};
use crate::dto::trace::{RunAnalyticsOut, TraceOut, TraceQuery};

const CURSORS: Cursors = Cursors("run-events");

/// List the events of a run
///
/// Returns what happened, in the order of the log. Events are numbered from 1 without gaps.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}/events", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run"),
        ListRunEvents,
    ),
    responses(
        (status = 200, description = "A page of events", body = DataSlice<RunEventOut>),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn list_run_events(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Query(query): Query<ListRunEvents>,
) -> Result<DataSlice<RunEventOut>> {
    let run = load_run(&stores, caller.account(), id, run_id).await?;
    let Slice { items, next } = page(&stores, &run, &query).await?;
    let mut events = Vec::new();
    for event in items {
        let url = match event.event.kind.value() {
            Some(value) => stores.runs.value_url(value).await?,
            None => None,
        };
        events.push(RunEventOut::new(event, url));
    }
    Ok(DataSlice::new(Slice { items: events, next }, CURSORS))
}

/// Show the activity of a run
///
/// Tells the events as sentences.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}/activity", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run"),
        ListRunEvents,
    ),
    responses(
        (status = 200, description = "A page of the timeline", body = DataSlice<ActivityOut>),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn list_run_activity(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Query(query): Query<ListRunEvents>,
) -> Result<DataSlice<ActivityOut>> {
    let run = load_run(&stores, caller.account(), id, run_id).await?;
    let origin = run.origin;
    let slice = page(&stores, &run, &query).await?;
    Ok(DataSlice::new(slice.map(|event| ActivityOut::new(event, origin)), CURSORS))
}

/// The page after a cursor, which is the number of the last event.
async fn page(stores: &Stores, run: &Run, query: &ListRunEvents) -> Result<Slice<NumberedEvent>> {
    let after = CURSORS.read_number(query.cursor.as_deref())?.unwrap_or(0);
    let limit = query.limit as usize;
    // One extra event shows whether there is a next page.
    let mut items = stores.runs.events_after(run.id, after, limit + 1).await?;
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| has_more).map(|last| last.number.to_string());
    Ok(Slice { items, next })
}

/// Show the trace of a run
///
/// Returns a tree of steps: each attempt with its times, its input and output, its error, its calls of models and tools,
/// and what they cost. While the run is in progress, the trace shows it so far.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}/trace", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run"), TraceQuery,
    ),
    responses(
        (status = 200, description = "The trace", body = Data<TraceOut>),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn get_run_trace(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Query(query): Query<TraceQuery>,
) -> Result<Data<TraceOut>> {
    let run = load_run(&stores, caller.account(), id, run_id).await?;
    let Traced { spans, plan, usage } = trace_of(&stores, &run).await?;
    Ok(Data { data: TraceOut::new(spans, &plan, usage, query.step.as_deref()) })
}

/// Show the analytics of a run
///
/// Returns where the time and the money of the run went: by node, and along its critical path.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}/analytics", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run")),
    responses(
        (status = 200, description = "The analytics", body = Data<RunAnalyticsOut>),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn get_run_analytics(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
) -> Result<Data<RunAnalyticsOut>> {
    let run = load_run(&stores, caller.account(), id, run_id).await?;
    let Traced { spans, plan, usage } = trace_of(&stores, &run).await?;
    Ok(Data { data: RunAnalyticsOut::new(&spans, &plan, usage) })
}

struct Traced {
    spans: Vec<Span>,
    plan: Arc<ExecutionPlan>,
    usage: BTreeMap<String, Figures>,
}

async fn trace_of(stores: &Stores, run: &Run) -> Result<Traced> {
    let (plan, log, usage) =
        futures::try_join!(stores.plans.plan(run), stores.runs.log(run.id), stores.usage.find(run.id))?;
    let trigger = find_trigger_step(&plan, run)?;
    let (run_id, planned) = (run.id, plan.clone());
    let spans = offload(move || trace(run_id, planned, trigger, log)).await?;
    Ok(Traced { spans, plan, usage })
}
