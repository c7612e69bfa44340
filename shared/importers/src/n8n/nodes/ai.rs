//! Converts agents, and nodes that call a model provider.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{entries, is_empty, list, scalar_text, text, truncate, whole_number};
use super::super::super::model::settings;
use super::super::super::notes::{Notes, note};
use super::super::super::translation::{Translation, UNBOUND_ID, UNBOUND_MODEL};
use super::super::context::Context;
use super::super::parameter::{located, located_value};

/// Agents are separate resources here. The node keeps the message for the agent.
pub fn agent(node: Context) -> Translation {
    let mut notes = Notes::new();
    let message = prompt(node, &mut notes);
    let wiring = &node.workflow.wiring;
    let names = |kind: &str| -> Vec<String> {
        wiring.parts(node.node, kind).map(|part| format!("`{}`", truncate(node.part(part).source().name, 60))).collect()
    };
    let memory = wiring.parts(node.node, "ai_memory").next().is_some();
    let mut parts = Vec::new();
    if let Some((model, _)) = model(node) {
        parts.push(format!("model {model}"));
    }
    for (kind, what) in [("ai_tool", "tools"), ("ai_memory", "memory"), ("ai_outputParser", "output parser")] {
        let names = names(kind);
        if !names.is_empty() {
            parts.push(format!("{what} {}", names.join(", ")));
        }
    }
    if !text(&node.parameter("options")["systemMessage"]).is_empty() {
        parts.push("its instructions".to_owned());
    }
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join("; ")) };
    let config = json!({"agentId": UNBOUND_ID, "message": message, "memory": memory});
    note(&mut notes, "create an agent from the parts listed under `reconnect`, and select it");
    let what = format!("an agent{parts}");
    Translation::new("agent", config).with_notes(notes).with_reconnects([truncate(&what, 1_000)])
}

/// The prompt: the node's own text, or the chat's message.
pub fn prompt(node: Context, notes: &mut Notes) -> String {
    let texts = ["text", "inputText", "prompt", "query"].map(|name| node.parameter(name));
    let written = texts.into_iter().find(|written| !is_empty(written));
    match (text(node.parameter("promptType")), written) {
        ("auto", _) | (_, None) if node.source().kind != "chainSummarization" => {
            node.jinja(&json!("={{ $json.chatInput }}"), notes)
        }
        (_, Some(written)) => node.jinja(written, notes),
        (_, None) => String::new(),
    }
}

/// The connected model, with its settings.
pub fn model<'d>(node: Context<'_, 'd>) -> Option<(String, &'d Value)> {
    let part = node.first_part("ai_languageModel")?;
    Some((model_name(part), part.parameter("options")))
}

pub fn model_name(node: Context) -> String {
    let names = ["model", "modelId", "modelName", "deploymentName"];
    let known = |name| located_value(node.parameter(name)).map(scalar_text);
    let name = names.into_iter().find_map(known).filter(|name| !name.is_empty() && !name.starts_with('='));
    name.map_or_else(|| UNBOUND_MODEL.to_owned(), |name| truncate(&name, 190))
}

/// A direct call of a model provider, for a text or an image.
pub fn service(node: Context) -> Translation {
    let (resource, operation) = (text(node.parameter("resource")), text(node.parameter("operation")));
    match (resource, operation) {
        ("image", "" | "generate" | "create") => image(node),
        ("" | "text" | "chat" | "message", "" | "message" | "complete" | "response" | "create") => messages(node),
        ("assistant", _) => assistant(node),
        _ => {
            let what = format!("{resource} {operation}");
            Translation::unsupported(format!("`{}` is not supported", truncate(what.trim(), 60)))
        }
    }
}

fn assistant(node: Context) -> Translation {
    let mut notes = Notes::new();
    let message = prompt(node, &mut notes);
    let config = json!({"agentId": UNBOUND_ID, "message": message});
    note(&mut notes, "create an agent in place of the assistant, and select it");
    let named = format!("an agent in place of assistant `{}`", truncate(&located(node.parameter("assistantId")), 80));
    Translation::new("agent", config).with_notes(notes).with_reconnects([named])
}

