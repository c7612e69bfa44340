//! What the family takes and answers, as its document describes it. Requests are read by `shared::gateway`, which
//! keeps what it does not know; answers of providers that speak OpenAI's language pass as they came.

#![expect(dead_code, reason = "the OpenAPI document is made of it")]

use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct CallHeaders {
    /// Repeated within 24 hours with the same body, it returns the first answer and costs nothing more.
    #[param(rename = "Idempotency-Key", nullable = false, min_length = 1, max_length = 255)]
    idempotency_key: Option<String>,
}

/// Parameters that are not listed here are forwarded to the model and named in `X-Svc-Passthrough`.
#[derive(Serialize, ToSchema)]
pub struct ChatCompletionIn {
    /// A name of the catalog, or a public alias
    #[schema(example = "dev-chat")]
    model: String,
    #[schema(min_items = 1)]
    messages: Vec<MessageIn>,
    #[schema(default = false)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    top_p: Option<f64>,
    /// The model's own maximum when left out. What a call can cost is taken by it beforehand.
    #[schema(minimum = 1)]
    max_tokens: Option<u32>,
    #[schema(minimum = 1)]
    max_completion_tokens: Option<u32>,
    #[schema(minimum = 1, maximum = 128, default = 1)]
    n: Option<u32>,
    /// A string, or a list of strings
    #[schema(value_type = Option<Value>)]
    stop: Option<Value>,
    #[schema(minimum = -2, maximum = 2)]
    presence_penalty: Option<f64>,
    #[schema(minimum = -2, maximum = 2)]
    frequency_penalty: Option<f64>,
    seed: Option<i64>,
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    /// `none`, `auto`, `required`, or `{"type": "function", "function": {"name": …}}`
    #[schema(value_type = Option<Value>)]
    tool_choice: Option<Value>,
    /// `{"type": "text"}`, `{"type": "json_object"}`, or `{"type": "json_schema", "json_schema": {…}}`
    #[schema(value_type = Option<Object>)]
    response_format: Option<Value>,
    logprobs: Option<bool>,
    #[schema(minimum = 0, maximum = 20)]
    top_logprobs: Option<u32>,
    /// Evaluate the conversation after the answer
    guard: Option<bool>,
}

#[derive(Serialize, ToSchema)]
struct MessageIn {
    role: RoleIn,
    /// A string, or a list of parts (`text`, `image_url` …)
    #[schema(value_type = Option<Value>)]
    content: Option<Value>,
    #[schema(nullable = false)]
    name: Option<String>,
    #[schema(nullable = false, value_type = Option<Vec<Object>>)]
    tool_calls: Option<Vec<Value>>,
    #[schema(nullable = false)]
    tool_call_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RoleIn {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

#[derive(Serialize, ToSchema)]
struct StreamOptions {
    /// One more chunk, before `[DONE]`, tells the usage and what it cost.
    include_usage: Option<bool>,
}

#[derive(Serialize, ToSchema)]
pub struct ChatCompletionOut {
    id: String,
    #[schema(example = "chat.completion")]
    object: String,
    created: i64,
    model: String,
    choices: Vec<ChoiceOut>,
    usage: UsageOut,
}

#[derive(Serialize, ToSchema)]
struct ChoiceOut {
    index: u32,
    message: MessageOut,
    finish_reason: String,
}

#[derive(Serialize, ToSchema)]
struct MessageOut {
    role: String,
    #[schema(required)]
    content: Option<String>,
    #[schema(nullable = false, value_type = Option<Vec<Object>>)]
    tool_calls: Option<Vec<Value>>,
}

#[derive(Serialize, ToSchema)]
struct UsageOut {
    prompt_tokens: u64,
    #[schema(nullable = false)]
    completion_tokens: Option<u64>,
    total_tokens: u64,
    /// US dollars
    cost: f64,
}

#[derive(Serialize, ToSchema)]
pub struct EmbeddingsIn {
    #[schema(example = "dev-embed")]
    model: String,
    /// A string, a list of strings, a list of token numbers, or a list of such lists
    #[schema(value_type = Value)]
    input: Value,
    #[schema(minimum = 1, maximum = 65536)]
    dimensions: Option<u32>,
    encoding_format: Option<EncodingIn>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum EncodingIn {
    Float,
    Base64,
}

#[derive(Serialize, ToSchema)]
pub struct EmbeddingsOut {
    #[schema(example = "list")]
    object: String,
    data: Vec<EmbeddingOut>,
    model: String,
    usage: UsageOut,
}

#[derive(Serialize, ToSchema)]
struct EmbeddingOut {
    #[schema(example = "embedding")]
    object: String,
    index: u32,
    /// Numbers, or with `encoding_format: base64` their little-endian bytes
    #[schema(value_type = Value)]
    embedding: Value,
}
