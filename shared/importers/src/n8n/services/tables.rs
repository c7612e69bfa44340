//! Data tables, which are the tables of a workflow here.

use serde_json::{Map, Value, json};

use super::source::{Arg, Source};
use crate::lenient::{list, scalar_text, text, truncate, whole_number};
use crate::translation::Translation;

const MAX_NAME: usize = 60;
const MAX_ROWS: u64 = 1_000;

pub fn translate(source: &Source) -> Option<Translation> {
    if source.resource("row") != "row" {
        return None;
    }
    let (action, result) = match source.operation("insert") {
        "insert" | "append" => ("add", "output"),
        "get" | "getAll" => ("find", "output"),
        "update" => ("update", "output"),
        "upsert" => ("upsert", "output"),
        "deleteRows" | "delete" => ("delete", "output"),
        // The item goes on if the condition holds.
        "rowExists" => ("find", "output.length > 0 ? [{ json: $json }] : []"),
        "rowNotExists" => ("find", "output.length > 0 ? [] : [{ json: $json }]"),
        _ => return None,
    };
    let table = name(source)?;
    let mut config = Map::from_iter([("table".to_owned(), json!(table)), ("action".to_owned(), action.into())]);
    if matches!(action, "add" | "update" | "upsert") {
        config.insert("values".to_owned(), json!({"js": values(source)?}));
    }
    if action != "add" {
        let mut filters = filters(source)?;
        if filters.is_empty() && action != "find" {
            filters.push(json!({"field": "id", "operator": "isNotEmpty"}));
        }
        if !filters.is_empty() {
            config.insert("filters".to_owned(), filters.into());
        }
        if source.text("matchType") != "allConditions" {
            config.insert("matching".to_owned(), "any".into());
        }
    }
    if action == "find" {
        let is_get = matches!(source.operation("insert"), "get" | "getAll");
        let limit = match source.get("limit") {
            _ if !is_get => 1,
            _ if source.is_true("returnAll") => MAX_ROWS,
            limit => whole_number(limit).unwrap_or(50).clamp(1, MAX_ROWS),
        };
        config.insert("limit".to_owned(), limit.into());
        if let Some(column) = source.find("orderByColumn").filter(|column| !text(column).starts_with('=')) {
            config.insert("orderBy".to_owned(), column.clone());
            config.insert("descending".to_owned(), (source.text("orderByDirection") != "ASC").into());
        }
    }
    config.insert("itemMode".to_owned(), json!({"result": {"js": result}}));
    let is_computed = scalar_text(source.get("dataTableId")).starts_with('=');
    let notes = ["the table begins empty: import its rows", "the name of its table was computed: set it"];
    let notes = notes.into_iter().take(1 + usize::from(is_computed));
    Some(
        Translation::new("table", config.into())
            .with_notes(notes)
            .with_reconnects([format!("the rows of the table `{table}`")]),
    )
}

/// The name of the table. Other characters than those that names of tables can have here become `_`.
fn name(source: &Source) -> Option<String> {
    let raw = source.raw("dataTableId");
    let names = [&raw["cachedResultName"], source.get("dataTableId")].map(scalar_text);
    let name = names.into_iter().find(|name| !name.is_empty())?;
    // A computed name becomes that of its last field: the nodes of a workflow mostly compute it in the same way.
    let name = match name.strip_prefix('=') {
        Some(expression) => {
            let mut names = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            names.rfind(|name| !name.is_empty())?.to_owned()
        }
        None => name,
    };
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    Some(truncate(&name, MAX_NAME - 1))
}

fn values(source: &Source) -> Option<String> {
    if source.text("columns.mappingMode") == "autoMapInputData" {
        return Some("n8n.without($json, [\"id\", \"createdAt\", \"updatedAt\"])".to_owned());
    }
    let value = source.raw("columns.value");
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, value)| *name != "id" && !value.is_null());
            let fields = fields.map(|(name, value)| (name.clone(), source.column(name, value)));
            Some(Arg::Object(fields.collect()).script(source.js))
        }
        Value::Null => Some("{}".to_owned()),
        value => text(value).starts_with('=').then(|| (source.js)(value)),
    }
}

fn filters(source: &Source) -> Option<Vec<Value>> {
    let mut filters = Vec::new();
    for condition in list(source.get("filters.conditions")) {
        let field = scalar_text(&condition["keyName"]);
        if field.is_empty() {
            continue;
        }
        if field.starts_with('=') {
            return None;
        }
        let given = text(&condition["condition"]);
        let (operator, constant) = match given {
            "" | "eq" | "equal" | "equals" => ("equals", None),
            "neq" | "notEquals" => ("notEquals", None),
            "gt" => ("greater", None),
            "gte" => ("atLeast", None),
            "lt" => ("less", None),
            "lte" => ("atMost", None),
            "like" | "ilike" | "contains" => ("contains", None),
            "isEmpty" => ("isEmpty", None),
            "isNotEmpty" => ("isNotEmpty", None),
            "isTrue" => ("equals", Some("true")),
            "isFalse" => ("equals", Some("false")),
            _ => return None,
        };
        let mut filter = json!({"field": field, "operator": operator});
        let value = constant.map_or_else(|| (source.js)(&condition["keyValue"]), str::to_owned);
        // n8n writes a part of a text with percent signs.
        let value =
            if matches!(given, "like" | "ilike") { format!("String({value}).replaceAll('%', '')") } else { value };
        if !matches!(operator, "isEmpty" | "isNotEmpty") {
            filter["value"] = json!({"js": value});
        }
        filters.push(filter);
    }
    Some(filters)
}
