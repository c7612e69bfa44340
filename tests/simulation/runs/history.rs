//! Runs one history, from its seed until every run has ended.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::arrivals::receive;
use super::oracle::{Oracle, check_at_end, count_events};
use super::people::{answer, control, start};
use super::protocol::RunProtocol;
use super::rules::Rule;
use super::scenario::Scenario;
use super::statistics::check_statistics;
use super::workers::{tick, work};
use crate::machine::database::COUNTERS;
use crate::machine::process::Process;
use crate::machine::report::Report;
use crate::machine::runner::run_in_virtual_time;
use crate::machine::world::World;

/// The time for late messages and answers, after the last run has ended.
const REST: Duration = Duration::from_secs(60);

pub fn run(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_planned(seed, Scenario::from_seed(seed), disabled_rule)
}

/// Runs a history in which some steps are agents.
pub fn run_with_agents(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_planned(seed, Scenario::with_agents(seed), disabled_rule)
}

/// Runs a history in which many calls are calls of tools of MCP servers.
pub fn run_with_mcp_tools(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_planned(seed, Scenario::with_mcp_tools(seed), disabled_rule)
}

/// Runs a history whose workflows do some steps for each element of a list.
pub fn run_with_each(seed: u64) -> Report<Oracle> {
    run_planned(seed, Scenario::with_each(seed), None)
}

/// Runs a history whose runs are carried out where they arrive.
pub fn run_with_arrivals(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_planned(seed, Scenario::with_arrivals(seed), disabled_rule)
}

/// Runs a history whose only fault is that the storage often does not answer. No attempt is in doubt then.
pub fn run_with_unreliable_storage(seed: u64) -> Report<Oracle> {
    let mut report = run_planned(seed, Scenario::from_seed(seed).with_unreliable_storage(), None);
    if let Some(repeated) = report.findings.tally.get("uncertain attempts repeated") {
        report.findings.record_violation(Oracle::GaveUp, format!("{repeated} attempts took place again"));
    }
    report
}

fn run_planned(seed: u64, scenario: Scenario, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_in_virtual_time(seed, async {
        let protocol = Arc::new(RunProtocol::new(scenario, disabled_rule));
        let scenario = &protocol.scenario;
        let world = World::new(seed, scenario.starts_at, scenario.faults, protocol.clone());
        drop(timeout(scenario.longest, run_scenario(&world, &protocol)).await);
        let mut accounts = protocol.accounts();
        check_at_end(&mut accounts, scenario.is_calm);
        check_statistics(&mut accounts, &world.database.items(COUNTERS));
        count_events(&mut accounts);
        Report { findings: std::mem::take(&mut accounts.findings), trace: world.take_trace() }
    })
}

async fn run_scenario(world: &Arc<World>, protocol: &Arc<RunProtocol>) {
    let scenario = &protocol.scenario;
    let mut tasks = JoinSet::new();
    for (number, run) in scenario.runs.iter().enumerate() {
        match &run.arrival {
            Some(life) => {
                let process = Process::new(world, format!("arrival {number}"), &life.faults);
                tasks.spawn(receive(process, protocol.clone(), number));
            }
            None => {
                let client = Process::without_faults(world, &format!("client {number}")).with_faults();
                tasks.spawn(start(client, protocol.clone(), number));
            }
        }
        let controller = Process::without_faults(world, &format!("controller {number}")).with_faults();
        tasks.spawn(control(controller, protocol.clone(), number));
    }
    for (number, life) in scenario.workers.iter().enumerate() {
        let process = Process::new(world, format!("worker {number}"), &life.faults);
        let protocol = protocol.clone();
        tasks.spawn(async move { work(process, protocol.clone(), &protocol.scenario.workers[number]).await });
    }
    for (number, faults) in scenario.approvers.iter().enumerate() {
        let process = Process::new(world, format!("approver {number}"), faults);
        let protocol = protocol.clone();
        tasks.spawn(async move { process.clone().run_until_killed(answer(process, protocol)).await });
    }
    for (number, faults) in scenario.tickers.iter().enumerate() {
        let process = Process::new(world, format!("ticker {number}"), faults);
        let protocol = protocol.clone();
        tasks.spawn(async move { process.clone().run_until_killed(tick(process, protocol)).await });
    }
    let watching = protocol.clone();
    let all_ended = async {
        loop {
            sleep(Duration::from_secs(20)).await;
            let is_late = world.began().elapsed() > Duration::from_secs(420);
            if is_late && watching.accounts().runs.values().all(|run| !run.is_started || run.has_ended()) {
                break;
            }
        }
        sleep(REST).await;
    };
    tokio::select! {
        biased;
        () = all_ended => {}
        Some(panic) = next_panic(&mut tasks) => {
            watching.accounts().findings.record_violation(Oracle::Failed, panic);
        }
    }
}

/// Waits for a task to panic.
async fn next_panic(tasks: &mut JoinSet<()>) -> Option<String> {
    while let Some(ended) = tasks.join_next().await {
        if let Err(panic) = ended {
            return Some(panic.to_string());
        }
    }
    std::future::pending().await
}
