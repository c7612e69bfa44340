//! The protocol of batches: workers make the calls of batches by the worker's own code, users cancel batches, tickers send lost
//! hints again. The oracles compare the files of each batch with the charges.

mod calls;
mod history;
mod oracle;
mod protocol;
mod rules;
mod scenario;

use crate::machine::runner::{check_every_rule_is_needed, check_histories, check_seed_determines_trace};
use history::run;

const HISTORIES: u64 = 40;

#[test]
fn every_line_has_one_result_and_every_answer_is_charged_once() {
    let expected = [
        "batches completed",
        "batches cancelled",
        "batches expired",
        "calls answered",
        "calls refused",
        "calls without room",
        "answers found again",
        "answers found at the end",
        "late charges refused",
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
