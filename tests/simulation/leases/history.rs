//! Runs one history, from its seed to its end.

use std::sync::Arc;
use std::time::Duration;

use domain::id::{OrgId, TransactionId};
use domain::ledger::{Adjustment, EntryKind};
use domain::money::Money;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::accounting::meter;
use super::environment::Environment;
use super::oracle;
use super::protocol::LeaseProtocol;
use super::rules::Rule;
use super::scenario::{CreditChange, Scenario};
use super::violation::Oracle;
use crate::machine::database::COUNTERS;
use crate::machine::process::Process;
use crate::machine::report::Report;
use crate::machine::runner::run_in_virtual_time;
use crate::machine::world::World;

/// The wait after the last call. By then all requests have arrived and all leases have expired.
const LONG_AFTER: Duration = Duration::from_secs(11 * 60);

pub fn run(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_in_virtual_time(seed, async {
        let protocol = Arc::new(LeaseProtocol::new(Scenario::from_seed(seed), disabled_rule));
        let scenario = &protocol.scenario;
        let world = World::new(seed, scenario.starts_at, scenario.faults, protocol.clone());
        run_scenario(&world, &protocol).await;
        sleep(LONG_AFTER).await;
        oracle::check_invariants(&world, &protocol).await;
        let findings = std::mem::take(&mut protocol.accounting().findings);
        Report { findings, trace: world.take_trace() }
    })
}

async fn run_scenario(world: &Arc<World>, protocol: &Arc<LeaseProtocol>) {
    let scenario = &protocol.scenario;
    for cap in &scenario.caps {
        let Some(pk) = meter(&scenario.payers[cap.payer], cap.level) else { continue };
        let values = json!({":cap": {"N": cap.most.pico_usd().to_string()}});
        world.database.update(COUNTERS, &pk, store::keys::METER, "SET cap = :cap", &values);
    }
    let operator = Process::without_faults(world, "operator");
    for (org, credits) in &scenario.credits {
        adjust(&operator, protocol, *org, EntryKind::Credit, *credits).await;
    }
    let mut in_flight = JoinSet::new();
    let environments = scenario.environments.iter().enumerate().map(|(number, faults)| {
        let process = Process::new(world, format!("environment {number}"), faults);
        (process.clone(), Arc::new(Environment::new(process, protocol.clone())))
    });
    let environments: Vec<_> = environments.collect();
    for call in scenario.calls.clone() {
        let (process, environment) = environments[call.environment].clone();
        in_flight.spawn(async move { process.run_until_killed(environment.serve(&call)).await });
    }
    for (number, (faults, ticks)) in scenario.tickers.iter().enumerate() {
        let process = Process::new(world, format!("ticker {number}"), faults);
        let (protocol, ticks) = (protocol.clone(), ticks.clone());
        in_flight.spawn(async move { process.run_until_killed(tick(&process, &protocol, &ticks)).await });
    }
    let (org, _) = scenario.credits[0];
    let auditor = Process::without_faults(world, "auditor");
    in_flight.spawn(oracle::check_shown_balances(auditor, protocol.clone(), org));
    in_flight.spawn(change_credits(operator.with_faults(), protocol.clone(), org));
    while let Some(ended) = in_flight.join_next().await {
        if let Err(panic) = ended {
            protocol.accounting().findings.record_violation(Oracle::Failed, panic.to_string());
        }
    }
}

async fn change_credits(operator: Process, protocol: Arc<LeaseProtocol>, org: OrgId) {
    for (at, change) in &protocol.scenario.adjustments {
        operator.sleep_until(*at).await;
        let balance = operator.world.database.item(COUNTERS, &store::keys::org_meter(org).pk, store::keys::METER);
        let balance = balance["balance"].as_u64().unwrap_or_default();
        let (kind, amount) = match change {
            CreditChange::Add(amount) => (EntryKind::Credit, *amount),
            CreditChange::Remove(percent) => (EntryKind::Debit, Money::from_pico_usd(balance / 100 * percent)),
        };
        adjust(&operator, &protocol, org, kind, amount).await;
    }
}

async fn adjust(operator: &Process, protocol: &LeaseProtocol, org: OrgId, kind: EntryKind, amount: Money) {
    let adjustment = Adjustment {
        id: TransactionId::new(),
        org,
        kind,
        amount,
        balance_after: Money::ZERO,
        reason: String::new(),
        request_id: String::new(),
        created_at: operator.now(),
    };
    let ledger = store::Ledger::new(&operator.context()).unwrap();
    if let Err(error) = ledger.adjust(adjustment).await {
        protocol.record_failure(operator, "an adjustment", &error);
    }
}

/// Runs the sweep of the ticker at these moments.
async fn tick(process: &Process, protocol: &LeaseProtocol, ticks: &[Duration]) {
    let leases = store::Leases::new(&process.context()).unwrap();
    for at in ticks {
        process.sleep_until(*at).await;
        sweep(process, protocol, &leases).await;
    }
}

pub async fn sweep(process: &Process, protocol: &LeaseProtocol, leases: &store::Leases) {
    let now = process.now();
    let mut expired = match leases.expired(now, 200).await {
        Ok(expired) => expired,
        Err(error) => return protocol.record_failure(process, "a list of expired leases", &error),
    };
    // Sorted by number: the order of random ids would not follow from the seed.
    expired.sort_by_key(|(_, id)| protocol.accounting().leases.get(id).map(|lease| lease.number));
    for (org, id) in expired {
        if let Err(error) = leases.sweep(org, id, now).await {
            protocol.record_failure(process, "a sweep", &error);
        }
    }
}
