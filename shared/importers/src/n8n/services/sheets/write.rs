//! Appends and updates rows.

use serde_json::{Map, Value, json};

use super::super::call::{Call, for_all_items};
use super::super::source::{Arg, Source};
use super::place::{Part, document, read_call};
use crate::lenient::{list, scalar_text};
use crate::translation::Translation;
use engine::nodes::OUT;

/// The columns of the row of an item, as an object; `$json` if the columns are the fields of the item.
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
        let fields = fields.iter().map(|(name, value)| (name.clone(), Arg::Parameter(value.clone()))).collect();
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
        Some((name, Arg::Parameter(value.clone())))
    });
    let mut fields: Vec<_> = fields.collect();
    if let (Some(column), Some(value)) = (key_column(source), source.find("valueToMatchOn")) {
        fields.push((column, Arg::Parameter(value.clone())));
    }
    Some(match fields.is_empty() {
        // Nobody has chosen the columns of this node.
        true => "$json".to_owned(),
        false => Arg::Object(fields).script(source.js),
    })
}

/// The column by which older versions find the row.
fn key_column(source: &Source) -> Option<String> {
    let column = source.find_any(&["columnToMatchOn", "key"]).map(scalar_text);
    column.or_else(|| (source.version < 3.0).then(|| "id".to_owned()))
}

/// The option of the library with the spreadsheet, if it is computed for each item.
fn document_option(source: &Source) -> Option<String> {
    let document = document(source);
    document.value().is_none().then(|| format!("document: {}", document.script(source.js)))
}

fn options(entries: Vec<String>) -> String {
    if entries.is_empty() { String::new() } else { format!(", {{ {} }}", entries.join(", ")) }
}

/// The spreadsheet, for the node that follows the one that computed it.
fn second_document(source: &Source) -> Arg {
    match document(source) {
        document if document.value().is_some() => document,
        _ => Arg::Script("$json.document".to_owned()),
    }
}

/// How Google Sheets reads the values that are written into cells.
fn input_option<'s>(source: &Source<'s>) -> &'s str {
    let given = ["options.cellFormat", "options.valueInputMode"].map(|path| source.text(path));
    let given = given.into_iter().find(|mode| matches!(*mode, "RAW" | "USER_ENTERED"));
    given.unwrap_or(if source.version < 4.1 { "RAW" } else { "USER_ENTERED" })
}

/// A node that reads the sheet, and computes what is written.
fn reader(source: &Source, part: Part, result: &str) -> Option<Translation> {
    let mut call = read_call(source, part, None)?;
    if source.version >= 3.0 {
        // The text of a cell is compared.
        call.set(source, "valueRenderOption", Arg::text("FORMATTED_VALUE"));
    }
    let reconnects = call.reconnects();
    let mut config = call.config(result)?;
    config["itemMode"]["run"] = "all".into();
    Some(Translation::new("http", config.into()).with_reconnects(reconnects))
}

pub fn append(source: &Source) -> Option<Translation> {
    let columns = columns(source)?;
    let mut entries: Vec<String> = document_option(source).into_iter().collect();
    if source.version < 3.0 {
        entries.push("texts: true".to_owned());
    }
    if columns != "$json" && source.version >= 4.4 {
        entries.push("isStrict: true".to_owned());
    }
    let result = format!("n8n.sheetAppend(output.body, () => ({columns}){})", options(entries));
    let translation = reader(source, Part::Header, &result)?.before("header", "http", append_config(source)?.into());
    let note = (columns == "$json").then_some("fields without a column in the sheet are not written");
    Some(translation.with_notes(note))
}

/// The node that appends the rows of its items.
fn append_config(source: &Source) -> Option<Map<String, Value>> {
    let mut call = Call::new("google-sheets/append-rows")?;
    call.set(source, "spreadsheetId", second_document(source));
    call.set(source, "range", Arg::Script("$json.sheet".to_owned()));
    call.set(source, "values", Arg::Script("$input.all().flatMap((item) => item.json.lines)".to_owned()));
    call.set(source, "valueInputOption", Arg::text(input_option(source)));
    call.set(source, "insertDataOption", Arg::text("INSERT_ROWS"));
    let mut config = call.config("n8n.sheetWritten()")?;
    config["itemMode"]["run"] = "all".into();
    Some(config)
}

/// The node that writes the cells of its items.
fn update_config(source: &Source) -> Option<Map<String, Value>> {
    let mut call = Call::new("google-sheets/update-ranges")?;
    call.set(source, "spreadsheetId", second_document(source));
    call.set(source, "data", Arg::Script("$input.all().flatMap((item) => item.json.data)".to_owned()));
    call.set(source, "valueInputOption", Arg::text(input_option(source)));
    let mut config = call.config("n8n.sheetWritten()")?;
    config["itemMode"]["run"] = "all".into();
    Some(config)
}

pub fn update(source: &Source, appends: bool) -> Option<Translation> {
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
        let missing = "no column identifies the row that it updates: choose one, which n8n needs, too";
        return Some(if appends { append(source)?.with_notes([note]) } else { Translation::unsupported(missing) });
    }
    // Only the first column is compared, as in n8n.
    matching.truncate(1);
    let mut entries: Vec<String> = document_option(source).into_iter().collect();
    if columns != "$json" && source.version >= 4.0 {
        entries.push("fills: true".to_owned());
    }
    if appends {
        entries.push("appends: true".to_owned());
    }
    let matching = Value::from(matching);
    let result = format!("n8n.sheetUpdate(output.body, () => ({columns}), {matching}{})", options(entries));
    let mut translation = reader(source, Part::All, &result)?;
    if !appends {
        return Some(translation.before("rows", "http", update_config(source)?.into()));
    }
    translation.steps[0].suffix = "rows";
    let decide = json!({"javascript": "return n8n.sheetChanges();", "outputs": ["update", "append"], "itemMode": {"run": "all"}});
    let mut translation = translation.then("changes", "code", decide);
    let decided = translation.steps.len() - 1;
    let update = translation.add_step("update", "http", update_config(source)?);
    let append = translation.add_step("append", "http", append_config(source)?);
    let gathered = translation.add_step("", "code", for_all_items("return n8n.sheetGathered();"));
    translation.wires.extend([
        (decided, "update".to_owned(), update),
        (decided, "append".to_owned(), append),
        (update, OUT.to_owned(), gathered),
        (append, OUT.to_owned(), gathered),
    ]);
    Some(translation.with_exits([("0", gathered, OUT)]))
}
