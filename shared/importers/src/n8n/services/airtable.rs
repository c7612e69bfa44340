//! Records of Airtable.

use serde_json::{Map, Value, json};

use super::call::Call;
use super::poll::{MAX_POLLED, Poll};
use super::source::{Arg, Source, is_static, located, names, text_field};
use crate::lenient::{is_empty, list, scalar_text, text, whole_number};
use crate::script::quote;
use crate::translation::Translation;

/// What version 2 gives of a record that it reads: the fields beside the id.
const READ: &str = "n8n.airtableRecord(output.body)";
/// What all versions give of a record that they write: the fields in `fields`.
const WRITTEN: &str = "({ id: output.body.id, createdTime: output.body.createdTime, fields: output.body.fields })";

pub fn translate(source: &Source) -> Option<Translation> {
    let is_old = source.version < 2.0;
    if source.resource("record") == "base" {
        return match source.operation("getMany") {
            "getSchema" => {
                let mut call = Call::new("airtable/get-schema")?;
                call.set(source, "baseId", id(source, "base", "app"));
                call.node("output.body.tables")
            }
            "getMany" | "getAll" => bases(source),
            _ => None,
        };
    }
    match source.operation(if is_old { "read" } else { "get" }) {
        "search" | "list" | "getAllRecords" => search(source),
        "get" | "read" => {
            let mut call = call(source, "airtable/get-record")?;
            call.set_from(source, "recordId", "id");
            call.node(if is_old { WRITTEN } else { READ })
        }
        "create" | "append" if is_old => {
            let mut call = call(source, "airtable/create-records")?;
            let record = Arg::Object(vec![("fields".to_owned(), fields(source, &[])?)]);
            call.set(source, "records", Arg::List(vec![record]));
            call.set_from(source, "typecast", "options.typecast");
            call.node("output.body.records")
        }
        "create" | "append" => {
            let mut call = call(source, "airtable/create-record")?;
            call.set(source, "fields", fields(source, &[])?);
            typecast(source, &mut call);
            call.node(WRITTEN)
        }
        "update" => update(source),
        "upsert" => upsert(source),
        "deleteRecord" | "delete" => {
            let mut call = call(source, "airtable/delete-record")?;
            call.set_from(source, "recordId", "id");
            call.node("output.body")
        }
        _ => None,
    }
}

/// The id of a base or table, which begins with a mark. A locator may have its URL.
fn id(source: &Source, path: &str, mark: &str) -> Arg {
    let raw = source.raw(path);
    let value = located(raw);
    let written = scalar_text(value);
    match text(&raw["mode"]) {
        "url" if written.starts_with('=') => {
            Arg::Script(format!("String({}).match(/{mark}\\w{{14}}/)?.[0]", (source.js)(value)))
        }
        _ if written.starts_with("http") => {
            let id = written.split('/').find(|part| part.starts_with(mark)).unwrap_or_default();
            Arg::text(id.split('?').next().unwrap_or_default())
        }
        _ => Arg::Parameter(if value.is_null() { "".into() } else { value.clone() }),
    }
}

fn call(source: &Source, name: &str) -> Option<Call> {
    let mut call = Call::new(name)?;
    let base = if source.raw("base").is_null() { "application" } else { "base" };
    call.set(source, "baseId", id(source, base, "app"));
    let table = if source.raw("table").is_null() { "tableId" } else { "table" };
    call.set(source, "table", id(source, table, "tbl"));
    Some(call)
}

/// The bases of the account. n8n cuts the list before it leaves out those of other levels.
fn bases(source: &Source) -> Option<Translation> {
    let is_all = *source.get("returnAll") != false;
    let limit = if is_all { String::new() } else { format!(".slice(0, {})", source.js_or("limit", "100")) };
    let levels = source
        .find("options.permissionLevel")
        .map(|levels| format!(".filter(({{ permissionLevel }}) => {}.includes(permissionLevel))", (source.js)(levels)));
    Call::new("airtable/list-bases")?.node(&format!("output.body.bases{limit}{}", levels.unwrap_or_default()))
}

fn typecast(source: &Source, call: &mut Call) {
    let typecast = source.find("options.typecast").cloned().unwrap_or(false.into());
    call.set(source, "typecast", Arg::Parameter(typecast));
}

