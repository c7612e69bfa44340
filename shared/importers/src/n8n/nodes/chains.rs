//! Converts chains: one question to a model, perhaps with a schema for its answer.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{is_empty, list, scalar_text, text, truncate, whole_number};
use super::super::super::model::{answer_schema, settings};
use super::super::super::notes::{Notes, note};
use super::super::super::syntax::{output, quote};
use super::super::super::translation::{Translation, UNBOUND_MODEL};
use super::super::context::Context;
use super::ai;

pub fn chain(node: Context) -> Translation {
    let mut notes = Notes::new();
    let kind = node.source().kind;
    if kind == "chainRetrievalQa" {
        return retrieval_chain(node, notes);
    }
    let mut config = model_config(node, &mut notes);
    match kind {
        "chainSummarization" => {
            config.insert("system".to_owned(), "Summarize the text.".into());
            if config["prompt"] == "" {
                let whole = node.jinja(&json!("={{ JSON.stringify($json) }}"), &mut notes);
                config.insert("prompt".to_owned(), whole.into());
            }
            note(&mut notes, "the text is summarized in one call");
        }
        "informationExtractor" => {
            config.insert("system".to_owned(), extraction(node, &mut notes).into());
            let schema = schema(node).unwrap_or_else(|| attributes(node));
            answer_schema(schema.into(), &mut config, &mut notes);
        }
        "sentimentAnalysis" => {
            let given = scalar_text(&node.parameter("options")["categories"]);
            let given = if given.is_empty() { "Positive, Neutral, Negative".to_owned() } else { given };
            let names: Vec<String> = given.split(',').map(|name| name.trim().to_owned()).collect();
            return build_classifier(node, config, &names, "Say what sentiment the text has.", notes);
        }
        "textClassifier" => {
            let categories = list(&node.parameter("categories")["categories"]);
            let names: Vec<String> = categories.iter().map(|category| scalar_text(&category["category"])).collect();
            let lines = categories.iter().map(|category| {
                format!("- {}: {}", scalar_text(&category["category"]), scalar_text(&category["description"]))
            });
            let system = format!("Choose the category of the text:\n{}", lines.collect::<Vec<_>>().join("\n"));
            return build_classifier(node, config, &names, &system, notes);
        }
        _ => {
            if let Some(schema) = output_parser_schema(node, &mut notes) {
                answer_schema(schema.into(), &mut config, &mut notes);
            }
        }
    }
    let model = format!("model {}", scalar_text(&config["model"]));
    Translation::new("model", config.into()).with_notes(notes).with_reconnects([model])
}

/// The model, the system prompt and the prompt.
fn model_config(node: Context, notes: &mut Notes) -> Map<String, Value> {
    let (model, options) = ai::model(node).unwrap_or((UNBOUND_MODEL.to_owned(), &Value::Null));
    let mut config = Map::from_iter([("model".to_owned(), Value::from(model))]);
    let messages = list(&node.parameter("messages")["messageValues"]);
    let (mut system, mut before) = (Vec::new(), Vec::new());
    for message in messages.iter().take(50) {
        let written = node.jinja(&message["message"], notes);
        match text(&message["type"]) {
            "" | "SystemMessagePromptTemplate" => system.push(written),
            "AIMessagePromptTemplate" => {
                note(notes, "earlier answers of the model are part of the prompt");
                before.push(written);
            }
            _ => before.push(written),
        }
    }
    if !system.is_empty() {
        config.insert("system".to_owned(), system.join("\n\n").into());
    }
    before.push(ai::prompt(node, notes));
    config.insert("prompt".to_owned(), before.join("\n\n").into());
    settings(options, &mut config, notes);
    config
}

fn extraction(node: Context, notes: &mut Notes) -> String {
    let own = &node.parameter("options")["systemPromptTemplate"];
    if is_empty(own) { "Take from the text what is asked for.".to_owned() } else { node.jinja(own, notes) }
}

/// A JSON Schema, given directly or derived from an example.
fn schema(node: Context) -> Option<Map<String, Value>> {
    let read = |name: &str| serde_json::from_str::<Value>(text(node.parameter(name))).ok();
    let given = match text(node.parameter("schemaType")) {
        "manual" => ["inputSchema", "jsonSchema"].into_iter().find_map(read),
        _ => ["jsonSchemaExample", "jsonSchema", "inputSchema"].into_iter().find_map(read),
    }?;
    let is_schema = given["type"].is_string() && (given["properties"].is_object() || given["items"].is_object());
    match if is_schema { given } else { infer_schema(&given) } {
        Value::Object(schema) => Some(schema),
        _ => None,
    }
}

