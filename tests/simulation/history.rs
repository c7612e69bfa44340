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

use crate::books::meter;
use crate::database::COUNTERS;
use crate::environment::{Environment, failed};
use crate::oracle;
use crate::process::Process;
use crate::rules::Rule;
use crate::scenario::Adjusts;
use crate::violation::{Oracle, Violation};
use crate::world::World;

pub struct Report {
    pub violations: Vec<Violation>,
    pub trace: Vec<String>,
    pub tally: BTreeMap<&'static str, u64>,
}

/// The wait after the last call. By then all requests have arrived and all leases have expired.
const LONG_AFTER: Duration = Duration::from_secs(11 * 60);

pub fn run(seed: u64, without: Option<Rule>) -> Report {
    // The store and the SDK draw their backoff from this generator.
    fastrand::seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let world = World::new(seed, without);
        live(&world).await;
        sleep(LONG_AFTER).await;
        oracle::look(&world).await;
        let mut state = world.state();
        Report {
            violations: std::mem::take(&mut state.books.violations),
            trace: std::mem::take(&mut state.trace),
            tally: std::mem::take(&mut state.books.tally),
        }
    })
}

async fn live(world: &Arc<World>) {
    let scenario = &world.scenario;
    for cap in &scenario.caps {
        let Some(pk) = meter(&scenario.payers[cap.payer], cap.level) else { continue };
        let values = json!({":cap": {"N": cap.most.pico_usd().to_string()}});
        world.database.change(&pk, store::keys::METER, "SET cap = :cap", values);
    }
    let operator = Process::calm(world, "operator");
    for (org, credits) in &scenario.credits {
        adjust(&operator, *org, EntryKind::Credit, *credits).await;
    }
    let mut under_way = JoinSet::new();
    let environments = scenario.environments.iter().enumerate().map(|(number, fortune)| {
        let process = Process::new(world, format!("environment {number}"), fortune);
        (process.clone(), Arc::new(Environment::new(process)))
    });
    let environments: Vec<_> = environments.collect();
    for call in scenario.calls.clone() {
        let (process, environment) = environments[call.environment].clone();
        under_way.spawn(async move { process.lives(environment.serve(&call)).await });
    }
    for (number, (fortune, ticks)) in scenario.tickers.iter().enumerate() {
        let process = Process::new(world, format!("ticker {number}"), fortune);
        let ticks = ticks.clone();
        under_way.spawn(async move { process.lives(tick(&process, &ticks)).await });
    }
    let (org, _) = scenario.credits[0];
    let looks = scenario.looks.clone();
    let auditor = Process::calm(world, "auditor");
    under_way.spawn(async move { oracle::look_at_balance(&auditor, org, &looks).await });
    let operator = operator.in_trouble();
    let adjustments = scenario.adjustments.clone();
    under_way.spawn(async move {
        for (at, adjusts) in adjustments {
            operator.sleeps_until(at).await;
            let balance = operator.world.database.item(COUNTERS, &store::keys::org_meter(org).pk, store::keys::METER);
            let balance = balance["balance"].as_u64().unwrap_or_default();
            match adjusts {
                Adjusts::Gives(amount) => adjust(&operator, org, EntryKind::Credit, amount).await,
                Adjusts::Takes(percent) => {
                    adjust(&operator, org, EntryKind::Debit, Money::from_pico_usd(balance / 100 * percent)).await;
                }
            }
        }
    });
    while let Some(ended) = under_way.join_next().await {
        if let Err(panic) = ended {
            world.state().books.violated(Oracle::Failed, panic.to_string());
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
        failed(operator, "an adjustment", &error);
    }
}

/// Runs the sweep of the ticker at these moments.
async fn tick(process: &Process, ticks: &[Duration]) {
    let leases = store::Leases::new(&process.context()).unwrap();
    for at in ticks {
        process.sleeps_until(*at).await;
        sweep(process, &leases).await;
    }
}

pub async fn sweep(process: &Process, leases: &store::Leases) {
    let now = process.now();
    let mut expired = match leases.expired(now, 200).await {
        Ok(expired) => expired,
        Err(error) => return failed(process, "a list of expired leases", &error),
    };
    // Sorted by number: the order of random ids would not follow from the seed.
    expired.sort_by_key(|(_, id)| process.world.state().books.leases.get(id).map(|lease| lease.number));
    for (org, id) in expired {
        if let Err(error) = leases.sweep(org, id, now).await {
            failed(process, "a sweep", &error);
        }
    }
}