fn messages(node: Context) -> Translation {
    let mut notes = Notes::new();
    let (mut system, mut asked) = (Vec::new(), Vec::new());
    let all = [
        &node.parameter("messages")["values"],
        &node.parameter("responses")["values"],
        &node.parameter("prompt")["messages"],
    ];
    for message in all.into_iter().flat_map(list).take(100) {
        let written = node.jinja(&message["content"], &mut notes);
        match text(&message["role"]) {
            "system" => system.push(written),
            "assistant" | "model" => {
                note(&mut notes, "earlier answers of the model are part of the prompt");
                asked.push(written);
            }
            _ => asked.push(written),
        }
    }
    if let Value::String(_) = node.parameter("prompt") {
        asked.push(node.jinja(node.parameter("prompt"), &mut notes));
    }
    let mut config = Map::from_iter([("model".to_owned(), model_name(node).into())]);
    if !system.is_empty() {
        config.insert("system".to_owned(), system.join("\n\n").into());
    }
    config.insert("prompt".to_owned(), asked.join("\n\n").into());
    settings(node.parameter("options"), &mut config, &mut notes);
    if node.parameter("jsonOutput") == true {
        config.insert("schema".to_owned(), json!({"type": "object"}));
        note(&mut notes, "its answer may be any object: complete the schema");
    }
    let model = format!("model {}", model_name(node));
    Translation::new("model", config.into()).with_notes(notes).with_reconnects([model])
}

fn image(node: Context) -> Translation {
    let mut notes = Notes::new();
    let prompt = node.jinja(node.parameter("prompt"), &mut notes);
    let options = node.parameter("options");
    let model = model_name(node);
    if model == UNBOUND_MODEL {
        note(&mut notes, "select an image model");
    }
    let mut config = json!({"preset": model, "prompt": prompt});
    if let Some(count) = whole_number(&options["n"]).filter(|count| (1..=4).contains(count)) {
        config["n"] = count.into();
    }
    let size = text(&options["size"]);
    if (3..=20).contains(&size.len()) {
        config["size"] = size.into();
    }
    Translation::new("image", config).with_notes(notes).with_reconnects([format!("image model {}", model_name(node))])
}

pub fn guard(node: Context) -> Translation {
    let mut notes = Notes::new();
    let text = node.jinja(node.parameter("text"), &mut notes);
    let checks: Vec<&str> = entries(node.parameter("guardrails")).map(|(name, _)| name.as_str()).collect();
    note(&mut notes, "it checks the platform's own risk categories");
    if !checks.is_empty() {
        note(&mut notes, format!("it checked {}", truncate(&checks.join(", "), 120)));
    }
    // n8n can also remove what it finds.
    if super::super::super::lenient::text(node.parameter("operation")) == "sanitize" {
        note(&mut notes, "it detects and does not remove");
    }
    Translation::new("guard", json!({"text": text})).with_notes(notes)
}

pub fn retrieval(node: Context) -> Translation {
    let mode = text(node.parameter("mode"));
    if !matches!(mode, "" | "load" | "retrieve") {
        return Translation::unsupported("workflows cannot add documents to a source");
    }
    let mut notes = Notes::new();
    let query = node.jinja(node.parameter("prompt"), &mut notes);
    let model = node.first_part("ai_embedding").map_or_else(|| UNBOUND_MODEL.to_owned(), model_name);
    let named = store_name(node);
    let translation =
        Translation::new("retrieval", retrieval_config(&model, &query, &named, whole_number(node.parameter("topK"))));
    note(&mut notes, "add the sources that it searches");
    translation
        .with_notes(notes)
        .with_reconnects([format!("sources in place of {named}"), format!("embeddings model {model}")])
}

/// `pineconeIndex`, `qdrantCollection`, `tableName`, …
pub fn store_name(node: Context) -> String {
    const NAMES: [&str; 7] = [
        "pineconeIndex",
        "qdrantCollection",
        "tableName",
        "supabaseTable",
        "mongoCollection",
        "milvusCollection",
        "memoryKey",
    ];
    let name = NAMES.into_iter().map(|name| located(node.parameter(name))).find(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| node.source().name.to_owned());
    let name = truncate(name.trim_start_matches('='), 100);
    if name.is_empty() { "the store".to_owned() } else { name }
}

/// A configuration with a placeholder source, because one is required.
pub fn retrieval_config(model: &str, query: &str, named: &str, most: Option<u64>) -> Value {
    let source = json!({"type": "text", "name": truncate(named, 190), "text": format!("To be replaced by {named}.")});
    let mut config = json!({"model": model, "query": query, "sources": [source]});
    if let Some(most) = most {
        config["topK"] = most.clamp(1, 50).into();
    }
    config
}
