//! Handlers that replay runs against another release. Nothing is performed, stored or paid.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use domain::id::{ReleaseChoice, ReleaseId, RunId, WorkflowId};
use domain::identity::Account;
use domain::run::{Run, RunState};
use domain::{Error, Result as DomainResult};
use engine::compile::ExecutionPlan;
use engine::replay::{Recording, compare, replay};
use engine::run::RunFacts;
use platform::offload::offload;
use runner::{Plans, compile_draft};
use store::runs::RunFilter;
use tokio::time::Instant;
use uuid::Uuid;
use web::builder::{Data, ErrorBody, ErrorResponses, NotFound, NotJson, Viewer};
use web::language::{self, AcceptLanguageHeaders};
use web::{OptionalJson, Path, Result};

use super::runs::load_run;
use crate::Stores;
use crate::dto::replay::{RehearsalOut, RehearseIn, ReplayOut, ReplayRunIn, ReplayedRun};

/// A rehearsal that takes longer answers with the runs so far. The API closes requests after 29 s.
const REHEARSAL: Duration = Duration::from_secs(15);

/// Replay a run
///
/// Shows what the run would have done in another release, or in the draft. Each effect takes the result that the run recorded: no model
/// and no other system is called. An effect with another request, or one that the run did not perform, is a new effect.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/runs/{run_id}/replay", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run"),
        AcceptLanguageHeaders,
    ),
    request_body = Option<ReplayRunIn>,
    responses(
        (status = 200, description = "The run in both releases, node by node", body = Data<ReplayOut>),
        (status = 409, description = "`invalid_state`: the run is in progress or was erased, or the release does not have \
            its trigger", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, NotJson, ErrorResponses,
    ),
)]
pub async fn replay_run(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    OptionalJson(ReplayRunIn { release_id }): OptionalJson<ReplayRunIn>,
) -> Result<Data<ReplayOut>> {
    let account = access.account;
    let workflow = stores.workflows.get_header(account, id).await?;
    let run = load_run(&stores, account, id, run_id).await?;
    run.check_erasable()?;
    run.check_not_erased()?;
    let choice = match (release_id, &workflow.active) {
        (Some(choice), _) => choice,
        (None, Some(active)) => ReleaseChoice::Release(active.release),
        (None, None) => return Err(Error::internal("a workflow with runs has no release").into()),
    };
    let Subject { plan, release } = load_subject(&stores, account, id, choice).await?;
    let replayed = replay_against(&stores, run, plan).await?;
    let replayed = replayed.ok_or_else(|| {
        let subject = if release.is_some() { "release" } else { "draft" };
        Error::invalid_state(format!("the {subject} does not have the trigger of the run"))
    })?;
    Ok(Data { data: ReplayOut::new(replayed, release) })
}

/// Rehearse a release
///
/// Replays the latest runs of the workflow against a release or the draft, and reports how many would have ended otherwise:
/// a regression test made of production.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/releases/{release_id}/rehearse", tag = "runs",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("release_id" = String, Path, description = "The release, or `draft`"),
        AcceptLanguageHeaders,
    ),
    request_body = Option<RehearseIn>,
    responses(
        (status = 200, description = "The outcomes", body = Data<RehearsalOut>),
        NotFound<(WorkflowId, ReleaseId)>, NotJson, ErrorResponses,
    ),
)]
pub async fn rehearse_release(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, choice)): Path<(WorkflowId, ReleaseChoice)>,
    OptionalJson(RehearseIn { sample }): OptionalJson<RehearseIn>,
) -> Result<Data<RehearsalOut>> {
    let until = Instant::now() + REHEARSAL;
    let account = access.account;
    stores.workflows.get_header(account, id).await?;
    let Subject { plan, release: _ } = load_subject(&stores, account, id, choice).await?;
    let filter = RunFilter { states: vec![RunState::Completed, RunState::Failed], ..RunFilter::default() };
    let latest = stores.runs.list(id, &filter, sample, None).await?.items;
    let mut replayed = Vec::new();
    for run in latest.into_iter().filter(|run| run.erased_at.is_none()) {
        if Instant::now() >= until {
            break;
        }
        replayed.push(replay_against(&stores, run, plan.clone()).await?);
    }
    Ok(Data { data: RehearsalOut::new(replayed) })
}

/// What runs are replayed against.
struct Subject {
    plan: Arc<ExecutionPlan>,
    /// The id and the number of the release; none for the draft.
    release: Option<(Uuid, u64)>,
}

/// Reads and compiles a release or the draft. A draft with errors is refused with the list of its problems.
async fn load_subject(
    stores: &Stores,
    account: Account,
    id: WorkflowId,
    choice: ReleaseChoice,
) -> DomainResult<Subject> {
    match choice {
        ReleaseChoice::Release(release) => {
            let number = stores.workflows.release(account, id, release).await?.number;
            let plan = stores.plans.find(account, id, release).await?.plan.clone();
            Ok(Subject { plan, release: Some((release.uuid(), number)) })
        }
        ReleaseChoice::Draft => {
            let graph = stores.workflows.get(account, id).await?.graph;
            let plan = compile_draft(graph, language::of_request(), stores.plans.interpreter().clone()).await?;
            Ok(Subject { plan: Arc::new(plan), release: None })
        }
    }
}

/// Replays a run against its own release and another one. None if that one does not have the trigger of the run.
async fn replay_against(stores: &Stores, run: Run, plan: Arc<ExecutionPlan>) -> DomainResult<Option<ReplayedRun>> {
    let (own, log) = futures::try_join!(stores.plans.plan(&run), stores.runs.log(run.id))?;
    offload(move || {
        let recording = Recording::new(RunFacts::from(&run), &run.trigger, &own, log)?;
        let Some(after) = replay(&recording, &plan) else { return Ok(None) };
        let before = replay(&recording, &own).ok_or_else(|| Error::internal("a release lost the trigger of a run"))?;
        let nodes = compare((&before, &own), (&after, &plan));
        Ok(Some(ReplayedRun { run, before: before.end, after: after.end, nodes }))
    })
    .await
}
