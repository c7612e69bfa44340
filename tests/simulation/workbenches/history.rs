//! Runs one history, from its seed to its end.

use std::sync::Arc;
use std::time::Duration;

use domain::Error;
use domain::identity::Account;
use domain::workbench::{Access, NewWorkbench, StopCause, Variables, Workbench, WorkbenchSpec};
use labs::{Environments, Provisioner};
use store::Workbenches;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::cluster::Cluster;
use super::oracle::{Oracle, check_at_end};
use super::protocol::WorkbenchProtocol;
use super::rules::Rule;
use super::scenario::{Action, Planned, Scenario};
use crate::machine::process::Process;
use crate::machine::queue::receive;
use crate::machine::report::Report;
use crate::machine::runner::run_in_virtual_time;
use crate::machine::simulated::replace_killed;
use crate::machine::world::World;

/// By then all environments have reached their targets or failed, and all claims have expired.
const LONGEST: Duration = Duration::from_secs(70 * 60);
/// The number of messages that a process handles at once.
const SLOTS: usize = 3;

pub fn run(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_in_virtual_time(seed, async {
        let protocol = Arc::new(WorkbenchProtocol::new(Scenario::from_seed(seed), disabled_rule));
        let scenario = &protocol.scenario;
        let world = World::new(seed, scenario.starts_at, scenario.faults, protocol.clone());
        drop(timeout(LONGEST, run_scenario(&world, &protocol)).await);
        check_at_end(&Process::without_faults(&world, "auditor"), &protocol).await;
        let findings = std::mem::take(&mut protocol.accounts().findings);
        Report { findings, trace: world.take_trace() }
    })
}

async fn run_scenario(world: &Arc<World>, protocol: &Arc<WorkbenchProtocol>) {
    let scenario = &protocol.scenario;
    let mut tasks = JoinSet::new();
    for number in 0..scenario.workbenches.len() {
        let process = Process::immortal(world, format!("user {number}"));
        let protocol = protocol.clone();
        tasks.spawn(async move { act(&process, &protocol, &protocol.scenario.workbenches[number]).await });
    }
    for (number, faults) in scenario.workers.iter().enumerate() {
        tasks.spawn(work(Process::new(world, format!("worker {number}"), faults), protocol.clone()));
    }
    for (number, faults) in scenario.tickers.iter().enumerate() {
        let process = Process::new(world, format!("ticker {number}"), faults);
        let protocol = protocol.clone();
        tasks.spawn(async move { process.clone().run_until_killed(tick(&process, &protocol)).await });
    }
    protocol.join(tasks).await;
}

/// Creates a workbench, and then does what its user does.
async fn act(process: &Process, protocol: &WorkbenchProtocol, planned: &Planned) {
    let Scenario { org, owner, ref plan, ref limits, .. } = protocol.scenario;
    let store = Workbenches::new(&process.context()).unwrap();
    process.sleep_until(planned.at).await;
    let new = NewWorkbench {
        id: planned.id,
        org,
        owner,
        name: planned.name.clone(),
        spec: WorkbenchSpec { size: None, resources: planned.resources },
        image: plan.images[0].clone(),
    };
    match store.create(&Workbench::create(new, plan, process.now()), &Variables::default(), limits).await {
        Ok(()) => protocol.accounts().findings.count("created"),
        Err(Error::Conflict { code: "LAB_NAME_TAKEN", .. }) => {
            return protocol.accounts().findings.count("names taken");
        }
        Err(Error::Unprocessable { code: "LAB_CAPACITY_UNAVAILABLE", .. }) => {
            return protocol.accounts().findings.count("refused for capacity");
        }
        // It may have been created all the same.
        Err(error) => protocol.record_failure(process, "a creation", &error),
    }
    for (at, action) in &planned.actions {
        process.sleep_until(*at).await;
        let now = process.now();
        let change = |workbench: &Workbench| match action {
            Action::Stop => workbench.stop(StopCause::User, Some(owner), now),
            Action::Start => workbench.start(owner, now),
            Action::Delete => workbench.delete(owner, now).map(Some),
        };
        match store.change(Account { org, user: owner }, planned.id, Access::Owner, change).await {
            Ok(_) if *action == Action::Delete => {
                protocol.accounts().workbenches.entry(planned.id).or_default().is_deleted = true;
            }
            Ok(_) | Err(Error::Conflict { .. } | Error::NotFound { .. }) => {}
            Err(error) => protocol.record_failure(process, "a change", &error),
        }
    }
}

/// Runs one worker process after the other.
async fn work(first: Process, protocol: Arc<WorkbenchProtocol>) {
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

async fn serve(process: &Process, protocol: &Arc<WorkbenchProtocol>) {
    let context = process.context();
    let environments = Environments::new(&context, Some("https://atelier.test")).unwrap();
    let cluster = Cluster { process: process.clone(), protocol: protocol.clone(), environments };
    let worker = Provisioner::new(&context, Arc::new(cluster)).unwrap();
    loop {
        let delivery = receive(process).await;
        let hint = serde_json::from_str(&delivery.body).expect("the message is a hint");
        match worker.advance(hint).await {
            Ok(_) => delivery.delete(),
            Err(error) => protocol.record_failure(process, "a message", &error),
        }
    }
}

/// Runs the ticker's part each minute.
async fn tick(process: &Process, protocol: &WorkbenchProtocol) {
    let store = Workbenches::new(&process.context()).unwrap();
    for minute in 1..=LONGEST.as_secs() / 60 {
        process.sleep_until(Duration::from_secs(60 * minute)).await;
        if let Err(error) = store.send_due(process.now(), 200).await {
            protocol.record_failure(process, "a tick", &error);
        }
    }
}
