//! What begins runs: webhooks, calls by hand and by other workflows, messages.

use serde_json::{Map, Value, json};

use super::super::super::loose::{entries, list, said, text};
use super::super::super::made::Made;
use super::super::super::secrets::shown;
use super::super::context::Context;

/// Of what was kept to try a workflow with.
const MAX_EXAMPLE_BYTES: usize = 64 * 1024;
pub const PINNED: &str = "its pinned data is left out";

pub fn webhook(node: Context) -> Made {
    let mode = text(node.parameter("responseMode"));
    let answers = match mode {
        "lastNode" => "that answers with the run's result (sync)",
        "responseNode" | "streaming" => "that answers with what send_result gives (sync)",
        _ => "that answers at once (async)",
    };
    let method = text(node.parameter("httpMethod"));
    let method = if method.is_empty() { "GET" } else { method };
    let mut made =
        Made::new("webhook", json!({})).reconnecting([format!("a webhook {answers}, with a new URL and token")]);
    if !matches!(method, "POST") {
        made = made.noting([format!("calls come by POST here, not by {method}")]);
    }
    let way = text(node.parameter("authentication"));
    if !matches!(way, "" | "none") {
        made = made.noting(["calls are let in by the webhook's own token"]);
    }
    made
}

pub fn input(node: Context) -> Made {
    let fields = match node.source().kind {
        "formTrigger" => list(&node.parameter("formFields")["values"]),
        _ => list(&node.parameter("workflowInputs")["values"]),
    };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let name = ["name", "fieldName", "fieldLabel"].map(|name| said(&field[name]));
        let Some(name) = name.into_iter().find(|name| !name.is_empty()) else { continue };
        let kind = match text(if field["fieldType"].is_string() { &field["fieldType"] } else { &field["type"] }) {
            "number" => json!({"type": "number"}),
            "boolean" => json!({"type": "boolean"}),
            "array" => json!({"type": "array"}),
            "object" => json!({"type": "object"}),
            "any" => json!({}),
            _ => json!({"type": "string"}),
        };
        if field["requiredField"] == true {
            required.push(Value::from(name.as_str()));
        }
        properties.insert(name, kind);
    }
    let mut config = Map::new();
    if !properties.is_empty() {
        let mut schema =
            Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), properties.into())]);
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        config.insert("schema".to_owned(), schema.into());
    }
    let pinned = node.pinned();
    let example = pinned.first().map(|item| if item["json"].is_object() { &item["json"] } else { item });
    let example = example.filter(|example| example.to_string().len() <= MAX_EXAMPLE_BYTES);
    let kept = example.map(shown);
    if let Some(kept) = &kept {
        config.insert("example".to_owned(), kept.clone());
    }
    let mut made = Made::new("input", config.into());
    if kept.as_ref() != example {
        made = made.noting(["what looks like a secret in its pinned data is left out"]);
    }
    match (example, pinned.len()) {
        (Some(_), 2..) => made = made.noting(["of its pinned data only the first item is kept"]),
        (None, 1..) => made = made.noting([PINNED]),
        _ => {}
    }
    match node.source().kind {
        "formTrigger" => made.noting(["there is no page with a form: send what it asked for as the run's input"]),
        _ => made,
    }
}

pub fn message(node: Context) -> Made {
    let source = node.source();
    let service = if source.is_chat() { "the chat" } else { source.kind.trim_end_matches("Trigger") };
    let made = Made::new("message", json!({})).reconnecting([format!("a messaging channel in place of {service}")]);
    let is_filtered =
        entries(node.parameter("options")).next().is_some() || !list(node.parameter("trigger")).is_empty();
    match node.source().kind.starts_with("slack") && is_filtered {
        true => made.noting(["every message starts a run: which events it was for is not carried over"]),
        false => made,
    }
}
