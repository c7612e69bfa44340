//! The tools of a request, for providers that know only functions.

use crate::chat::{ChatRequest, Function, ToolChoice};
use crate::failure::ProviderFailure;

/// The tools of the request. Tools other than functions are refused.
pub fn functions<'a>(request: &'a ChatRequest, maker: &str) -> Result<Vec<Function<'a>>, ProviderFailure> {
    let functions = request.tools().iter().map(|tool| {
        tool.function().map_err(|kind| {
            ProviderFailure::unsupported("tools", format_args!("{maker} supports only functions, not {kind}"))
        })
    });
    functions.collect()
}

/// The names of the tools that the conversation has called, for vendors that refuse such a conversation without tools.
pub fn called_names(request: &ChatRequest) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for call in request.messages().iter().flat_map(|message| &message.tool_calls) {
        if !names.contains(&call.name.as_str()) {
            names.push(&call.name);
        }
    }
    names
}

pub fn choice(request: &ChatRequest, maker: &str) -> Result<Option<ToolChoice>, ProviderFailure> {
    request
        .tool_choice()
        .map_err(|_| ProviderFailure::unsupported("tool_choice", format_args!("{maker} does not support this choice")))
}

/// Creates the failure for inputs of token numbers, which other vendors' tokenizers do not understand.
pub fn unsupported_token_numbers() -> ProviderFailure {
    let why = "this model takes texts, not token numbers; send strings (LangChain: check_embedding_ctx_length=False)";
    ProviderFailure::unsupported("input", why)
}
