//! What begins runs.

use serde_json::{Map, Value, json};

use super::super::super::loose::{list, said, text, whole};
use super::super::super::made::Made;
use super::super::context::Context;

pub fn start(node: Context) -> Made {
    let variables = list(node.data("variables"));
    if node.app.document.is_chat() {
        let made = Made::new("message", json!({})).reconnecting(["a messaging channel in place of the chat"]);
        return match variables.is_empty() {
            true => made,
            false => made.noting(["what was asked before the conversation is not asked here"]),
        };
    }
    let fields = variables.iter().map(|field| (said(&field["variable"]), field));
    Made::new("input", json!({"schema": schema(fields)}))
}

/// What a run takes, of the fields of a form.
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
        let label = said(&field["label"]);
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

pub fn webhook(node: Context) -> Made {
    let method = text(node.data("method")).to_uppercase();
    let made = Made::new("webhook", json!({})).reconnecting(["a webhook, with a new URL and token"]);
    let made = match method.as_str() {
        "" | "POST" => made,
        method => made.noting([format!("calls come by POST here, not by {method}")]),
    };
    let mut notes = Vec::new();
    if !list(node.data("headers")).is_empty() || !list(node.data("params")).is_empty() {
        notes.push("of a call only its body is a value here, not its headers and parameters");
    }
    let is_usual = whole(node.data("status_code")).is_none_or(|code| code == 200);
    if !is_usual || !said(node.data("response_body")).is_empty() {
        notes.push("the platform answers a call: its own `status_code` and `response_body` are not carried over");
    }
    made.noting(notes)
}
