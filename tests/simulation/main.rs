//! Deterministic simulation of the lease protocol in virtual time. Each history is a function of its seed, and runs the
//! store's and the gateway's own code over an in-memory DynamoDB with injected faults. A second test switches off each
//! rule of the protocol and expects a violation.
//!
//! `SIMULATION_HISTORIES=20000` runs this number of histories. `SIMULATION_SEED=17` runs only history 17 and prints its
//! trace. With both, the histories start at that seed.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod accounting;
mod connection;
mod credits;
mod database;
mod dynamodb_json;
mod environment;
mod faults;
mod history;
mod lag;
mod load;
mod oracle;
mod process;
mod rules;
mod scenario;
mod service;
mod violation;
mod world;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use history::{Report, run};
use rules::Rule;

const HISTORIES: u64 = 80;
/// A rule that is switched off must cause a violation within this number of histories.
const MISSED_WITHIN: u64 = 200;
/// The number of trace lines printed for a failed history.
const SHOWN: usize = 60;

#[test]
fn nothing_is_overdrawn_lost_or_charged_twice() {
    let (seed, histories) = (setting("SIMULATION_SEED"), setting("SIMULATION_HISTORIES"));
    let first = seed.unwrap_or(0);
    let last = first + histories.unwrap_or(if seed.is_some() { 1 } else { HISTORIES });
    let is_one = last == first + 1;
    let next = AtomicU64::new(first);
    let (tally, failed) = (Mutex::new(BTreeMap::new()), Mutex::new(BTreeMap::new()));
    on_every_core(|| {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= last {
                break;
            }
            let report = run(seed, None);
            for (what, count) in &report.tally {
                *tally.lock().unwrap().entry(*what).or_insert(0) += count;
            }
            if !report.violations.is_empty() || is_one {
                failed.lock().unwrap().insert(seed, report);
            }
        }
    });
    let (tally, failed) = (tally.into_inner().unwrap(), failed.into_inner().unwrap());
    eprintln!("{} histories: {tally:?}", last - first);
    if let Some((seed, report)) = failed.first_key_value() {
        eprintln!("{}", format_report(*seed, report, is_one));
        let seeds: Vec<&u64> = failed.keys().take(20).collect();
        assert!(report.violations.is_empty(), "{} histories have violations; the first seeds: {seeds:?}", failed.len());
    }
    // Without these events, the simulation would prove nothing.
    let expected = [
        "charges",
        "late charges",
        "charges above their slot",
        "charges with an overage",
        "charges not fully collected",
        "wide leases",
        "voids",
        "refused for credits",
        "refused for a rate",
    ];
    let missing: Vec<_> = expected.iter().filter(|what| !tally.contains_key(*what)).collect();
    assert!(is_one || missing.is_empty(), "no history contains {missing:?}");
}

/// Without any one rule of the protocol, an oracle finds a violation.
#[test]
fn every_rule_is_needed() {
    let rules = Mutex::new(Rule::ALL.iter());
    let unneeded = Mutex::new(Vec::new());
    on_every_core(|| {
        loop {
            let Some(rule) = ({ rules.lock().unwrap().next() }) else { break };
            let seeds = std::iter::once(rule.first_seed()).chain(0..MISSED_WITHIN);
            let reports = seeds.map(|seed| (seed, run(seed, Some(*rule))));
            let missed = reports.into_iter().find_map(|(seed, report)| {
                let is_expected = |oracle| rule.expected_oracles().contains(&oracle);
                let violation = report.violations.into_iter().find(|violation| is_expected(violation.oracle))?;
                Some((seed, violation))
            });
            match missed {
                Some((seed, violation)) => eprintln!("without {rule:?}, in history {seed}: {violation}"),
                None => unneeded.lock().unwrap().push(rule),
            }
        }
    });
    let unneeded = unneeded.into_inner().unwrap();
    assert!(unneeded.is_empty(), "no violation in {MISSED_WITHIN} histories without {unneeded:?}");
}

#[test]
fn a_history_is_a_function_of_its_seed() {
    for seed in 0..4 {
        let (one, other) = (run(seed, None), run(seed, None));
        let differs = one.trace.iter().zip(&other.trace).find(|(one, other)| one != other);
        assert_eq!(differs, None, "history {seed}");
        assert_eq!(one.trace.len(), other.trace.len(), "history {seed}");
    }
}

fn on_every_core(work: impl Fn() + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(&work);
        }
    });
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The end of the trace and the violations, with the setting that prints the whole trace.
fn format_report(seed: u64, report: &Report, is_complete: bool) -> String {
    let violations: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
    let skipped = if is_complete { 0 } else { report.trace.len().saturating_sub(SHOWN) };
    let (trace, violations) = (report.trace[skipped..].join("\n"), violations.join("\n"));
    format!("{trace}\n{violations}\nSIMULATION_SEED={seed} prints the whole trace")
}
