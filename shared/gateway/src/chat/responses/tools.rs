//! The tools of the Responses API: functions, and custom tools, whose input is a text.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::chat::openai::MAX_TOOLS;
use domain::chat::Tool;
use domain::{Error, Result};

/// The names of the custom tools of a request. Models get them as functions with the one argument `input`, because most
/// providers know only functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomTools(BTreeSet<String>);

impl CustomTools {
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

pub fn read(tools: Option<&Value>) -> Result<(Vec<Tool>, CustomTools)> {
    let tools = match tools {
        None => return Ok(Default::default()),
        Some(Value::Array(tools)) if tools.len() <= MAX_TOOLS => tools,
        Some(_) => return Err(Error::invalid_body("tools", format_args!("list at most {MAX_TOOLS} tools"))),
    };
    let (mut read, mut custom) = (Vec::with_capacity(tools.len()), CustomTools::default());
    for (i, tool) in tools.iter().enumerate() {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("tools[{i}]{field}"), problem);
        let name = || tool["name"].as_str().ok_or_else(|| wrong(".name", "must be a string"));
        match tool["type"].as_str() {
            Some("function") => {
                let mut function = json!({"name": name()?});
                for field in ["description", "parameters", "strict"] {
                    if let Some(value) = tool.get(field).filter(|value| !value.is_null()) {
                        function[field] = value.clone();
                    }
                }
                read.push(Tool::OpenAi(json!({"type": "function", "function": function})));
            }
            Some("custom") => {
                custom.0.insert(name()?.to_owned());
                read.push(Tool::OpenAi(json!({"type": "function", "function": as_function(tool)})));
            }
            Some(kind) => {
                let problem =
                    format!("the gateway does not have the built-in tool {kind}; leave it out, or use a function");
                return Err(wrong(".type", &problem));
            }
            None => return Err(wrong(".type", "must be a string")),
        }
    }
    Ok((read, custom))
}

fn as_function(tool: &Value) -> Value {
    let mut description = tool["description"].as_str().unwrap_or_default().to_owned();
    if let Some(grammar) = tool["format"]["definition"].as_str() {
        let syntax = tool["format"]["syntax"].as_str().unwrap_or("lark");
        description.push_str(&format!("\n\nThe input must match this grammar ({syntax}):\n{grammar}"));
    }
    json!({
        "name": tool["name"], "description": description.trim_start(),
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
