//! The bodies of HTTP requests.

use serde_json::{Map, Value, json};

use super::pairs::{is_text_only, list_pairs, read_pairs};
use crate::lenient::{is_empty, list, text};
use crate::n8n::context::Context;
use crate::n8n::http_config::{self, FILE_LIMIT};
use crate::n8n::javascript::{expression, is_computed, literal_text, text_field};
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::secrets::redact_body;

const FORM: &str = "application/x-www-form-urlencoded";

pub fn translate(node: Context, method: &str, headers: &mut Map<String, Value>, notes: &mut Notes) -> Option<Value> {
    let has_body = *node.parameter("sendBody") == true || node.source().version < 3.0;
    if !has_body {
        return None;
    }
    let kinds = [node.parameter("contentType"), node.parameter("bodyContentType"), node.option("bodyContentType")];
    let kind = kinds.map(text).into_iter().find(|kind| !kind.is_empty()).unwrap_or("json").trim_start_matches('=');
    let is_text = text(node.parameter("specifyBody")) == "string";
    match kind {
        _ if *node.parameter("sendBinaryData") == true => Some(file(node, "binaryPropertyName", notes)),
        "binaryData" => Some(file(node, "inputDataFieldName", notes)),
        "raw" => raw_body(node, headers, notes),
        "form-urlencoded" if is_text => {
            let body = text_field(&redact_body(text(node.parameter("body")), notes).into());
            set_content_type(headers, &FORM.into());
            Some(json!({"type": "text", "text": body}))
        }
        // n8n sends the form of such a call as JSON.
        "form-urlencoded" if method == "DELETE" => json_body(node, notes),
        "form-urlencoded" => Some(form(node, headers, notes)),
        "multipart-form-data" => Some(multipart(node, notes)),
        _ => json_body(node, notes),
    }
}

/// The body in the form that a header names: n8n sends the fields of JSON as a form if the header asks for one.
pub fn as_content_type(body: Value, headers: &Map<String, Value>) -> Value {
    let mut kinds = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let is_form = kinds.any(|(_, kind)| kind == FORM);
    match body["value"]["js"].as_str().filter(|_| is_form && body["type"] == "json") {
        Some(fields) => json!({"type": "text", "text": {"js": format!("n8n.formText({fields})")}}),
        None => body,
    }
}

fn form(node: Context, headers: &mut Map<String, Value>, notes: &mut Notes) -> Value {
    let fields = read_pairs(node, "body", notes);
    if is_text_only(&fields) {
        let fields = fields.into_iter().map(|(name, value)| (name, text_field(&value)));
        return json!({"type": "form", "fields": Map::from_iter(fields)});
    }
    set_content_type(headers, &FORM.into());
    json!({"type": "text", "text": {"js": format!("n8n.formText({})", list_pairs(&fields))}})
}

fn raw_body(node: Context, headers: &mut Map<String, Value>, notes: &mut Notes) -> Option<Value> {
    let written = ["body", "bodyParametersJson"].map(|name| node.parameter(name));
    let written = written.into_iter().find(|body| !is_empty(body))?;
    let body = if written.is_string() { redact_body(text(written), notes).into() } else { written.clone() };
    let kinds = [node.parameter("rawContentType"), node.option("bodyContentCustomMimeType")];
    let kind = kinds.into_iter().find(|kind| !is_empty(kind)).cloned();
    set_content_type(headers, &kind.unwrap_or_else(|| "text/plain".into()));
    Some(json!({"type": "text", "text": text_field(&body)}))
}

/// Sets the content type of a body, unless a header does.
fn set_content_type(headers: &mut Map<String, Value>, kind: &Value) {
    if !headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
        headers.insert("content-type".to_owned(), text_field(kind));
    }
}

/// The file of the item.
fn file(node: Context, parameter: &str, notes: &mut Notes) -> Value {
    note(notes, FILE_LIMIT);
    let name = match node.parameter(parameter) {
        Value::Null => quote("data"),
        name => expression(name),
    };
    json!({"type": "file", "file": {"js": format!("$binary[{name}]")}})
}

/// A form with files: the library writes it as one file.
fn multipart(node: Context, notes: &mut Notes) -> Value {
    let lists = ["bodyParameters", "bodyParametersUi"].map(|name| node.parameter(name));
    let fields = lists.into_iter().flat_map(|all| list(&all["parameters"]).iter().chain(list(&all["parameter"])));
    let parts = fields.map(|field| {
        let value = match text(&field["parameterType"]) {
            "formBinaryData" => {
                note(notes, FILE_LIMIT);
                format!("file: $binary[{}]", expression(&field["inputDataFieldName"]))
            }
            _ => format!("value: {}", expression(&field["value"])),
        };
        format!("{{ name: {}, {value} }}", expression(&field["name"]))
    });
    let parts: Vec<String> = parts.collect();
    http_config::multipart(&parts)
}

fn json_body(node: Context, notes: &mut Notes) -> Option<Value> {
    let written = ["jsonBody", "bodyParametersJson"].map(|name| node.parameter(name));
    let javascript = match written.into_iter().find(|json| !is_empty(json)) {
        Some(Value::String(text)) if is_computed(text) => {
            format!("n8n.jsonBody({})", expression(&text.as_str().into()))
        }
        Some(Value::String(text)) => match serde_json::from_str::<Value>(&literal_text(&text.as_str().into())) {
            Ok(json) => expression(&literal(&json)),
            Err(_) => {
                note(notes, "its body is no valid JSON");
                format!("n8n.jsonBody({})", quote(text))
            }
        },
        Some(json) => expression(json),
        None if text(node.parameter("specifyBody")) == "json" => {
            note(notes, "its body is no valid JSON");
            "n8n.jsonBody(\"\")".to_owned()
        }
        None => fields_of_json(node, notes)?,
    };
    Some(json!({"type": "json", "value": {"js": javascript}}))
}

/// An object of names and values. Since version 4, names with dots are paths.
fn fields_of_json(node: Context, notes: &mut Notes) -> Option<String> {
    let fields = read_pairs(node, "body", notes);
    let version = node.source().version;
    let is_path = |name: &str| version >= 4.0 && name.contains(['.', '[']);
    match fields.iter().any(|(name, _)| is_computed(name) || is_path(name)) {
        _ if fields.is_empty() && version < 3.0 => None,
        true if version < 4.0 => Some(format!("Object.fromEntries({})", list_pairs(&fields))),
        true => Some(format!("n8n.bodyFields({})", list_pairs(&fields))),
        false => Some(expression(&Value::Object(fields.into_iter().collect()))),
    }
}

/// A value whose texts are no expressions, as a parameter.
fn literal(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with('=') => format!("={text}").into(),
        Value::Array(items) => items.iter().map(literal).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), literal(field))).collect(),
        other => other.clone(),
    }
}
