//! Worker processes, which carry out runs by the platform's own code, and tickers.

use std::sync::Arc;
use std::time::Duration;

use domain::run::Run;
use domain::{Error, Result};
use engine::compile::ExecutionPlan;
use engine::drive::SuspectGate;
use runner::{Admission, Plans, Worker};
use store::Runs;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::effects::SimulatedPerformers;
use super::protocol::RunProtocol;
use super::rules::Rule;
use super::scenario::WorkerLife;
use crate::machine::process::Process;
use crate::machine::queue::receive;
use crate::machine::simulated::replace_killed;

/// The number of messages that a process handles at once.
const SLOTS: usize = 2;

struct SimulatedPlans(Arc<RunProtocol>);

impl Plans for SimulatedPlans {
    async fn plan(&self, run: &Run) -> Result<Arc<ExecutionPlan>> {
        self.0.scenario.plan_of(run).cloned().ok_or_else(|| Error::internal("the run is unknown"))
    }
}

/// No owner is suspended, and no workflow is paused.
struct AdmitsAll;

impl Admission for AdmitsAll {
    async fn admits(&self, _: &Run) -> Result<bool> {
        Ok(true)
    }
}

/// Runs one worker process after the other: a poisonous effect kills them, and planned stops end them.
pub async fn work(first: Process, protocol: Arc<RunProtocol>, life: &WorkerLife) {
    let (begins_at, shift) = (life.begins_at, life.shift);
    replace_killed(first, |process| {
        let protocol = protocol.clone();
        Box::pin(async move {
            process.sleep_until(begins_at).await;
            let kill = Arc::new(Notify::new());
            let (stop, suspects) = (CancellationToken::new(), SuspectGate::default());
            let slots = (0..SLOTS).map(|_| serve(process, &protocol, &kill, shift, &stop, &suspects));
            let planned_stop = async {
                match protocol.scenario.next_stop(process) {
                    Some(after) => sleep(after).await,
                    None => std::future::pending().await,
                }
                stop.cancel();
                std::future::pending().await
            };
            tokio::select! {
                biased;
                () = kill.notified() => {}
                () = planned_stop => {}
                () = process.run_until_killed(async { drop(futures::future::join_all(slots).await) }) => {}
            }
            let ended = if stop.is_cancelled() { "workers stopped" } else { "workers killed" };
            protocol.accounts().findings.count(ended);
        })
    })
    .await;
}

/// Handles one message after the other, until the process stops. Each invocation is killed at the end of its shift.
async fn serve(
    process: &Process,
    protocol: &Arc<RunProtocol>,
    kill: &Arc<Notify>,
    shift: Duration,
    stop: &CancellationToken,
    suspects: &SuspectGate,
) {
    let context = process.context();
    let performers = SimulatedPerformers {
        process: process.clone(),
        protocol: protocol.clone(),
        kill: kill.clone(),
        calls_only: false,
    };
    let clock = match protocol.disabled_rule {
        // There always seems to be time.
        Some(Rule::BeginsEffectsInTime) => process.clock_behind(Duration::from_secs(1_000)),
        _ => context.clock.clone(),
    };
    let runs = protocol.runs(&context);
    let (plans, suspects) = (SimulatedPlans(protocol.clone()), suspects.clone());
    let worker = Worker { runs, admission: AdmitsAll, plans, performers, clock, stop: stop.clone(), suspects };
    loop {
        let delivery = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            delivery = receive(process) => delivery,
        };
        let hint = serde_json::from_str(&delivery.body).expect("the message is a hint");
        // The platform kills an invocation at the end of its shift, or later.
        let lateness = Duration::from_secs(process.world.state().random.u64(0..600));
        match timeout(shift + lateness, worker.handle(hint, process.now().plus(shift))).await {
            Ok(Ok(())) => delivery.delete(),
            Ok(Err(error)) => protocol.record_failure(process, "a message", &error),
            Err(_) => protocol.accounts().findings.count("invocations killed"),
        }
    }
}

/// Runs the ticker's part each minute.
pub async fn tick(process: Process, protocol: Arc<RunProtocol>) {
    let runs = Runs::new(&process.context()).unwrap();
    for minute in 1.. {
        process.sleep_until(Duration::from_secs(60 * minute)).await;
        if let Err(error) = runs.send_due(process.now()).await {
            protocol.record_failure(&process, "a tick", &error);
        }
    }
}