/// The fields of a record.
fn fields(source: &Source, without: &[String]) -> Option<Arg> {
    let mapping = source.text("columns.mappingMode");
    if let (Value::Object(fields), true) = (source.raw("columns.value"), mapping != "autoMapInputData") {
        let fields = fields.iter().filter(|(name, value)| *name != "id" && !without.contains(name) && !value.is_null());
        // Airtable itself converts if it casts.
        let fields = fields.map(|(name, value)| match source.is_true("options.typecast") {
            true => (name.clone(), Arg::Parameter(value.clone())),
            false => (name.clone(), source.column(name, value)),
        });
        return Some(Arg::Object(fields.collect()));
    }
    let lists =
        ["columnsUi.columns", "fieldsUi.fieldValues", "fields.values"].iter().flat_map(|path| list(source.get(path)));
    let given = lists.filter_map(|field| {
        let name = ["column", "fieldId", "fieldName"].map(|name| scalar_text(&field[name]));
        let value = ["value", "fieldValue"].map(|name| &field[name]).into_iter().find(|value| !value.is_null())?;
        Some((name.into_iter().find(|name| !name.is_empty())?, Arg::Parameter(value.clone())))
    });
    let given: Vec<_> = given.collect();
    if !given.is_empty() {
        return Some(Arg::Object(given));
    }
    let chosen = if *source.get("addAllFields") == false || *source.get("updateAllFields") == false {
        names(source.get("fields"))
    } else {
        Vec::new()
    };
    let mut left_out = vec!["id".to_owned(), "createdTime".to_owned()];
    let ignored = source.get("options.ignoreFields");
    let is_computed = text(ignored).starts_with('=');
    if !is_computed {
        left_out.extend(names(ignored));
    }
    left_out.extend_from_slice(without);
    Some(Arg::Script(match chosen.is_empty() {
        true if is_computed => {
            format!("n8n.without($json, [...{}, ...n8n.names({})])", Value::from(left_out), (source.js)(ignored))
        }
        true => format!("n8n.without($json, {})", Value::from(left_out)),
        false => format!("n8n.only($json, {})", Value::from(chosen)),
    }))
}

fn matching(source: &Source) -> Vec<String> {
    let names = names(source.get("columns.matchingColumns"));
    names.into_iter().chain(source.find("updateKey").map(scalar_text)).collect()
}

/// The value of a column of the row.
fn column(source: &Source, name: &str) -> Arg {
    match &source.raw("columns.value")[name] {
        Value::Null => Arg::Script(format!("$json[{}]", quote(name))),
        value => Arg::Parameter(value.clone()),
    }
}

fn update(source: &Source) -> Option<Translation> {
    let matching = matching(source);
    let is_by_id = matching.is_empty() || matching.iter().any(|name| name == "id");
    if is_by_id {
        let mut call = call(source, "airtable/update-record")?;
        let id = match source.find("id") {
            Some(id) => Arg::Parameter(id.clone()),
            None => column(source, "id"),
        };
        call.set(source, "recordId", id);
        call.set(source, "fields", fields(source, &[])?);
        typecast(source, &mut call);
        return call.node(WRITTEN);
    }
    // A first node finds the record.
    let mut list = call(source, "airtable/list-records")?;
    let columns: Vec<(String, Arg)> = matching.iter().map(|name| (name.clone(), column(source, name))).collect();
    let columns = Arg::Object(columns).script(source.js);
    list.set(source, "filterByFormula", Arg::Script(format!("n8n.airtableMatch({columns})")));
    let all = if source.is_true("options.updateAllMatches") { "" } else { ".slice(0, 1)" };
    let fields = fields(source, &matching)?.script(source.js);
    let found = format!("output.body.records{all}.map(({{ id }}) => ({{ id, fields: {fields} }}))");
    let translation = list.node(&found)?;
    // The items of the second node are the records that the first one found. A base or a table that is computed needs the
    // item of n8n.
    if ["base", "table"].iter().any(|path| !is_static(source.get(path))) {
        return None;
    }
    let mut change = call(source, "airtable/update-record")?;
    change.set(source, "recordId", Arg::Script("$json.id".to_owned()));
    change.set(source, "fields", Arg::Script("$json.fields".to_owned()));
    typecast(source, &mut change);
    Some(translation.before("record", "http", change.config(WRITTEN)?.into()))
}

