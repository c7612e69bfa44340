//! Converts triggers.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{list, scalar_text, text, whole_number};
use super::super::super::syntax::{cel_literal, output, quote};
use super::super::super::translation::Translation;
use super::super::app::{CONVERSATIONS, Start};
use super::super::context::Context;

pub fn start(node: Context) -> Translation {
    match node.app.start {
        Start::Message => message(node),
        Start::Input | Start::Form => input(node),
    }
}

/// A message, with the variables of its conversation if there are any.
fn message(node: Context) -> Translation {
    let channel = ["a messaging channel in place of the chat"];
    let translation = Translation::new("message", json!({})).with_reconnects(channel);
    if node.app.conversation.is_empty() {
        return translation;
    }
    let message = output(&format!("{}_message", node.id()));
    let value = format!("merge({message}, {{'conversation': {}}})", conversation(node));
    let mut translation = translation.then("conversation", "table", find_conversation("input.threadId")).then(
        "",
        "transform",
        json!({"value": value}),
    );
    translation.steps[0].suffix = "message";
    translation
}

/// An input, with the values that it may lack.
fn input(node: Context) -> Translation {
    let fields: Vec<&Value> = list(node.data("variables")).iter().take(200).collect();
    let is_form = node.app.start == Start::Form;
    let query = json!({"type": "paragraph", "required": true});
    let files = json!({"type": "file-list"});
    let own = fields.iter().map(|field| (scalar_text(&field["variable"]), *field));
    let system = [("query", &query), ("files", &files)].into_iter();
    let system =
        system.filter(|(name, _)| *name == "query" && is_form || *name == "files" && node.app.system.contains("files"));
    let schema = schema(own.chain(system.map(|(name, field)| (name.to_owned(), field))));
    let mut defaults: Vec<String> =
        node.app.system_defaults().map(|(name, value)| format!("'{name}': {value}")).collect();
    defaults.extend(
        fields
            .iter()
            .filter(|field| field["required"] != true)
            .map(|field| format!("{}: {}", quote(&scalar_text(&field["variable"])), default(field))),
    );
    let translation = Translation::new("input", json!({"schema": schema}));
    let translation = match is_form {
        true => translation.with_notes(["a form starts each run here, because messages have no form and no content of files: there is no memory of a conversation unless `conversation_id` names one"]),
        false => translation,
    };
    if defaults.is_empty() && node.app.conversation.is_empty() {
        return translation;
    }
    let defaults = format!("{{{}}}", defaults.join(", "));
    let mut translation = if node.app.conversation.is_empty() || !is_form {
        translation.then("", "transform", json!({"value": format!("merge({defaults}, input)")}))
    } else {
        let given = output(&format!("{}_input", node.id()));
        let value = format!("merge(merge({defaults}, {given}), {{'conversation': {}}})", conversation(node));
        let thread = format!("has({given}.conversation_id) ? {given}.conversation_id : run.id");
        translation.then("conversation", "table", find_conversation(&thread)).then(
            "",
            "transform",
            json!({"value": value}),
        )
    };
    translation.steps[0].suffix = "input";
    translation
}

/// Finds the row of a conversation.
fn find_conversation(thread: &str) -> Value {
    json!({"table": CONVERSATIONS, "action": "find", "filters": [{"field": "id", "value": thread}]})
}

/// The variables of the conversation, after the step that finds its row.
fn conversation(node: Context) -> String {
    let defaults: Vec<String> =
        node.app.conversation.iter().map(|(name, value)| format!("{}: {value}", quote(name))).collect();
    format!("merge({{{}}}, (input + [{{}}]).first())", defaults.join(", "))
}

/// The value of an optional field that a run does not have.
fn default(field: &Value) -> String {
    match &field["default"] {
        Value::Null => {}
        Value::String(text) if text.is_empty() || text.len() > 500 => {}
        value @ (Value::String(_) | Value::Number(_) | Value::Bool(_)) => return cel_literal(value),
        _ => {}
    }
    let empty = match text(&field["type"]) {
        "number" | "file" | "json_object" | "json" => "null",
        "checkbox" => "false",
        "file-list" => "[]",
        _ => "''",
    };
    empty.to_owned()
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
    let mut config = json!({"input": "call"});
    if method == "GET" {
        config["allowGet"] = true.into();
    }
    let translation = Translation::new("webhook", config);
    let translation = translation.with_reconnects(["a webhook, with a new URL and token"]);
    let translation = match method.as_str() {
        "" | "GET" | "POST" => translation,
        method => translation.with_notes([format!("webhooks are called by POST or GET, not by {method}")]),
    };
    let mut notes = Vec::new();
    let is_usual = whole_number(node.data("status_code")).is_none_or(|code| code == 200);
    if !is_usual || !scalar_text(node.data("response_body")).is_empty() {
        notes.push("the platform sets the response: `status_code` and `response_body` are not imported");
    }
    translation.with_notes(notes)
}
