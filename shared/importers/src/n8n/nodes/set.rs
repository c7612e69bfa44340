//! Converts nodes that set fields.

use serde_json::{Value, json};

use super::super::super::lenient::{entries, list, scalar_text, text};
use super::super::super::notes::{Notes, note};
use super::super::super::secrets::remove_plain_secrets;
use super::super::super::syntax::{cel_literal, cel_number, quote};
use super::super::super::translation::Translation;
use super::super::context::Context;
use super::super::parameter::is_clear;

/// Fields and their expressions. A name with dots makes nested fields.
enum FieldTree {
    Value(String),
    Within(Vec<(String, FieldTree)>),
}

const MAX_DEPTH: usize = 16;
const MAX_FIELDS: usize = 500;

pub fn set(node: Context) -> Translation {
    let (mut notes, mut secrets) = (Notes::new(), Vec::new());
    note_other_fields(node, &mut notes);
    if text(node.parameter("mode")) == "raw" {
        let Some(json) = node.json(node.parameter("jsonOutput"), &mut notes, &mut secrets) else {
            return Translation::unsupported("its output is not valid JSON");
        };
        return Translation::new("transform", json!({"value": json}))
            .with_notes(notes)
            .with_removed_secrets("field", secrets);
    }
    let splits = node.parameter("options")["dotNotation"] != false;
    let (mut fields, mut is_nested) = (Vec::new(), false);
    let assigned = collect_assignments(node, &mut notes, &mut secrets);
    if assigned.len() > MAX_FIELDS {
        return Translation::unsupported(format!("it sets more than {MAX_FIELDS} fields"));
    }
    for (name, expression) in assigned {
        let parts: Vec<&str> = if splits { name.split('.').collect() } else { vec![&name] };
        is_nested |= parts.len() > 1;
        insert(&mut fields, &parts[..parts.len().min(MAX_DEPTH)], expression);
    }
    let translation = match (fields.is_empty(), is_nested) {
        (true, _) => {
            note(&mut notes, "it sets no fields");
            let whole = node.incoming(&mut notes);
            Translation::new("transform", json!({"value": whole}))
        }
        (false, true) => Translation::new("transform", json!({"value": write_fields(&fields)})),
        (false, false) => {
            let plain = fields.iter().map(|(name, field)| (name.clone(), Value::from(write_field(field))));
            Translation::new("transform", json!({"fields": serde_json::Map::from_iter(plain)}))
        }
    };
    translation.with_notes(notes).with_removed_secrets("field", secrets)
}

fn note_other_fields(node: Context, notes: &mut Notes) {
    let keeps = match node.source().version {
        old if old < 3.0 => node.parameter("keepOnlySet") != true,
        // Versions 3.0 to 3.2 name the fields to keep, and keep all by default.
        _ if node.parameter("assignments").is_object() || node.source().version >= 3.3 => {
            node.parameter("includeOtherFields") == true
        }
        _ => !matches!(text(node.parameter("include")), "none"),
    };
    if keeps {
        note(notes, "the other fields of the input are not passed on: add those that are needed");
    }
}

/// Names and expressions, in the format of any version.
fn collect_assignments(node: Context, notes: &mut Notes, secrets: &mut Vec<String>) -> Vec<(String, String)> {
    let mut assigned = Vec::new();
    for assignment in list(&node.parameter("assignments")["assignments"]) {
        assigned.push((scalar_text(&assignment["name"]), (text(&assignment["type"]), &assignment["value"])));
    }
    for field in list(&node.parameter("fields")["values"]) {
        let kind = text(&field["type"]).trim_end_matches("Value");
        let kind = if kind.is_empty() { "string" } else { kind };
        assigned.push((scalar_text(&field["name"]), (kind, &field[format!("{kind}Value")])));
    }
    for (kind, values) in entries(node.parameter("values")) {
        for field in list(values) {
            assigned.push((scalar_text(&field["name"]), (kind, &field["value"])));
        }
    }
    assigned.retain(|(name, _)| !name.is_empty());
    let assigned = remove_plain_secrets(assigned, |(_, value)| is_clear(value), secrets).into_iter();
    assigned.map(|(name, (kind, value))| (name, typed_value(node, kind, value, notes, secrets))).collect()
}

/// The expression for the value of a field of a given type.
fn typed_value(node: Context, kind: &str, given: &Value, notes: &mut Notes, secrets: &mut Vec<String>) -> String {
    let Value::String(text) = given else { return node.cel(given, notes) };
    if text.starts_with('=') {
        return match kind {
            "array" | "object" => node.json(given, notes, secrets).unwrap_or_else(|| node.cel(given, notes)),
            _ => node.cel(given, notes),
        };
    }
    let read: Option<Value> = match kind {
        "number" => return cel_number(text).unwrap_or_else(|| quote(text)),
        "boolean" | "array" | "object" => serde_json::from_str(text).ok(),
        _ => None,
    };
    read.map_or_else(|| quote(text), |read| cel_literal(&read))
}

fn insert(fields: &mut Vec<(String, FieldTree)>, path: &[&str], expression: String) {
    let Some((first, rest)) = path.split_first() else { return };
    let place = match fields.iter().position(|(name, _)| name == first) {
        Some(place) => place,
        None => {
            fields.push(((*first).to_owned(), FieldTree::Within(Vec::new())));
            fields.len() - 1
        }
    };
    let field = &mut fields[place].1;
    match field {
        _ if rest.is_empty() => *field = FieldTree::Value(expression),
        FieldTree::Within(within) => insert(within, rest, expression),
        FieldTree::Value(_) => {
            let mut within = Vec::new();
            insert(&mut within, rest, expression);
            *field = FieldTree::Within(within);
        }
    }
}

fn write_field(field: &FieldTree) -> String {
    match field {
        FieldTree::Value(expression) => expression.clone(),
        FieldTree::Within(within) => write_fields(within),
    }
}

fn write_fields(fields: &[(String, FieldTree)]) -> String {
    let fields = fields.iter().map(|(name, field)| format!("{}: {}", quote(name), write_field(field)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}
