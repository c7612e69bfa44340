//! The oracles: invariants that must hold at the end of a history, checked in the tables and through the stores.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use domain::call_log::{CallFilter, CallProperty};
use domain::id::{OrgId, RunId, TransactionId};
use domain::lease::month;
use domain::ledger::{Charge, LedgerEntry};
use domain::limits::Dimension;
use domain::run::RunStep;
use domain::statistics::Period;
use domain::time::Time;
use serde_json::Value;
use store::ledger::EntryFilter;
use store::spend::SpendRequest;
use store::usage::{AdjustmentSums, Figures};
use store::{CallLog, Leases, Ledger, RunUsage, Spend, keys};

use super::environment::PROVIDER;
use super::history::sweep;
use super::protocol::LeaseProtocol;
use super::records::{charges, has_charges};
use super::violation::Oracle;
use crate::machine::database::{COUNTERS, JOURNAL};
use crate::machine::process::Process;
use crate::machine::world::World;

/// How far the clock of a process is ahead at most.
const GREATEST_SKEW: Duration = Duration::from_secs(2);
/// The number of sweeps after which even a lagging due index has listed every lease.
const SWEEPS: usize = 30;

/// Checks that a shown balance was the true one at some moment of the read, and that it agrees with the totals.
pub async fn check_shown_balances(auditor: Process, protocol: Arc<LeaseProtocol>, org: OrgId) {
    let leases = Leases::new(&auditor.context()).unwrap();
    let world = &auditor.world;
    for at in &protocol.scenario.balance_reads {
        auditor.sleep_until(*at).await;
        let from = world.now();
        let Ok(statement) = leases.statement(org, month(from)).await else { continue };
        let mut accounting = protocol.accounting();
        let shown = i128::from(statement.balance.pico_usd());
        let had = accounting.orgs.get(&org).and_then(|credits| credits.between(from, world.now()));
        let Some((least, most)) = had else { continue };
        if !(least..=most).contains(&shown) {
            accounting.findings.record_violation(
                Oracle::WrongBalanceShown,
                format!("{shown} was shown, but {least} to {most} was left"),
            );
        }
        let AdjustmentSums { credit, debit } = statement.usage.adjusted;
        let charged = statement.usage.total().charged;
        // A process whose clock is ahead counts its charges in the next month already.
        let is_one_month = month(protocol.scenario.starts_at) == month(world.now().plus(GREATEST_SKEW));
        if is_one_month && statement.balance + debit + charged != credit {
            let what = format!("{credit} given, {debit} taken, {charged} charged, {} left", statement.balance);
            accounting.findings.record_violation(Oracle::WrongBalanceShown, what);
        }
    }
}

pub async fn check_invariants(world: &Arc<World>, protocol: &LeaseProtocol) {
    let auditor = Process::without_faults(world, "auditor");
    if protocol.scenario.is_calm {
        leases_are_closed(protocol, "left open by a living owner");
    }
    let leases = Leases::new(&auditor.context()).unwrap();
    for _ in 0..SWEEPS {
        if protocol.accounting().leases.values().all(|lease| !lease.is_open) {
            break;
        }
        sweep(&auditor, protocol, &leases).await;
    }
    leases_are_closed(protocol, "open after every sweep");
    every_answer_has_its_charge(protocol);
    ledger_and_balance_agree(&auditor, protocol).await;
    usage_is_the_ledgers_sum(&auditor, protocol).await;
    usage_of_runs_is_the_ledgers_sum(&auditor, protocol).await;
    spend_is_the_ledgers_sum(&auditor, protocol).await;
    calls_are_listed_once(&auditor, protocol).await;
    meters_agree(world, protocol);
}

fn record_violation(protocol: &LeaseProtocol, oracle: Oracle, what: String) {
    protocol.accounting().findings.record_violation(oracle, what);
}

fn leases_are_closed(protocol: &LeaseProtocol, how: &str) {
    let mut accounting = protocol.accounting();
    let open: Vec<usize> = accounting.leases.values().filter(|lease| lease.is_open).map(|lease| lease.number).collect();
    if !open.is_empty() {
        accounting.findings.record_violation(Oracle::LeftOpen, format!("leases {open:?} are {how}"));
    }
}

/// Checks that each answered call has a charge with the cost that its answer reported.
fn every_answer_has_its_charge(protocol: &LeaseProtocol) {
    let mut accounting = protocol.accounting();
    for (call, cost) in accounting.answered.clone() {
        match accounting.charges.get(&call).map(|charges| charges[0].cost) {
            None => accounting
                .findings
                .record_violation(Oracle::NotCharged, format!("call {call} was answered but not charged")),
            Some(of_row) if of_row != cost => {
                accounting
                    .findings
                    .record_violation(Oracle::Misreported, format!("call {call} reported {cost}, its charge {of_row}"));
            }
            Some(_) => {}
        }
    }
}

