//! The tools of a conversation, and which of them the model may call.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::part::CacheMark;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Tool {
    Function(FunctionTool),
    /// A tool of a client, in OpenAI's format. It is forwarded unchanged, and `function` reads it.
    OpenAi(Value),
}

/// A function that a part of the platform offers to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionTool {
    pub name: String,
    pub description: String,
    /// The JSON Schema of the arguments.
    pub parameters: Value,
}

/// A function that the model can call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Function<'a> {
    pub name: &'a str,
    pub description: Option<&'a str>,
    /// The JSON Schema of the arguments.
    pub parameters: Option<&'a Value>,
    pub is_strict: bool,
}

/// Whether the model calls tools, and which.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolChoice {
    Auto,
    None,
    Required,
    Function(String),
}

impl Tool {
    /// The mark that the conversation is cached up to this tool.
    pub fn cache_mark(&self) -> Option<CacheMark> {
        if let Self::OpenAi(tool) = self { CacheMark::read(tool) } else { None }
    }

    /// The tool as a function. `Err` has the type of another tool.
    pub fn function(&self) -> Result<Function<'_>, &Value> {
        match self {
            Self::Function(FunctionTool { name, description, parameters }) => {
                Ok(Function { name, description: Some(description), parameters: Some(parameters), is_strict: false })
            }
            Self::OpenAi(tool) if tool["type"] != "function" => Err(&tool["type"]),
            Self::OpenAi(tool) => {
                let function = &tool["function"];
                Ok(Function {
                    name: function["name"].as_str().unwrap_or_default(),
                    description: function["description"].as_str(),
                    parameters: function.get("parameters").filter(|parameters| !parameters.is_null()),
                    is_strict: function["strict"] == true,
                })
            }
        }
    }
}

impl ToolChoice {
    /// Reads a choice in OpenAI's format. None for types that only providers with its API know.
    pub fn read(choice: &Value) -> Option<Self> {
        match (choice.as_str(), choice["function"]["name"].as_str()) {
            (Some("auto"), _) => Some(Self::Auto),
            (Some("none"), _) => Some(Self::None),
            (Some("required"), _) => Some(Self::Required),
            (_, Some(name)) if choice["type"] == "function" => Some(Self::Function(name.to_owned())),
            _ => None,
        }
    }
}

impl Serialize for FunctionTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct FunctionOut<'a> {
            name: &'a str,
            description: &'a str,
            parameters: &'a Value,
        }
        let Self { name, description, parameters } = self;
        let mut tool = serializer.serialize_map(Some(2))?;
        tool.serialize_entry("type", "function")?;
        tool.serialize_entry("function", &FunctionOut { name, description, parameters })?;
        tool.end()
    }
}

impl Serialize for ToolChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::None => serializer.serialize_str("none"),
            Self::Required => serializer.serialize_str("required"),
            Self::Function(name) => json!({"type": "function", "function": {"name": name}}).serialize(serializer),
        }
    }
}
