//! The protocol of runs: workers carry out random workflows by the platform's own code, people answer and stop, tickers
//! send lost messages again. The oracles watch every commit and every effect.

mod accounts;
mod agents;
mod arrivals;
mod effects;
mod graphs;
mod history;
mod oracle;
mod people;
mod protocol;
mod rules;
mod scenario;
mod statistics;
mod workers;

use crate::machine::runner::{check_every_rule_is_needed, check_histories, check_seed_determines_trace};
use history::{
    run, run_with_agents, run_with_arrivals, run_with_each, run_with_mcp_tools, run_with_unreliable_storage,
};
use rules::Rule;

const HISTORIES: u64 = 60;
const AGENT_HISTORIES: u64 = 15;
const TOOL_HISTORIES: u64 = 15;
const EACH_HISTORIES: u64 = 15;
const ARRIVAL_HISTORIES: u64 = 40;
/// These are slower, because every call is repeated several times.
const UNRELIABLE_HISTORIES: u64 = 6;

#[test]
fn every_run_ends_and_no_recorded_effect_is_repeated() {
    let expected = [
        "runs completed",
        "runs failed",
        "runs cancelled",
        "runs crashed",
        "attempts",
        "uncertain attempts repeated",
        "attempts retried",
        "reviews answered",
        "reviews expired",
        "reviews canceled",
        "reviews refused",
        "delays",
        "runs handed over",
        "runs parked",
        "starts repeated",
        "runs called",
        "workers killed",
        "workers stopped",
        "attempts interrupted",
    ];
    check_histories(HISTORIES, &expected, |seed| run(seed, None));
}

/// The calls of an agent are effects like any other. A process that takes over a run makes the calls of the log.
#[test]
fn agents_go_on_where_they_were() {
    let expected = [
        "agents answered",
        "models asked",
        "teams loaded",
        "tools called",
        "functions asked",
        "runs called",
        "workers killed",
        "uncertain attempts repeated",
    ];
    check_histories(AGENT_HISTORIES, &expected, |seed| run_with_agents(seed, None));
}

/// A server of the Model Context Protocol does not recognize a repeated call. So after a crash, the policy of the node or of
/// the tool decides: only some are repeated, some fail, and a person is asked about others.
#[test]
fn calls_of_tools_are_repeated_only_as_their_policy_says() {
    let expected = [
        "tools of nodes called",
        "tools of agents called",
        "uncertain attempts repeated",
        "uncertain attempts failed",
        "uncertain attempts asked about",
        "workers killed",
    ];
    check_histories(TOOL_HISTORIES, &expected, |seed| run_with_mcp_tools(seed, None));
}

/// Each element of a node with `each` is a step of its own: a crash repeats only those that were in progress.
#[test]
fn elements_are_steps_of_their_own() {
    let expected = [
        "attempts of elements",
        "uncertain attempts of elements repeated",
        "attempts retried",
        "agents answered",
        "runs completed",
        "workers killed",
    ];
    check_histories(EACH_HISTORIES, &expected, run_with_each);
}

/// A run is stored by the first write of the process in which it arrives. Workers carry out what that process cannot.
#[test]
fn runs_are_carried_out_where_they_arrive() {
    let expected = [
        "arrivals ended",
        "arrivals killed",
        "runs completed",
        "runs handed over",
        "runs parked",
        "starts repeated",
        "uncertain attempts repeated",
    ];
    check_histories(ARRIVAL_HISTORIES, &expected, |seed| run_with_arrivals(seed, None));
}

/// A holder waits for the storage, instead of dropping the effects in progress.
#[test]
fn holders_wait_while_the_storage_does_not_answer() {
    let expected = ["runs completed", "runs called", "reviews answered", "runs parked"];
    check_histories(UNRELIABLE_HISTORIES, &expected, run_with_unreliable_storage);
}

/// Without any one rule of the protocol, an oracle finds a violation.
#[test]
fn every_rule_is_needed() {
    check_every_rule_is_needed(|seed, rule| match rule {
        Rule::KeepsResults => run_with_agents(seed, Some(rule)),
        Rule::ArrivesWithDueTime => run_with_arrivals(seed, Some(rule)),
        Rule::StoresIntents => run_with_mcp_tools(seed, Some(rule)),
        _ => run(seed, Some(rule)),
    });
}

#[test]
fn a_history_is_a_function_of_its_seed() {
    check_seed_determines_trace(|seed| run(seed, None).trace);
    check_seed_determines_trace(|seed| run_with_agents(seed, None).trace);
    check_seed_determines_trace(|seed| run_with_mcp_tools(seed, None).trace);
    check_seed_determines_trace(|seed| run_with_arrivals(seed, None).trace);
}
