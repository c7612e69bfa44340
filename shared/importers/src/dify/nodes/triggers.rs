//! Converts triggers.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{list, scalar_text, text, whole_number};
use super::super::super::translation::Translation;
use super::super::context::Context;

pub fn start(node: Context) -> Translation {
    let variables = list(node.data("variables"));
    if node.app.document.is_chat() {
        let translation =
            Translation::new("message", json!({})).with_reconnects(["a messaging channel in place of the chat"]);
        return match variables.is_empty() {
            true => translation,
            false => translation.with_notes(["the form before the conversation is not imported"]),
        };
    }
    let fields = variables.iter().map(|field| (scalar_text(&field["variable"]), field));
    Translation::new("input", json!({"schema": schema(fields)}))
}

/// The input schema for the fields of a form.
pub fn schema<'f>(fields: impl Iterator<Item = (String, &'f Value)>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, field) in fields.filter(|(name, _)| !name.is_empty()) {
        let mut property = match text(&field["type"]) {
            "number" => json!({"type": "number"}),
            "checkbox" => json!({"type": "boolean"}),
            "json_object" | "json" => json!({"type": "object"}),
            "file" => json!({"type": "object"}),
            "file-list" => json!({"type": "array"}),
            _ => json!({"type": "string"}),
        };
        let options: Vec<&Value> =
            list(&field["options"]).iter().filter(|option| option.is_string()).take(200).collect();
        if text(&field["type"]) == "select" && !options.is_empty() {
            property["enum"] = json!(options);
        }
        let label = scalar_text(&field["label"]);
        if !label.is_empty() && label != name {
            property["title"] = label.into();
        }
        if field["required"] == true {
            required.push(Value::from(name.as_str()));
        }
        properties.insert(name, property);
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

pub fn webhook(node: Context) -> Translation {
    let method = text(node.data("method")).to_uppercase();
    let translation = Translation::new("webhook", json!({"input": "call"}));
    let translation = translation.with_reconnects(["a webhook, with a new URL and token"]);
    let translation = match method.as_str() {
        "" | "POST" => translation,
        method => translation.with_notes([format!("webhooks are called by POST, not by {method}")]),
    };
    let mut notes = Vec::new();
    let is_usual = whole_number(node.data("status_code")).is_none_or(|code| code == 200);
    if !is_usual || !scalar_text(node.data("response_body")).is_empty() {
        notes.push("the platform sets the response: `status_code` and `response_body` are not imported");
    }
    translation.with_notes(notes)
}
