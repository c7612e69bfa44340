//! Converts Dify apps without a graph: a prompt, an input form, and perhaps knowledge and tools.

use serde_json::{Map, Value, json};

use super::super::draft::{Draft, Original};
use super::super::lenient::{entries, list, number, scalar_text, text, truncate, whole_number};
use super::super::model::settings;
use super::super::notes::{Notes, note};
use super::super::secrets::redact_text;
use super::super::slug::Ids;
use super::super::syntax::{escape_jinja, member, output};
use super::super::translation::{Translation, UNBOUND_ID, UNBOUND_MODEL};
use super::document::Document;
use super::nodes::{named_model, schema};
use domain::Result;
use domain::graph::CanvasPosition;

/// Adds a chain: input, retrieval when there is knowledge, model, result.
pub fn add_chain(document: &Document, draft: &mut Draft, ids: &mut Ids) -> Result<()> {
    let config = document.model_config;
    let [start, model, end] = ["Input", "Model", "Result"].map(|title| (title, ids.assign(&[title])));
    let knowledge = list(&config["dataset_configs"]["datasets"]["datasets"]);
    let passages = (!knowledge.is_empty()).then(|| ("Passages", ids.assign(&["Passages"])));

    let mut parts = vec![(start.clone(), input(document))];
    if let Some(named) = &passages {
        parts.push((named.clone(), retrieval(config, &start.1, knowledge.len())));
    }
    let found = passages.as_ref().map(|(_, id)| output(id));
    let step = match document.mode {
        "agent-chat" if found.is_none() => agent_step(document, &start.1),
        _ => model_step(document, &start.1, found.as_deref()),
    };
    parts.push((model.clone(), step));
    parts
        .push((end, Translation::new("send_result", json!({"output": format!("{{'answer': {}}}", output(&model.1))}))));

    let count = parts.len();
    for (place, ((title, id), translation)) in parts.into_iter().enumerate() {
        let position = Some(CanvasPosition { x: 240.0 * place as f64, y: 0.0 });
        let named = Original { id: &id, title, kind: document.mode, position, raw: &Value::Null };
        draft.add(&named, translation, ids)?;
    }
    (1..count).for_each(|place| draft.connect(place - 1, "0", place, "in"));
    Ok(())
}

/// `[{"text-input": {variable, label, required}}, …]`
fn input(document: &Document) -> Translation {
    let form = list(&document.model_config["user_input_form"]);
    let fields: Vec<(String, Value)> = form
        .iter()
        .flat_map(entries)
        .map(|(kind, field)| {
            let mut field = field.clone();
            if field.is_object() {
                field["type"] = kind.as_str().into();
            }
            (scalar_text(&field["variable"]), field)
        })
        .collect();
    let query = json!({"label": "Question", "type": "paragraph", "required": true});
    let asks = document.mode != "completion";
    let fields = fields.iter().map(|(name, field)| (name.clone(), field));
    let fields = fields.chain(asks.then(|| ("query".to_owned(), &query)));
    Translation::new("input", json!({"schema": schema(fields)}))
}

fn retrieval(config: &Value, start: &str, count: usize) -> Translation {
    let query = scalar_text(&config["dataset_query_variable"]);
    let query = if query.is_empty() { "query".to_owned() } else { query };
    let source =
        json!({"type": "text", "name": "To be replaced", "text": "To be replaced by the sources of the knowledge."});
    let query = format!("{{{{ {} }}}}", member(&output(start), &query));
    let mut settings = json!({"model": UNBOUND_MODEL, "query": query, "sources": [source]});
    if let Some(most) = whole_number(&config["dataset_configs"]["top_k"]) {
        settings["topK"] = most.clamp(1, 50).into();
    }
    if let Some(least) =
        number(&config["dataset_configs"]["score_threshold"]).filter(|least| (-1.0..=1.0).contains(least))
    {
        settings["minScore"] = least.into();
    }
    let what = [format!("sources in place of {count} knowledge bases"), "an embeddings model".to_owned()];
    Translation::new("retrieval", settings).with_notes(["add the sources that it searches"]).with_reconnects(what)
}

