//! Runs one history, from its seed to its end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::id::{OrgId, TransactionId};
use domain::ledger::{Adjustment, EntryKind};
use domain::money::Money;
use serde_json::json;
use shared::store;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::accounting::meter;
use crate::database::COUNTERS;
use crate::environment::{Environment, record_failure};
use crate::oracle;
use crate::process::Process;
use crate::rules::Rule;
use crate::scenario::CreditChange;
use crate::violation::{Oracle, Violation};
use crate::world::World;

pub struct Report {
    pub violations: Vec<Violation>,
    pub trace: Vec<String>,
    pub tally: BTreeMap<&'static str, u64>,
}

/// The wait after the last call. By then all requests have arrived and all leases have expired.
const LONG_AFTER: Duration = Duration::from_secs(11 * 60);

pub fn run(seed: u64, disabled_rule: Option<Rule>) -> Report {
    // The store and the SDK draw their backoff from this generator.
    fastrand::seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let world = World::new(seed, disabled_rule);
        run_scenario(&world).await;
        sleep(LONG_AFTER).await;
        oracle::check_invariants(&world).await;
        let mut state = world.state();
        Report {
            violations: std::mem::take(&mut state.accounting.violations),
            trace: std::mem::take(&mut state.trace),
            tally: std::mem::take(&mut state.accounting.tally),
        }
    })
}

async fn run_scenario(world: &Arc<World>) {
    let scenario = &world.scenario;
    for cap in &scenario.caps {
        let Some(pk) = meter(&scenario.payers[cap.payer], cap.level) else { continue };
        let values = json!({":cap": {"N": cap.most.pico_usd().to_string()}});
        world.database.change(&pk, store::keys::METER, "SET cap = :cap", values);
    }
    let operator = Process::without_faults(world, "operator");
    for (org, credits) in &scenario.credits {
        adjust(&operator, *org, EntryKind::Credit, *credits).await;
    }
    let mut in_flight = JoinSet::new();
    let environments = scenario.environments.iter().enumerate().map(|(number, faults)| {
        let process = Process::new(world, format!("environment {number}"), faults);
        (process.clone(), Arc::new(Environment::new(process)))
    });
    let environments: Vec<_> = environments.collect();
    for call in scenario.calls.clone() {
        let (process, environment) = environments[call.environment].clone();
        in_flight.spawn(async move { process.run_until_killed(environment.serve(&call)).await });
    }
    for (number, (faults, ticks)) in scenario.tickers.iter().enumerate() {
        let process = Process::new(world, format!("ticker {number}"), faults);
        let ticks = ticks.clone();
        in_flight.spawn(async move { process.run_until_killed(tick(&process, &ticks)).await });
    }
    let (org, _) = scenario.credits[0];
    let balance_reads = scenario.balance_reads.clone();
    let auditor = Process::without_faults(world, "auditor");
    in_flight.spawn(async move { oracle::check_shown_balances(&auditor, org, &balance_reads).await });
    let operator = operator.with_faults();
    let adjustments = scenario.adjustments.clone();
    in_flight.spawn(async move {
        for (at, change) in adjustments {
            operator.sleep_until(at).await;
            let balance = operator.world.database.item(COUNTERS, &store::keys::org_meter(org).pk, store::keys::METER);
            let balance = balance["balance"].as_u64().unwrap_or_default();
            match change {
                CreditChange::Add(amount) => adjust(&operator, org, EntryKind::Credit, amount).await,
                CreditChange::Remove(percent) => {
                    adjust(&operator, org, EntryKind::Debit, Money::from_pico_usd(balance / 100 * percent)).await;
                }
            }
        }
    });
    while let Some(ended) = in_flight.join_next().await {
        if let Err(panic) = ended {
            world.state().accounting.record_violation(Oracle::Failed, panic.to_string());
        }
    }
}

async fn adjust(operator: &Process, org: OrgId, kind: EntryKind, amount: Money) {
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
        record_failure(operator, "an adjustment", &error);
    }
}

/// Runs the sweep of the ticker at these moments.
async fn tick(process: &Process, ticks: &[Duration]) {
    let leases = store::Leases::new(&process.context()).unwrap();
    for at in ticks {
        process.sleep_until(*at).await;
        sweep(process, &leases).await;
    }
}

pub async fn sweep(process: &Process, leases: &store::Leases) {
    let now = process.now();
    let mut expired = match leases.expired(now, 200).await {
        Ok(expired) => expired,
        Err(error) => return record_failure(process, "a list of expired leases", &error),
    };
    // Sorted by number: the order of random ids would not follow from the seed.
    expired.sort_by_key(|(_, id)| process.world.state().accounting.leases.get(id).map(|lease| lease.number));
    for (org, id) in expired {
        if let Err(error) = leases.sweep(org, id, now).await {
            record_failure(process, "a sweep", &error);
        }
    }
}
