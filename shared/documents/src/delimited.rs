//! CSV: cells between delimiters, in quotes if they contain one. Every cell is a text.

use std::borrow::Cow;
use std::ops::ControlFlow;

use csv::{Reader, ReaderBuilder, StringRecord};
use domain::run::StepError;
use engine::nodes::read_file::Delimiter;
use serde_json::Value;

use crate::problems::invalid;
use crate::table::{Selection, Table};

/// The rows that show which delimiter is used.
const COMPARED_ROWS: usize = 20;

pub fn read(text: &str, delimiter: Option<Delimiter>, selection: Selection) -> Result<Value, StepError> {
    let (named, rows) = split_hint(text);
    let delimiter = delimiter.or(named).unwrap_or_else(|| find_delimiter(rows));
    // The hint is a line, too.
    let hint_lines = u64::from(rows.len() < text.len());
    let rows = if rows.ends_with('\n') { Cow::Borrowed(rows) } else { format!("{rows}\n").into() };
    let (mut reader, mut record, mut table) = (open(&rows, delimiter), StringRecord::new(), Table::new(selection));
    while reader.read_record(&mut record).map_err(|_| invalid("its rows cannot be read as CSV"))? {
        let line = first_line(&reader, &record) + hint_lines;
        let cells = record.iter().map(Value::from).collect();
        if table.push(line, cells)? == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(table.into_fields().into())
}

/// The line in which a record begins, counted from its end: its own position is that of the empty lines before it.
fn first_line(reader: &Reader<&[u8]>, record: &StringRecord) -> u64 {
    let breaks = record.as_slice().bytes().filter(|byte| *byte == b'\n').count() as u64;
    reader.position().line().saturating_sub(1 + breaks).max(1)
}

fn open(rows: &str, delimiter: Delimiter) -> Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter.byte()).from_reader(rows.as_bytes())
}

/// Excel writes and reads a first line such as `sep=;`.
fn split_hint(text: &str) -> (Option<Delimiter>, &str) {
    let Some(hint) = text.strip_prefix("sep=") else { return (None, text) };
    let found = Delimiter::ALL.into_iter().find(|delimiter| hint.as_bytes().first() == Some(&delimiter.byte()));
    match (found, hint.get(1..).and_then(|rest| rest.split_once('\n'))) {
        (Some(delimiter), Some((end, rows))) if end.trim().is_empty() => (Some(delimiter), rows),
        _ => (None, text),
    }
}

/// The delimiter that splits every row into most cells. A title above the table has one cell with each of them; then the
/// number of all cells decides.
fn find_delimiter(rows: &str) -> Delimiter {
    let count = |delimiter: &Delimiter| {
        let records = open(rows, *delimiter).into_records().take(COMPARED_ROWS);
        let cells: Vec<usize> = records.map_while(Result::ok).map(|record| record.len()).collect();
        (cells.iter().min().copied(), cells.iter().sum::<usize>())
    };
    // The first of those that are equal.
    Delimiter::ALL.into_iter().rev().max_by_key(count).unwrap_or_default()
}
