//! Converts triggers: webhooks, manual runs, sub-workflow entries and messages.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{entries, list, scalar_text, text};
use super::super::super::secrets::redact;
use super::super::super::translation::Translation;
use super::super::context::Context;

/// The most bytes of pinned data that are kept as an example.
const MAX_EXAMPLE_BYTES: usize = 64 * 1024;
pub const PINNED: &str = "its pinned data is left out";

pub fn webhook(node: Context) -> Translation {
    let mode = text(node.parameter("responseMode"));
    let answers = match mode {
        "lastNode" => "that responds with the run's result (sync)",
        "responseNode" | "streaming" => "that responds with the output of send_result (sync)",
        _ => "that responds at once (async)",
    };
    let method = text(node.parameter("httpMethod"));
    let method = if method.is_empty() { "GET" } else { method };
    let mut translation = Translation::new("webhook", json!({"input": "call"}))
        .with_reconnects([format!("a webhook {answers}, with a new URL and token")]);
    if !matches!(method, "POST") {
        translation = translation.with_notes([format!("webhooks are called by POST, not by {method}")]);
    }
    let way = text(node.parameter("authentication"));
    if !matches!(way, "" | "none") {
        translation = translation.with_notes(["calls are authenticated by the webhook's own token"]);
    }
    translation
}

pub fn input(node: Context) -> Translation {
    let fields = match node.source().kind {
        "formTrigger" => list(&node.parameter("formFields")["values"]),
        _ => list(&node.parameter("workflowInputs")["values"]),
    };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let name = ["name", "fieldName", "fieldLabel"].map(|name| scalar_text(&field[name]));
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
    let kept = example.map(redact);
    if let Some(kept) = &kept {
        config.insert("example".to_owned(), kept.clone());
    }
    let mut translation = Translation::new("input", config.into());
    if kept.as_ref() != example {
        translation = translation.with_notes(["what looks like a secret in its pinned data is left out"]);
    }
    match (example, pinned.len()) {
        (Some(_), 2..) => translation = translation.with_notes(["only the first item of its pinned data is kept"]),
        (None, 1..) => translation = translation.with_notes([PINNED]),
        _ => {}
    }
    match node.source().kind {
        "formTrigger" => translation.with_notes(["form pages are not supported: send the fields as the run's input"]),
        _ => translation,
    }
}

pub fn message(node: Context) -> Translation {
    let source = node.source();
    let service = if source.is_chat() { "the chat" } else { source.kind.trim_end_matches("Trigger") };
    let translation =
        Translation::new("message", json!({})).with_reconnects([format!("a messaging channel in place of {service}")]);
    let is_filtered =
        entries(node.parameter("options")).next().is_some() || !list(node.parameter("trigger")).is_empty();
    match node.source().kind.starts_with("slack") && is_filtered {
        true => translation.with_notes(["every message starts a run: the event filter is not imported"]),
        false => translation,
    }
}
