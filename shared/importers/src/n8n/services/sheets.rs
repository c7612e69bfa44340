//! Google Sheets. The columns of a row are found by their names in the first row of the sheet, so that a node that writes reads
//! this row first.

use serde_json::{Value, json};

use super::call::Call;
use super::source::{Arg, Source, located, quote};
use crate::lenient::{is_empty, list, number, scalar_text, text, whole_number};
use crate::translation::Translation;

/// The part of a sheet that is read.
enum Part {
    Header,
    All,
}

/// Where a sheet is: its title, or its number.
enum Sheet {
    Title(Arg),
    Number(Arg),
    /// A range of the first versions, such as `Sheet1!A:C`.
    Range(Arg),
}

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
            call.set(source, "title", source.find("title").map_or_else(|| Arg::text("n8n-sheet"), parameter));
            call.node("output.body.replies[0].addSheet.properties")
        }
        "delete" => delete(source),
        "remove" => {
            let mut call = Call::new("google-sheets/delete-sheet")?;
            call.set(source, "spreadsheetId", document(source));
            call.set(source, "sheetId", sheet_number(source)?);
            call.node("({ success: true })")
        }
        _ => None,
    }
}

fn parameter(value: &Value) -> Arg {
    Arg::Parameter(value.clone())
}

/// The id of the spreadsheet. A locator may have its URL.
fn document(source: &Source) -> Arg {
    let raw = if source.raw("documentId").is_null() { source.raw("sheetId") } else { source.raw("documentId") };
    let value = located(raw);
    if !scalar_text(value).starts_with('=') {
        return Arg::text(id_in_url(&scalar_text(value)));
    }
    match text(&raw["mode"]) {
        "url" => Arg::Script(format!("n8n.idInUrl({})", (source.js)(value))),
        _ => parameter(value),
    }
}

/// The id in the URL of a file, or the text itself.
pub fn id_in_url(text: &str) -> String {
    let id = ["/d/", "/folders/", "?id="].iter().find_map(|before| text.split_once(before));
    let id = id.map_or(text, |(_, id)| id.split(['/', '?', '#', '&']).next().unwrap_or_default());
    id.to_owned()
}

