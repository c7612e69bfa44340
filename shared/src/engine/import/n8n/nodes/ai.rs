//! Agents, and what asks a service of models for something.

use serde_json::{Map, Value, json};

use super::super::super::loose::{clipped, entries, list, said, text, whole};
use super::super::super::made::{Made, UNBOUND_ID, UNBOUND_MODEL};
use super::super::super::model::settings;
use super::super::super::pieces::{Notes, note};
use super::super::context::Context;
use super::super::parameter::{located, located_value};
use super::chains::{prompt, schema};

/// An agent is a resource of its own here: the node keeps what it is asked.
pub fn agent(node: Context) -> Made {
    let mut notes = Notes::new();
    let message = prompt(node, &mut notes);
    let wiring = &node.workflow.wiring;
    let names = |kind: &str| -> Vec<String> {
        wiring.parts(node.node, kind).map(|part| format!("`{}`", clipped(node.part(part).source().name, 60))).collect()
    };
    let memory = wiring.parts(node.node, "ai_memory").next().is_some();
    let mut parts = Vec::new();
    if let Some((model, _)) = model(node) {
        parts.push(format!("model {model}"));
    }
    for (kind, what) in [("ai_tool", "tools"), ("ai_memory", "memory"), ("ai_outputParser", "form of the answer")] {
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
    note(&mut notes, "an agent is to be made of what belongs to it, and chosen");
    let what = format!("an agent{parts}");
    Made::new("agent", config).noting(notes).reconnecting([clipped(&what, 1_000)])
}

/// The model that a node is connected to, and how it is set.
pub fn model<'d>(node: Context<'_, 'd>) -> Option<(String, &'d Value)> {
    let part = node.first_part("ai_languageModel")?;
    Some((model_name(part), part.parameter("options")))
}

pub fn model_name(node: Context) -> String {
    let names = ["model", "modelId", "modelName", "deploymentName"];
    let known = |name| located_value(node.parameter(name)).map(said);
    let name = names.into_iter().find_map(known).filter(|name| !name.is_empty() && !name.starts_with('='));
    name.map_or_else(|| UNBOUND_MODEL.to_owned(), |name| clipped(&name, 190))
}

/// A service of models called by itself: for a text, or for a picture.
pub fn service(node: Context) -> Made {
    let (resource, operation) = (text(node.parameter("resource")), text(node.parameter("operation")));
    match (resource, operation) {
        ("image", "" | "generate" | "create") => image(node),
        ("" | "text" | "chat" | "message", "" | "message" | "complete" | "response" | "create") => messages(node),
        ("assistant", _) => agent_of(node),
        _ => {
            let what = format!("{resource} {operation}");
            Made::unsupported(format!("there is no match for `{}`", clipped(what.trim(), 60)))
        }
    }
}

fn agent_of(node: Context) -> Made {
    let mut notes = Notes::new();
    let message = prompt(node, &mut notes);
    let config = json!({"agentId": UNBOUND_ID, "message": message});
    note(&mut notes, "an agent is to be made of the assistant, and chosen");
    let named = format!("an agent in place of assistant `{}`", clipped(&located(node.parameter("assistantId")), 80));
    Made::new("agent", config).noting(notes).reconnecting([named])
}

fn messages(node: Context) -> Made {
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
                note(&mut notes, "what the model is said to have answered stands in what it is asked");
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
        note(&mut notes, "its answer is any object: say in the schema which");
    }
    let model = format!("model {}", model_name(node));
    Made::new("model", config.into()).noting(notes).reconnecting([model])
}

fn image(node: Context) -> Made {
    let mut notes = Notes::new();
    let prompt = node.jinja(node.parameter("prompt"), &mut notes);
    let options = node.parameter("options");
    let model = model_name(node);
    if model == UNBOUND_MODEL {
        note(&mut notes, "an image model is to be chosen");
    }
    let mut config = json!({"preset": model, "prompt": prompt});
    if let Some(count) = whole(&options["n"]).filter(|count| (1..=4).contains(count)) {
        config["n"] = count.into();
    }
    let size = text(&options["size"]);
    if (3..=20).contains(&size.len()) {
        config["size"] = size.into();
    }
    Made::new("image", config).noting(notes).reconnecting([format!("image model {}", model_name(node))])
}

pub fn guard(node: Context) -> Made {
    let mut notes = Notes::new();
    let text = node.jinja(node.parameter("text"), &mut notes);
    let checks: Vec<&str> = entries(node.parameter("guardrails")).map(|(name, _)| name.as_str()).collect();
    note(&mut notes, "it looks for the platform's own categories of risk");
    if !checks.is_empty() {
        note(&mut notes, format!("it looked for {}", clipped(&checks.join(", "), 120)));
    }
    // What was cleaned of what it found is not cleaned here.
    if super::super::super::loose::text(node.parameter("operation")) == "sanitize" {
        note(&mut notes, "it finds and does not clean");
    }
    Made::new("guard", json!({"text": text})).noting(notes)
}

pub fn retrieval(node: Context) -> Made {
    let mode = text(node.parameter("mode"));
    if !matches!(mode, "" | "load" | "retrieve") {
        return Made::unsupported("documents are put into sources elsewhere, not by a workflow");
    }
    let mut notes = Notes::new();
    let query = node.jinja(node.parameter("prompt"), &mut notes);
    let model = node.first_part("ai_embedding").map_or_else(|| UNBOUND_MODEL.to_owned(), model_name);
    let named = store_name(node);
    let made = Made::new("retrieval", retrieval_config(&model, &query, &named, whole(node.parameter("topK"))));
    note(&mut notes, "what it looks through is to be given as sources");
    made.noting(notes).reconnecting([format!("sources in place of {named}"), format!("embeddings model {model}")])
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
    let name = clipped(name.trim_start_matches('='), 100);
    if name.is_empty() { "the store".to_owned() } else { name }
}

/// With one source to be replaced, since there must be one.
pub fn retrieval_config(model: &str, query: &str, named: &str, most: Option<u64>) -> Value {
    let source = json!({"type": "text", "name": clipped(named, 190), "text": format!("To be replaced by {named}.")});
    let mut config = json!({"model": model, "query": query, "sources": [source]});
    if let Some(most) = most {
        config["topK"] = most.clamp(1, 50).into();
    }
    config
}

/// The form of the answer that is asked for, by a part of the node.
pub fn answer_schema(node: Context, notes: &mut Notes) -> Option<Map<String, Value>> {
    let part = node.first_part("ai_outputParser")?;
    schema(part).or_else(|| {
        note(notes, "the form of its answer is to be given as a schema");
        None
    })
}
