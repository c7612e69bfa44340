//! The protocol of workbenches: users create, stop, start and delete them, workers move their environments by the real
//! provisioner over a simulated cluster, and tickers send lost messages again. The oracles watch every commit.

mod cluster;
mod history;
mod oracle;
mod protocol;
mod rules;
mod scenario;

use crate::machine::runner::{check_every_rule_is_needed, check_histories, check_seed_determines_trace};
use history::run;

const HISTORIES: u64 = 40;

#[test]
fn every_workbench_reaches_what_its_users_want_and_leaves_nothing_behind() {
    let expected = [
        "created",
        "ready at the end",
        "stopped at the end",
        "failed at the end",
        "deleted at the end",
        "names taken",
        "refused for capacity",
        "steps cut by their permit",
        "workers killed",
        "answers lost",
        "valid keys at the end",
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
