//! Google Sheets. The columns of a row are found by their names in the first row of the sheet, so that a node that writes reads
//! this row first.

mod place;
mod read;
mod write;

use serde_json::Value;

use super::call::Call;
use super::poll::Poll;
use super::source::{Arg, Source, names};
use crate::lenient::{list, number, scalar_text, whole_number};
use crate::translation::Translation;
use place::{Sheet, document, range, sheet, sheet_number};
use read::read;
use write::{append, update};

pub fn translate(source: &Source) -> Option<Translation> {
    if source.resource("sheet") == "spreadsheet" {
        return match source.operation("create") {
            "create" => create_spreadsheet(source),
            _ => None,
        };
    }
    match source.operation("read") {
        "read" | "getAll" | "getMany" | "lookup" => read(source),
        "append" | "appendRow" => append(source),
        "update" => update(source, false),
        "appendOrUpdate" | "upsert" => update(source, true),
        "clear" => clear(source),
        "create" => {
            let mut call = Call::new("google-sheets/add-sheet")?;
            call.set(source, "spreadsheetId", document(source));
            call.set(source, "title", source.argument_or("title", "n8n-sheet"));
            let document = document(source).script(source.js);
            call.node(&format!("({{ spreadsheetId: {document}, ...output.body.replies[0].addSheet.properties }})"))
        }
        "delete" => delete(source),
        "remove" => {
            let mut call = Call::new("google-sheets/delete-sheet")?;
            call.set(source, "spreadsheetId", document(source));
            call.set(source, "sheetId", sheet_number(source)?);
            call.node("({ spreadsheetId: output.body.spreadsheetId })")
        }
        _ => None,
    }
}

/// A trigger. Rows are added at the end, so a new number is a new row.
pub fn poll(source: &Source) -> Option<Poll> {
    // Its parameters are those of a new version.
    let source = &Source { version: 4.5, ..*source };
    let watched = names(source.get("options.columnsToWatch"));
    let (key, note) = match (source.text("event"), &watched[..]) {
        ("rowAdded", _) => ("$json.row_number".to_owned(), None),
        (event, watched) => {
            let content = match watched {
                [] => "$json".to_owned(),
                watched => format!("n8n.only($json, {})", Value::from(watched)),
            };
            let note = (event == "rowUpdate").then_some("rows that are added start it, too");
            (format!("[$json.row_number, {content}]"), note)
        }
    };
    let notes = ["only the last 999 rows of the sheet are compared"].into_iter().chain(note);
    Some(Poll::new(read(source)?.with_notes(notes), key))
}

fn clear(source: &Source) -> Option<Translation> {
    let cells = match source.text("clear") {
        "specificRange" => scalar_text(source.get("range")),
        "specificRows" => {
            let first = whole_number(source.get("startIndex")).unwrap_or(1);
            format!("{first}:{}", first + whole_number(source.get("rowsToDelete")).unwrap_or(1) - 1)
        }
        "specificColumns" => return None,
        _ if source.is_true("keepFirstRow") => "A2:ZZZ".to_owned(),
        _ => String::new(),
    };
    let range = match sheet(source) {
        Sheet::Title(title) if !cells.starts_with('=') => range(source, &title, &cells),
        Sheet::Range(range) => range,
        _ => return None,
    };
    let mut call = Call::new("google-sheets/clear-range")?;
    call.set(source, "spreadsheetId", document(source));
    call.set(source, "range", range);
    call.node("$json")
}

/// Deletes rows or columns. The number of the first row counts from 1.
fn delete(source: &Source) -> Option<Translation> {
    let is_columns = source.text("toDelete") == "columns";
    if is_columns || source.version < 3.0 {
        return None;
    }
    let mut call = Call::new("google-sheets/delete-rows")?;
    call.set(source, "spreadsheetId", document(source));
    call.set(source, "sheetId", sheet_number(source)?);
    let (start, count) = (source.js_or("startIndex", "2"), source.js_or("numberToDelete", "1"));
    match (number(source.get("startIndex")), number(source.get("numberToDelete"))) {
        (start, count) if source.text("startIndex").is_empty() && source.text("numberToDelete").is_empty() => {
            let first = start.unwrap_or(2.0).max(1.0) as u64 - 1;
            call.set(source, "startIndex", Arg::Parameter(first.into()));
            call.set(source, "endIndex", Arg::Parameter((first + count.unwrap_or(1.0).max(1.0) as u64).into()));
        }
        _ => {
            call.set(source, "startIndex", Arg::Script(format!("Number({start}) - 1")));
            call.set(source, "endIndex", Arg::Script(format!("Number({start}) - 1 + Number({count})")));
        }
    }
    call.node("({ success: true })")
}

fn create_spreadsheet(source: &Source) -> Option<Translation> {
    let mut call = Call::new("google-sheets/create-spreadsheet")?;
    call.set(source, "title", source.argument_or("title", "n8n-spreadsheet"));
    let has_sheets = !list(source.get("sheetsUi.sheetValues")).is_empty();
    Some(
        call.node("output.body")?
            .with_notes(has_sheets.then_some("its sheets are not imported: add them with other nodes")),
    )
}