async fn ledger_and_balance_agree(auditor: &Process, protocol: &LeaseProtocol) {
    let (world, context) = (&auditor.world, auditor.context());
    let (leases, ledger) = (Leases::new(&context).unwrap(), Ledger::new(&context).unwrap());
    let rows = world.database.items(JOURNAL).into_iter();
    let rows = rows.filter(|row| has_charges(row["sk"].as_str().unwrap()));
    let stored: Vec<Charge> = rows.flat_map(|row| charges(&row)).collect();
    let orgs: Vec<(OrgId, i128, i128)> =
        protocol.accounting().orgs.iter().map(|(org, credits)| (*org, credits.given, credits.left())).collect();
    for (org, given, left) in orgs {
        let meter = world.database.item(COUNTERS, &keys::org_meter(org).pk, keys::METER);
        let balance = number(&meter, "balance");
        let of_org = stored.iter().filter(|charge| charge.org == org);
        let charged: i128 = of_org.map(|charge| i128::from(charge.charged.pico_usd())).sum();
        if balance + charged != given || balance != left {
            let what = format!("{balance} left and {charged} in the ledger, of {given}");
            record_violation(protocol, Oracle::Unbalanced, what);
        }
        let (_, shown) = leases.balance(org).await.unwrap();
        if i128::from(shown.pico_usd()) != balance {
            record_violation(
                protocol,
                Oracle::WrongBalanceShown,
                format!("{shown} USD is shown at the end, but {balance} pico-USD is left"),
            );
        }
        let mut listed = 0;
        let months = [month(protocol.scenario.starts_at), month(world.now())];
        for month in months.iter().take(if months[0] == months[1] { 1 } else { 2 }) {
            let entries = list_in_order(&ledger, protocol, org, *month).await;
            let mut of_month = Figures::default();
            for entry in entries {
                if let LedgerEntry::Charge(charge) = entry {
                    of_month += Figures::from(&*charge);
                }
            }
            listed += i128::from(of_month.charged.pico_usd());
            let totals = leases.statement(org, *month).await.unwrap().usage.total();
            let sums = |figures: Figures| (figures.charged, figures.uncollected);
            if sums(totals) != sums(of_month) {
                record_violation(protocol, Oracle::Usage, format!("{totals:?} instead of {of_month:?} in {month}"));
            }
        }
        if listed != charged {
            record_violation(
                protocol,
                Oracle::Unbalanced,
                format!("the ledger lists {listed}, but {charged} was charged"),
            );
        }
    }
}