/// An agent, which is a resource of its own here.
fn agent_step(document: &Document, start: &str) -> Translation {
    let config = document.model_config;
    let mut parts = vec![named_model(&config["model"]).1];
    let tools = list(&config["agent_mode"]["tools"]).iter().filter(|tool| tool["enabled"] != false).take(30);
    let tools: Vec<String> =
        tools.map(|tool| format!("`{}`", truncate(&scalar_text(&tool["tool_name"]), 60))).collect();
    if !tools.is_empty() {
        parts.push(format!("tools {}", tools.join(", ")));
    }
    let prompt = scalar_text(&config["pre_prompt"]);
    if !prompt.is_empty() {
        parts.push(format!("its instructions: {}", redact_text(&truncate(&prompt, 700))));
    }
    let mut notes = vec!["create an agent from the parts listed under `reconnect`, and select it"];
    if config["sensitive_word_avoidance"]["enabled"] == true {
        notes.push("add a guard node for its content moderation");
    }
    if !text(&config["opening_statement"]).is_empty() {
        notes.push("the opening message is not imported");
    }
    let message = format!("{{{{ {}.query }}}}", output(start));
    Translation::new("agent", json!({"agentId": UNBOUND_ID, "message": message}))
        .with_notes(notes)
        .with_reconnects([truncate(&format!("an agent: {}", parts.join("; ")), 1_000)])
}

fn model_step(document: &Document, start: &str, passages: Option<&str>) -> Translation {
    let config = document.model_config;
    let mut notes = Notes::new();
    let (name, named) = named_model(&config["model"]);
    let mut settings_map = Map::from_iter([("model".to_owned(), Value::from(name))]);
    let mut system = vec![translate_prompt(&scalar_text(&config["pre_prompt"]), start)];
    let mut asked = Vec::new();
    for part in list(&config["chat_prompt_config"]["prompt"]).iter().take(100) {
        let written = translate_prompt(&scalar_text(&part["text"]), start);
        if text(&part["role"]) == "system" { system.push(written) } else { asked.push(written) }
    }
    asked.push(translate_prompt(&scalar_text(&config["completion_prompt_config"]["prompt"]["text"]), start));
    if let Some(passages) = passages {
        asked.push(format!("Passages:\n{{{{ {passages} | tojson }}}}"));
    }
    if document.mode != "completion" {
        asked.push(format!("{{{{ {}.query }}}}", output(start)));
        note(&mut notes, "a model node has no memory of the conversation: use an agent for that");
    }
    [&mut system, &mut asked].into_iter().for_each(|parts| parts.retain(|part| !part.trim().is_empty()));
    if asked.is_empty() {
        asked = std::mem::take(&mut system);
    }
    if !system.is_empty() {
        settings_map.insert("system".to_owned(), system.join("\n\n").into());
    }
    settings_map.insert("prompt".to_owned(), asked.join("\n\n").into());
    settings(&config["model"]["completion_params"], &mut settings_map, &mut notes);

    let mut reconnect = vec![named];
    let tools = list(&config["agent_mode"]["tools"]).iter().filter(|tool| tool["enabled"] != false).take(30);
    let tools: Vec<String> =
        tools.map(|tool| format!("`{}`", truncate(&scalar_text(&tool["tool_name"]), 60))).collect();
    if document.mode == "agent-chat" {
        note(&mut notes, "create an agent with these tools and use an agent node instead");
    }
    if !tools.is_empty() {
        reconnect.push(format!("tools {}", tools.join(", ")));
    }
    if config["sensitive_word_avoidance"]["enabled"] == true {
        note(&mut notes, "add a guard node for its content moderation");
    }
    if !text(&config["opening_statement"]).is_empty() {
        note(&mut notes, "the opening message is not imported");
    }
    Translation::new("model", settings_map.into()).with_notes(notes).with_reconnects(reconnect)
}

/// Translates a prompt, in which `{{name}}` is a field of the form.
fn translate_prompt(template: &str, start: &str) -> String {
    const MAX_NAME_BYTES: usize = 100;
    let (mut written, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        let name = after[..after.floor_char_boundary(MAX_NAME_BYTES)].split_once("}}").map(|(name, _)| name);
        let is_name =
            |name: &&str| !name.trim().is_empty() && name.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match name.filter(is_name) {
            Some(name) => {
                let path = member(&output(start), name.trim());
                written.push_str(&escape_jinja(before));
                written.push_str(&format!("{{{{ {path} }}}}"));
                rest = &after[name.len() + 2..];
            }
            None => {
                written.push_str(&escape_jinja(&format!("{before}{{{{")));
                rest = after;
            }
        }
    }
    written.push_str(&escape_jinja(rest));
    written
}
