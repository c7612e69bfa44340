//! The tables of results, and a line of progress for each measurement.

use crate::results::Results;
use crate::rounds::{Kind, Leg};
use crate::subject::Name;

const WHOLE: [&str; 9] = [
    "subject",
    "connections",
    "p50 ms",
    "added p50 ms",
    "p99 ms",
    "requests/s",
    "CPU ms per call",
    "without services",
    "RSS MB",
];
const STREAMS: [&str; 7] = [
    "streaming",
    "connections",
    "first byte p50 ms",
    "added first byte ms",
    "whole p50 ms",
    "requests/s",
    "CPU ms per call",
];

/// One measurement as a line of progress.
pub fn line(leg: &Leg) -> String {
    let Leg { name, kind, report, .. } = leg;
    let stream = if kind.stream { "stream" } else { "" };
    format!(
        "{:<8}{:>4} {stream:<7} p50 {:>9} ms  p99 {:>9} ms  {:>7} requests/s  CPU {:>7} ms  RSS {:>4} MB  {} errors",
        name.shown(),
        kind.connections,
        shown(leg.p50_ms(), 3),
        shown(leg.p99_ms(), 3),
        shown(leg.requests_per_s(), 0),
        shown(leg.cpu_ms_per_call(), 3),
        shown(leg.rss_mb(), 0),
        report.errors,
    )
}

/// The table of answers in one piece.
pub fn whole(results: &Results, names: &[Name], kinds: &[Kind]) -> String {
    table(&WHOLE, names, kinds, |name, kind| {
        vec![
            shown(results.median(name, kind, Leg::p50_ms), 3),
            shown(results.added(name, kind, Leg::p50_ms), 3),
            shown(results.median(name, kind, Leg::p99_ms), 3),
            shown(results.median(name, kind, Leg::requests_per_s), 0),
            shown(results.median(name, kind, Leg::cpu_ms_per_call), 3),
            shown(results.median(name, kind, Leg::own_cpu_ms_per_call), 3),
            shown(results.median(name, kind, Leg::rss_mb), 0),
        ]
    })
}

/// The table of streamed answers.
pub fn streams(results: &Results, names: &[Name], kinds: &[Kind]) -> String {
    table(&STREAMS, names, kinds, |name, kind| {
        vec![
            shown(results.median(name, kind, Leg::first_byte_ms), 3),
            shown(results.added(name, kind, Leg::first_byte_ms), 3),
            shown(results.median(name, kind, Leg::p50_ms), 3),
            shown(results.median(name, kind, Leg::requests_per_s), 0),
            shown(results.median(name, kind, Leg::cpu_ms_per_call), 3),
        ]
    })
}

/// The errors of each subject: how many, and the first one.
pub fn errors(results: &Results, names: &[Name], kinds: &[Kind]) -> Vec<String> {
    let rows = rows(names, kinds).filter_map(|(name, kind)| {
        let first = results.of(name, kind).find_map(|leg| leg.report.first_error.as_deref())?;
        let errors: usize = results.of(name, kind).map(|leg| leg.report.errors).sum();
        let calls = errors + results.of(name, kind).map(|leg| leg.report.requests).sum::<usize>();
        let (name, connections) = (name.shown(), kind.connections);
        let streaming = if kind.stream { " streaming" } else { "" };
        Some(format!(
            "{name},{streaming} connections {connections}: {errors} of {calls} calls failed; the first: {first}"
        ))
    });
    rows.collect()
}

pub fn table(head: &[&str], names: &[Name], kinds: &[Kind], cells: impl Fn(Name, Kind) -> Vec<String>) -> String {
    let rows = rows(names, kinds).map(|(name, kind)| {
        let first = [name.shown().to_owned(), kind.connections.to_string()];
        row(first.into_iter().chain(cells(name, kind)))
    });
    let head_row = row(head.iter().map(|&title| title.to_owned()));
    let ruler = format!("|---|{}\n", "--:|".repeat(head.len() - 1));
    [head_row, ruler].into_iter().chain(rows).collect()
}

fn rows(names: &[Name], kinds: &[Kind]) -> impl Iterator<Item = (Name, Kind)> {
    kinds.iter().flat_map(move |&kind| names.iter().map(move |&name| (name, kind)))
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn shown(number: Option<f64>, decimals: usize) -> String {
    number.map_or("–".to_owned(), |number| format!("{number:.decimals$}"))
}