/// Reads the ledger of a month in small pages. Its entries are listed once, newest first, whatever the pages are.
async fn list_in_order(ledger: &Ledger, protocol: &LeaseProtocol, org: OrgId, month: i64) -> Vec<LedgerEntry> {
    const PAGE: u32 = 3;
    let (mut entries, mut after) = (Vec::new(), None);
    loop {
        let page = ledger.list(org, month, EntryFilter::default(), PAGE, after).await.unwrap();
        entries.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let place = |entry: &LedgerEntry| match entry {
        LedgerEntry::Charge(charge) => (charge.created_at, charge.id),
        LedgerEntry::Adjustment(adjustment) => (adjustment.created_at, adjustment.id),
    };
    if !entries.is_sorted_by(|newer, older| place(newer) > place(older)) {
        record_violation(protocol, Oracle::Misreported, format!("the ledger lists {entries:?}"));
    }
    entries
}

/// Checks that the log of calls has each charge once, when all leases are closed.
async fn calls_are_listed_once(auditor: &Process, protocol: &LeaseProtocol) {
    const PAGE: u32 = 5;
    let log = CallLog::new(&auditor.context()).unwrap();
    let charges: Vec<Charge> = protocol.accounting().charges.values().flatten().cloned().collect();
    let orgs: BTreeSet<OrgId> = charges.iter().map(|charge| charge.org).collect();
    for org in orgs {
        let mut expected: Vec<TransactionId> =
            charges.iter().filter(|charge| charge.org == org).map(|charge| charge.id).collect();
        expected.sort();
        for properties in [vec![CallProperty::Provider(PROVIDER.to_owned())], Vec::new()] {
            let filter = CallFilter { orgs: vec![org], properties, ..CallFilter::default() };
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let page = log.list(&filter, PAGE, after, auditor.now()).await.unwrap();
                found.extend(page.items.into_iter().map(|call| call.id));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            found.sort();
            if found != expected {
                let what = format!("{:?} lists {found:?} instead of {expected:?}", filter.properties);
                record_violation(protocol, Oracle::NotListed, what);
            }
        }
    }
}

async fn usage_is_the_ledgers_sum(auditor: &Process, protocol: &LeaseProtocol) {
    let leases = Leases::new(&auditor.context()).unwrap();
    let expected = protocol.accounting().usage.clone();
    let mut months: Vec<(OrgId, i64)> = expected.keys().map(|(org, month, _)| (*org, *month)).collect();
    months.dedup();
    for (org, month) in months {
        let found = leases.statement(org, month).await.unwrap().usage;
        let days = found.days.into_iter().map(|(day, model, figures)| (format!("DAY#{day}#{model}"), figures));
        let keys =
            found.keys.into_iter().map(|(user, key, figures)| (keys::usage_of_key(org, month, user, key).sk, figures));
        let found: BTreeMap<String, Figures> = days.chain(keys).collect();
        let of_month = expected.iter().filter(|((of, in_month, _), _)| *of == org && *in_month == month);
        let expected: BTreeMap<String, Figures> =
            of_month.map(|((_, _, key), figures)| (key.clone(), *figures)).collect();
        if found != expected {
            record_violation(protocol, Oracle::Usage, format!("{found:?} instead of {expected:?}"));
        }
    }
}

/// Checks that the usage of each step of a run is the sum of the charges that name it.
async fn usage_of_runs_is_the_ledgers_sum(auditor: &Process, protocol: &LeaseProtocol) {
    let mut runs = BTreeMap::<RunId, BTreeMap<String, Figures>>::new();
    for charge in protocol.accounting().charges.values().flatten() {
        if let Some(RunStep { run, path, .. }) = charge.step.as_deref() {
            *runs.entry(*run).or_default().entry(path.clone()).or_default() += Figures::from(charge);
        }
    }
    let usage = RunUsage::new(&auditor.context()).unwrap();
    for (run, expected) in runs {
        let found = usage.find(run).await.unwrap();
        if found != expected {
            record_violation(protocol, Oracle::Usage, format!("run {run}: {found:?} instead of {expected:?}"));
        }
    }
}

/// Checks that the spend of each key, model, tag and end user on a day is the sum of its charges, whatever the pages are.
async fn spend_is_the_ledgers_sum(auditor: &Process, protocol: &LeaseProtocol) {
    const PAGE: u32 = 7;
    let spend = Spend::new(&auditor.context()).unwrap();
    let from = protocol.scenario.starts_at.day();
    let period = &Period::parse(Some(&from), None, None, auditor.now().plus(GREATEST_SKEW)).unwrap();
    let expected = protocol.accounting().spend.clone();
    for ((org, by), expected) in expected {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = spend.list(SpendRequest { org, by, period, limit: PAGE, after }).await.unwrap();
            found.extend(page.items.into_iter().map(|spend| ((spend.day, spend.name), spend.figures)));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        let expected: Vec<_> = expected.into_iter().collect();
        if found != expected {
            record_violation(protocol, Oracle::Usage, format!("{by:?}: {found:?} instead of {expected:?}"));
        }
    }
}

/// Checks the meters against what was charged and admitted. The counters of past windows are skipped, because closed
/// leases do not return unused slots to them.
fn meters_agree(world: &World, protocol: &LeaseProtocol) {
    let now = world.now();
    let meters = world.database.items(COUNTERS).into_iter().filter(|item| item["sk"] == keys::METER);
    for meter in meters {
        let pk = meter["pk"].as_str().unwrap().to_owned();
        let attributes = meter.as_object().into_iter().flatten().map(|(name, _)| name);
        for attribute in attributes.filter(|attribute| is_current(attribute, now)) {
            let value = number(&meter, attribute);
            if attribute.ends_with("_wide") && value != 0 {
                record_violation(protocol, Oracle::WideCounterLeft, format!("{attribute} of {pk} is {value}"));
            }
            if let Some(month) = attribute.strip_prefix("spent_").and_then(|month| month.parse().ok()) {
                let spent = protocol.accounting().spent.get(&(pk.clone(), month)).copied().unwrap_or_default();
                if value != spent {
                    let what = format!("{attribute} of {pk} is {value}, {spent} was charged");
                    record_violation(protocol, Oracle::Unbalanced, what);
                }
            }
        }
        let admitted = protocol.accounting().admitted.clone();
        for ((of, dimension, window), admitted) in admitted {
            let attribute = format!("{dimension}_{window}");
            if of == pk && is_current(&attribute, now) && number(&meter, &attribute) < i128::from(admitted) {
                let what = format!("{attribute} of {pk} is {}, {admitted} were admitted", number(&meter, &attribute));
                record_violation(protocol, Oracle::Undercounted, what);
            }
        }
    }
}

fn is_current(attribute: &str, now: Time) -> bool {
    let (name, window) = attribute.trim_end_matches("_wide").split_once('_').unwrap_or((attribute, ""));
    match Dimension::ALL.iter().find(|dimension| dimension.as_str() == name) {
        Some(dimension) => window.parse() == Ok(dimension.window(now)),
        None => true,
    }
}

fn number(item: &Value, attribute: &str) -> i128 {
    item[attribute].as_i64().unwrap_or_default().into()
}
