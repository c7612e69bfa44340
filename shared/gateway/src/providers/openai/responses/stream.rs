//! Translates the event stream of the Responses API into chunks.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::answer::{MESSAGE_BREAK, ResponseView, logprobs_field};
use crate::chat::responses::{PART_BREAK, read_reasoning};
use crate::chat::{Chunk, Delta, DeltaChoice, FunctionDelta, ToolCallDelta};
use crate::failure::ProviderFailure;
use crate::providers::status::{ErrorDetails, failure_in_stream};
use crate::providers::translation::{TranslatedEvent, Translation};
use domain::chat::{Reasoning, ReasoningDelta, ReasoningPiece};
use outbound::sse::Event;

#[derive(Deserialize)]
struct EventView {
    r#type: String,
    /// The place of an item in the response.
    #[serde(default)]
    output_index: u64,
    /// The place of a part in the summary or the text of an item of reasoning.
    summary_index: Option<u64>,
    content_index: Option<u64>,
    #[serde(default)]
    item: Value,
    #[serde(default)]
    delta: Value,
    #[serde(default)]
    logprobs: Value,
    response: Option<ResponseView>,
}

/// An item of reasoning.
struct ReasoningState {
    /// The place among the blocks of reasoning.
    index: u32,
    /// The part whose text arrived last. None for encrypted reasoning.
    part: Option<u64>,
}

/// A call of a tool.
struct CallState {
    index: u32,
    has_arguments: bool,
}

/// The items so far, by their place in the response.
#[derive(Default)]
pub struct EventTranslation {
    has_started: bool,
    calls: BTreeMap<u64, CallState>,
    reasoning: BTreeMap<u64, ReasoningState>,
    /// The message that the last text belongs to.
    message: Option<u64>,
}

impl Translation for EventTranslation {
    fn read(&mut self, event: Event) -> Result<TranslatedEvent, ProviderFailure> {
        let data = event.data.trim();
        if data.is_empty() {
            return Ok(TranslatedEvent::Nothing);
        }
        // Some servers end the stream as one of chat completions.
        if data.starts_with("[DONE]") {
            return Ok(TranslatedEvent::End);
        }
        let view: EventView = serde_json::from_str(data).map_err(ProviderFailure::malformed_answer)?;
        if view.r#type == "error" {
            return Err(failure_in_stream(ErrorDetails::read(&serde_json::from_str(data).unwrap_or_default())));
        }
        let usage = view.response.as_ref().and_then(ResponseView::tokens);
        let Some(mut choice) = self.translate(&view)? else { return Ok(TranslatedEvent::Nothing) };
        // The events before the first item become no chunk. An error that follows them can still be answered by another deployment.
        if !std::mem::replace(&mut self.has_started, true) {
            choice.delta.role = Some("assistant");
        }
        Ok(TranslatedEvent::Chunk(Chunk::from_deltas(vec![choice], usage)))
    }
}