fn upsert(source: &Source) -> Option<Translation> {
    let matching = matching(source);
    if matching.is_empty() || matching.iter().any(|name| name == "id") {
        // With the id of a record, it is changed.
        return update(source);
    }
    let mut call = call(source, "airtable/upsert-records")?;
    call.set(source, "mergeOn", Arg::Parameter(json!(matching)));
    let record = vec![("fields".to_owned(), fields(source, &[])?)];
    call.set(source, "records", Arg::List(vec![Arg::Object(record)]));
    typecast(source, &mut call);
    call.node("output.body.records")
}

fn search(source: &Source) -> Option<Translation> {
    let is_old = source.version < 2.0;
    let options = if is_old { "additionalOptions" } else { "options" };
    let option = |name: &str| source.find(&format!("{options}.{name}"));
    let mut call = call(source, "airtable/list-records")?;
    if let Some(formula) = source.find("filterByFormula").or_else(|| option("filterByFormula")) {
        call.set(source, "filterByFormula", Arg::Parameter(formula.clone()));
    }
    if let Some(view) = option("view") {
        let view = located(view);
        call.set(source, "view", Arg::Parameter(view.clone()));
    }
    let fields = option("fields");
    let sorts = list(source.get(if is_old { "additionalOptions.sort.property" } else { "sort.property" }));
    if let Some(sort) = sorts.first() {
        call.set(source, "sortField", Arg::Parameter(sort["field"].clone()));
        if text(&sort["direction"]) == "desc" {
            call.set(source, "sortDirection", Arg::text("desc"));
        }
    }
    // The operation of ours has one parameter for the order, and none for the fields.
    let mut more = Map::new();
    for (index, sort) in sorts.iter().enumerate().skip(1) {
        more.insert(format!("sort[{index}][field]"), text_field(source, &sort["field"]));
        let direction = if text(&sort["direction"]) == "desc" { "desc" } else { "asc" };
        more.insert(format!("sort[{index}][direction]"), direction.into());
    }
    for (index, field) in fields.and_then(Value::as_array).into_iter().flatten().enumerate() {
        more.insert(format!("fields[{index}]"), text_field(source, field));
    }
    let is_all = *source.get("returnAll") != false;
    let limit = source.get("limit");
    if is_all {
        call.set(source, "pageSize", Arg::Parameter(100.into()));
    } else {
        let limit = if is_empty(limit) { json!(100) } else { limit.clone() };
        call.set(source, "maxRecords", Arg::Parameter(limit));
    }
    let all = is_all || whole_number(limit).is_some_and(|limit| limit > 100);
    let record = match fields {
        Some(fields) if !is_old => format!("n8n.airtableRecord(record, {})", (source.js)(fields)),
        _ if is_old => "({ id: record.id, createdTime: record.createdTime, fields: record.fields })".to_owned(),
        _ => "n8n.airtableRecord(record)".to_owned(),
    };
    let result = format!("output.body.records.map((record) => {record})");
    let note = all.then_some("only the first 100 records are read: a loop reads further pages");
    let mut translation = call.node(&result)?.with_notes(note);
    let query = translation.steps.iter_mut().find_map(|step| step.config.get_mut("query")?.as_object_mut());
    if let Some(query) = query {
        query.extend(more);
    }
    Some(translation)
}

/// A trigger: the records whose field for the time has the latest values.
pub fn poll(source: &Source) -> Option<Poll> {
    let mut call = Call::new("airtable/list-records")?;
    call.set(source, "baseId", id(source, "baseId", "app"));
    call.set(source, "table", id(source, "tableId", "tbl"));
    call.set_from(source, "filterByFormula", "additionalFields.formula");
    call.set_from(source, "view", "additionalFields.viewId");
    call.set(source, "maxRecords", Arg::Parameter(MAX_POLLED.into()));
    let mut key = "$json.id".to_owned();
    if let Some(field) = source.find("triggerField") {
        call.set(source, "sortField", Arg::Parameter(field.clone()));
        call.set(source, "sortDirection", Arg::text("desc"));
        key = format!("[$json.id, $json.fields[{}]]", (source.js)(field));
    }
    let notes = source.is_true("downloadAttachments").then_some("its files are not read");
    let result = "output.body.records.map(({ id, createdTime, fields }) => ({ id, createdTime, fields }))";
    Some(Poll::new(call.node(result)?.with_notes(notes), key))
}
