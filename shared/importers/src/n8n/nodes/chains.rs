//! Converts chains: one question to a model, perhaps with a schema for its answer.

use serde_json::{Map, Value, json};

use super::ai;
use super::parsers::parser;
use crate::lenient::{is_empty, list, scalar_text, text, whole_number};
use crate::model::{answer_schema, settings};
use crate::n8n::context::Context;
use crate::n8n::javascript::{expression, is_one_expression, text_field};
use crate::notes::{Notes, note};
use crate::syntax::escape_jinja;
use crate::translation::{Translation, UNBOUND_MODEL};

pub fn chain(node: Context) -> Translation {
    let mut notes = Notes::new();
    let source = node.source();
    if source.kind == "chainRetrievalQa" {
        return retrieval_chain(node, notes);
    }
    let mut config = model_config(node, &mut notes);
    let known: &[&str] = match source.kind {
        "chainSummarization" => {
            &["summarizationMethodAndPrompts", "prompt", "combineMapPrompt", "refinePrompt", "refineQuestionPrompt"]
        }
        "informationExtractor" => &["systemPromptTemplate", "batching"],
        "sentimentAnalysis" => &["categories", "batching"],
        "textClassifier" => &["fallback", "batching"],
        _ => &["batching"],
    };
    ai::report_options(node, known, &mut notes);
    let items = match source.kind {
        "chainSummarization" => {
            config.insert("prompt".to_owned(), summary_prompt(node, &mut notes));
            if source.version >= 2.1 { "({ output: { text: output } })" } else { "({ response: { text: output } })" }
        }
        "informationExtractor" => {
            let own = node.option("systemPromptTemplate");
            let system = if is_empty(own) { "Take from the text what is asked for.".into() } else { text_field(own) };
            config.insert("system".to_owned(), system);
            let schema = schema(node).unwrap_or_else(|| attributes(node));
            answer_schema(schema.into(), &mut config, &mut notes);
            "({ output })"
        }
        "sentimentAnalysis" => {
            let given = scalar_text(node.option("categories"));
            let given = if given.is_empty() { "Positive, Neutral, Negative".to_owned() } else { given };
            let names: Vec<String> = given.split(',').map(|name| name.trim().to_owned()).collect();
            return classifier(node, config, names, "Say what sentiment the text has.", notes);
        }
        "textClassifier" => {
            let categories = list(&node.parameter("categories")["categories"]);
            let names = categories.iter().map(|category| scalar_text(&category["category"])).collect();
            let lines = categories.iter().map(|category| {
                format!("- {}: {}", scalar_text(&category["category"]), scalar_text(&category["description"]))
            });
            let system = format!("Choose the category of the text:\n{}", lines.collect::<Vec<_>>().join("\n"));
            return classifier(node, config, names, &system, notes);
        }
        _ => match parser(node) {
            Some(parser) => {
                match schema(parser) {
                    Some(schema) => answer_schema(schema.into(), &mut config, &mut notes),
                    None => note(&mut notes, "add a schema for its answer"),
                }
                "({ output })"
            }
            None => "({ text: output })",
        },
    };
    config.insert("itemMode".to_owned(), json!({"result": {"js": items}}));
    let model = format!("model {}", scalar_text(&config["model"]));
    Translation::new("model", config.into()).with_notes(notes).with_reconnects([model])
}

/// The model, the system prompt and the prompt.
fn model_config(node: Context, notes: &mut Notes) -> Map<String, Value> {
    let (model, options) = ai::model(node).unwrap_or((UNBOUND_MODEL.to_owned(), &Value::Null));
    let mut config = Map::from_iter([("model".to_owned(), Value::from(model))]);
    let (mut system, mut asked) = (Vec::new(), Vec::new());
    for message in list(&node.parameter("messages")["messageValues"]).iter().take(50) {
        if matches!(text(&message["messageType"]), "imageBinary" | "imageUrl") {
            note(notes, "the images of its messages are not imported");
            continue;
        }
        match text(&message["type"]) {
            "" | "SystemMessagePromptTemplate" => system.push(&message["message"]),
            "AIMessagePromptTemplate" => {
                note(notes, "earlier answers of the model are part of the prompt");
                asked.push(&message["message"]);
            }
            _ => asked.push(&message["message"]),
        }
    }
    if !system.is_empty() {
        config.insert("system".to_owned(), ai::join(&system));
    }
    asked.push(ai::prompt(node));
    config.insert("prompt".to_owned(), ai::join(&asked));
    settings(options, &mut config, notes);
    config
}

