//! Runs histories on all cores: many seeds, one seed with its trace, and every rule switched off.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::report::{Report, Violation};

/// The futures of a debug build are large: of some hundred histories, one needed more than the default of 2 MB.
const STACK_BYTES: usize = 16 << 20;
/// A rule that is switched off must cause a violation within this number of histories.
const MISSED_WITHIN: u64 = 1_000;
/// The number of trace lines printed for a failed history.
const SHOWN: usize = 60;

/// A rule of a protocol, which a history can switch off.
pub trait ProtocolRule: Copy + Debug + PartialEq + Send + Sync + 'static {
    type Oracle: Debug + PartialEq + 'static;

    const ALL: &'static [Self];

    /// The oracles that find a violation without this rule.
    fn expected_oracles(self) -> &'static [Self::Oracle];

    /// The seed that is tried first: with the rule off, its history has one of the expected violations.
    fn first_seed(self) -> u64;
}

/// Runs a history in virtual time. The store and the SDK draw their backoff from the generator seeded here.
pub fn run_in_virtual_time<R>(seed: u64, history: impl Future<Output = R>) -> R {
    fastrand::seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(history)
}

/// Runs the histories that `SIMULATION_SEED` and `SIMULATION_HISTORIES` select, `histories` of them by default, and fails
/// if one has a violation, or if none contains one of the expected events: the simulation would prove nothing.
pub fn check_histories<O: Debug + Send>(
    histories: u64,
    expected: &[&'static str],
    run: impl Fn(u64) -> Report<O> + Sync,
) {
    let (seed, count) = (setting("SIMULATION_SEED"), setting("SIMULATION_HISTORIES"));
    let first = seed.unwrap_or(0);
    let last = first + count.unwrap_or(if seed.is_some() { 1 } else { histories });
    let is_one = last == first + 1;
    let next = AtomicU64::new(first);
    let (tally, failed) = (Mutex::new(BTreeMap::new()), Mutex::new(BTreeMap::new()));
    on_every_core(|| {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= last {
                break;
            }
            let report = run(seed);
            for (what, count) in &report.findings.tally {
                *tally.lock().unwrap().entry(*what).or_insert(0) += count;
            }
            if !report.findings.violations.is_empty() || is_one {
                failed.lock().unwrap().insert(seed, report);
            }
        }
    });
    let (tally, failed) = (tally.into_inner().unwrap(), failed.into_inner().unwrap());
    eprintln!("{} histories: {tally:?}", last - first);
    if let Some((seed, report)) = failed.first_key_value() {
        eprintln!("{}", format_report(*seed, report, is_one));
        let seeds: Vec<&u64> = failed.keys().take(20).collect();
        let is_valid = report.findings.violations.is_empty();
        assert!(is_valid, "{} histories have violations; the first seeds: {seeds:?}", failed.len());
    }
    let missing: Vec<_> = expected.iter().filter(|what| !tally.contains_key(*what)).collect();
    assert!(is_one || missing.is_empty(), "no history contains {missing:?}");
}

/// Fails if the expected oracles find no violation without one of the rules.
pub fn check_every_rule_is_needed<R: ProtocolRule>(run: impl Fn(u64, R) -> Report<R::Oracle> + Sync) {
    let rules = Mutex::new(R::ALL.iter());
    let unneeded = Mutex::new(Vec::new());
    on_every_core(|| {
        loop {
            let Some(rule) = ({ rules.lock().unwrap().next() }) else { break };
            let seeds = std::iter::once(rule.first_seed()).chain(0..MISSED_WITHIN);
            let reports = seeds.map(|seed| (seed, run(seed, *rule)));
            let missed = reports.into_iter().find_map(|(seed, report)| {
                let is_expected = |violation: &Violation<_>| rule.expected_oracles().contains(&violation.oracle);
                Some((seed, report.findings.violations.into_iter().find(is_expected)?))
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

/// Runs some histories twice, and fails if their traces differ.
pub fn check_seed_determines_trace(trace: impl Fn(u64) -> Vec<String>) {
    for seed in 0..4 {
        let (one, other) = (trace(seed), trace(seed));
        let differs = one.iter().zip(&other).find(|(one, other)| one != other);
        assert_eq!(differs, None, "history {seed}");
        assert_eq!(one.len(), other.len(), "history {seed}");
    }
}

fn on_every_core(work: impl Fn() + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, &work).unwrap();
        }
    });
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The end of the trace and the violations, with the setting that prints the whole trace.
fn format_report<O: Debug>(seed: u64, report: &Report<O>, is_complete: bool) -> String {
    let violations: Vec<String> = report.findings.violations.iter().map(ToString::to_string).collect();
    let skipped = if is_complete { 0 } else { report.trace.len().saturating_sub(SHOWN) };
    let (trace, violations) = (report.trace[skipped..].join("\n"), violations.join("\n"));
    format!("{trace}\n{violations}\nSIMULATION_SEED={seed} prints the whole trace")
}