fn sheet(source: &Source) -> Sheet {
    if source.version < 3.0 {
        return Sheet::Range(source.find("range").map_or_else(|| Arg::text("A:F"), parameter));
    }
    let raw = source.raw("sheetName");
    let title = text(&raw["cachedResultName"]);
    match text(&raw["mode"]) {
        "list" if !title.is_empty() => Sheet::Title(Arg::text(title)),
        "list" | "id" | "url" if is_number(located(raw)) => Sheet::Number(number_of(source, located(raw))),
        _ => Sheet::Title(parameter(located(raw))),
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

fn sheet_number(source: &Source) -> Option<Arg> {
    let value = located(source.raw("sheetName"));
    let value = if value.is_null() && source.version < 3.0 { source.get("id") } else { value };
    is_number(value).then(|| number_of(source, value))
}

/// A range of a sheet.
fn range(source: &Source, title: &Arg, cells: &str) -> Arg {
    match title.value() {
        Some(title) => {
            let quoted = format!("'{}'", scalar_text(&title).replace('\'', "''"));
            Arg::text(if cells.is_empty() { quoted } else { format!("{quoted}!{cells}") })
        }
        None => Arg::Script(format!("n8n.sheetRange({}, {})", title.script(source.js), quote(cells))),
    }
}

/// The request that reads a sheet.
fn read_call(source: &Source, part: Part, cells: Option<&Value>) -> Option<Call> {
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

fn read(source: &Source) -> Option<Translation> {
    let location = &source.get("options.dataLocationOnSheet.values");
    let by_range = matches!(text(&location["rangeDefinition"]), "specifyRangeA1").then(|| &location["range"]);
    let mut call = read_call(source, Part::All, by_range.filter(|range| !is_empty(range)))?;
    let format = source.get("options.outputFormatting.values");
    let given = [&format["general"], source.get("options.valueRenderMode")].map(text);
    let render = given.into_iter().find(|mode| !mode.is_empty()).unwrap_or("UNFORMATTED_VALUE");
    call.set(source, "valueRenderOption", Arg::text(render));
    let given = [&format["date"], source.get("options.dateTimeRenderOption")].map(text);
    let date = given.into_iter().find(|mode| !mode.is_empty());
    if let Some(date) = date.or((source.version >= 3.0).then_some("FORMATTED_STRING")) {
        call.set(source, "dateTimeRenderOption", Arg::text(date));
    }
    let mut options = Vec::new();
    if text(&location["rangeDefinition"]) == "specifyRange" {
        for (name, of) in [("header", "headerRow"), ("first", "firstDataRow")] {
            if let Some(row) = whole_number(&location[of]) {
                options.push(format!("{name}: {row}"));
            }
        }
    }
    if source.version < 3.0 {
        let rows = [("keyRow", "header"), ("dataStartRow", "first")];
        for (path, name) in rows {
            if let Some(row) = whole_number(source.get(&format!("options.{path}"))) {
                options.push(format!("{name}: {}", row + 1));
            }
        }
        options.push("numbers: false".to_owned());
        if source.is_true("rawData") {
            options.push("raw: true".to_owned());
        }
    }
    let filters = filters(source);
    if !filters.is_empty() {
        options.push(format!("filters: [{}]", filters.join(", ")));
        let returns_all = match source.version {
            version if version < 4.5 => {
                matches!(source.text("options.returnAllMatches"), "returnAllMatches")
                    || source.is_true("options.returnAllMatches")
            }
            _ => !source.is_true("options.returnFirstMatch"),
        };
        if !returns_all {
            options.push("one: true".to_owned());
        }
        if source.text("combineFilters") == "OR" {
            options.push("any: true".to_owned());
        }
    }
    let result = match options.is_empty() {
        true => "n8n.sheetRows(output.body)".to_owned(),
        false => format!("n8n.sheetRows(output.body, {{ {} }})", options.join(", ")),
    };
    let mut translation = call.node(&result)?;
    // Only newer versions read once for each item.
    if source.version <= 4.1 {
        translation.steps[0].config["itemMode"]["run"] = "first".into();
    }
    Some(translation)
}

fn filters(source: &Source) -> Vec<String> {
    if source.operation("read") == "lookup" {
        return vec![format!("[{}, {}]", source.js("lookupColumn"), source.js("lookupValue"))];
    }
    let filters = list(source.get("filtersUI.values")).iter();
    let filters = filters.filter(|filter| !is_empty(&filter["lookupColumn"]));
    filters
        .map(|filter| format!("[{}, {}]", (source.js)(&filter["lookupColumn"]), (source.js)(&filter["lookupValue"])))
        .collect()
}

/// The columns of the row of an item, as an object; `$json` if all of its fields are meant.
fn columns(source: &Source) -> Option<String> {
    let mode = ["columns.mappingMode", "dataMode"].map(|path| source.text(path));
    if source.version < 3.0 || mode.contains(&"autoMapInputData") {
        return Some("$json".to_owned());
    }
    if mode.contains(&"nothing") {
        return None;
    }
    let value = source.raw("columns.value");
    if let Some(fields) = value.as_object() {
        let fields = fields.iter().map(|(name, value)| (name.clone(), parameter(value))).collect();
        return Some(Arg::Object(fields).script(source.js));
    }
    if scalar_text(value).starts_with('=') {
        return Some((source.js)(value));
    }
    let lists = ["fieldsUi.values", "fieldsUi.fieldValues", "columns.mappings", "valuesToSend.values"];
    let fields = lists.iter().flat_map(|path| list(source.get(path))).filter_map(|field| {
        let name = ["column", "fieldId"].map(|name| scalar_text(&field[name]));
        let name = name.into_iter().find(|name| !name.is_empty())?;
        let value = ["fieldValue", "value"].map(|name| &field[name]).into_iter().find(|value| !value.is_null())?;
        Some((name, parameter(value)))
    });
    let mut fields: Vec<_> = fields.collect();
    if let (Some(column), Some(value)) = (key_column(source), source.find("valueToMatchOn")) {
        fields.push((column, parameter(value)));
    }
    Some(match fields.is_empty() {
        // A node that was not set up.
        true => "$json".to_owned(),
        false => Arg::Object(fields).script(source.js),
    })
}

/// The column by which older versions find the row.
fn key_column(source: &Source) -> Option<String> {
    let column = source.find_any(&["columnToMatchOn", "key"]).map(scalar_text);
    column.or_else(|| (source.version < 3.0).then(|| "id".to_owned()))
}

/// The options of the library for a node that writes: the spreadsheet, if it must be computed for the item.
fn document_option(source: &Source) -> Option<String> {
    let document = document(source);
    document.value().is_none().then(|| format!("document: {}", document.script(source.js)))
}

fn options(entries: Vec<String>) -> String {
    if entries.is_empty() { String::new() } else { format!(", {{ {} }}", entries.join(", ")) }
}

/// The spreadsheet, in a node behind the one that computed it.
fn second_document(source: &Source) -> Arg {
    match document(source) {
        document if document.value().is_some() => document,
        _ => Arg::Script("$json.document".to_owned()),
    }
}

/// How the cells are read that are written.
fn input_option<'s>(source: &Source<'s>) -> &'s str {
    let given = ["options.cellFormat", "options.valueInputMode"].map(|path| source.text(path));
    let given = given.into_iter().find(|mode| matches!(*mode, "RAW" | "USER_ENTERED"));
    given.unwrap_or(if source.version < 3.0 { "RAW" } else { "USER_ENTERED" })
}

/// A node that reads the sheet, and computes what is written.
fn reader(source: &Source, part: Part, result: &str) -> Option<Translation> {
    let mut call = read_call(source, part, None)?;
    if source.version >= 3.0 {
        call.set(source, "valueRenderOption", Arg::text("UNFORMATTED_VALUE"));
    }
    let reconnects = call.reconnects();
    let mut config = call.config(result)?;
    config["itemMode"]["run"] = "all".into();
    Some(Translation::new("http", config.into()).with_reconnects(reconnects))
}

fn append(source: &Source) -> Option<Translation> {
    let columns = columns(source)?;
    let mut entries: Vec<String> = document_option(source).into_iter().collect();
    if columns != "$json" && source.version >= 4.4 {
        entries.push("isStrict: true".to_owned());
    }
    let result = format!("n8n.sheetAppend(output.body, () => ({columns}){})", options(entries));
    let mut translation = reader(source, Part::Header, &result)?;
    let values = "$input.all().flatMap((item) => item.json.lines)";
    translation.steps[0].suffix = "header";
    let config = append_config(source, values)?;
    let mut translation = translation.then("", "http", config);
    if columns == "$json" {
        translation = translation.with_notes(["fields without a column in the sheet are not written"]);
    }
    Some(translation)
}

/// The node that appends the rows of its items.
fn append_config(source: &Source, values: &str) -> Option<Value> {
    let mut call = Call::new("google-sheets/append-rows")?;
    call.set(source, "spreadsheetId", second_document(source));
    call.set(source, "range", Arg::Script("$json.sheet".to_owned()));
    call.set(source, "values", Arg::Script(values.to_owned()));
    call.set(source, "valueInputOption", Arg::text(input_option(source)));
    call.set(source, "insertDataOption", Arg::text("INSERT_ROWS"));
    let mut config = call.config("$input.all().map((item) => item.json.row)")?;
    config["itemMode"]["run"] = "all".into();
    Some(config.into())
}

/// The node that writes the cells of its items.
fn update_config(source: &Source) -> Option<Value> {
    let mut call = Call::new("google-sheets/update-ranges")?;
    call.set(source, "spreadsheetId", second_document(source));
    call.set(source, "data", Arg::Script("$input.all().flatMap((item) => item.json.data)".to_owned()));
    call.set(source, "valueInputOption", Arg::text(input_option(source)));
    let mut config = call.config("$input.all().map((item) => item.json.row)")?;
    config["itemMode"]["run"] = "all".into();
    Some(config.into())
}

fn update(source: &Source, appends: bool) -> Option<Translation> {
    let columns = columns(source)?;
    let matching = list(source.get("columns.matchingColumns")).iter().map(scalar_text);
    let mut matching: Vec<String> = matching.filter(|name| !name.is_empty()).collect();
    if matching.is_empty() {
        matching.extend(key_column(source));
    }
    if matching.is_empty() && source.raw("columns.value").get("row_number").is_some() {
        matching.push("row_number".to_owned());
    }
    if matching.is_empty() {
        let note = "no column identifies a row: each item is appended";
        return if appends { Some(append(source)?.with_notes([note])) } else { None };
    }
    let mut entries: Vec<String> = document_option(source).into_iter().collect();
    if appends {
        entries.push("appends: true".to_owned());
    }
    let matching = Value::from(matching);
    let result = format!("n8n.sheetUpdate(output.body, () => ({columns}), {matching}{})", options(entries));
    let mut translation = reader(source, Part::All, &result)?;
    translation.steps[0].suffix = "rows";
    if !appends {
        return Some(translation.then("", "http", update_config(source)?));
    }
    let decide = json!({"javascript": "return n8n.sheetChanges();", "outputs": ["update", "append"], "itemMode": {"run": "all"}});
    let gather = json!({"javascript": "return $input.all();", "itemMode": {"run": "all"}});
    let mut translation = translation.then("changes", "code", decide);
    let values = "$input.all().flatMap((item) => item.json.lines)";
    for (port, suffix, config) in
        [("update", "update", update_config(source)?), ("append", "append", append_config(source, values)?)]
    {
        let step = translation.steps.len();
        let next = Translation::new("http", config);
        translation.steps.extend(next.steps.into_iter().map(|of| crate::translation::TranslatedStep { suffix, ..of }));
        translation.wires.push((1, port.to_owned(), step));
    }
    let last = translation.steps.len();
    let next = Translation::new("code", gather);
    translation.steps.extend(next.steps);
    translation.wires.extend([(last - 2, "out".to_owned(), last), (last - 1, "out".to_owned(), last)]);
    Some(translation.with_exits([("0", last, "out")]))
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
    call.set(source, "title", source.find("title").map_or_else(|| Arg::text("n8n-spreadsheet"), parameter));
    let has_sheets = !list(source.get("sheetsUi.sheetValues")).is_empty();
    Some(
        call.node("output.body")?
            .with_notes(has_sheets.then_some("its sheets are not imported: add them with other nodes")),
    )
}
