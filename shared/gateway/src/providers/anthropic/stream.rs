//! Translates Anthropic's event stream into chunks.

use serde::Deserialize;

use super::answer::{Counts, UsageView, finish_reason, opaque};
use crate::chat::{Chunk, Delta, DeltaChoice, FinishReason, FunctionDelta, ToolCallDelta};
use crate::failure::ProviderFailure;
use crate::providers::status::{ErrorDetails, failure_in_stream};
use crate::providers::translation::{TranslatedEvent, Translation};
use domain::chat::{ReasoningDelta, ReasoningPiece};
use domain::usage::Tokens;
use outbound::sse::Event;

#[derive(Deserialize)]
struct EventView {
    r#type: String,
    message: Option<MessageView>,
    content_block: Option<BlockView>,
    delta: Option<DeltaView>,
    usage: Option<UsageView>,
}

#[derive(Deserialize)]
struct MessageView {
    #[serde(default)]
    usage: UsageView,
}

#[derive(Deserialize)]
struct BlockView {
    r#type: String,
    id: Option<String>,
    name: Option<String>,
    text: Option<String>,
    data: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DeltaView {
    text: Option<String>,
    partial_json: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    stop_sequence: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Default)]
pub struct EventTranslation {
    counts: Counts,
    /// The number of tool calls so far.
    calls: u32,
    /// The number of blocks of reasoning so far.
    reasoning: u32,
    /// Whether the open block is a tool call without arguments so far.
    awaits_arguments: bool,
}

impl Translation for EventTranslation {
    fn read(&mut self, event: Event) -> Result<TranslatedEvent, ProviderFailure> {
        if event.data.is_empty() {
            return Ok(TranslatedEvent::Nothing);
        }
        let view: EventView = serde_json::from_str(&event.data).map_err(ProviderFailure::malformed_answer)?;
        let delta = view.delta.unwrap_or_default();
        match view.r#type.as_str() {
            "message_start" => {
                self.counts.update(&view.message.map(|message| message.usage).unwrap_or_default());
                let delta = Delta { role: Some("assistant"), content: Some(String::new()), ..Delta::default() };
                chunk(delta, None, self.counts.tokens())
            }
            "content_block_start" => self.begin(view.content_block),
            "content_block_delta" => match (delta.text, delta.partial_json) {
                (Some(text), _) => chunk(Delta { content: Some(text), ..Delta::default() }, None, None),
                (None, Some(json)) if !json.is_empty() => {
                    self.awaits_arguments = false;
                    chunk(self.arguments(json), None, None)
                }
                // Citations are left out.
                _ => match (delta.thinking, delta.signature.and_then(opaque)) {
                    (Some(text), _) if !text.is_empty() => self.reasoning(ReasoningPiece::Text(text)),
                    (_, Some(signature)) => self.reasoning(ReasoningPiece::Signature(signature)),
                    _ => Ok(TranslatedEvent::Nothing),
                },
            },
            "content_block_stop" if std::mem::take(&mut self.awaits_arguments) => {
                chunk(self.arguments("{}".to_owned()), None, None)
            }
            "message_delta" => {
                self.counts.update(&view.usage.unwrap_or_default());
                let reason = delta.stop_reason.as_deref().map(finish_reason);
                if reason.is_none() {
                    return Ok(TranslatedEvent::Chunk(Chunk::from_deltas(Vec::new(), self.counts.tokens())));
                }
                let choice = DeltaChoice {
                    index: 0,
                    delta: Delta::default(),
                    logprobs: None,
                    finish_reason: reason,
                    stop_sequence: delta.stop_sequence,
                };
                Ok(TranslatedEvent::Chunk(Chunk::from_deltas(vec![choice], self.counts.tokens())))
            }
            "message_stop" => Ok(TranslatedEvent::End),
            "error" => {
                Err(failure_in_stream(ErrorDetails::read(&serde_json::from_str(&event.data).unwrap_or_default())))
            }
            // `ping` and unknown events are ignored.
            _ => Ok(TranslatedEvent::Nothing),
        }
    }
}

impl EventTranslation {
    fn begin(&mut self, block: Option<BlockView>) -> Result<TranslatedEvent, ProviderFailure> {
        let block =
            block.ok_or_else(|| ProviderFailure::malformed_answer("a content_block_start event without a block"))?;
        match block.r#type.as_str() {
            "text" if block.text.as_deref().is_some_and(|text| !text.is_empty()) => {
                chunk(Delta { content: block.text, ..Delta::default() }, None, None)
            }
            "tool_use" => {
                self.calls += 1;
                self.awaits_arguments = true;
                let call = ToolCallDelta {
                    index: self.calls - 1,
                    id: block.id,
                    r#type: Some("function"),
                    function: FunctionDelta { name: block.name, arguments: String::new() },
                    others: serde_json::Map::new(),
                };
                chunk(Delta { tool_calls: vec![call], ..Delta::default() }, None, None)
            }
            "thinking" => {
                self.reasoning += 1;
                Ok(TranslatedEvent::Nothing)
            }
            "redacted_thinking" => {
                self.reasoning += 1;
                match block.data.and_then(opaque) {
                    Some(data) => self.reasoning(ReasoningPiece::Encrypted(data)),
                    None => Ok(TranslatedEvent::Nothing),
                }
            }
            _ => Ok(TranslatedEvent::Nothing),
        }
    }

    fn reasoning(&self, piece: ReasoningPiece) -> Result<TranslatedEvent, ProviderFailure> {
        let piece = ReasoningDelta { index: self.reasoning.saturating_sub(1), piece };
        chunk(Delta { reasoning: vec![piece], ..Delta::default() }, None, None)
    }

    fn arguments(&self, arguments: String) -> Delta {
        let function = FunctionDelta { name: None, arguments };
        let index = self.calls.saturating_sub(1);
        let call = ToolCallDelta { index, id: None, r#type: None, function, others: serde_json::Map::new() };
        Delta { tool_calls: vec![call], ..Delta::default() }
    }
}

fn chunk(
    delta: Delta,
    finish_reason: Option<FinishReason>,
    usage: Option<Tokens>,
) -> Result<TranslatedEvent, ProviderFailure> {
    let choice = DeltaChoice { index: 0, delta, logprobs: None, finish_reason, stop_sequence: None };
    Ok(TranslatedEvent::Chunk(Chunk::from_deltas(vec![choice], usage)))
}
