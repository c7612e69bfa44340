//! The schemas of responses in OpenAI's dialect. `gateway` reads the requests, and `writers/responses` writes the answers.

use domain::id::ResponseId;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub struct ResponseIn {
    /// The name of a model in the catalog, or a public alias
    #[schema(example = "dev-chat")]
    model: String,
    /// A text, or a list of items: messages, reasoning, calls of functions and their outputs
    #[schema(value_type = Option<Value>)]
    input: Option<Value>,
    instructions: Option<String>,
    /// The response that this one continues
    previous_response_id: Option<String>,
    /// Whether the response is kept
    #[schema(default = true)]
    store: Option<bool>,
    #[schema(default = false)]
    stream: Option<bool>,
    #[schema(minimum = 1)]
    max_output_tokens: Option<u32>,
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    top_p: Option<f64>,
    /// Functions and custom tools
    #[schema(value_type = Option<Vec<Object>>)]
    tools: Option<Vec<Value>>,
    /// `none`, `auto`, `required`, or `{"type": "function", "name": …}`
    #[schema(value_type = Option<Value>)]
    tool_choice: Option<Value>,
    parallel_tool_calls: Option<bool>,
    /// `{"effort": …, "summary": …}`
    #[schema(value_type = Option<Object>)]
    reasoning: Option<Value>,
    /// `{"format": {"type": "text"}}`, `json_object`, or `json_schema` with `name`, `schema` and `strict`
    #[schema(value_type = Option<Object>)]
    text: Option<Value>,
    /// `reasoning.encrypted_content` adds the encrypted reasoning to the output
    include: Option<Vec<String>>,
    /// `auto` leaves out the oldest messages of an input that does not fit the context window
    truncation: Option<String>,
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
    /// Evaluates the conversation after the answer. The plan needs a guard model.
    guard: Option<bool>,
}

/// The response, or its events as server-sent events.
#[derive(Serialize, ToSchema)]
pub struct ResponseOut {
    id: String,
    #[schema(example = "response")]
    object: String,
    created_at: i64,
    /// `completed`, `incomplete` or `failed`
    status: String,
    #[schema(required, value_type = Option<Object>)]
    error: Option<Value>,
    #[schema(required, value_type = Option<Object>)]
    incomplete_details: Option<Value>,
    model: String,
    /// Items of the types `message`, `reasoning`, `function_call` and `custom_tool_call`
    #[schema(value_type = Vec<Object>)]
    output: Vec<Value>,
    #[schema(required)]
    previous_response_id: Option<String>,
    #[schema(required)]
    usage: Option<ResponseUsageOut>,
}

#[derive(Serialize, ToSchema)]
struct ResponseUsageOut {
    input_tokens: u64,
    output_tokens: u64,
    total_tokens: u64,
    /// US dollars
    cost: f64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = DeletedResponse)]
pub struct DeletedResponseOut {
    #[schema(value_type = String)]
    pub id: ResponseId,
    #[schema(example = "response")]
    pub object: &'static str,
    pub deleted: bool,
}
