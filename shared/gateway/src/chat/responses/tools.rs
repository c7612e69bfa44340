//! The tools of the Responses API: functions, custom tools, whose input is a text, and namespaces of both.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::chat::openai::MAX_TOOLS;
use domain::chat::Tool;
use domain::{Error, Result};

/// The tools whose calls do not have the form of plain functions. Most providers know only functions, so models get a custom tool
/// as a function with the one argument `input`, and the tools of a namespace as functions whose names begin with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolNames(BTreeMap<String, ClientTool>);

/// A tool as the client names it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientTool {
    pub namespace: Option<String>,
    pub name: String,
    pub is_custom: bool,
}

impl ToolNames {
    /// The tool of the client for the function that a model calls. None for a plain function.
    pub fn find(&self, function: &str) -> Option<&ClientTool> {
        self.0.get(function)
    }

    pub fn is_custom(&self, function: &str) -> bool {
        self.find(function).is_some_and(|tool| tool.is_custom)
    }
}

/// The name of the function that a model gets.
pub fn function_name(namespace: Option<&str>, name: &str) -> String {
    namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}__{name}"))
}

#[derive(Default)]
struct ToolReader {
    tools: Vec<Tool>,
    names: ToolNames,
}

pub fn read(tools: Option<&Value>) -> Result<(Vec<Tool>, ToolNames)> {
    let tools = match tools {
        None => return Ok(Default::default()),
        Some(Value::Array(tools)) => tools,
        Some(_) => return Err(Error::invalid_body("tools", "must be a list")),
    };
    let mut reader = ToolReader::default();
    for (i, tool) in tools.iter().enumerate() {
        reader.read(&format!("tools[{i}]"), tool, None)?;
    }
    if reader.tools.len() > MAX_TOOLS {
        return Err(Error::invalid_body("tools", format_args!("list at most {MAX_TOOLS} tools")));
    }
    Ok((reader.tools, reader.names))
}

impl ToolReader {
    fn read(&mut self, path: &str, tool: &Value, namespace: Option<&str>) -> Result<()> {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("{path}{field}"), problem);
        let name = || tool["name"].as_str().ok_or_else(|| wrong(".name", "must be a string"));
        match tool["type"].as_str() {
            Some("namespace") if namespace.is_none() => {
                let tools = tool["tools"].as_array().ok_or_else(|| wrong(".tools", "must be a list"))?;
                for (i, inner) in tools.iter().enumerate() {
                    self.read(&format!("{path}.tools[{i}]"), inner, Some(name()?))?;
                }
            }
            Some(kind @ ("function" | "custom")) => {
                let (name, is_custom) = (name()?, kind == "custom");
                let function_name = function_name(namespace, name);
                let function = if is_custom { as_function(tool, &function_name) } else { plain(tool, &function_name) };
                self.tools.push(Tool::OpenAi(json!({"type": "function", "function": function})));
                if is_custom || namespace.is_some() {
                    let namespace = namespace.map(str::to_owned);
                    self.names.0.insert(function_name, ClientTool { namespace, name: name.to_owned(), is_custom });
                }
            }
            Some(kind) => {
                let problem =
                    format!("the gateway does not have the built-in tool {kind}; leave it out, or use a function");
                return Err(wrong(".type", &problem));
            }
            None => return Err(wrong(".type", "must be a string")),
        }
        Ok(())
    }
}

fn plain(tool: &Value, name: &str) -> Value {
    let mut function = json!({ "name": name });
    for field in ["description", "parameters", "strict"] {
        if let Some(value) = tool.get(field).filter(|value| !value.is_null()) {
            function[field] = value.clone();
        }
    }
    function
}

fn as_function(tool: &Value, name: &str) -> Value {
    let mut description = tool["description"].as_str().unwrap_or_default().to_owned();
    if let Some(grammar) = tool["format"]["definition"].as_str() {
        let syntax = tool["format"]["syntax"].as_str().unwrap_or("lark");
        description.push_str(&format!("\n\nThe input must match this grammar ({syntax}):\n{grammar}"));
    }
    json!({
        "name": name, "description": description.trim_start(),
        "parameters": {
            "type": "object", "properties": {"input": {"type": "string", "description": "The input of the tool"}},
            "required": ["input"], "additionalProperties": false,
        },
    })
}

/// The choice in the form of chat completions.
pub fn read_choice(choice: &Value) -> Result<Value> {
    match (choice.as_str(), choice["type"].as_str()) {
        (Some("auto" | "none" | "required"), _) => Ok(choice.clone()),
        (_, Some("function" | "custom")) if choice["name"].is_string() => {
            Ok(json!({"type": "function", "function": {"name": choice["name"]}}))
        }
        (_, Some("allowed_tools")) => match choice["mode"].as_str() {
            Some("required") => Ok(json!("required")),
            _ => Ok(json!("auto")),
        },
        _ => Err(Error::invalid_body("tool_choice", "must be none, auto, required, or name a function")),
    }
}
