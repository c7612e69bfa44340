//! The lease protocol: the store's and the gateway's own code serves calls, and the oracles derive from the committed
//! writes what was really granted, charged and admitted.

mod accounting;
mod credits;
mod environment;
mod faults;
mod history;
mod lag;
pub mod load;
mod oracle;
mod protocol;
pub mod records;
mod rules;
mod scenario;
mod violation;

use crate::machine::runner::{check_every_rule_is_needed, check_histories, check_seed_determines_trace};
use history::run;

const HISTORIES: u64 = 80;

#[test]
fn nothing_is_overdrawn_lost_or_charged_twice() {
    let expected = [
        "charges",
        "records of several charges",
        "late charges",
        "charges above their slot",
        "charges with an overage",
        "charges not fully collected",
        "wide leases",
        "voids",
        "refused for credits",
        "refused for a rate",
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
