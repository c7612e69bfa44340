//! Converts agents, and nodes that call a model provider.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::lenient::{entries, is_empty, list, scalar_text, text, truncate, whole_number};
use crate::model::settings;
use crate::n8n::context::Context;
use crate::n8n::javascript::{escape_sign, expression, is_computed, literal_text, text_field};
use crate::n8n::parameter::{located_name, located_value};
use crate::notes::{Notes, note};
use crate::translation::{Translation, UNBOUND_ID, UNBOUND_MODEL};

/// The prompt: the node's own text, or the chat's message.
pub fn prompt<'w>(node: Context<'w, '_>) -> &'w Value {
    static CHAT: LazyLock<Value> = LazyLock::new(|| "={{ $json.chatInput }}".into());
    // The first versions have other names.
    static CHAT_1_1: LazyLock<Value> = LazyLock::new(|| "={{ $json.chat_input }}".into());
    static CHAT_1: LazyLock<Value> = LazyLock::new(|| "={{ $json.input }}".into());
    let texts = ["text", "inputText", "prompt", "query"].map(|name| node.parameter(name));
    let written = texts.into_iter().find(|written| !is_empty(written));
    // The versions from which the message has each of the later names.
    let [second, third] = match node.source().kind {
        "agent" | "chainRetrievalQa" => [1.1, 1.2],
        "chainLlm" => [1.1, 1.3],
        _ => [0.0, 0.0],
    };
    match (text(node.parameter("promptType")), written) {
        (_, None) if node.source().version < second => &CHAT_1,
        (_, None) if node.source().version < third => &CHAT_1_1,
        ("auto", _) | (_, None) => &CHAT,
        (_, Some(written)) => written,
    }
}

/// The connected model, with its settings.
pub fn model<'w>(node: Context<'w, '_>) -> Option<(String, &'w Value)> {
    let part = node.parts("ai_languageModel").next()?;
    Some((model_name(part), part.parameter("options")))
}

pub fn model_name(node: Context) -> String {
    let names = ["model", "modelId", "modelName", "deploymentName"];
    let known = |name| located_value(node.parameter(name)).map(scalar_text);
    let name = names.into_iter().find_map(known).filter(|name| !name.is_empty() && !name.starts_with('='));
    name.map_or_else(|| UNBOUND_MODEL.to_owned(), |name| truncate(&name, 190))
}

/// Reports the options that are given, and that the translation does not know.
pub fn report_options(node: Context, known: &[&str], notes: &mut Notes) {
    const MAX_REPORTED: usize = 8;
    let is_other = |name: &str, value: &Value| !known.contains(&name) && !is_empty(value) && *value != false;
    let given = entries(node.parameter("options")).filter(|(name, value)| is_other(name, value));
    let given: Vec<String> = given.map(|(name, _)| truncate(name, 40)).take(MAX_REPORTED).collect();
    if !given.is_empty() {
        note(notes, format!("some options are not imported: {}", given.join(", ")));
    }
}

fn resource<'w>(node: Context<'w, '_>) -> &'w str {
    text(node.parameter("resource"))
}

/// A direct call of a model provider, for a text or an image.
pub fn service(node: Context) -> Translation {
    let (resource, operation) = (resource(node), text(node.parameter("operation")));
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
    let item_mode = json!({"result": {"js": "({ output })"}});
    let config = json!({"agentId": UNBOUND_ID, "message": text_field(prompt(node)), "itemMode": item_mode});
    let named =
        format!("an agent in place of assistant `{}`", truncate(&located_name(node.parameter("assistantId")), 80));
    Translation::new("agent", config)
        .with_notes(["create an agent in place of the assistant, and select it"])
        .with_reconnects([named])
}

/// Texts, one after the other.
pub fn join(texts: &[&Value]) -> Value {
    match texts {
        [one] => text_field(one),
        texts if texts.iter().all(|text| !text.as_str().is_some_and(is_computed)) => {
            let literals: Vec<String> = texts.iter().map(|text| literal_text(text)).collect();
            text_field(&escape_sign(literals.join("\n\n")))
        }
        texts => {
            let parts: Vec<String> = texts.iter().map(|text| expression(text)).collect();
            json!({"js": format!("[{}].join(\"\\n\\n\")", parts.join(", "))})
        }
    }
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
        match text(&message["role"]) {
            "system" => system.push(&message["content"]),
            "assistant" | "model" => {
                note(&mut notes, "earlier answers of the model are part of the prompt");
                asked.push(&message["content"]);
            }
            _ => asked.push(&message["content"]),
        }
    }
    if node.parameter("prompt").is_string() {
        asked.push(node.parameter("prompt"));
    }
    let mut config = Map::from_iter([("model".to_owned(), model_name(node).into())]);
    if !system.is_empty() {
        config.insert("system".to_owned(), join(&system));
    }
    config.insert("prompt".to_owned(), join(&asked));
    settings(node.parameter("options"), &mut config, &mut notes);
    let is_json = *node.parameter("jsonOutput") == true;
    if is_json {
        config.insert("schema".to_owned(), json!({"type": "object"}));
        note(&mut notes, "its answer may be any object: complete the schema");
    }
    config.insert("itemMode".to_owned(), json!({"result": {"js": answer(node, is_json)}}));
    let model = format!("model {}", model_name(node));
    Translation::new("model", config.into()).with_notes(notes).with_reconnects([model])
}

