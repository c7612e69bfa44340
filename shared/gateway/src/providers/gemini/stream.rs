//! Translates Gemini's event stream into chunks.

use std::collections::HashMap;

use super::answer::{self, Candidate};
use crate::chat::{Chunk, Delta, DeltaChoice, FunctionDelta, ToolCallDelta};
use crate::failure::ProviderFailure;
use crate::providers::translation::{TranslatedEvent, Translation};
use domain::chat::ReasoningDelta;
use outbound::sse::Event;

/// The state of a stream. Gemini sends no final event; the finish reasons show whether the stream is complete.
#[derive(Default)]
pub struct EventTranslation {
    /// Indexes of the candidates seen so far, with the number of their tool calls.
    calls_by_candidate: HashMap<u32, u32>,
}

impl Translation for EventTranslation {
    fn read(&mut self, event: Event) -> Result<TranslatedEvent, ProviderFailure> {
        if event.data.is_empty() {
            return Ok(TranslatedEvent::Nothing);
        }
        let mut answer = answer::read(event.data.as_bytes())?;
        let usage = answer.tokens();
        let choices = answer.candidates.iter_mut().map(|candidate| self.delta(candidate));
        let choices: Vec<_> = choices.collect::<Result<_, _>>()?;
        if choices.is_empty() && usage.is_none() {
            return Ok(TranslatedEvent::Nothing);
        }
        Ok(TranslatedEvent::Chunk(Chunk::from_deltas(choices, usage)))
    }
}

impl EventTranslation {
    fn delta(&mut self, candidate: &mut Candidate) -> Result<DeltaChoice, ProviderFailure> {
        let is_first = !self.calls_by_candidate.contains_key(&candidate.index);
        let calls = self.calls_by_candidate.entry(candidate.index).or_default();
        let new_content = candidate.take_content();
        let reasoning = Some(new_content.reasoning).filter(|text| !text.is_empty());
        let tool_calls = new_content.calls.into_iter().map(|call| {
            *calls += 1;
            ToolCallDelta {
                index: *calls - 1,
                id: Some(call.id),
                r#type: Some(call.r#type),
                function: FunctionDelta { name: Some(call.function.name), arguments: call.function.arguments },
                others: call.others,
            }
        });
        let delta = Delta {
            role: is_first.then_some("assistant"),
            content: new_content.text,
            refusal: None,
            tool_calls: tool_calls.collect(),
            reasoning: reasoning.map(|text| ReasoningDelta::text(0, text)).into_iter().collect(),
        };
        let finish_reason = candidate.finish_reason(*calls > 0)?;
        Ok(DeltaChoice { index: candidate.index, delta, logprobs: None, finish_reason, stop_sequence: None })
    }
}
