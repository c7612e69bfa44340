//! Parses `tools` and `tool_choice` of a request, for providers whose API differs from OpenAI's.

use serde_json::Value;

use crate::chat::ChatRequest;
use crate::failure::ProviderFailure;

pub struct Function<'a> {
    pub name: &'a str,
    pub description: Option<&'a str>,
    /// The JSON schema of the arguments.
    pub parameters: Option<&'a Value>,
    pub is_strict: bool,
}

#[derive(Debug, PartialEq)]
pub enum FunctionChoice<'a> {
    Auto,
    None,
    Required,
    Named(&'a str),
}

/// Parses the tools of the request. Tools other than functions are refused.
pub fn functions<'a>(request: &'a ChatRequest, maker: &str) -> Result<Vec<Function<'a>>, ProviderFailure> {
    let read = |tool: &'a Value| {
        if tool["type"] != "function" {
            return Err(ProviderFailure::unsupported(
                "tools",
                format_args!("{maker} supports only functions, not {}", tool["type"]),
            ));
        }
        let function = &tool["function"];
        Ok(Function {
            name: function["name"].as_str().unwrap_or_default(),
            description: function["description"].as_str(),
            parameters: function.get("parameters").filter(|parameters| !parameters.is_null()),
            is_strict: function["strict"] == true,
        })
    };
    request.tools().iter().map(read).collect()
}

pub fn choice<'a>(request: &'a ChatRequest, maker: &str) -> Result<Option<FunctionChoice<'a>>, ProviderFailure> {
    let Some(choice) = request.tool_choice() else { return Ok(None) };
    let choice = match (choice.as_str(), choice["function"]["name"].as_str()) {
        (Some("auto"), _) => FunctionChoice::Auto,
        (Some("none"), _) => FunctionChoice::None,
        (Some("required"), _) => FunctionChoice::Required,
        (_, Some(name)) if choice["type"] == "function" => FunctionChoice::Named(name),
        _ => {
            return Err(ProviderFailure::unsupported(
                "tool_choice",
                format_args!("{maker} does not support this choice"),
            ));
        }
    };
    Ok(Some(choice))
}

/// Creates the failure for inputs of token numbers, which other vendors' tokenizers do not understand.
pub fn unsupported_token_numbers() -> ProviderFailure {
    let why = "this model takes texts, not token numbers; send strings (LangChain: check_embedding_ctx_length=False)";
    ProviderFailure::unsupported("input", why)
}

/// Whether the client disabled parallel tool calls.
pub fn forbids_parallel_calls(request: &ChatRequest) -> bool {
    request.body().get("parallel_tool_calls") == Some(&Value::Bool(false))
}