/// The prompt for a summary. n8n replaces `{text}` by the text.
fn summary_prompt(node: Context, notes: &mut Notes) -> Value {
    const DEFAULT: &str = "Write a concise summary of the following:\n\n\n\"{text}\"\n\n\nCONCISE SUMMARY:";
    // Version 1 has the prompts among its options.
    let chosen = &node.option("summarizationMethodAndPrompts")["values"];
    let (prompts, method) = match chosen.is_object() {
        true => (chosen, &chosen["summarizationMethod"]),
        false => (node.parameter("options"), node.parameter("type")),
    };
    let (own, others): (_, &[&str]) = match text(method) {
        "stuff" => ("prompt", &[]),
        "refine" => ("refineQuestionPrompt", &["refinePrompt"]),
        _ => ("prompt", &["combineMapPrompt"]),
    };
    note(notes, "the text is summarized in one call");
    for name in others.iter().filter(|name| !is_empty(&prompts[**name])) {
        note(notes, format!("its prompt `{name}`, for parts of a text, is not imported"));
    }
    match text(node.parameter("operationMode")) {
        "nodeInputBinary" => note(notes, "it summarized a file: here it gets the data of the item"),
        "documentLoader" => note(notes, "it summarized documents of a loader: here it gets the data of the item"),
        _ => {}
    }
    let prompt = if is_empty(&prompts[own]) { DEFAULT.into() } else { prompts[own].clone() };
    match scalar_text(&prompt).contains("{text}") || is_one_expression(&scalar_text(&prompt)) {
        true => {
            let prompt = expression(&prompt);
            json!({"js": format!("String({prompt}).replaceAll(\"{{text}}\", () => JSON.stringify($json))")})
        }
        false => text_field(&prompt),
    }
}

/// A JSON Schema, given directly or derived from an example.
pub fn schema(node: Context) -> Option<Map<String, Value>> {
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

/// A classifier: a model that names the category of each item, and code that passes the items on.
fn classifier(
    node: Context,
    mut config: Map<String, Value>,
    names: Vec<String>,
    system: &str,
    notes: Notes,
) -> Translation {
    const NONE: &str = "none of these";
    let has_other = text(node.option("fallback")) == "other";
    let is_sentiment = node.source().kind == "sentimentAnalysis";
    let choices: Vec<&str> = names.iter().map(String::as_str).chain((!is_sentiment).then_some(NONE)).collect();
    let schema = json!({
        "type": "object", "required": ["category"], "properties": {"category": {"type": "string", "enum": choices}},
    });
    config.insert("system".to_owned(), escape_jinja(system).into());
    config.insert("schema".to_owned(), schema);
    let item = match is_sentiment {
        true => "{ ...$input.item, json: { ...$json, sentimentAnalysis: { category: output.category } } }",
        false => "$input.item",
    };
    let items = format!("({{ category: output.category, item: {item} }})");
    config.insert("itemMode".to_owned(), json!({"result": {"js": items}}));
    let outputs: Vec<String> = (0..names.len() + usize::from(has_other)).map(|output| output.to_string()).collect();
    let javascript = format!(
        "const categories = {};\nconst outputs = {{}};\n$input.all().forEach(({{ json }}, index) => {{\n  \
         const output = categories.indexOf(json.category);\n  if (output < 0) return;\n  \
         (outputs[output] ??= []).push({{ ...json.item, pairedItem: index }});\n}});\nreturn outputs;",
        json!(choices[..outputs.len().min(choices.len())]),
    );
    let model = format!("model {}", scalar_text(&config["model"]));
    Translation::new("model", config.into())
        .before("choice", "code", json!({"javascript": javascript, "outputs": outputs}))
        .with_notes(notes)
        .with_reconnects([model])
}

/// A retrieval of passages, and a model that answers from them.
fn retrieval_chain(node: Context, mut notes: Notes) -> Translation {
    let question = ai::prompt(node);
    let retriever = node.parts("ai_retriever").next();
    let store = retriever.and_then(|part| part.parts("ai_vectorStore").next());
    let named = store.map_or_else(|| "the store".to_owned(), ai::store_name);
    let embedding = store.and_then(|part| part.parts("ai_embedding").next());
    let embedding = embedding.map_or_else(|| UNBOUND_MODEL.to_owned(), ai::model_name);
    let most = retriever.and_then(|part| whole_number(part.parameter("topK")));
    let mut found = ai::retrieval_config(&embedding, text_field(question), &named, most);
    found["itemMode"] =
        json!({"result": {"js": format!("({{ question: {}, passages: output }})", expression(question))}});
    let mut config = model_config(node, &mut notes);
    let prompt = "$json.question + \"\\n\\nPassages:\\n\" + JSON.stringify($json.passages)";
    config.insert("prompt".to_owned(), json!({"js": prompt}));
    if !config.contains_key("system") {
        config.insert("system".to_owned(), "Answer from the passages alone.".into());
    }
    let items =
        if node.source().version >= 1.5 { "({ response: output })" } else { "({ response: { text: output } })" };
    config.insert("itemMode".to_owned(), json!({"result": {"js": items}}));
    note(&mut notes, "add the sources that it searches");
    let model = format!("model {}", scalar_text(&config["model"]));
    let sources = [format!("sources in place of {named}"), format!("embeddings model {embedding}"), model];
    Translation::new("retrieval", found)
        .before("passages", "model", config.into())
        .with_notes(notes)
        .with_reconnects(sources)
}
