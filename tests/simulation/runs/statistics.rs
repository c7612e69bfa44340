//! The oracle of lists and statistics: they agree with the runs when everything has come to rest.

use serde_json::Value;
use store::keys;

use super::accounts::{Accounts, RunAccount};
use super::oracle::Oracle;

/// The states in which runs end, and the counters of their quarters of an hour.
const ENDS: [(&str, char); 3] = [("completed", 'c'), ("failed", 'f'), ("cancelled", 'x')];

/// Compares the counters with the runs.
pub fn check_statistics(accounts: &mut Accounts, counters: &[Value]) {
    let mut violations = Vec::new();
    let runs: Vec<&RunAccount> = accounts.runs.values().filter(|run| !run.head.is_null()).collect();
    let mut compare = |what: &str, counted: u64, of_runs: usize| {
        if counted != of_runs as u64 {
            violations.push(format!("{what}: {counted} are counted, but there are {of_runs}"));
        }
    };
    let of_kind = |prefix: &'static str| counters.iter().filter(move |item| text(item, "pk").starts_with(prefix));
    let total = |name: &str| of_kind("RUNTOTALS#").filter_map(|item| item[name].as_u64()).sum();
    compare("started", total("started"), runs.len());
    for (state, counter) in ENDS {
        let ended = runs.iter().filter(|run| run.state() == state).count();
        compare(state, total(state), ended);
        let days = of_kind("RUNSTATISTICS#").filter(|item| text(item, "sk").ends_with(keys::ENDED));
        let quarters = days.flat_map(|item| item.as_object().into_iter().flatten());
        let is_counter = |name: &str| name.strip_prefix(counter).is_some_and(|place| place.parse::<u8>().is_ok());
        let counted = quarters.filter(|(name, _)| is_counter(name)).filter_map(|(_, number)| number.as_u64()).sum();
        compare(&format!("{state} on their days"), counted, ended);
    }
    for run in runs.iter().filter(|run| run.has_ended()) {
        let list = text(&run.head, "listed_by_state");
        if list.split('#').nth(2) != Some(run.state()) {
            violations.push(format!("a run that is {} is in the list {list}", run.state()));
        }
    }
    for what in violations {
        accounts.findings.record_violation(Oracle::WrongStatistics, what);
    }
}

fn text<'a>(item: &'a Value, name: &str) -> &'a str {
    item[name].as_str().unwrap_or_default()
}
