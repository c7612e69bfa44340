//! Writes CSV as RFC 4180 says: quotes where they are needed, and `\r\n` at the end of a row.

use std::borrow::Cow;

use csv::{Terminator, Writer, WriterBuilder};
use domain::run::StepError;
use engine::nodes::read_file::Delimiter;

use super::grid::{Cell, Grid};
use super::invalid;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Clone, Copy)]
pub struct Options {
    pub delimiter: Delimiter,
    pub escape_formulas: bool,
    pub byte_order_mark: bool,
}

pub fn write(grid: &Grid<'_>, options: Options) -> Result<Vec<u8>, StepError> {
    let start = if options.byte_order_mark { BYTE_ORDER_MARK.to_vec() } else { Vec::new() };
    let mut writer = WriterBuilder::new()
        .delimiter(options.delimiter.byte())
        .terminator(Terminator::CRLF)
        .flexible(true)
        .from_writer(start);
    let escape = |text: Cow<'_, str>| match text {
        text if options.escape_formulas && is_formula(&text) => format!("'{text}"),
        text => text.into_owned(),
    };
    if let Some(header) = &grid.header {
        write_row(&mut writer, header.iter().map(|name| escape(Cow::Borrowed(*name))))?;
    }
    for row in &grid.rows {
        write_row(&mut writer, row.iter().map(|cell| escape(to_text(cell))))?;
    }
    writer.into_inner().map_err(|_| unwritable())
}

fn write_row(writer: &mut Writer<Vec<u8>>, cells: impl Iterator<Item = String>) -> Result<(), StepError> {
    writer.write_record(cells).map_err(|_| unwritable())
}

fn unwritable() -> StepError {
    invalid("data", "cannot be written as CSV")
}

fn to_text<'a>(cell: &'a Cell<'_>) -> Cow<'a, str> {
    match cell {
        Cell::Empty => "".into(),
        Cell::Bool(value) => value.to_string().into(),
        Cell::Number(number) => number.to_string().into(),
        Cell::Text(text) => text.as_ref().into(),
    }
}

/// Whether a spreadsheet would take a cell for a formula. A number such as `-5` is none.
fn is_formula(text: &str) -> bool {
    const STARTS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    text.starts_with(STARTS) && text.trim().parse::<f64>().is_err()
}
