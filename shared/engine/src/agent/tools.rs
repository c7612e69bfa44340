//! The calls of tools: the arguments that a model wrote become the configuration of a node.

use std::collections::BTreeSet;

use domain::agent::HttpMethod;
use domain::id::AgentId;
use domain::run::{QuestionKind, StepError};
use indexmap::IndexMap;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::result::{RESULT, as_text};
use super::snapshot::{AgentTool, ToolTarget};
use crate::nodes::http::{HttpCall, HttpNode, RequestBody};
use crate::nodes::mcp::McpCall;
use crate::nodes::review::Question;
use crate::nodes::workflow::WorkflowCall;
use crate::nodes::{DueWork, Operation};
use crate::schema::check_value;

/// The work of a tool.
pub enum ToolWork {
    /// The work of a node.
    Due(DueWork),
    /// Another agent answers this message.
    Agent { agent_id: AgentId, message: String },
}

/// The arguments of a call, if they match the schema of the tool. The error is for the model, which can try again.
pub fn read_arguments(tool: &AgentTool, text: &str) -> Result<Map<String, Value>, StepError> {
    let invalid = |problem: String| StepError::new("invalid_arguments", problem);
    // Models send an empty text for a call without arguments.
    let text = if text.trim().is_empty() { "{}" } else { text };
    let arguments: Value = serde_json::from_str(text)
        .map_err(|error| invalid(format!("not JSON: line {}, column {}", error.line(), error.column())))?;
    if !tool.parameters.is_empty() {
        let schema = Value::Object(tool.parameters.clone());
        if let Some((field, problem)) = check_value(&schema, &arguments, "arguments").violations.into_iter().next() {
            return Err(invalid(format!("{field}: {}", problem.en)));
        }
    }
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        _ => Err(invalid("must be an object".to_owned())),
    }
}

pub fn tool_work(tool: &AgentTool, mut arguments: Map<String, Value>) -> Result<ToolWork, StepError> {
    let work = match &tool.target {
        ToolTarget::Agent { agent_id } => {
            let message = arguments.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            return Ok(ToolWork::Agent { agent_id: *agent_id, message });
        }
        ToolTarget::Http { method, url, headers, credential } => {
            let url = fill_in(url, &mut arguments)?;
            let (query, body) = match method {
                HttpMethod::Get | HttpMethod::Delete => (arguments.iter().map(as_pair).collect(), None),
                HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch => {
                    (IndexMap::new(), Some(RequestBody::Json { value: arguments.into() }))
                }
            };
            let request = HttpNode {
                method: Some((*method).into()),
                url,
                headers: headers.clone().into_iter().collect(),
                query,
                body,
                credential_id: None,
                response: None,
                fail_on_status: None,
            };
            Operation::Http(HttpCall { request, tool_credential: credential.clone() }).into()
        }
        ToolTarget::Workflow { workflow_id, is_wrapped } => {
            let input = if *is_wrapped { arguments.remove("input").unwrap_or_default() } else { arguments.into() };
            Operation::Workflow(WorkflowCall { workflow_id: *workflow_id, input }).into()
        }
        ToolTarget::Mcp { url, tool, schema_hash, credential, on_uncertain } => Operation::Mcp(McpCall {
            url: url.clone(),
            tool: tool.clone(),
            arguments,
            schema_hash: Some(schema_hash.clone()),
            credential_id: None,
            tool_credential: credential.clone(),
            on_uncertain: Some(*on_uncertain),
        })
        .into(),
        ToolTarget::Function => DueWork::Ask(question(tool, &arguments)),
    };
    Ok(ToolWork::Due(work))
}

/// The schema of the arguments of a tool with this URL. A placeholder that the schema does not describe is a required text, so
/// that the model knows that it must give it.
pub fn describe_placeholders(url: &str, mut parameters: Map<String, Value>) -> Map<String, Value> {
    let names = placeholders(url);
    if names.is_empty() {
        return parameters;
    }
    parameters.entry("type").or_insert_with(|| "object".into());
    if let Value::Object(properties) = parameters.entry("properties").or_insert_with(|| json!({})) {
        for name in &names {
            properties.entry(*name).or_insert_with(|| json!({"type": "string"}));
        }
    }
    if let Value::Array(required) = parameters.entry("required").or_insert_with(|| json!([])) {
        for name in names {
            if !required.iter().any(|known| known == name) {
                required.push(name.into());
            }
        }
    }
    parameters
}

/// The names of the placeholders in a URL, each once.
fn placeholders(url: &str) -> BTreeSet<&str> {
    let parts = url.split('{').skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0)).collect()
}

/// Replaces `{name}` in a URL by the argument of this name, which is then not sent again.
fn fill_in(url: &str, arguments: &mut Map<String, Value>) -> Result<String, StepError> {
    let (mut filled, mut rest) = (String::new(), url);
    let mut used = BTreeSet::new();
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        let value = arguments.get(name).filter(|value| !value.is_null()).map(as_text).unwrap_or_default();
        // Many servers take dots as the folder above.
        if matches!(&*value, "" | "." | "..") {
            let problem = format!("arguments.{name}: the URL needs a value that is neither empty nor dots");
            return Err(StepError::new("invalid_arguments", problem));
        }
        filled.push_str(before);
        filled.extend(utf8_percent_encode(&value, NON_ALPHANUMERIC));
        used.insert(name);
        rest = after;
    }
    filled.push_str(rest);
    arguments.retain(|name, _| !used.contains(name.as_str()));
    Ok(filled)
}

fn as_pair((name, value): (&String, &Value)) -> (String, String) {
    (name.clone(), as_text(value))
}

/// Nobody but the caller of the agent can execute a function, so in a run a person gives its result.
fn question(tool: &AgentTool, arguments: &Map<String, Value>) -> Question {
    let AgentTool { name, description, .. } = tool;
    let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
    let separator = if description.is_empty() { "" } else { "\n\n" };
    let request = Map::from_iter([
        ("title".to_owned(), format!("Result of the function {name}?").into()),
        ("message".to_owned(), format!("{description}{separator}Arguments: {arguments}").into()),
        ("fields".to_owned(), json!([{"name": RESULT, "label": "Result", "type": "json", "required": true}])),
    ]);
    Question { kind: QuestionKind::Review, request, expires_in_seconds: None }
}