/// The schema of the answer, from the node's output parser.
fn output_parser_schema(node: Context, notes: &mut Notes) -> Option<Map<String, Value>> {
    let part = node.first_part("ai_outputParser")?;
    schema(part).or_else(|| {
        note(notes, "add a schema for its answer");
        None
    })
}

/// Recurses. The JSON parser bounds the depth.
fn infer_schema(example: &Value) -> Value {
    match example {
        Value::Object(fields) => {
            let properties = fields.iter().map(|(name, value)| (name.clone(), infer_schema(value)));
            json!({"type": "object", "properties": Map::from_iter(properties)})
        }
        Value::Array(items) => match items.first() {
            Some(item) => json!({"type": "array", "items": infer_schema(item)}),
            None => json!({"type": "array"}),
        },
        Value::String(_) => json!({"type": "string"}),
        Value::Number(_) => json!({"type": "number"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Null => json!({}),
    }
}

fn attributes(node: Context) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for attribute in list(&node.parameter("attributes")["attributes"]).iter().take(200) {
        let kind = match text(&attribute["type"]) {
            kind @ ("number" | "boolean") => kind,
            _ => "string",
        };
        let name = scalar_text(&attribute["name"]);
        if attribute["required"] == true {
            required.push(Value::from(name.as_str()));
        }
        properties.insert(name, json!({"type": kind, "description": scalar_text(&attribute["description"])}));
    }
    let mut schema =
        Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), properties.into())]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

/// A classifier: a model that names the category, and a switch on its answer.
fn build_classifier(
    node: Context,
    mut config: Map<String, Value>,
    names: &[String],
    system: &str,
    mut notes: Notes,
) -> Translation {
    let schema = json!({
        "type": "object", "required": ["category"], "properties": {"category": {"type": "string", "enum": names}},
    });
    config.insert("system".to_owned(), super::super::super::syntax::escape_jinja(system).into());
    config.insert("schema".to_owned(), schema);
    if node.workflow.wiring.wire_before_classifier(&node.workflow.document, node.node).is_none() {
        note(&mut notes, "its output is {category}: the input is not passed on");
    } else if node.source().kind == "sentimentAnalysis" {
        note(&mut notes, "its output is {category}, which was `sentimentAnalysis.category`");
    }
    let model = format!("model {}", scalar_text(&config["model"]));
    let category = format!("{}.category", output(node.id()));
    let cases: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            json!({"name": format!("{} {}", index + 1, truncate(name, 50)), "expression": format!("{category} == {}", quote(name))})
        })
        .collect();
    let mut exits: Vec<(String, usize, String)> =
        cases.iter().enumerate().map(|(index, case)| (index.to_string(), 1, scalar_text(&case["name"]))).collect();
    if text(&node.parameter("options")["fallback"]) == "other" {
        exits.push((names.len().to_string(), 1, "default".to_owned()));
    }
    let translation = Translation::new("model", config.into()).then("switch", "switch", json!({"cases": cases}));
    translation.with_exits(exits).with_notes(notes).with_reconnects([model])
}

/// A retrieval of passages, and a model that answers from them.
fn retrieval_chain(node: Context, mut notes: Notes) -> Translation {
    let question = ai::prompt(node, &mut notes);
    let retriever = node.first_part("ai_retriever");
    let store = retriever.and_then(|part| part.first_part("ai_vectorStore"));
    let named = store.map_or_else(|| "the store".to_owned(), ai::store_name);
    let embedding = store.and_then(|part| part.first_part("ai_embedding"));
    let embedding = embedding.map_or_else(|| UNBOUND_MODEL.to_owned(), ai::model_name);
    let most = retriever.and_then(|part| whole_number(part.parameter("topK")));
    let mut config = model_config(node, &mut notes);
    let found = format!("{}_passages", node.id());
    let passages = format!("\n\nPassages:\n{{{{ {} | tojson }}}}", output(&found));
    config.insert("prompt".to_owned(), format!("{question}{passages}").into());
    if !config.contains_key("system") {
        config.insert("system".to_owned(), "Answer from the passages alone.".into());
    }
    note(&mut notes, "add the sources that it searches");
    let model = format!("model {}", scalar_text(&config["model"]));
    let mut translation = Translation::new("retrieval", ai::retrieval_config(&embedding, &question, &named, most));
    translation.steps[0].suffix = "passages";
    let mut translation = translation.then("", "model", config.into());
    translation.notes = notes;
    translation.with_reconnects([
        format!("sources in place of {named}"),
        format!("embeddings model {embedding}"),
        model,
    ])
}
