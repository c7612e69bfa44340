//! The tables of results, and a line of progress for each measurement.

use crate::results::Results;
use crate::rounds::{Kind, Measurement};
use crate::subject::Name;

const WHOLE: [&str; 8] =
    ["subject", "connections", "p50 ms", "added p50 ms", "p99 ms", "requests/s", "CPU ms per call", "RSS MB"];
const WEBHOOKS: [&str; 7] = ["subject", "connections", "p50 ms", "p99 ms", "runs/s", "CPU ms per run", "RSS MB"];
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
pub fn line(measurement: &Measurement) -> String {
    let Measurement { name, kind, report, .. } = measurement;
    let stream = if kind.stream { "stream" } else { "" };
    format!(
        "{:<8}{:>4} {stream:<7} p50 {:>9} ms  p99 {:>9} ms  {:>7} requests/s  CPU {:>7} ms  RSS {:>4} MB  {} errors",
        name.display_name(),
        kind.connections,
        format_number(measurement.p50_ms(), 3),
        format_number(measurement.p99_ms(), 3),
        format_number(measurement.requests_per_s(), 0),
        format_number(measurement.cpu_ms_per_call(), 3),
        format_number(measurement.rss_mb(), 0),
        report.errors,
    )
}

/// The table of answers in one piece.
pub fn whole_table(results: &Results, names: &[Name], kinds: &[Kind]) -> String {
    table(&WHOLE, names, kinds, |name, kind| {
        vec![
            format_number(results.median(name, kind, Measurement::p50_ms), 3),
            format_number(results.added(name, kind, Measurement::p50_ms), 3),
            format_number(results.median(name, kind, Measurement::p99_ms), 3),
            format_number(results.median(name, kind, Measurement::requests_per_s), 0),
            format_number(results.median(name, kind, Measurement::cpu_ms_per_call), 3),
            format_number(results.median(name, kind, Measurement::rss_mb), 0),
        ]
    })
}

/// The table of webhooks. It has no additions, because nothing is behind the subjects.
pub fn webhook_table(results: &Results, names: &[Name], kinds: &[Kind]) -> String {
    table(&WEBHOOKS, names, kinds, |name, kind| {
        vec![
            format_number(results.median(name, kind, Measurement::p50_ms), 3),
            format_number(results.median(name, kind, Measurement::p99_ms), 3),
            format_number(results.median(name, kind, Measurement::requests_per_s), 0),
            format_number(results.median(name, kind, Measurement::cpu_ms_per_call), 3),
            format_number(results.median(name, kind, Measurement::rss_mb), 0),
        ]
    })
}

/// The table of streamed answers.
pub fn streams(results: &Results, names: &[Name], kinds: &[Kind]) -> String {
    table(&STREAMS, names, kinds, |name, kind| {
        vec![
            format_number(results.median(name, kind, Measurement::first_byte_ms), 3),
            format_number(results.added(name, kind, Measurement::first_byte_ms), 3),
            format_number(results.median(name, kind, Measurement::p50_ms), 3),
            format_number(results.median(name, kind, Measurement::requests_per_s), 0),
            format_number(results.median(name, kind, Measurement::cpu_ms_per_call), 3),
        ]
    })
}

/// The errors of each subject: how many, and the first one.
pub fn errors(results: &Results, names: &[Name], kinds: &[Kind]) -> Vec<String> {
    let rows = rows(names, kinds).filter_map(|(name, kind)| {
        let first = results.select(name, kind).find_map(|measurement| measurement.report.first_error.as_deref())?;
        let errors: usize = results.select(name, kind).map(|measurement| measurement.report.errors).sum();
        let calls = errors + results.select(name, kind).map(|measurement| measurement.report.requests).sum::<usize>();
        let (name, connections) = (name.display_name(), kind.connections);
        let streaming = if kind.stream { " streaming" } else { "" };
        Some(format!(
            "{name},{streaming} connections {connections}: {errors} of {calls} calls failed; the first: {first}"
        ))
    });
    rows.collect()
}

pub fn table(head: &[&str], names: &[Name], kinds: &[Kind], cells: impl Fn(Name, Kind) -> Vec<String>) -> String {
    let rows = rows(names, kinds).map(|(name, kind)| {
        let first = [name.display_name().to_owned(), kind.connections.to_string()];
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

fn format_number(number: Option<f64>, decimals: usize) -> String {
    number.map_or("–".to_owned(), |number| format!("{number:.decimals$}"))
}
