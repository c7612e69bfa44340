//! Handlers that show the trace of a run, and its analytics.

use std::collections::BTreeMap;

use axum::extract::State;
use domain::Result as DomainResult;
use domain::id::{RunId, WorkflowId};
use domain::run::Run;
use runner::RunTrace;
use store::usage::Figures;
use web::builder::{Data, ErrorBody, ErrorResponses, NotFound, Viewer};
use web::{Path, Query, Result};

use super::runs::load_run;
use crate::Stores;
use crate::dto::trace::{RunAnalyticsOut, TraceOut, TraceQuery};

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
        (status = 409, description = "`invalid_state`: the run was erased", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn get_run_trace(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Query(query): Query<TraceQuery>,
) -> Result<Data<TraceOut>> {
    let run = load_run(&stores, access.account, id, run_id).await?;
    let (RunTrace { spans, plan }, usage) = load_trace(&stores, &run).await?;
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
        (status = 409, description = "`invalid_state`: the run was erased", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn get_run_analytics(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
) -> Result<Data<RunAnalyticsOut>> {
    let run = load_run(&stores, access.account, id, run_id).await?;
    let (RunTrace { spans, plan }, usage) = load_trace(&stores, &run).await?;
    Ok(Data { data: RunAnalyticsOut::new(&spans, &plan, usage) })
}

async fn load_trace(stores: &Stores, run: &Run) -> DomainResult<(RunTrace, BTreeMap<String, Figures>)> {
    futures::try_join!(RunTrace::load(&stores.plans, &stores.runs, run), stores.usage.find(run.id))
}
