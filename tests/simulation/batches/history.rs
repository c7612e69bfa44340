//! Runs one history, from its seed to its end.

use std::sync::Arc;
use std::time::Duration;

use batch_worker::Worker;
use domain::Result;
use domain::id::TransactionId;
use domain::ledger::{Adjustment, EntryKind};
use domain::money::Money;
use store::{Batches, Leases, Ledger};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::calls::SimulatedCalls;
use super::oracle::{Oracle, check_at_end};
use super::protocol::BatchProtocol;
use super::rules::Rule;
use super::scenario::{PlannedBatch, Scenario};
use crate::machine::process::Process;
use crate::machine::queue::receive;
use crate::machine::report::Report;
use crate::machine::runner::run_in_virtual_time;
use crate::machine::simulated::replace_killed;
use crate::machine::world::World;

/// By then all batches have ended, and all leases have expired.
const LONGEST: Duration = Duration::from_secs(26 * 60 * 60);
/// The number of messages that a process handles at once.
const SLOTS: usize = 2;

pub fn run(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_in_virtual_time(seed, async {
        let protocol = Arc::new(BatchProtocol::new(Scenario::from_seed(seed), disabled_rule));
        let scenario = &protocol.scenario;
        let world = World::new(seed, scenario.starts_at, scenario.faults, protocol.clone());
        grant_credits(&world, scenario).await;
        drop(timeout(LONGEST, run_scenario(&world, &protocol)).await);
        check_at_end(&Process::without_faults(&world, "auditor"), &protocol).await;
        let findings = std::mem::take(&mut protocol.accounts().findings);
        Report { findings, trace: world.take_trace() }
    })
}

async fn grant_credits(world: &Arc<World>, scenario: &Scenario) {
    let operator = Process::without_faults(world, "operator");
    let adjustment = Adjustment {
        id: TransactionId::new(),
        org: scenario.payer.org,
        kind: EntryKind::Credit,
        amount: scenario.credits,
        balance_after: Money::ZERO,
        reason: String::new(),
        request_id: String::new(),
        created_at: operator.now(),
    };
    Ledger::new(&operator.context()).unwrap().adjust(adjustment).await.unwrap();
}

async fn run_scenario(world: &Arc<World>, protocol: &Arc<BatchProtocol>) {
    let scenario = &protocol.scenario;
    let mut tasks = JoinSet::new();
    for number in 0..scenario.batches.len() {
        let process = Process::immortal(world, format!("user {number}"));
        let protocol = protocol.clone();
        tasks.spawn(async move { submit(&process, &protocol, &protocol.scenario.batches[number]).await });
    }
    for (number, faults) in scenario.workers.iter().enumerate() {
        tasks.spawn(work(Process::new(world, format!("worker {number}"), faults), protocol.clone()));
    }
    let (ticker, ticking) = (Process::immortal(world, "ticker".to_owned()), protocol.clone());
    tasks.spawn(async move { tick(&ticker, &ticking).await });
    protocol.join(tasks).await;
}

/// Creates a batch, and cancels it if its user wants that.
async fn submit(process: &Process, protocol: &BatchProtocol, planned: &PlannedBatch) {
    process.sleep_until(planned.at).await;
    let batches = Batches::new(&process.context()).unwrap();
    let order = protocol.scenario.order(planned, process.now());
    if let Err(error) = batches.create(order, planned.input().into()).await {
        return protocol.record_failure(process, "a new batch", &error);
    }
    let Some(cancelled_at) = planned.cancelled_at else { return };
    process.sleep_until(cancelled_at.max(planned.at)).await;
    match batches.cancel(protocol.scenario.account(), planned.id).await {
        Ok(_) | Err(domain::Error::Conflict { .. }) => {}
        Err(error) => protocol.record_failure(process, "a cancellation", &error),
    }
}

/// Runs one worker process after the other.
async fn work(first: Process, protocol: Arc<BatchProtocol>) {
    replace_killed(first, |process| {
        let protocol = protocol.clone();
        Box::pin(async move {
            let slots = (0..SLOTS).map(|_| serve(process, &protocol));
            process.run_until_killed(async { drop(futures::future::join_all(slots).await) }).await;
            protocol.accounts().findings.count("workers killed");
        })
    })
    .await;
}

async fn serve(process: &Process, protocol: &Arc<BatchProtocol>) {
    let worker = Worker::with_calls(&process.context(), SimulatedCalls::new(process, protocol)).unwrap();
    loop {
        let delivery = receive(process).await;
        let hint = serde_json::from_str(&delivery.body).expect("the message is a hint");
        match worker.handle_hint(hint).await {
            Ok(()) => delivery.delete(),
            Err(error) => protocol.record_failure(process, "a message", &error),
        }
    }
}

/// Runs the ticker's part: each minute at first, and rarely later, which saves time.
async fn tick(process: &Process, protocol: &BatchProtocol) {
    let (batches, leases) = (Batches::new(&process.context()).unwrap(), Leases::new(&process.context()).unwrap());
    let minutes = (1..120).chain((120..25 * 60).step_by(20));
    for minute in minutes.take_while(|minute| Duration::from_secs(60 * minute) < LONGEST) {
        process.sleep_until(Duration::from_secs(60 * minute)).await;
        if let Err(error) = batches.send_due(process.now(), 200).await {
            protocol.record_failure(process, "a tick", &error);
        }
        if let Err(error) = sweep(process, protocol, &leases).await {
            protocol.record_failure(process, "a sweep", &error);
        }
    }
}

async fn sweep(process: &Process, protocol: &BatchProtocol, leases: &Leases) -> Result<()> {
    let now = process.now();
    let mut expired = leases.expired(now, 200).await?;
    // Sorted by their grants: the order of random ids would not follow from the seed.
    expired.sort_by_key(|(_, id)| protocol.accounts().leases.iter().position(|lease| lease == id));
    for (org, id) in expired {
        leases.sweep(org, id, now).await?;
    }
    Ok(())
}