impl EventTranslation {
    /// None for events that repeat what others have, and for those about tools that the gateway does not send.
    fn translate(&mut self, view: &EventView) -> Result<Option<DeltaChoice>, ProviderFailure> {
        let delta = match view.r#type.as_str() {
            "response.output_text.delta" => return Ok(Some(self.add_text(view))),
            "response.refusal.delta" => Some(Delta { refusal: text(&view.delta), ..Delta::default() }),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => self.add_reasoning(view),
            "response.output_item.added" if view.item["type"] == "function_call" => {
                Some(self.begin_call(view, String::new()))
            }
            "response.function_call_arguments.delta" => Some(self.add_arguments(view.output_index, &view.delta)?),
            "response.output_item.done" => self.end_item(view)?,
            "response.completed" | "response.incomplete" | "response.failed" => {
                let response = view.response.as_ref().ok_or_else(|| missing("a response"))?;
                let reason = response.finish_reason(!self.calls.is_empty())?;
                return Ok(Some(DeltaChoice { finish_reason: Some(reason), ..choice(Delta::default()) }));
            }
            _ => None,
        };
        Ok(delta.map(choice))
    }

    fn add_text(&mut self, view: &EventView) -> DeltaChoice {
        let mut content = text(&view.delta).unwrap_or_default();
        let last = self.message.replace(view.output_index);
        if last.is_some_and(|last| last != view.output_index) {
            content.insert_str(0, MESSAGE_BREAK);
        }
        let logprobs = logprobs_field(view.logprobs.as_array().cloned().unwrap_or_default());
        DeltaChoice { logprobs, ..choice(Delta { content: Some(content), ..Delta::default() }) }
    }

    fn add_reasoning(&mut self, view: &EventView) -> Option<Delta> {
        let mut more = text(&view.delta)?;
        let part = view.summary_index.or(view.content_index);
        let next = index(self.reasoning.len());
        let state = self.reasoning.entry(view.output_index).or_insert_with(|| ReasoningState { index: next, part });
        if state.part != part {
            more.insert_str(0, PART_BREAK);
            state.part = part;
        }
        Some(Delta { reasoning: vec![ReasoningDelta::text(state.index, more)], ..Delta::default() })
    }

    fn begin_call(&mut self, view: &EventView, arguments: String) -> Delta {
        let state = CallState { index: index(self.calls.len()), has_arguments: !arguments.is_empty() };
        let call = ToolCallDelta {
            index: state.index,
            id: text(&view.item["call_id"]),
            r#type: Some("function"),
            function: FunctionDelta { name: text(&view.item["name"]), arguments },
            others: serde_json::Map::new(),
        };
        self.calls.insert(view.output_index, state);
        Delta { tool_calls: vec![call], ..Delta::default() }
    }

    fn add_arguments(&mut self, place: u64, arguments: &Value) -> Result<Delta, ProviderFailure> {
        let call = self.calls.get_mut(&place).ok_or_else(|| missing("the start of a call"))?;
        call.has_arguments = true;
        let function = FunctionDelta { name: None, arguments: text(arguments).unwrap_or_default() };
        let call =
            ToolCallDelta { index: call.index, id: None, r#type: None, function, others: serde_json::Map::new() };
        Ok(Delta { tool_calls: vec![call], ..Delta::default() })
    }

    /// An item that ends has what its deltas do not: the encrypted reasoning. Some servers send no deltas of reasoning or calls.
    fn end_item(&mut self, view: &EventView) -> Result<Option<Delta>, ProviderFailure> {
        match (view.item["type"].as_str(), self.calls.get(&view.output_index)) {
            (Some("reasoning"), _) => Ok(self.end_reasoning(view)),
            (Some("function_call"), None) => {
                Ok(Some(self.begin_call(view, text(&view.item["arguments"]).unwrap_or_default())))
            }
            (Some("function_call"), Some(call)) if !call.has_arguments => {
                self.add_arguments(view.output_index, &view.item["arguments"]).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn end_reasoning(&mut self, view: &EventView) -> Option<Delta> {
        let reasoning = read_reasoning(&view.item)?;
        let next = index(self.reasoning.len());
        let known = self.reasoning.get(&view.output_index).map(|state| state.index);
        let pieces: Vec<_> = match (known, reasoning) {
            (Some(_), reasoning) => reasoning.opaque().cloned().map(ReasoningPiece::Signature).into_iter().collect(),
            (None, Reasoning::Encrypted(data)) => vec![ReasoningPiece::Encrypted(data)],
            (None, Reasoning::Text { text, signature }) => {
                let signature = signature.map(ReasoningPiece::Signature);
                std::iter::once(ReasoningPiece::Text(text)).chain(signature).collect()
            }
        };
        self.reasoning.entry(view.output_index).or_insert(ReasoningState { index: next, part: None });
        let index = known.unwrap_or(next);
        let reasoning: Vec<_> = pieces.into_iter().map(|piece| ReasoningDelta { index, piece }).collect();
        (!reasoning.is_empty()).then(|| Delta { reasoning, ..Delta::default() })
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn index(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn missing(what: &str) -> ProviderFailure {
    ProviderFailure::malformed_answer(format_args!("an event without {what}"))
}

fn choice(delta: Delta) -> DeltaChoice {
    DeltaChoice { index: 0, delta, logprobs: None, finish_reason: None, stop_sequence: None }
}
