//! XLSX: the cells of a sheet, one after the other. The size that a sheet claims to have is not believed.

use std::io::Cursor;
use std::ops::ControlFlow;

use calamine::{DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx, XlsxError, open_workbook_from_rs};
use domain::number::exact_integer;
use domain::run::StepError;
use serde_json::Value;

use crate::problems::{encrypted, invalid, too_large, unsuitable};
use crate::table::{MAX_COLUMNS, Selection, Table};

/// The beginning of files in the format of older Office programs, which also contain the encrypted ones.
const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0";
/// The UTF-16 name of the stream in which a compound file has an encrypted workbook.
const ENCRYPTED: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";

pub fn read(bytes: Vec<u8>, sheet: Option<&str>, selection: Selection) -> Result<Value, StepError> {
    if bytes.starts_with(COMPOUND) {
        let is_encrypted = bytes.windows(ENCRYPTED.len()).any(|window| window == ENCRYPTED);
        return Err(if is_encrypted { encrypted() } else { invalid("is in an older format; save it as XLSX") });
    }
    let mut book: Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes)).map_err(|error| explain(&error))?;
    let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let sheets: Vec<_> = sheets.map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible)).collect();
    let names: Vec<String> = sheets.iter().map(|(name, _)| name.clone()).collect();
    let sheet = match sheet.map(str::trim).filter(|name| !name.is_empty()) {
        Some(wanted) => names.iter().find(|name| name.trim() == wanted).ok_or_else(|| no_such_sheet(names.len()))?,
        None => {
            let visible = sheets.iter().find(|(_, is_visible)| *is_visible).or(sheets.first());
            visible.map(|(name, _)| name).ok_or_else(|| invalid("has no sheet with cells"))?
        }
    };
    let mut fields = read_sheet(&mut book, sheet, selection)?.into_fields();
    fields.insert("sheet".to_owned(), sheet.as_str().into());
    fields.insert("sheets".to_owned(), names.into());
    Ok(fields.into())
}

fn read_sheet(book: &mut Xlsx<Cursor<Vec<u8>>>, sheet: &str, selection: Selection) -> Result<Table, StepError> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(|error| explain(&error))?;
    let mut table = Table::new(selection);
    let (mut row, mut cells) = (0, Vec::new());
    while let Some(cell) = reader.next_cell().map_err(|error| explain(&error))? {
        let (at, column) = cell.get_position();
        if at < row || column as usize >= MAX_COLUMNS {
            return Err(damaged());
        }
        if at > row {
            if table.push(u64::from(row) + 1, std::mem::take(&mut cells))? == ControlFlow::Break(()) {
                return Ok(table);
            }
            row = at;
        }
        let value = to_json(cell.get_value());
        if !value.is_null() {
            let column = column as usize;
            if cells.len() <= column {
                cells.resize(column + 1, Value::Null);
            }
            cells[column] = value;
        }
    }
    // Whether it was the last one that is needed does not matter any more.
    let _ = table.push(u64::from(row) + 1, cells)?;
    Ok(table)
}

fn to_json(cell: &DataRef<'_>) -> Value {
    match cell {
        DataRef::Empty => Value::Null,
        DataRef::Int(number) => (*number).into(),
        DataRef::Float(number) => to_number(*number),
        DataRef::String(text) => text.as_str().into(),
        DataRef::SharedString(text) => (*text).into(),
        DataRef::Bool(value) => (*value).into(),
        DataRef::DateTime(time) if time.is_duration() => duration(time.as_f64()).into(),
        DataRef::DateTime(time) => date(time).into(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.as_str().into(),
        DataRef::Error(error) => error.to_string().into(),
    }
}

/// Spreadsheets have one kind of number. A whole one is an integer in JSON.
fn to_number(number: f64) -> Value {
    exact_integer(number).map_or_else(|| number.into(), Value::from)
}

/// ISO 8601: a date, a date with a time, or a time. A spreadsheet knows no time zone.
fn date(time: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
    let fraction = if milli == 0 { String::new() } else { format!(".{milli:03}") };
    let (date, clock) =
        (format!("{year:04}-{month:02}-{day:02}"), format!("{hour:02}:{minute:02}:{second:02}{fraction}"));
    match time.as_f64() {
        days if days < 1.0 => clock,
        _ if (hour, minute, second, milli) == (0, 0, 0, 0) => date,
        _ => format!("{date}T{clock}"),
    }
}

/// Hours, minutes and seconds, as a spreadsheet shows them: `36:00:00`.
fn duration(days: f64) -> String {
    let seconds = (days * 86_400.0).round();
    // A cast of a number that is too large gives the largest one.
    let (sign, seconds) = (if seconds < 0.0 { "-" } else { "" }, seconds.abs() as u64);
    format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn no_such_sheet(count: usize) -> StepError {
    unsuitable("format.sheet", &format!("the file has no sheet with this name, but {count} others"))
}

fn damaged() -> StepError {
    invalid("is not a valid XLSX file; open and save it in a spreadsheet, then send it again")
}

fn explain(error: &XlsxError) -> StepError {
    match error {
        XlsxError::Password => encrypted(),
        XlsxError::RowNumberOverflow | XlsxError::ColumnNumberOverflow => {
            too_large("it has more rows or columns than a spreadsheet may have")
        }
        _ => damaged(),
    }
}
