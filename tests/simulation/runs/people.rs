//! Clients that start runs, and people who answer reviews, stop and cancel.

use std::sync::Arc;
use std::time::Duration;

use domain::Error;
use domain::id::{ReleaseId, RunId, WorkflowId};
use domain::run::{NewRun, QuestionKind, ReviewAnswer, RunOrigin, RunState, StartableRelease};
use serde_json::json;
use store::Runs;
use store::runs::{ReviewState, StartKey, Started};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::graphs::TRIGGER;
use super::oracle::Oracle;
use super::protocol::RunProtocol;
use super::scenario::PlannedRun;
use crate::machine::process::Process;
use crate::machine::random::millis;

/// A client tries again after a failure.
const TRIES: usize = 20;

/// Starts a run, sometimes again with the same key.
pub async fn start(process: Process, protocol: Arc<RunProtocol>, number: usize) {
    let planned = &protocol.scenario.runs[number];
    let runs = Runs::new(&process.context()).unwrap();
    for at in planned.moments() {
        process.sleep_until(at).await;
        for _ in 0..TRIES {
            match start_once(&process, &protocol, &runs, planned).await {
                Ok(()) => break,
                Err(error) => protocol.record_failure(&process, "a start", &error),
            }
            sleep(Duration::from_secs(2)).await;
        }
    }
}

async fn start_once(process: &Process, protocol: &RunProtocol, runs: &Runs, planned: &PlannedRun) -> Result<(), Error> {
    let (new, key) = request(protocol, planned);
    let started = runs.start(new, key).await?;
    let id = match &started {
        Started::Now(run) => run.id,
        Started::Before(id) => *id,
    };
    note_start(process, protocol, planned, id, matches!(started, Started::Before(_)));
    Ok(())
}

/// The request that starts a run. Each attempt has another id, and the same key.
pub fn request(protocol: &RunProtocol, planned: &PlannedRun) -> (NewRun, Option<StartKey>) {
    let is_stored = protocol.accounts().runs[&planned.id].is_stored();
    let id = if is_stored { RunId::from(Uuid::from_u128(planned.id.uuid().as_u128() ^ 1 << 40)) } else { planned.id };
    let release = StartableRelease {
        account: protocol.scenario.account,
        payer: None,
        workflow: WorkflowId::from(planned.id.uuid()),
        release: ReleaseId::from(planned.id.uuid()),
        number: 1,
    };
    let new = NewRun { id, ..NewRun::new(release, RunOrigin::Manual, TRIGGER.to_owned(), json!({"n": 70})) };
    (new, StartKey::new("client".to_owned(), planned.id.to_string(), "same".to_owned()))
}

/// Notes which run a response named.
pub fn note_start(process: &Process, protocol: &RunProtocol, planned: &PlannedRun, id: RunId, is_repeated: bool) {
    process.world.note(|| format!("{}: run {id} is started", process.name));
    let mut accounts = protocol.accounts();
    if is_repeated {
        accounts.findings.count("starts repeated");
    }
    if id != planned.id {
        accounts.findings.record_violation(Oracle::StartedTwice, format!("run {} and {id}", planned.id));
    }
    if let Some(account) = accounts.runs.get_mut(&planned.id) {
        account.is_started = true;
    }
}

/// Answers the reviews of all runs, some of them too late.
pub async fn answer(process: Process, protocol: Arc<RunProtocol>) {
    let runs = Runs::new(&process.context()).unwrap();
    loop {
        let (wait, quick) = {
            let random = &mut process.world.state().random;
            (millis(random, 10_000, 60_000), millis(random, 0, 40))
        };
        // Some answer as soon as they are asked.
        tokio::select! {
            biased;
            () = protocol.opened.notified() => sleep(quick).await,
            () = sleep(wait) => {}
        }
        process.wait_until_running().await;
        let known: Vec<RunId> = protocol.accounts().runs.keys().copied().collect();
        for run in known {
            if let Err(error) = answer_run(&process, &protocol, &runs, run).await {
                protocol.record_failure(&process, "an answer", &error);
            }
        }
    }
}

async fn answer_run(process: &Process, protocol: &RunProtocol, runs: &Runs, run: RunId) -> Result<(), Error> {
    for review in runs.questions(run).await?.into_iter().filter(|review| review.state == ReviewState::Open) {
        let (mood, approved, margin) = {
            let random = &mut process.world.state().random;
            (random.u8(..4), random.bool(), millis(random, 0, 25))
        };
        match mood {
            0 => continue,
            // In the last moment.
            1 => {
                let left = review.closes_at.as_millis() - process.world.now().as_millis();
                let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
                if left < Duration::from_secs(600) {
                    sleep(left.saturating_sub(Duration::from_secs(3))).await;
                    // A worker closes the review.
                    drop(timeout(Duration::from_secs(5), protocol.claimed.notified()).await);
                    sleep(margin).await;
                }
            }
            _ => {}
        }
        let reviewer = process.name.clone();
        let answer = ReviewAnswer { approved, fields: serde_json::Map::new(), comment: None, reviewer };
        match runs.resolve(run, &review.step, answer).await {
            Ok(None) => {
                process.world.note(|| format!("{}: the answer to {} of run {run} counts", process.name, review.step));
                protocol.accounts().findings.count(match review.kind {
                    QuestionKind::Review => "reviews answered",
                    QuestionKind::FormPage => "pages sent",
                });
            }
            Ok(Some(_)) | Err(Error::Conflict { .. }) => protocol.accounts().findings.count("reviews refused"),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Stops a run, or cancels it while it is queued.
pub async fn control(process: Process, protocol: Arc<RunProtocol>, number: usize) {
    let planned = &protocol.scenario.runs[number];
    let runs = Runs::new(&process.context()).unwrap();
    if let Some(at) = planned.cancels_at {
        process.sleep_until(at).await;
        if let Ok(Some(run)) = runs.find(planned.id).await
            && run.state == RunState::Queued
        {
            match runs.cancel(run.id).await {
                Ok(()) | Err(Error::Conflict { .. }) => {}
                Err(error) => protocol.record_failure(&process, "a cancellation", &error),
            }
        }
    }
    let Some(at) = planned.stops_at else { return };
    process.sleep_until(at).await;
    let Ok(Some(run)) = runs.find(planned.id).await else { return };
    // Most people stop a run that does something.
    let quick = millis(&mut process.world.state().random, 0, 20);
    let busy = async {
        protocol.committed.notified().await;
        sleep(quick).await;
    };
    drop(timeout(Duration::from_secs(30), busy).await);
    match runs.stop(run.id).await {
        Ok(()) => {
            process.world.note(|| format!("{}: run {} is stopped", process.name, run.id));
            let mut accounts = protocol.accounts();
            accounts.findings.count("runs stopped");
            if let Some(account) = accounts.runs.get_mut(&run.id) {
                account.stopped_after = Some(account.log.len());
            }
        }
        Err(Error::Conflict { .. }) => {}
        Err(error) => protocol.record_failure(&process, "a stop", &error),
    }
}
