//! The handler that repeats a part of a run.

use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{RunId, WorkflowId};
use domain::run::{NewRun, Run, RunEventKind, RunOrigin, RunRetry, RunState, RunValue, StartableRelease};
use domain::{Error, Result as DomainResult};
use engine::drive::kept_events;
use runner::Plans;
use serde_json::json;
use store::runs::Started;
use web::builder::{Data, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Operator};
use web::{OptionalJson, Path, Result};

use super::runs::{find_first, load_run, run_response, start_key};
use crate::Stores;
use crate::dto::run::{RetryRunIn, RunOut};

/// Retry a run
///
/// Starts a new run of the same release with the same input. It takes over the results that are recorded before the
/// node, so calls of models and of other systems that succeeded are not repeated or paid again.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/runs/{run_id}/retry", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run")),
    request_body = Option<RetryRunIn>,
    responses(
        (status = 202, description = "The new run. For a repeated `idempotencyKey`, the run of the first request",
            body = Data<RunOut>),
        (status = 409, description = "`invalid_state`: the run is in progress, was erased, or has completed and no \
            `fromNode` is given; `workflow_paused`; `idempotency_conflict`", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn retry_run(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    OptionalJson(RetryRunIn { from_node, idempotency_key }): OptionalJson<RetryRunIn>,
) -> Result<(StatusCode, Data<RunOut>)> {
    let account = access.account;
    let workflow = stores.workflows.get_header(account, id).await?;
    let run = load_run(&stores, account, id, run_id).await?;
    let request = json!({"retry": run_id, "fromNode": from_node});
    let start_key = idempotency_key.map(|key| start_key(id, key, &Some(request))).transpose()?;
    if let Some(first) = find_first(&stores, account, id, start_key.as_ref()).await? {
        return Ok((StatusCode::ACCEPTED, run_response(&stores, first, access.caller.at).await?));
    }
    workflow.state.check_startable()?;
    check_retryable(&run, from_node.as_deref())?;
    let run = Run { payer: workflow.payer(), ..run };
    let new = repeat(&stores, run, from_node.as_deref()).await?.with_retention(access.caller.plan.run_retention);
    let run = match stores.runs.start(new, start_key).await? {
        Started::Now(run) => *run,
        Started::Before(first) => stores.runs.get(account, id, first).await?,
    };
    Ok((StatusCode::ACCEPTED, run_response(&stores, run, access.caller.at).await?))
}

fn check_retryable(run: &Run, from_node: Option<&str>) -> DomainResult<()> {
    run.check_not_erased()?;
    match run.state {
        RunState::Failed | RunState::Cancelled => Ok(()),
        RunState::Completed if from_node.is_some() => Ok(()),
        RunState::Completed => Err(Error::invalid_state("the run has completed; name the node to repeat in fromNode")),
        _ => Err(Error::invalid_state("the run is in progress; stop it first")),
    }
}

/// The new run, with what it takes over.
async fn repeat(stores: &Stores, run: Run, from_node: Option<&str>) -> DomainResult<NewRun> {
    let (plan, log) = futures::try_join!(stores.plans.plan(&run), stores.runs.log_to_repeat(run.id))?;
    let unknown = || Error::invalid_body("fromNode", "the release of the run has no node with this id");
    let from = from_node.map(|id| plan.find_step(id).ok_or_else(unknown)).transpose()?;
    let mut kept = kept_events(&plan, log, from)?.into_iter();
    let Some(RunEventKind::RunQueued { input: RunValue::Value(input) }) = kept.next() else {
        return Err(Error::internal("the log of a run has no beginning"));
    };
    let Run { id, account, payer, workflow, release, release_number: number, scheduled_at, trigger, thread, .. } = run;
    let release = StartableRelease { account, payer, workflow, release, number };
    let retry = Some(RunRetry { of: id, events: kept.collect() });
    // It belongs to the conversation, so it can reply, and is erased with the participant.
    Ok(NewRun { retry, thread, scheduled_at, ..NewRun::new(release, RunOrigin::Manual, trigger, input) })
}
