//! The schemas of legacy completions.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

use super::UsageOut;
use super::chat::StreamOptions;

#[derive(Serialize, ToSchema)]
pub struct CompletionIn {
    /// The name of a model in the catalog, or a public alias
    #[schema(example = "dev-chat")]
    model: String,
    #[schema(schema_with = prompt_schema)]
    prompt: Value,
    /// The maximum tokens of each choice
    #[schema(minimum = 1, default = 16)]
    max_tokens: Option<u32>,
    #[schema(default = false)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    top_p: Option<f64>,
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
    /// Evaluates the prompt and its answer. The plan needs a guard model.
    guard: Option<bool>,
}

fn prompt_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String).min_length(Some(1));
    let forms = OneOfBuilder::new()
        .description(Some("A text, or a list with one text"))
        .item(text())
        .item(ArrayBuilder::new().items(text()).min_items(Some(1)).max_items(Some(1)))
        .build();
    Schema::OneOf(forms)
}

/// The completion, or its chunks as server-sent events.
#[derive(Serialize, ToSchema)]
#[schema(as = TextCompletionOut)]
pub struct CompletionOut {
    id: String,
    #[schema(example = "text_completion")]
    object: String,
    created: i64,
    model: String,
    choices: Vec<TextChoiceOut>,
    usage: UsageOut,
}

#[derive(Serialize, ToSchema)]
struct TextChoiceOut {
    text: String,
    index: u32,
    /// Always null
    #[schema(required, value_type = Option<Object>)]
    logprobs: Option<Value>,
    /// `stop`, `length` or `content_filter`. In the chunks of a stream, null until the end of the text.
    finish_reason: String,
}
