//! The schemas of chat completions.

#![expect(dead_code, reason = "the types are used only for the OpenAPI document")]

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::UsageOut;

/// The description of the operation lists what each kind of provider supports, including parameters not listed here.
#[derive(Serialize, ToSchema)]
pub struct ChatCompletionIn {
    /// The name of a model in the catalog, or a public alias
    #[schema(example = "dev-chat")]
    model: String,
    /// Models that answer if the first one cannot: if the messages do not fit its context window, if its provider's filter refuses
    /// them, or if its providers fail. They are tried in their order, each at its own prices; `model` of the answer is the one that
    /// answered. Without this list, that of the operator is used
    #[schema(max_items = 8)]
    models: Option<Vec<String>>,
    #[schema(min_items = 1)]
    messages: Vec<MessageIn>,
    #[schema(default = false)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    top_p: Option<f64>,
    /// The maximum tokens of each choice. A value above the model's `max_output_tokens` is lowered to it and named in
    /// `X-Svc-Adjusted`, or refused if the operator has set the model's `max_tokens_policy` to `reject`. The maximum cost is held before the
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
    /// Evaluates the conversation after the answer. The plan needs a guard model.
    guard: Option<bool>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct MessageIn {
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
pub(super) struct StreamOptions {
    /// Adds a chunk with the usage and the cost before `[DONE]`
    include_usage: Option<bool>,
}

/// The completion, or its chunks as server-sent events.
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
