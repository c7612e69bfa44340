//! Agents: a node of n8n with its model, memory, tools and output parser. Here, an agent is a resource that the import makes.

mod from_ai;
mod parts;
mod tools;

use serde_json::{Map, Value, json};

use super::ai::{join, model, prompt, report_options};
use super::chains::schema;
use super::parsers::parser;
use crate::lenient::{is_empty, text, truncate, whole_number};
use crate::model::settings;
use crate::n8n::context::Context;
use crate::n8n::javascript::{is_computed, literal_text, text_field};
use crate::notes::{Notes, note};
use crate::translation::{Translation, UNBOUND_ID, UNBOUND_MODEL};

pub use parts::is_part;

const MAX_NAME_CHARS: usize = 100;
const MAX_INSTRUCTIONS_CHARS: usize = 20_000;
const MAX_TOOLS: usize = 32;

/// The most calls of models that an agent may be allowed.
const MAX_STEPS: u64 = 100;

/// What n8n tells an agent without instructions.
const DEFAULT_INSTRUCTIONS: &str = "You are a helpful assistant";

pub fn agent(node: Context) -> Translation {
    let (mut notes, mut config) = (Notes::new(), Map::new());
    let system = node.option("systemMessage");
    let is_dynamic = system.as_str().is_some_and(is_computed);
    if is_dynamic {
        note(&mut notes, "its instructions depend on the item, so they come with each message");
    }
    let message = if is_dynamic { join(&[system, prompt(node)]) } else { text_field(prompt(node)) };
    let mut instructions = match system {
        system if is_dynamic || is_empty(system) => DEFAULT_INSTRUCTIONS.to_owned(),
        system => literal_text(system),
    };
    if let Some((name, given)) = model(node) {
        settings(given, &mut config, &mut notes);
        if name != UNBOUND_MODEL {
            config.insert("model".to_owned(), name.into());
        }
    }
    report_agent(node, &mut notes);
    let parser = parser(node);
    if let Some(parser) = parser {
        instructions.push_str("\n\nAnswer with JSON only, without any text around it.");
        if let Some(schema) = schema(parser) {
            instructions.push_str(&format!(" It must match this schema: {}", Value::from(schema)));
        }
    }
    if instructions.chars().count() > MAX_INSTRUCTIONS_CHARS {
        instructions = truncate(&instructions, MAX_INSTRUCTIONS_CHARS - 1);
        note(&mut notes, "the instructions of its agent are longer than 20,000 characters and were cut");
    }
    config.insert("instructions".to_owned(), instructions.into());
    let tools: Vec<Value> = node.parts("ai_tool").filter_map(tools::tool).take(MAX_TOOLS).collect();
    config.insert("tools".to_owned(), tools.into());

    let output = if parser.is_some() { "({ output: n8n.jsonBody(output) })" } else { "({ output })" };
    let mut step = json!({
        "agentId": UNBOUND_ID, "message": message, "memory": node.parts("ai_memory").next().is_some(),
        "itemMode": {"result": {"js": output}},
    });
    if let Some(most) = whole_number(node.option("maxIterations")).filter(|most| *most > 0) {
        step["maxSteps"] = most.min(MAX_STEPS).into();
    }
    let name = truncate(node.source().name, MAX_NAME_CHARS - 1);
    Translation {
        agent: Some(json!({"name": if name.is_empty() { "Agent" } else { &name }, "config": config})),
        ..Translation::new("agent", step).with_notes(notes)
    }
}

/// Reports the options that an agent does not have here, and a type of agent that works in another way.
fn report_agent(node: Context, notes: &mut Notes) {
    const USUAL: [&str; 4] = ["", "conversationalAgent", "openAiFunctionsAgent", "toolsAgent"];
    report_options(node, &["systemMessage", "maxIterations", "enableStreaming", "batching"], notes);
    let kind = text(node.parameter("agent"));
    if !USUAL.contains(&kind) {
        let kind = truncate(kind, 40);
        note(notes, format!("it was of the type `{kind}`: here an agent calls its tools until it has an answer"));
    }
}
