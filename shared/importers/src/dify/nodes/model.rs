//! Converts calls of models, agents and knowledge bases.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{is_empty, list, number, scalar_text, text, truncate, whole_number};
use super::super::super::model::{answer_schema, settings};
use super::super::super::notes::{Notes, note};
use super::super::super::syntax::{escape_jinja, output, quote};
use super::super::super::translation::{Translation, UNBOUND_ID, UNBOUND_MODEL};
use super::super::app::Start;
use super::super::context::Context;
use super::super::texts;

/// The note where no message starts the runs.
const NO_MEMORY: &str = "a model knows the conversation only where a message starts the run: use an agent for that";

/// The name of a model, and what to reconnect.
pub fn named_model(model: &Value) -> (String, String) {
    let name = match scalar_text(&model["name"]) {
        name if name.is_empty() => UNBOUND_MODEL.to_owned(),
        name => truncate(&name, 190),
    };
    let provider = scalar_text(&model["provider"]);
    let provider = provider.rsplit('/').next().unwrap_or_default();
    let of = if provider.is_empty() { String::new() } else { format!(" of {}", truncate(provider, 60)) };
    (name.clone(), format!("model {name}{of}"))
}

pub fn llm(node: Context) -> Translation {
    let mut notes = Notes::new();
    let (model, named) = named_model(node.data("model"));
    let mut config = Map::from_iter([("model".to_owned(), Value::from(model))]);
    let template = node.data("prompt_template");
    let variables = &node.data("prompt_config")["jinja2_variables"];
    let (mut system, mut asked) = (Vec::new(), Vec::new());
    let is_message = node.app.start == Start::Message;
    let parts = if template.is_array() { list(template) } else { std::slice::from_ref(template) };
    for part in parts.iter().take(100) {
        let written = texts::prompt(node, part, variables, &mut notes);
        match text(&part["role"]) {
            _ if written.trim().is_empty() => {}
            "system" => system.push(written),
            "assistant" => {
                note(&mut notes, "earlier answers of the model are part of the prompt");
                asked.push(written);
            }
            _ => asked.push(written),
        }
    }
    let memory = node.data("memory");
    if memory.is_object() {
        match is_message {
            true => drop(config.insert("memory".to_owned(), true.into())),
            false => note(&mut notes, NO_MEMORY),
        }
        let query = scalar_text(&memory["query_prompt_template"]);
        let query = if query.is_empty() { "{{#sys.query#}}".to_owned() } else { texts::without_files(&query) };
        let query = node.jinja(&query.trim().into(), &mut notes);
        if !query.is_empty() && !asked.contains(&query) {
            asked.push(query);
        }
    }
    if asked.is_empty() {
        // A model needs a prompt: without one, the system text is the prompt.
        asked = std::mem::take(&mut system);
    }
    if !system.is_empty() {
        config.insert("system".to_owned(), system.join("\n\n").into());
    }
    config.insert("prompt".to_owned(), asked.join("\n\n").into());
    settings(&node.data("model")["completion_params"], &mut config, &mut notes);
    if let Some(schema) = schema(node) {
        answer_schema(schema.clone(), &mut config, &mut notes);
    }
    if node.data("vision")["enabled"] == true {
        match is_message {
            true => drop(config.insert("attachments".to_owned(), true.into())),
            false => note(&mut notes, "images are not sent to the model"),
        }
    }
    Translation::new("model", config.into()).with_notes(notes).with_reconnects([named])
}

fn schema<'d>(node: Context<'_, 'd>) -> Option<&'d Value> {
    let schema = &node.data("structured_output")["schema"];
    (node.data("structured_output_enabled") == true && schema.is_object()).then_some(schema)
}

pub fn extractor(node: Context) -> Translation {
    let mut notes = Notes::new();
    let (model, named) = named_model(node.data("model"));
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for parameter in list(node.data("parameters")).iter().take(200) {
        let name = scalar_text(&parameter["name"]);
        let mut property = match text(&parameter["type"]) {
            "number" => json!({"type": "number"}),
            "bool" | "boolean" => json!({"type": "boolean"}),
            "array[number]" => json!({"type": "array", "items": {"type": "number"}}),
            "array[object]" => json!({"type": "array", "items": {"type": "object"}}),
            "array[string]" => json!({"type": "array", "items": {"type": "string"}}),
            _ => json!({"type": "string"}),
        };
        property["description"] = scalar_text(&parameter["description"]).into();
        if !list(&parameter["options"]).is_empty() {
            property["enum"] = parameter["options"].clone();
        }
        if parameter["required"] == true {
            required.push(name.clone());
        }
        properties.insert(name, property);
    }
    let instruction = node.jinja(node.data("instruction"), &mut notes);
    let system = format!("Take from the text what is asked for.\n{instruction}");
    let mut config = Map::from_iter([("model".to_owned(), Value::from(model))]);
    config.insert("system".to_owned(), system.trim().into());
    config.insert("prompt".to_owned(), asked(node, node.data("query"), &mut notes).into());
    config.insert("schema".to_owned(), json!({"type": "object", "properties": properties, "required": required}));
    settings(&node.data("model")["completion_params"], &mut config, &mut notes);
    if node.data("memory").is_object() {
        match node.app.start {
            Start::Message => drop(config.insert("memory".to_owned(), true.into())),
            _ => note(&mut notes, NO_MEMORY),
        }
    }
    Translation::new("model", config.into()).with_notes(notes).with_reconnects([named])
}

