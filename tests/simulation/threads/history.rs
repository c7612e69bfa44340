//! Runs one history, from its seed until every message is answered.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::oracle::{Oracle, check_at_end, has_ended};
use super::people::{erase, operate, participate, remind};
use super::protocol::ThreadProtocol;
use super::rules::Rule;
use super::scenario::Scenario;
use super::workers::{tick, work};
use crate::machine::database::ENTITIES;
use crate::machine::process::Process;
use crate::machine::report::Report;
use crate::machine::runner::run_in_virtual_time;
use crate::machine::world::World;
use store::keys;

/// By then, everything has come to rest.
const LONGEST: Duration = Duration::from_secs(3 * 60 * 60);
/// The time for late messages and answers, after the last run has ended.
const REST: Duration = Duration::from_secs(120);

pub fn run(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_in_virtual_time(seed, async {
        let protocol = Arc::new(ThreadProtocol::new(Scenario::from_seed(seed), disabled_rule));
        let scenario = &protocol.scenario;
        let world = World::new(seed, scenario.starts_at, scenario.faults, protocol.clone());
        drop(timeout(LONGEST, run_scenario(&world, &protocol)).await);
        check_at_end(&world, &protocol);
        let findings = std::mem::take(&mut protocol.accounts().findings);
        Report { findings, trace: world.take_trace() }
    })
}

async fn run_scenario(world: &Arc<World>, protocol: &Arc<ThreadProtocol>) {
    let scenario = &protocol.scenario;
    let mut people = JoinSet::new();
    for number in 0..scenario.messages.len() {
        let provider = Process::without_faults(world, &format!("provider {number}"));
        people.spawn(participate(provider, protocol.clone(), number));
    }
    for (number, take) in scenario.takes.iter().enumerate() {
        let process = Process::new(world, format!("operator {number}"), &take.faults);
        people.spawn(operate(process, protocol.clone(), number));
    }
    for number in 0..scenario.reminders.len() {
        people.spawn(remind(Process::immortal(world, format!("reminder {number}")), protocol.clone(), number));
    }
    people.spawn(erase(Process::immortal(world, "eraser".to_owned()), protocol.clone()));
    let mut machines = JoinSet::new();
    for (number, life) in scenario.workers.iter().enumerate() {
        let process = Process::new(world, format!("worker {number}"), &life.faults);
        let protocol = protocol.clone();
        machines.spawn(async move { work(process, protocol.clone(), &protocol.scenario.workers[number]).await });
    }
    for (number, faults) in scenario.tickers.iter().enumerate() {
        let process = Process::new(world, format!("ticker {number}"), faults);
        let protocol = protocol.clone();
        machines.spawn(async move { process.clone().run_until_killed(tick(process, protocol)).await });
    }
    let all_answered = async {
        protocol.join(people).await;
        while !is_at_rest(world, protocol) {
            sleep(Duration::from_secs(20)).await;
        }
        sleep(REST).await;
    };
    tokio::select! {
        biased;
        () = all_answered => {}
        // They end only by a panic.
        () = protocol.join(machines) => {}
    }
}

fn is_at_rest(world: &World, protocol: &ThreadProtocol) -> bool {
    let accounts = protocol.accounts();
    let is_idle =
        accounts.threads.values().all(|thread| thread.control.waiting.is_empty() && thread.control.run.is_none());
    let runs = accounts.runs.iter().map(|run| {
        let key = keys::run(*run);
        world.database.item(ENTITIES, &key.pk, &key.sk)
    });
    let mut runs = runs.filter(|run| !run.is_null());
    is_idle && !accounts.is_erasing && runs.all(|run| has_ended(&run))
}
