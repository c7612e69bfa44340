//! Translates nodes that compute. The library of the sandbox, `n8n.<type>`, does what they do, with the parameters of the file.

use serde_json::{Map, Value, json};

use super::seen;
use crate::lenient::{list, number, text, whole_number};
use crate::n8n::context::Context;
use crate::n8n::javascript::{FieldForm, functions};
use crate::n8n::policies::{ONCE, OnError};
use crate::notes::{Notes, note};
use crate::translation::Translation;

const TYPES: [&str; 23] = [
    "aggregate",
    "compareDatasets",
    "convertToFile",
    "crypto",
    "dateTime",
    "extractFromFile",
    "filter",
    "html",
    "htmlExtract",
    "if",
    "itemLists",
    "limit",
    "markdown",
    "merge",
    "moveBinaryData",
    "removeDuplicates",
    "renameKeys",
    "set",
    "sort",
    "splitOut",
    "spreadsheetFile",
    "summarize",
    "xml",
];
/// The fields of a `set` node that are written as JSON.
const SET_FIELDS: &[(&str, FieldForm)] = &[("jsonOutput", FieldForm::Json), ("objectValue", FieldForm::Json)];
/// The code of a `sort` node.
const SORT_FIELDS: &[(&str, FieldForm)] = &[("code", FieldForm::Comparison)];
/// The most outputs of a `code` node, without that of the fallback.
const MAX_OUTPUTS: u64 = 49;
const MAX_INPUTS: u64 = 10;

pub fn is_data(kind: &str) -> bool {
    kind == "switch" || TYPES.contains(&kind)
}

pub fn data(node: Context) -> Translation {
    let source = node.source();
    let operation = text(node.parameter("operation"));
    match (source.kind, operation) {
        ("removeDuplicates", "removeItemsSeenInPreviousExecutions" | "clearDeduplicationHistory") => {
            let why = "it compares items with those of earlier runs: keep them in a table";
            return seen::remove_duplicates(node).unwrap_or_else(|| Translation::unsupported(why));
        }
        ("merge", _) if text(node.parameter("mode")) == "combineBySql" => {
            return Translation::unsupported("SQL over items is not supported: combine them with code");
        }
        _ => {}
    }
    let fields = match source.kind {
        "set" => SET_FIELDS,
        "sort" => SORT_FIELDS,
        _ => &[],
    };
    let mut call = format!("n8n.{}({}, {})", source.kind, functions(&readable(node), fields), source.version);
    let mut notes = Notes::new();
    let outputs = outputs(node, &mut notes);
    let on_error = OnError::read(node);
    if let Some(on_error) = on_error {
        // If the node fails as a whole, its input goes to its first output.
        let first = outputs.as_ref().and_then(|outputs| outputs.first());
        let port = first.map(|port| format!(", {port}")).unwrap_or_default();
        call = format!("n8n.tolerate(() => {call}, \"{}\"{port})", on_error.of_item());
    }
    let javascript = match source.raw["executeOnce"] == true {
        true => format!("{ONCE}() => {call});"),
        false => format!("return {call};"),
    };
    let mut config = json!({"javascript": javascript});
    if let Some(outputs) = outputs {
        config["outputs"] = outputs.into();
    }
    if let Some(inputs) = inputs(node) {
        config["inputs"] = inputs.into();
    }
    let translation = Translation::new("code", config).with_notes(notes);
    if on_error == Some(OnError::Branch) { translation.with_error_port() } else { translation }
}

/// The parameters, without ids that only the editor of n8n needs. A template for HTML has expressions without the sign of one.
/// It gets another name, `template`, because n8n prints values in HTML in another way than in other texts.
fn readable(node: Context) -> Value {
    let mut parameters = node.parameters().clone();
    without_ids(&mut parameters);
    if node.source().kind == "html"
        && let Some(entries) = parameters.as_object_mut()
        && let Some(Value::String(html)) = entries.get("html")
        && !html.starts_with('=')
    {
        let template = format!("={html}");
        entries.shift_remove("html");
        entries.insert("template".to_owned(), template.into());
    }
    if parameters.is_object() { parameters } else { json!({}) }
}

/// Recurses. The JSON parser bounds the depth.
fn without_ids(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_ids),
        Value::Object(entries) => {
            let is_listed = |entries: &Map<String, Value>| {
                ["leftValue", "name", "conditions"].iter().any(|field| entries.contains_key(*field))
            };
            if entries.get("id").is_some_and(Value::is_string) && is_listed(entries) {
                entries.shift_remove("id");
            }
            entries.values_mut().for_each(without_ids);
        }
        _ => {}
    }
}

/// The names of the outputs, if there are several.
fn outputs(node: Context, notes: &mut Notes) -> Option<Vec<Value>> {
    match node.source().kind {
        "if" => Some(vec!["true".into(), "false".into()]),
        "compareDatasets" => Some((0..4).map(|output| output.to_string().into()).collect()),
        "switch" => Some(switch_outputs(node, notes)),
        _ => None,
    }
}

fn switch_outputs(node: Context, notes: &mut Notes) -> Vec<Value> {
    let version = node.source().version;
    let is_expression = text(node.parameter("mode")) == "expression";
    let counts = ["numberOutputs", "outputsAmount"].map(|name| node.parameter(name));
    let count = match () {
        () if version < 2.0 => 4,
        () if is_expression => counts.into_iter().find_map(whole_number).unwrap_or(4),
        () => ["values", "rules"].iter().map(|name| list(&node.parameter("rules")[*name]).len()).sum::<usize>() as u64,
    };
    if count > MAX_OUTPUTS {
        note(notes, format!("it has {count} outputs, and only the first {MAX_OUTPUTS} are kept"));
    }
    let mut outputs: Vec<Value> = (0..count.clamp(1, MAX_OUTPUTS)).map(|output| output.to_string().into()).collect();
    if node.option("fallbackOutput") == "extra" && !is_expression {
        outputs.push("fallback".into());
    }
    outputs
}

/// The names of the inputs, if there are several.
fn inputs(node: Context) -> Option<Vec<Value>> {
    if !node.source().has_inputs() {
        return None;
    }
    let given = number(node.parameter("numberInputs")).unwrap_or(2.0) as u64;
    let connected = node.workflow.wiring.incoming(node.node).map(|wire| wire.input as u64 + 1).max();
    let count = given.max(connected.unwrap_or(2)).clamp(2, MAX_INPUTS);
    Some((0..count).map(|input| input_port(input as usize).into()).collect())
}

/// The port of an input.
pub fn input_port(input: usize) -> String {
    match input {
        0 => "in".to_owned(),
        input => format!("in{}", input + 1),
    }
}