/// A prompt that consists of one value.
fn asked(node: Context, selector: &Value, notes: &mut Notes) -> String {
    super::super::super::pieces::Pieces(vec![super::super::super::pieces::Piece::Placeholder(
        node.placeholder(selector),
    )])
    .jinja(notes)
}

/// A classifier: a model that names the class, and a switch on its answer.
pub fn classifier(node: Context) -> Translation {
    let mut notes = Notes::new();
    let (model, named) = named_model(node.data("model"));
    let classes: Vec<(String, String)> = list(node.data("classes"))
        .iter()
        .take(51)
        .map(|class| (scalar_text(&class["id"]), scalar_text(&class["name"])))
        .collect();
    let names: Vec<&str> = classes.iter().map(|(_, name)| name.as_str()).collect();
    let instruction = node.jinja(node.data("instruction"), &mut notes);
    let lines: Vec<String> = names.iter().map(|name| format!("- {}", escape_jinja(name))).collect();
    let system = format!("Choose the class of the question:\n{}\n{instruction}", lines.join("\n"));
    let mut config = Map::from_iter([("model".to_owned(), Value::from(model))]);
    config.insert("system".to_owned(), system.trim().into());
    config.insert("prompt".to_owned(), asked(node, node.data("query_variable_selector"), &mut notes).into());
    let schema =
        json!({"type": "object", "required": ["class"], "properties": {"class": {"type": "string", "enum": names}}});
    config.insert("schema".to_owned(), schema);
    settings(&node.data("model")["completion_params"], &mut config, &mut notes);
    let chosen = format!("{}.class", output(node.id()));
    let port = |index: usize, name: &str| format!("{} {}", index + 1, truncate(name, 40));
    let cases = classes.iter().enumerate().map(
        |(index, (_, name))| json!({"name": port(index, name), "expression": format!("{chosen} == {}", quote(name))}),
    );
    let translation =
        Translation::new("model", config.into()).then("switch", "switch", json!({"cases": cases.collect::<Vec<_>>()}));
    let exits = classes.iter().enumerate().map(|(index, (id, name))| (id.clone(), 1, port(index, name)));
    translation.with_exits(exits).with_notes(notes).with_reconnects([named])
}

/// Agents are separate resources here. The node keeps the message for the agent.
pub fn agent(node: Context) -> Translation {
    let mut notes = Notes::new();
    let parameters = node.data("agent_parameters");
    let query = &parameters["query"];
    let message = match &query["value"] {
        selector @ Value::Array(_) => asked(node, selector, &mut notes),
        value => node.jinja(value, &mut notes),
    };
    let tools: Vec<String> = list(&parameters["tools"]["value"])
        .iter()
        .take(20)
        .map(|tool| format!("`{}`", truncate(&scalar_text(&tool["tool_name"]), 60)))
        .collect();
    let model = &parameters["model"]["value"];
    let model = scalar_text(if model["model"].is_string() { &model["model"] } else { &model["name"] });
    let mut parts = Vec::new();
    if !model.is_empty() {
        parts.push(format!("model {}", truncate(&model, 100)));
    }
    if !tools.is_empty() {
        parts.push(format!("tools {}", tools.join(", ")));
    }
    if !is_empty(&parameters["instruction"]["value"]) {
        parts.push("its instructions".to_owned());
    }
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join("; ")) };
    note(&mut notes, "create an agent from the parts listed under `reconnect`, and select it");
    let memory = node.data("memory").is_object();
    let config = json!({"agentId": UNBOUND_ID, "message": message, "memory": memory});
    Translation::new("agent", config).with_notes(notes).with_reconnects([truncate(&format!("an agent{parts}"), 1_000)])
}

pub fn retrieval(node: Context) -> Translation {
    let mut notes = Notes::new();
    let query = asked(node, node.data("query_variable_selector"), &mut notes);
    let sets = list(node.data("dataset_ids"));
    let settings = node.data("multiple_retrieval_config");
    let source =
        json!({"type": "text", "name": "To be replaced", "text": "To be replaced by the sources of the knowledge."});
    let mut config = json!({"model": UNBOUND_MODEL, "query": query, "sources": [source]});
    if let Some(most) = whole_number(&settings["top_k"]) {
        config["topK"] = most.clamp(1, 50).into();
    }
    if let Some(least) = number(&settings["score_threshold"]).filter(|least| (-1.0..=1.0).contains(least)) {
        config["minScore"] = least.into();
    }
    note(&mut notes, "add the sources that it searches");
    if settings["reranking_enable"] == true || settings["reranking_model"]["model"].is_string() {
        note(&mut notes, "reranking is not supported");
    }
    let what = format!("sources in place of {} knowledge bases", sets.len());
    let mut translation = Translation::new("retrieval", config);
    if node.app.read_passages.contains(node.source().id) {
        // Other nodes read the fields that passages have in Dify.
        let passage = "{'content': p.text, 'title': p.source, 'url': '', 'metadata': {'score': p.score, 'document_name': p.source}}";
        translation = translation.then("", "transform", json!({"value": format!("input.map(p, {passage})")}));
        translation.steps[0].suffix = "passages";
    }
    translation.with_notes(notes).with_reconnects([what, "an embeddings model".to_owned()])
}
