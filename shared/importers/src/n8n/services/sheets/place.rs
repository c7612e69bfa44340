//! Finds the spreadsheet, the sheet and its cells.

use serde_json::Value;

use super::super::call::Call;
use super::super::source::{Arg, Source, id_in_url, located};
use crate::lenient::{scalar_text, text};
use crate::script::quote;

/// The part of a sheet that is read.
pub enum Part {
    Header,
    All,
}

/// Where a sheet is: its title, or its number.
pub enum Sheet {
    Title(Arg),
    Number(Arg),
    /// A range of the first versions, such as `Sheet1!A:C`.
    Range(Arg),
}

/// The id of the spreadsheet. A locator may have its URL.
pub fn document(source: &Source) -> Arg {
    let raw = if source.raw("documentId").is_null() { source.raw("sheetId") } else { source.raw("documentId") };
    let value = located(raw);
    if !scalar_text(value).starts_with('=') {
        return Arg::text(id_in_url(&scalar_text(value)));
    }
    match text(&raw["mode"]) {
        "url" => Arg::Script(format!("n8n.idInUrl({})", (source.js)(value))),
        _ => Arg::Parameter(value.clone()),
    }
}

pub fn sheet(source: &Source) -> Sheet {
    if source.version < 3.0 {
        return Sheet::Range(source.argument_or("range", "A:F"));
    }
    let raw = source.raw("sheetName");
    let title = text(&raw["cachedResultName"]);
    match text(&raw["mode"]) {
        "list" if !title.is_empty() => Sheet::Title(Arg::text(title)),
        "list" | "id" | "url" if is_number(located(raw)) => Sheet::Number(number_of(source, located(raw))),
        _ => Sheet::Title(Arg::Parameter(located(raw).clone())),
    }
}

/// Whether a text is the number of a sheet, such as `gid=0`, or an expression for one.
fn is_number(value: &Value) -> bool {
    let text = scalar_text(value);
    let number = text.rsplit("gid=").next().unwrap_or_default();
    text.starts_with('=') || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn number_of(source: &Source, value: &Value) -> Arg {
    let text = scalar_text(value);
    match text.rsplit("gid=").next().unwrap_or_default().parse::<u64>() {
        Ok(number) if !text.starts_with('=') => Arg::Parameter(number.into()),
        _ => Arg::Script(format!("n8n.sheetNumber({})", (source.js)(value))),
    }
}

pub fn sheet_number(source: &Source) -> Option<Arg> {
    let value = located(source.raw("sheetName"));
    let value = if value.is_null() && source.version < 3.0 { source.get("id") } else { value };
    is_number(value).then(|| number_of(source, value))
}

/// A range of a sheet.
pub fn range(source: &Source, title: &Arg, cells: &str) -> Arg {
    match title.value() {
        Some(title) => {
            let quoted = format!("'{}'", scalar_text(&title).replace('\'', "''"));
            Arg::text(if cells.is_empty() { quoted } else { format!("{quoted}!{cells}") })
        }
        None => Arg::Script(format!("n8n.sheetRange({}, {})", title.script(source.js), quote(cells))),
    }
}

/// The request that reads a sheet.
pub fn read_call(source: &Source, part: Part, cells: Option<&Value>) -> Option<Call> {
    let mut call;
    match sheet(source) {
        Sheet::Number(number) if cells.is_none() => {
            call = Call::new("google-sheets/read-sheet")?;
            call.set(source, "sheetId", number);
            if let Part::Header = part {
                call.set(source, "endRowIndex", Arg::Parameter(1.into()));
            }
        }
        sheet => {
            call = Call::new("google-sheets/read-rows")?;
            let range = match (sheet, cells) {
                (Sheet::Range(range) | Sheet::Number(range), None) => range,
                (Sheet::Title(title), None) => range(source, &title, if let Part::Header = part { "1:1" } else { "" }),
                (Sheet::Title(title), Some(cells)) => {
                    let cells = (source.js)(cells);
                    Arg::Script(format!("n8n.sheetRange({}, {cells})", title.script(source.js)))
                }
                (Sheet::Range(_) | Sheet::Number(_), Some(_)) => return None,
            };
            call.set(source, "range", range);
        }
    }
    call.set(source, "spreadsheetId", document(source));
    Some(call)
}