/// The answer, in the form of the provider.
pub fn answer(node: Context, is_json: bool) -> String {
    let source = node.source();
    let is_simple = *node.parameter("simplify") != false && *node.parameter("simplifyOutput") != false;
    let text = if is_json { "JSON.stringify(output)" } else { "output" };
    let content = match source.kind {
        "openAi" if source.raw["type"] == "n8n-nodes-base.openAi" && resource(node) == "text" => {
            return "({ text: output })".to_owned();
        }
        "openAi" if source.version >= 2.0 => {
            let content = "content: [{ type: \"output_text\", text: output }]";
            return format!("({{ output: [{{ type: \"message\", role: \"assistant\", {content} }}] }})");
        }
        "anthropic" => format!("content: [{{ type: \"text\", text: {text} }}]"),
        "googleGemini" => {
            let content = format!("content: {{ parts: [{{ text: {text} }}], role: \"model\" }}");
            return if is_simple {
                format!("({{ {content} }})")
            } else {
                format!("({{ candidates: [{{ {content} }}] }})")
            };
        }
        "ollama" if is_simple => format!("content: {text}"),
        "ollama" => format!("message: {{ role: \"assistant\", content: {text} }}"),
        _ => {
            let choice = "index: 0, message: { role: \"assistant\", content: output }, finish_reason: \"stop\"";
            if is_simple { choice.to_owned() } else { format!("choices: [{{ {choice} }}]") }
        }
    };
    format!("({{ {content} }})")
}

fn image(node: Context) -> Translation {
    let mut notes = Notes::new();
    let options = node.parameter("options");
    let model = model_name(node);
    if model == UNBOUND_MODEL {
        note(&mut notes, "select an image model");
    }
    if options["returnImageUrls"] != true {
        note(&mut notes, "its items have the URL of each image, not a file");
    }
    let items = json!({"result": {"js": "output.map(({ url }) => ({ json: { url } }))"}});
    let mut config = json!({"preset": model, "prompt": text_field(node.parameter("prompt")), "itemMode": items});
    if let Some(count) = whole_number(&options["n"]).filter(|count| (1..=4).contains(count)) {
        config["n"] = count.into();
    }
    let size = text(&options["size"]);
    if (3..=20).contains(&size.len()) {
        config["size"] = size.into();
    }
    Translation::new("image", config).with_notes(notes).with_reconnects([format!("image model {model}")])
}

/// A check of a text. The items go to the outputs for passed and flagged texts.
pub fn guard(node: Context) -> Translation {
    let mut notes = Notes::new();
    let checked = node.parameter("text");
    let checks: Vec<&str> = entries(node.parameter("guardrails")).map(|(name, _)| name.as_str()).collect();
    note(&mut notes, "it checks the platform's own risk categories");
    if !checks.is_empty() {
        note(&mut notes, format!("it checked {}", truncate(&checks.join(", "), 120)));
    }
    let items =
        format!("({{ guardrailsInput: {}, flagged: output.flagged, checks: output.categories }})", expression(checked));
    let config = json!({"text": text_field(checked), "itemMode": {"result": {"js": items}}});
    let guard = Translation::new("guard", config);
    // n8n can also remove what it finds.
    if text(node.parameter("operation")) == "sanitize" {
        return guard.with_notes(notes).with_notes(["it detects and does not remove"]);
    }
    let javascript = "const items = $input.all().map((item, index) => ({ ...item, pairedItem: index }));\n\
                      return {\n  passed: items.filter((item) => !item.json.flagged),\n  \
                      flagged: items.filter((item) => item.json.flagged)\n};";
    guard.before("check", "code", json!({"javascript": javascript, "outputs": ["passed", "flagged"]})).with_notes(notes)
}

pub fn retrieval(node: Context) -> Translation {
    let mode = text(node.parameter("mode"));
    if !matches!(mode, "" | "load" | "retrieve") {
        return Translation::unsupported("workflows cannot add documents to a source");
    }
    let model = node.parts("ai_embedding").next().map_or_else(|| UNBOUND_MODEL.to_owned(), model_name);
    let named = store_name(node);
    let mut config =
        retrieval_config(&model, text_field(node.parameter("prompt")), &named, whole_number(node.parameter("topK")));
    let items = "output.map(({ text, source, score }) => ({ json: { document: { pageContent: text, metadata: { source } }, score } }))";
    config["itemMode"] = json!({"result": {"js": items}});
    Translation::new("retrieval", config)
        .with_notes(["add the sources that it searches"])
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
    let name = NAMES.into_iter().map(|name| located_name(node.parameter(name))).find(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| node.source().name.to_owned());
    let name = truncate(name.trim_start_matches('='), 100);
    if name.is_empty() { "the store".to_owned() } else { name }
}

/// A configuration with a placeholder source, because one is required.
pub fn retrieval_config(model: &str, query: Value, named: &str, most: Option<u64>) -> Value {
    let source = json!({"type": "text", "name": truncate(named, 190), "text": format!("To be replaced by {named}.")});
    let mut config = json!({"model": model, "query": query, "sources": [source]});
    if let Some(most) = most {
        config["topK"] = most.clamp(1, 50).into();
    }
    config
}
