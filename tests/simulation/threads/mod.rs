//! The protocol of threads: providers deliver messages, workers answer them by the platform's own code, operators take
//! and release threads, a participant is erased, tickers send lost messages again. The oracles watch every commit and
//! everything that the provider accepts.

mod accounts;
mod history;
mod oracle;
mod people;
mod protocol;
mod provider;
mod rules;
mod scenario;
mod workers;

use crate::machine::runner::{check_every_rule_is_needed, check_histories, check_seed_determines_trace};
use history::run;

const HISTORIES: u64 = 60;

#[test]
fn every_message_is_answered_once_and_no_bot_answers_over_a_human() {
    let expected = [
        "messages stored",
        "deliveries repeated",
        "runs started",
        "runs interrupted",
        "messages rejected",
        "parts accepted",
        "parts uncertain",
        "parts refused",
        "replies suppressed",
        "threads taken",
        "takes refused",
        "messages left to operators",
        "operators answered",
        "participants reminded",
        "participants erased",
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
