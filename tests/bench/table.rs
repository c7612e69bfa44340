//! The tables of results in Markdown, and a line of progress for each measurement.

use crate::results::Results;
use crate::rounds::{Kind, Measurement};
use crate::subject::Name;

/// A number of a measurement. `None` if it has none.
pub type Number = fn(&Measurement) -> Option<f64>;

pub struct Column {
    title: &'static str,
    number: Number,
    decimals: usize,
    /// Whether the number of the mock in the same round is subtracted.
    is_added: bool,
}

/// Answers of gateways in one piece.
pub const WHOLE: [Column; 6] = [
    Column::median("p50 ms", Measurement::p50_ms, 3),
    Column::added("added p50 ms", Measurement::p50_ms, 3),
    Column::median("p99 ms", Measurement::p99_ms, 3),
    Column::median("requests/s", Measurement::requests_per_s, 0),
    Column::median("CPU ms per call", Measurement::cpu_ms_per_call, 3),
    Column::median("memory MB", Measurement::memory_mb, 0),
];
/// Streamed answers of gateways.
pub const STREAMS: [Column; 6] = [
    Column::median("first byte p50 ms", Measurement::first_byte_ms, 3),
    Column::added("added first byte ms", Measurement::first_byte_ms, 3),
    Column::median("whole p50 ms", Measurement::p50_ms, 3),
    Column::median("requests/s", Measurement::requests_per_s, 0),
    Column::median("CPU ms per call", Measurement::cpu_ms_per_call, 3),
    Column::median("memory MB", Measurement::memory_mb, 0),
];
/// Runs of workflows. Nothing is added: no mock answers in their place.
pub const RUNS: [Column; 6] = [
    Column::median("p50 ms", Measurement::p50_ms, 2),
    Column::median("p99 ms", Measurement::p99_ms, 2),
    Column::median("runs/s", Measurement::requests_per_s, 0),
    Column::median("CPU ms per run", Measurement::cpu_ms_per_call, 2),
    Column::median("KB written per run", Measurement::written_kb_per_call, 0),
    Column::median("memory MB", Measurement::memory_mb, 0),
];
/// Calls of tools.
pub const TOOLS: [Column; 5] = [
    Column::median("p50 ms", Measurement::p50_ms, 2),
    Column::median("p99 ms", Measurement::p99_ms, 2),
    Column::median("calls/s", Measurement::requests_per_s, 0),
    Column::median("CPU ms per call", Measurement::cpu_ms_per_call, 3),
    Column::median("memory MB", Measurement::memory_mb, 0),
];
/// Runs that were started and not waited for.
pub const STARTED_RUNS: [Column; 5] = [
    Column::median("start p50 ms", Measurement::p50_ms, 2),
    Column::median("runs/s", Measurement::requests_per_s, 0),
    Column::median("CPU ms per run", Measurement::cpu_ms_per_call, 2),
    Column::median("KB written per run", Measurement::written_kb_per_call, 0),
    Column::median("memory MB", Measurement::memory_mb, 0),
];

impl Column {
    const fn median(title: &'static str, number: Number, decimals: usize) -> Self {
        Self { title, number, decimals, is_added: false }
    }

    const fn added(title: &'static str, number: Number, decimals: usize) -> Self {
        Self { title, number, decimals, is_added: true }
    }

    fn cell(&self, results: &Results, name: Name, kind: Kind) -> String {
        let number = match self.is_added {
            true => results.added(name, kind, self.number),
            false => results.median(name, kind, self.number),
        };
        format_number(number, self.decimals)
    }
}

/// One measurement as a line of progress.
pub fn line(measurement: &Measurement) -> String {
    let Measurement { name, kind, report, .. } = measurement;
    let stream = if kind.stream { "stream" } else { "" };
    format!(
        "{:<13}{:>4} {stream:<7} p50 {:>9} ms  p99 {:>9} ms  {:>7}/s  CPU {:>7} ms  {:>6} KB written  {:>4} MB  {} errors",
        name,
        kind.connections,
        format_number(measurement.p50_ms(), 3),
        format_number(measurement.p99_ms(), 3),
        format_number(measurement.requests_per_s(), 0),
        format_number(measurement.cpu_ms_per_call(), 3),
        format_number(measurement.written_kb_per_call(), 1),
        format_number(measurement.memory_mb(), 0),
        report.errors,
    )
}

/// The medians of all rounds.
pub fn medians(title: &str, columns: &[Column], results: &Results, names: &[Name], kinds: &[Kind]) -> String {
    let titles: Vec<_> = columns.iter().map(|column| column.title).collect();
    table(title, &titles, names, kinds, |name, kind| {
        columns.iter().map(|column| column.cell(results, name, kind)).collect()
    })
}

/// The multiples of Atelier's numbers in the same round: the median, and the smallest and the largest.
pub fn ratios(columns: &[(&str, Number)], results: &Results, own: Name, names: &[Name], kinds: &[Kind]) -> String {
    let titles: Vec<_> = columns.iter().map(|(title, _)| *title).collect();
    let others: Vec<_> = names.iter().copied().filter(|name| *name != own).collect();
    if others.is_empty() || others.len() == names.len() {
        return format!("There are no ratios: {own} and another subject must be measured.\n");
    }
    table(&format!("× {own} in the same round"), &titles, &others, kinds, |name, kind| {
        let cell = |ratios: Vec<f64>| match (ratios.first(), ratios.last()) {
            (Some(first), Some(last)) => {
                format!("{:.2} ({first:.2}–{last:.2})", tests::statistics::median(ratios.clone()).unwrap_or_default())
            }
            _ => "–".to_owned(),
        };
        columns.iter().map(|(_, number)| cell(results.ratios(own, name, kind, *number))).collect()
    })
}

/// The errors of each subject: how many, and the first one.
pub fn errors(results: &Results, names: &[Name], kinds: &[Kind]) -> Vec<String> {
    let rows = rows(names, kinds).filter_map(|(name, kind)| {
        let first = results.select(name, kind).find_map(|measurement| measurement.report.first_error.as_deref())?;
        let errors: usize = results.select(name, kind).map(|measurement| measurement.report.errors).sum();
        let calls = errors + results.select(name, kind).map(|measurement| measurement.report.requests).sum::<usize>();
        let streaming = if kind.stream { " streaming" } else { "" };
        Some(format!(
            "{name},{streaming} connections {}: {errors} of {calls} calls failed; the first: {first}",
            kind.connections
        ))
    });
    rows.collect()
}

fn table(
    title: &str,
    titles: &[&str],
    names: &[Name],
    kinds: &[Kind],
    cells: impl Fn(Name, Kind) -> Vec<String>,
) -> String {
    let rows = rows(names, kinds).map(|(name, kind)| {
        let first = [name.to_owned(), kind.connections.to_string()];
        row(first.into_iter().chain(cells(name, kind)))
    });
    let head = [title, "connections"].into_iter().chain(titles.iter().copied());
    let head = row(head.map(str::to_owned));
    let ruler = format!("|---|{}\n", "--:|".repeat(titles.len() + 1));
    [head, ruler].into_iter().chain(rows).collect()
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
