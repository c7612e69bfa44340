//! Translates a response of the Responses API into a chat completion.

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::chat::responses::read_reasoning;
use crate::chat::{AnswerMessage, ChatAnswer, Choice, FinishReason, FunctionCall, ToolCallOut};
use crate::failure::ProviderFailure;
use crate::providers::count;
use crate::providers::status::failure_in_answer;
use domain::usage::Tokens;

/// A response, as an answer or in the last event of a stream.
#[derive(Deserialize)]
pub struct ResponseView {
    status: Option<String>,
    error: Option<Value>,
    #[serde(default)]
    incomplete_details: Value,
    output: Option<Vec<Value>>,
    #[serde(default)]
    usage: Value,
}

impl ResponseView {
    /// Why the answer ended. A response that failed, or that has not ended, is no answer.
    pub fn finish_reason(&self, has_calls: bool) -> Result<FinishReason, ProviderFailure> {
        if let Some(error) = &self.error {
            return Err(failure_in_answer(error));
        }
        match (self.status.as_deref(), self.incomplete_details["reason"].as_str()) {
            (Some("completed"), _) => Ok(FinishReason::Stop.after_calls(has_calls)),
            (Some("incomplete"), Some("content_filter")) => Ok(FinishReason::ContentFilter),
            (Some("incomplete"), _) => Ok(FinishReason::Length),
            (status, _) => {
                let status = status.unwrap_or("none");
                Err(ProviderFailure::malformed_answer(format_args!("a response with the status {status}")))
            }
        }
    }

    /// None if a count is missing.
    pub fn tokens(&self) -> Option<Tokens> {
        let usage = &self.usage;
        let (input, output) = (count(&usage["input_tokens"])?, count(&usage["output_tokens"])?);
        let cached = count(&usage["input_tokens_details"]["cached_tokens"]).unwrap_or_default().min(input);
        let written = count(&usage["input_tokens_details"]["cache_write_tokens"]).unwrap_or_default();
        let reasoning = count(&usage["output_tokens_details"]["reasoning_tokens"]).unwrap_or_default();
        Some(Tokens {
            input,
            cached,
            written: written.min(input - cached),
            written_1h: 0,
            output,
            reasoning: reasoning.min(output),
        })
    }
}

pub fn translate_answer(body: &[u8]) -> Result<ChatAnswer, ProviderFailure> {
    let response: ResponseView = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    let items = response.output.as_deref().unwrap_or_default();
    let of_type = |kind: &'static str| items.iter().filter(move |item| item["type"] == kind);
    let calls: Vec<_> = of_type("function_call").map(translate_call).collect();
    let finish_reason = response.finish_reason(!calls.is_empty())?;
    let messages: Vec<_> = of_type("message").map(content).collect();
    let texts: Vec<_> = messages.iter().map(|parts| field(parts, "text")).filter(|text| !text.is_empty()).collect();
    let refusal: String = messages.iter().map(|parts| field(parts, "refusal")).collect();
    let refusal = Some(refusal).filter(|refusal| !refusal.is_empty());
    let may_lack_text = refusal.is_some() || !calls.is_empty();
    let text = Some(texts.join(MESSAGE_BREAK)).filter(|text| !text.is_empty() || !may_lack_text);
    let message = AnswerMessage {
        refusal,
        reasoning: of_type("reasoning").filter_map(read_reasoning).collect(),
        ..AnswerMessage::new(text, calls)
    };
    let logprobs = messages.iter().flat_map(|parts| parts.iter()).filter_map(|part| part["logprobs"].as_array());
    let logprobs = logprobs.flatten().cloned().collect();
    let choice = Choice { index: 0, message, logprobs: logprobs_field(logprobs), finish_reason, stop_sequence: None };
    Ok(ChatAnswer::from_choices(vec![choice], response.tokens()))
}

/// What separates the messages of one answer, such as a commentary and the final message.
pub const MESSAGE_BREAK: &str = "\n\n";

fn content(message: &Value) -> &[Value] {
    message["content"].as_array().map_or(&[], Vec::as_slice)
}

fn field(parts: &[Value], name: &str) -> String {
    parts.iter().filter_map(|part| part[name].as_str()).collect()
}

fn translate_call(item: &Value) -> ToolCallOut {
    let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    ToolCallOut {
        id: text("call_id"),
        r#type: "function",
        function: FunctionCall { name: text("name"), arguments: text("arguments") },
        others: serde_json::Map::new(),
    }
}

/// The log probabilities of tokens in the form of chat completions.
pub fn logprobs_field(tokens: Vec<Value>) -> Option<Box<RawValue>> {
    if tokens.is_empty() {
        return None;
    }
    to_raw_value(&json!({"content": tokens, "refusal": null})).ok()
}
