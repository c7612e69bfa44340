//! The schemas of messages in Anthropic's dialect. `gateway` reads the requests, and `writers/messages.rs` writes the answers.

#![expect(dead_code, reason = "most types are used only for the OpenAPI document")]

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct AnthropicHeaders {
    /// Accepted from Anthropic's clients, and not used
    #[param(rename = "anthropic-version", nullable = false, example = "2023-06-01")]
    anthropic_version: Option<String>,
    /// Features in test, separated by commas, which a model of Anthropic gets
    #[param(rename = "anthropic-beta", nullable = false)]
    anthropic_beta: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MessagesQuery {
    /// Accepted from Anthropic's clients, and not used
    #[param(nullable = false)]
    #[serde(default)]
    pub beta: Option<bool>,
}

#[derive(Serialize, ToSchema)]
pub struct MessagesIn {
    /// The name of a model in the catalog, or a public alias
    #[schema(example = "dev-chat")]
    model: String,
    #[schema(min_items = 1)]
    messages: Vec<TurnIn>,
    /// The maximum tokens of the answer
    #[schema(minimum = 1)]
    max_tokens: Option<u32>,
    /// A text, or a list of text blocks
    #[schema(value_type = Option<Value>)]
    system: Option<Value>,
    #[schema(default = false)]
    stream: Option<bool>,
    #[schema(minimum = 0, maximum = 1)]
    temperature: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    top_p: Option<f64>,
    top_k: Option<u32>,
    stop_sequences: Option<Vec<String>>,
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    /// `{"type": "auto"}`, `any`, `none`, or `tool` with a `name`
    #[schema(value_type = Option<Object>)]
    tool_choice: Option<Value>,
    /// `{"type": "enabled", "budget_tokens": …}`, `adaptive` or `disabled`
    #[schema(value_type = Option<Object>)]
    thinking: Option<Value>,
    /// `user_id` identifies the end user
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
    /// Evaluates the conversation after the answer. The plan needs a guard model.
    guard: Option<bool>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MessageTurnIn)]
struct TurnIn {
    /// `user` or `assistant`
    role: String,
    /// A text, or a list of content blocks
    #[schema(value_type = Value)]
    content: Value,
}

#[derive(Serialize, ToSchema)]
pub struct CountTokensIn {
    #[schema(example = "dev-chat")]
    model: String,
    #[schema(min_items = 1)]
    messages: Vec<TurnIn>,
    #[schema(value_type = Option<Value>)]
    system: Option<Value>,
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MessageTokenCount)]
pub struct TokenCountOut {
    pub input_tokens: u64,
}

/// The message, or its events as server-sent events.
#[derive(Serialize, ToSchema)]
#[schema(as = AnthropicMessageOut)]
pub struct MessageOut {
    id: String,
    #[schema(example = "message")]
    r#type: String,
    #[schema(example = "assistant")]
    role: String,
    model: String,
    /// Blocks of the types `text`, `thinking`, `redacted_thinking` and `tool_use`
    #[schema(value_type = Vec<Object>)]
    content: Vec<Value>,
    /// `end_turn`, `max_tokens`, `stop_sequence`, `tool_use` or `refusal`
    stop_reason: String,
    #[schema(required)]
    stop_sequence: Option<String>,
    usage: MessageUsageOut,
}

#[derive(Serialize, ToSchema)]
struct MessageUsageOut {
    /// The tokens of the input that were neither read from a cache nor written to it
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
    /// US dollars
    cost: f64,
}
