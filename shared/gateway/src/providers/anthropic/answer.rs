//! Translates a message of Anthropic's API into a chat completion.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::chat::{AnswerMessage, ChatAnswer, Choice, FinishReason, FunctionCall, ToolCallOut};
use crate::failure::ProviderFailure;
use crate::providers::count;
use crate::providers::status::failure_in_answer;
use domain::chat::{Opaque, Reasoning, Vendor};
use domain::usage::Tokens;

#[derive(Deserialize)]
struct AnswerView<'a> {
    #[serde(borrow)]
    content: Option<Vec<Block<'a>>>,
    stop_reason: Option<String>,
    stop_sequence: Option<String>,
    #[serde(default)]
    usage: UsageView,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Block<'a> {
    r#type: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    data: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// The usage of a message or an event. In a stream, later counts are cumulative.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UsageView {
    input_tokens: Value,
    cache_read_input_tokens: Value,
    cache_creation_input_tokens: Value,
    cache_creation: CacheCreationView,
    output_tokens: Value,
}

/// The part of the tokens written to the cache that stays there for an hour.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CacheCreationView {
    ephemeral_1h_input_tokens: Value,
}

/// The token counts received so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    input: Option<u64>,
    read: u64,
    written: u64,
    written_1h: u64,
    output: Option<u64>,
}

impl Counts {
    pub fn update(&mut self, usage: &UsageView) {
        self.input = count(&usage.input_tokens).or(self.input);
        self.read = count(&usage.cache_read_input_tokens).unwrap_or(self.read);
        self.written = count(&usage.cache_creation_input_tokens).unwrap_or(self.written);
        self.written_1h = count(&usage.cache_creation.ephemeral_1h_input_tokens).unwrap_or(self.written_1h);
        self.output = count(&usage.output_tokens).or(self.output);
    }

    /// The usage to charge. `input_tokens` excludes tokens read from and written to the cache, so they are added here.
    pub fn tokens(&self) -> Option<Tokens> {
        let input = self.input?.saturating_add(self.read).saturating_add(self.written);
        Some(Tokens {
            input,
            cached: self.read,
            written: self.written,
            written_1h: self.written_1h.min(self.written),
            output: self.output?,
            reasoning: 0,
        })
    }
}

/// A signature or encrypted reasoning.
pub fn opaque(data: String) -> Option<Opaque> {
    (!data.is_empty()).then(|| Opaque::new(Vendor::Anthropic, data))
}

pub fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::ContentFilter,
        // A paused turn is incomplete, like one that reached its limit.
        "max_tokens" | "model_context_window_exceeded" | "pause_turn" | "compaction" => FinishReason::Length,
        _ => FinishReason::Stop,
    }
}

pub fn translate_answer(body: &[u8]) -> Result<ChatAnswer, ProviderFailure> {
    let answer: AnswerView<'_> = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.error {
        return Err(failure_in_answer(&error));
    }
    let blocks = answer.content.ok_or_else(|| ProviderFailure::malformed_answer("a message without content"))?;
    let reason =
        answer.stop_reason.ok_or_else(|| ProviderFailure::malformed_answer("a message without a stop reason"))?;
    let (mut text, mut reasoning, mut tool_calls) = (None::<String>, Vec::new(), Vec::new());
    for block in blocks {
        match block.r#type.as_str() {
            "text" => text.get_or_insert_default().push_str(&block.text.unwrap_or_default()),
            "tool_use" => tool_calls.push(ToolCallOut {
                id: block.id.unwrap_or_default(),
                r#type: "function",
                function: FunctionCall {
                    name: block.name.unwrap_or_default(),
                    arguments: block.input.map_or("{}", RawValue::get).to_owned(),
                },
                others: serde_json::Map::new(),
            }),
            "thinking" => reasoning.push(Reasoning::Text {
                text: block.thinking.unwrap_or_default(),
                signature: block.signature.and_then(opaque),
            }),
            "redacted_thinking" => reasoning.extend(block.data.and_then(opaque).map(Reasoning::Encrypted)),
            // The provider's own tools are left out.
            _ => {}
        }
    }
    if tool_calls.is_empty() {
        text.get_or_insert_default();
    }
    let message = AnswerMessage { reasoning, ..AnswerMessage::new(text, tool_calls) };
    let choice = Choice {
        index: 0,
        message,
        logprobs: None,
        finish_reason: finish_reason(&reason),
        stop_sequence: answer.stop_sequence,
    };
    let mut counts = Counts::default();
    counts.update(&answer.usage);
    Ok(ChatAnswer::from_choices(vec![choice], counts.tokens()))
}
