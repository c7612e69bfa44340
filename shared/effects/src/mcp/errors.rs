//! The errors of calls of MCP tools, each with its own code. What a server says is quoted as its text, and bounded.

use domain::text::shorten_to;
use engine::drive::{EffectError, RetryHint};
use engine::run::StepError;
use mcp_client::{CallOutcome, FailedCall, Listing, McpError};

use crate::errors::{permanent, temporary};

pub const TOOL_ERROR: &str = "mcp_tool_error";
pub const REFUSED: &str = "mcp_refused";
const MAX_MESSAGE_CHARS: usize = 2_000;

/// A tool that says that it failed.
pub fn tool_error(text: &str) -> StepError {
    let text = if text.trim().is_empty() { "it gave no reason" } else { text };
    StepError::new(TOOL_ERROR, format!("the tool failed: {}", shorten_to(text, MAX_MESSAGE_CHARS)))
}

/// A tool that the server does not list.
pub fn unknown_tool(tool: &str, listing: &Listing) -> StepError {
    let message = match listing.refused.iter().find(|refused| refused.name == tool) {
        Some(refused) => format!("the tool {tool} cannot be used: {}; ask the owner of the server", refused.problem),
        None => format!("the server has no tool {tool}; use one that it lists"),
    };
    StepError::new("mcp_unknown_tool", message)
}

pub fn schema_changed(tool: &str) -> StepError {
    let message = format!(
        "the server has changed the description or the schema of the tool {tool}; check it, and set the new `schemaHash`"
    );
    StepError::new("mcp_schema_changed", message)
}

pub fn failed_call(failed: &FailedCall) -> EffectError {
    let FailedCall { error, outcome } = failed;
    match outcome {
        CallOutcome::Unknown => {
            let message = format!("{error}; the call may have taken place");
            EffectError { error: StepError::new(error.code(), message), retry: RetryHint::Uncertain }
        }
        CallOutcome::Made => permanent(StepError::new(error.code(), format!("{error}; the call took place"))),
        CallOutcome::NotMade => failed_listing(error),
    }
}

/// A request after which nothing has happened.
pub fn failed_listing(error: &McpError) -> EffectError {
    let wait = match error {
        McpError::Status { retry_after, .. } => *retry_after,
        _ => None,
    };
    match error.is_temporary() {
        true => temporary(error.code(), error.to_string(), wait),
        false => permanent(StepError::new(error.code(), error.to_string())),
    }
}
