//! The protocol of image jobs: requests start jobs, workers carry them out by the store's own code, tickers send lost
//! messages again. The oracles watch every commit.

mod history;
mod oracle;
mod protocol;
mod rules;
mod scenario;

use crate::machine::runner::{check_every_rule_is_needed, check_histories, check_seed_determines_trace};
use history::run;

const HISTORIES: u64 = 60;

#[test]
fn every_job_ends_once_and_only_a_success_is_charged() {
    let expected = [
        "jobs started",
        "jobs succeeded",
        "jobs failed by their provider",
        "jobs failed at their deadline",
        "attempts after a crash",
        "late results refused",
        "refused for credits",
        "workers killed",
    ];
    check_histories(HISTORIES, &expected, |seed| run(seed, None));
}

/// Without any one rule of the protocol, an oracle finds a violation.
#[test]
fn every_rule_is_needed() {
    check_every_rule_is_needed(|seed, rule| run(seed, Some(rule)));
}

#[test]
fn a_history_is_a_function_of_its_seed() {
    check_seed_determines_trace(|seed| run(seed, None).trace);
}
