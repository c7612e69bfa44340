//! Handlers that cancel and stop runs.

use axum::extract::State;
use domain::id::{RunId, WorkflowId};
use web::builder::{Data, ErrorBody, ErrorResponses, NotFound, NotPermitted, Operator};
use web::{NoBody, Path, Result};

use super::runs::{load_run, run_response};
use crate::Stores;
use crate::dto::run::RunOut;

/// Cancel a queued run
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/runs/{run_id}/cancel", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run")),
    responses(
        (status = 200, description = "The cancelled run", body = Data<RunOut>),
        (status = 409, description = "`invalid_state`: the run has begun or ended", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn cancel_run(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    _: NoBody,
) -> Result<Data<RunOut>> {
    let account = access.account;
    load_run(&stores, account, id, run_id).await?.check_cancellable()?;
    stores.runs.cancel(run_id).await?;
    run_response(&stores, stores.runs.get(account, id, run_id).await?, access.caller.at).await
}

/// Stop a run
///
/// Stops a run that is running or paused. What it has already begun, such as a call of another system, may still take
/// place. Nothing new begins.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/runs/{run_id}/stop", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run")),
    responses(
        (status = 200, description = "The stopped run", body = Data<RunOut>),
        (status = 409, description = "`invalid_state`: the run is queued or has ended", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn stop_run(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    _: NoBody,
) -> Result<Data<RunOut>> {
    let account = access.account;
    load_run(&stores, account, id, run_id).await?.check_stoppable()?;
    stores.runs.stop(run_id).await?;
    run_response(&stores, stores.runs.get(account, id, run_id).await?, access.caller.at).await
}
