//! Handlers that start and read runs.

use axum::extract::State;
use axum::http::StatusCode;
use domain::graph::hash;
use domain::id::{RunId, WorkflowId};
use domain::identity::Account;
use domain::page::Slice;
use domain::run::masking::hide;
use domain::run::{NewRun, Run, RunOrigin, RunState};
use domain::time::Time;
use domain::{Error, Result as DomainResult};
use serde_json::{Value, json};
use store::run_rows::load_rows;
use store::runs::{ShownValue, StartKey, Started};
use web::builder::run::RunEntryOut;
use web::builder::usage::RunUsageOut;
use web::builder::{Data, DataSlice, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Operator, Viewer};
use web::cursor::Cursors;
use web::{OptionalJson, Path, Query, Result};

use crate::Stores;
use crate::dto::list::ListRuns;
use crate::dto::review::{RunQuery, RunWaitsOut, ShownWaits};
use crate::dto::run::{RunContent, RunOut, StartRunIn};

/// Start a run
///
/// Starts a run of the active release and answers at once. The run begins at the node `input`, or at the first trigger
/// of the graph if it has no such node.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/runs", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = Option<StartRunIn>,
    responses(
        (status = 202, description = "The run. For a repeated `idempotencyKey`, the run of the first request",
            body = Data<RunOut>),
        (status = 409, description = "`unpublished_changes`: the workflow was never published; `workflow_paused`; \
            `invalid_state`: archived; `idempotency_conflict`: the `idempotencyKey` was used with another input",
            body = ErrorBody),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn start_run(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path(id): Path<WorkflowId>,
    OptionalJson(StartRunIn { input, idempotency_key }): OptionalJson<StartRunIn>,
) -> Result<(StatusCode, Data<RunOut>)> {
    let account = access.account;
    let workflow = stores.workflows.get_header(account, id).await?;
    let start_key = idempotency_key.map(|key| start_key(id, key, &input)).transpose()?;
    if let Some(first) = find_first(&stores, account, id, start_key.as_ref()).await? {
        return Ok((StatusCode::ACCEPTED, run_response(&stores, first, access.caller.at).await?));
    }
    let startable = workflow.startable_release()?;
    let trigger = stores.triggers.find(account, id, startable.release).await?;
    let mut input = trigger.clone().run_input(input).await?;
    let new = NewRun::new(startable, RunOrigin::Manual, trigger.node_id.clone(), input.clone());
    let new = new.with_retention(access.caller.plan.run_retention);
    hide(&mut input);
    let input = ShownValue::Value(input);
    match stores.runs.start(new, start_key).await? {
        Started::Now(run) => {
            let waiting = RunWaitsOut::First(None);
            let content = RunContent { input, output: None, waiting, usage: RunUsageOut::default() };
            Ok((StatusCode::ACCEPTED, Data { data: RunOut::new(*run, content) }))
        }
        Started::Before(first) => {
            let run = stores.runs.get(account, id, first).await?;
            Ok((StatusCode::ACCEPTED, run_response(&stores, run, access.caller.at).await?))
        }
    }
}

pub(super) fn start_key(id: WorkflowId, key: String, input: &Option<serde_json::Value>) -> DomainResult<StartKey> {
    let start_key = StartKey::new(format!("manual#{id}"), key, hash(&json!({"input": input})));
    let problem = || format!("1 to {} characters", StartKey::MAX_CHARS);
    start_key.ok_or_else(|| Error::invalid_body("idempotencyKey", problem()))
}

/// The run of the first request with a key. A repeated request gets it even if the workflow was paused or published since.
pub(super) async fn find_first(
    stores: &Stores,
    account: Account,
    id: WorkflowId,
    start_key: Option<&StartKey>,
) -> DomainResult<Option<Run>> {
    let Some(start_key) = start_key else { return Ok(None) };
    let Some(first) = stores.runs.find_started(start_key).await? else { return Ok(None) };
    stores.runs.get(account, id, first).await.map(Some)
}

const CURSORS: Cursors = Cursors("runs");

/// List the runs of a workflow
///
/// Returns the runs that match all filters, newest first. With several filters, or with `releaseId`, `errorCode` or `nodeId`, a
/// page can have fewer items than `limit` although more pages follow. A new run, or a new state, may appear a moment later than
/// in `GET …/runs/{runId}`.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ListRuns),
    responses(
        (status = 200, description = "A page of runs", body = DataSlice<RunEntryOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_runs(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(query): Query<ListRuns>,
) -> Result<DataSlice<RunEntryOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let after = CURSORS.read(query.cursor.as_deref())?;
    let (limit, filter) = (query.limit, query.filter()?);
    let Slice { items, next } = stores.runs.list(id, &filter, limit, after).await?;
    let items = load_rows(&stores.runs, &stores.usage, items, access.caller.at).await?;
    Ok(DataSlice::new(Slice { items, next }, CURSORS))
}

/// Read a run
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run"), RunQuery,
    ),
    responses(
        (status = 200, description = "The run", body = Data<RunOut>),
        NotFound<(WorkflowId, RunId)>, ErrorResponses,
    ),
)]
pub async fn get_run(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Query(query): Query<RunQuery>,
) -> Result<Data<RunOut>> {
    let run = load_run(&stores, access.account, id, run_id).await?;
    show_run(&stores, run, query.waiting, access.caller.at).await
}

/// Erase a run
///
/// Deletes what a run that has ended has stored: its input and output, the values and messages of its events, its reviews,
/// and the content of the webhook call that started it. The runs that it has started are erased, too. That the run took
/// place, its times and what it cost stay.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/runs/{run_id}", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run")),
    responses(
        (status = 204, description = "The values are no longer shown, and are deleted shortly"),
        (status = 409, description = "`invalid_state`: the run is in progress", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn erase_run(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
) -> Result<StatusCode> {
    load_run(&stores, access.account, id, run_id).await?.check_erasable()?;
    stores.runs.erase(run_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads a run of a workflow that still exists.
pub async fn load_run(stores: &Stores, account: Account, workflow: WorkflowId, id: RunId) -> DomainResult<Run> {
    stores.workflows.get_header(account, workflow).await?;
    stores.runs.get(account, workflow, id).await
}

/// Builds the response of a run, with the open review that expires first.
pub async fn run_response(stores: &Stores, run: Run, now: Time) -> Result<Data<RunOut>> {
    show_run(stores, run, ShownWaits::First, now).await
}

/// Builds the response of a run. The values of the log are read only if the run has them.
async fn show_run(stores: &Stores, run: Run, waits: ShownWaits, now: Time) -> Result<Data<RunOut>> {
    let output = Box::pin(async {
        match run.state {
            RunState::Completed if run.erased_at.is_none() => stores.runs.output(run.id).await.map(Some),
            _ => Ok(None),
        }
    });
    let input = Box::pin(async {
        match run.erased_at {
            None => stores.runs.input(run.id).await,
            Some(_) => Ok(ShownValue::Value(Value::Null)),
        }
    });
    let waiting = Box::pin(stores.runs.open_reviews(&run, now));
    let usage = Box::pin(async {
        match run.started_at {
            Some(_) => stores.usage.find(run.id).await.map(RunUsageOut::new),
            None => Ok(RunUsageOut::default()),
        }
    });
    let (input, output, waiting, usage) = futures::try_join!(input, output, waiting, usage)?;
    let content = RunContent { input, output, waiting: RunWaitsOut::new(waiting, waits), usage };
    Ok(Data { data: RunOut::new(run, content) })
}
