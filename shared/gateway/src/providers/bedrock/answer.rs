//! Translates Converse's response into a chat completion.

use aws_sdk_bedrockruntime::operation::converse::ConverseOutput;
use aws_sdk_bedrockruntime::primitives::Blob;
use aws_sdk_bedrockruntime::types::{
    CacheTtl, ContentBlock, ConverseOutput as Output, ReasoningContentBlock, StopReason, TokenUsage,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::document;
use crate::chat::{AnswerMessage, ChatAnswer, Choice, FinishReason, FunctionCall, ToolCallOut};
use crate::failure::{FailureKind, ProviderFailure};
use domain::chat::{Opaque, Reasoning, Vendor};
use domain::usage::Tokens;

pub fn translate_answer(answer: ConverseOutput) -> Result<ChatAnswer, ProviderFailure> {
    let Some(Output::Message(message)) = answer.output else {
        return Err(ProviderFailure::malformed_answer("an answer without a message"));
    };
    let (mut text, mut reasoning, mut tool_calls) = (None::<String>, Vec::new(), Vec::new());
    for block in message.content {
        match block {
            ContentBlock::Text(more) => text.get_or_insert_default().push_str(&more),
            ContentBlock::ToolUse(call) => tool_calls.push(ToolCallOut {
                id: call.tool_use_id,
                r#type: "function",
                function: FunctionCall { name: call.name, arguments: document::to_json(&call.input).to_string() },
                others: serde_json::Map::new(),
            }),
            ContentBlock::ReasoningContent(ReasoningContentBlock::ReasoningText(block)) => {
                let signature = block.signature.map(|data| Opaque::new(Vendor::Anthropic, data));
                reasoning.push(Reasoning::Text { text: block.text, signature });
            }
            ContentBlock::ReasoningContent(ReasoningContentBlock::RedactedContent(data)) => {
                reasoning.push(Reasoning::Encrypted(encrypted(&data)));
            }
            // Citations and unknown blocks are left out.
            _ => {}
        }
    }
    if tool_calls.is_empty() {
        text.get_or_insert_default();
    }
    let message = AnswerMessage { reasoning, ..AnswerMessage::new(text, tool_calls) };
    let finish_reason = finish_reason(&answer.stop_reason)?;
    let choice = Choice { index: 0, message, logprobs: None, finish_reason, stop_sequence: None };
    Ok(ChatAnswer::from_choices(vec![choice], answer.usage.as_ref().and_then(tokens)))
}

pub fn encrypted(data: &Blob) -> Opaque {
    Opaque::new(Vendor::Anthropic, BASE64_STANDARD.encode(data))
}

pub fn finish_reason(reason: &StopReason) -> Result<FinishReason, ProviderFailure> {
    match reason.as_str() {
        "tool_use" => Ok(FinishReason::ToolCalls),
        "max_tokens" | "model_context_window_exceeded" => Ok(FinishReason::Length),
        "content_filtered" | "guardrail_intervened" => Ok(FinishReason::ContentFilter),
        reason @ ("malformed_model_output" | "malformed_tool_use") => {
            let message = format!("the model's answer cannot be used: {reason}");
            Err(ProviderFailure::new(FailureKind::Broken, reason, message))
        }
        _ => Ok(FinishReason::Stop),
    }
}

/// Translates the usage. `inputTokens` excludes tokens read from and written to the cache, so they are added here. A
/// negative count makes the usage unknown.
pub fn tokens(usage: &TokenUsage) -> Option<Tokens> {
    let count = |count: i32| u64::try_from(count).ok();
    let cached = usage.cache_read_input_tokens.and_then(count).unwrap_or_default();
    let written = usage.cache_write_input_tokens.and_then(count).unwrap_or_default();
    let for_an_hour = usage.cache_details().iter().filter(|detail| detail.ttl == CacheTtl::OneHour);
    let written_1h: u64 = for_an_hour.filter_map(|detail| count(detail.input_tokens)).sum();
    Some(Tokens {
        input: count(usage.input_tokens)? + cached + written,
        cached,
        written,
        written_1h: written_1h.min(written),
        output: count(usage.output_tokens)?,
        reasoning: 0,
    })
}
