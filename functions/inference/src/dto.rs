//! The request and response schemas of the OpenAPI document.
//!
//! The code does not use these types: the crate `gateway` parses the requests and keeps unknown parameters, and forwards
//! the `choices` of OpenAI-compatible providers unchanged.

#![expect(dead_code, reason = "the types are used only for the OpenAPI document")]

use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{IntoParams, ToSchema};

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct CallHeaders {
    /// Makes retries safe: a request repeated within 24 hours with the same key and body returns the first answer, and
    /// is not charged again.
    #[param(rename = "Idempotency-Key", nullable = false, min_length = 1, max_length = 255)]
    idempotency_key: Option<String>,
}

/// The description of the operation lists what each kind of provider supports, including parameters not listed here.
#[derive(Serialize, ToSchema)]
pub struct ChatCompletionIn {
    /// The name of a model in the catalog, or a public alias
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
    /// The maximum tokens of each choice, up to the model's `max_output_tokens`. The maximum cost is held before the
    /// call, and the unused part is released afterwards. Without this parameter, the hold covers `max_output_tokens`
    /// (4096 if the catalog has none), and the provider gets a limit only if its API requires one. If credits, a cap or
    /// a token limit do not cover this hold, it shrinks to what they cover. The answer is then limited to that, and
    /// `X-Svc-Max-Tokens` reports the limit.
    #[schema(minimum = 1)]
    max_tokens: Option<u32>,
    /// The newer name of `max_tokens`
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
    /// `false` allows at most one tool call per answer
    parallel_tool_calls: Option<bool>,
    /// `{"type": "text"}`, `{"type": "json_object"}`, or `{"type": "json_schema", "json_schema": {…}}`
    #[schema(value_type = Option<Object>)]
    response_format: Option<Value>,
    logprobs: Option<bool>,
    #[schema(minimum = 0, maximum = 20)]
    top_logprobs: Option<u32>,
    /// Evaluate the conversation with the guard; requires a model with the capability `guard`
    guard: Option<bool>,
}

#[derive(Serialize, ToSchema)]
struct MessageIn {
    role: RoleIn,
    content: Option<ContentIn>,
    #[schema(nullable = false)]
    name: Option<String>,
    #[schema(nullable = false, value_type = Option<Vec<Object>>)]
    tool_calls: Option<Vec<Value>>,
    #[schema(nullable = false)]
    tool_call_id: Option<String>,
}

/// A string, or a list of content parts
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum ContentIn {
    Text(String),
    Parts(Vec<PartIn>),
}

/// Images require a model with the capability `vision`. Audio and files require an OpenAI-compatible provider.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum PartIn {
    Text {
        text: String,
    },
    ImageUrl {
        image_url: ImageUrlIn,
    },
    Refusal {
        refusal: String,
    },
    InputAudio {
        #[schema(value_type = Object)]
        input_audio: Value,
    },
    File {
        #[schema(value_type = Object)]
        file: Value,
    },
}

#[derive(Serialize, ToSchema)]
struct ImageUrlIn {
    /// A `data:` URL; or the URL of an image, if the provider fetches images
    #[schema(example = "data:image/png;base64,iVBORw0KGgo=")]
    url: String,
    /// `low`, `high` or `auto`
    #[schema(nullable = false)]
    detail: Option<String>,
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
    /// Adds a chunk with the usage and the cost before `[DONE]`
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
    #[schema(schema_with = input_schema)]
    input: Value,
    #[schema(minimum = 1, maximum = 65536)]
    dimensions: Option<u32>,
    encoding_format: Option<EncodingIn>,
}

fn input_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String).min_length(Some(1));
    let number = || ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    let numbers = || ArrayBuilder::new().items(number()).min_items(Some(1));
    let many = || ArrayBuilder::new().min_items(Some(1)).max_items(Some(2_048));
    let forms = OneOfBuilder::new()
        .description(Some("A string, a list of strings, a list of token numbers, or a list of such lists"))
        .item(text())
        .item(many().items(text()))
        .item(numbers())
        .item(many().items(numbers()))
        .build();
    Schema::OneOf(forms)
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
    /// A list of numbers; with `encoding_format: base64`, the little-endian bytes of 32-bit floats as base64
    #[schema(value_type = Value)]
    embedding: Value,
}
