//! Chat answers. `choices` are kept as bytes; they are parsed only for finish reasons and token counts.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, Visitor};
use serde_json::value::RawValue;

use super::usage;
use crate::chat::{ChatAnswer, Choices, Chunk};
use crate::failure::ProviderFailure;
use crate::providers::status::{ErrorDetails, failure_in_answer, failure_in_stream};
use crate::providers::translation::{TranslatedEvent, Translation};
use crate::sse::Event;
use crate::tokens;

#[derive(Deserialize)]
struct AnswerView<'a> {
    #[serde(borrow)]
    choices: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    system_fingerprint: Option<String>,
}

#[derive(Deserialize)]
struct ChoiceView {
    finish_reason: Option<IgnoredAny>,
    delta: Option<DeltaView>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DeltaView {
    content: Counted,
    refusal: Counted,
    reasoning_content: Counted,
    reasoning: Counted,
    tool_calls: Option<Vec<CallView>>,
}

#[derive(Deserialize)]
struct CallView {
    function: Option<FunctionView>,
}

#[derive(Deserialize)]
struct FunctionView {
    #[serde(default)]
    arguments: Counted,
}

pub fn parse_answer(body: &[u8]) -> Result<ChatAnswer, ProviderFailure> {
    let answer: AnswerView<'_> = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.error {
        return Err(read_failure(error));
    }
    let choices = answer.choices.ok_or_else(|| ProviderFailure::malformed_answer("an answer without choices"))?;
    let views: Vec<ChoiceView> = serde_json::from_str(choices.get()).map_err(ProviderFailure::malformed_answer)?;
    if views.is_empty() {
        return Err(ProviderFailure::malformed_answer("an answer without choices"));
    }
    Ok(ChatAnswer {
        choices: Choices::OpenAi(choices.to_owned()),
        usage: answer.usage.and_then(usage::read),
        system_fingerprint: answer.system_fingerprint,
    })
}

/// Translates a stream. It needs no state between events.
pub struct EventTranslation;

impl Translation for EventTranslation {
    fn read(&mut self, event: Event) -> Result<TranslatedEvent, ProviderFailure> {
        let data = event.data.trim();
        if data.starts_with("[DONE]") {
            return Ok(TranslatedEvent::End);
        }
        if data.is_empty() {
            return Ok(TranslatedEvent::Nothing);
        }
        let chunk: AnswerView<'_> = serde_json::from_str(data).map_err(ProviderFailure::malformed_answer)?;
        if let Some(error) = chunk.error {
            return Err(read_failure(error));
        }
        if event.name == "error" {
            return Err(failure_in_stream(ErrorDetails::read(&serde_json::from_str(data).unwrap_or_default())));
        }
        let views: Vec<ChoiceView> = match chunk.choices {
            Some(choices) => serde_json::from_str(choices.get()).map_err(ProviderFailure::malformed_answer)?,
            None => Vec::new(),
        };
        let usage = chunk.usage.and_then(usage::read);
        if views.is_empty() && usage.is_none() {
            return Ok(TranslatedEvent::Nothing);
        }
        Ok(TranslatedEvent::Chunk(Chunk {
            choices: chunk.choices.filter(|_| !views.is_empty()).map(|choices| Choices::OpenAi(choices.to_owned())),
            finished: views.iter().map(|choice| u32::from(choice.finish_reason.is_some())).sum(),
            counted_output: views.iter().filter_map(|choice| choice.delta.as_ref()).map(DeltaView::count_tokens).sum(),
            usage,
            system_fingerprint: chunk.system_fingerprint,
        }))
    }
}

fn read_failure(error: &RawValue) -> ProviderFailure {
    let error: serde_json::Value = serde_json::from_str(error.get()).unwrap_or_default();
    failure_in_answer(&error)
}

impl DeltaView {
    fn count_tokens(&self) -> u64 {
        let functions = self.tool_calls.iter().flatten().filter_map(|call| call.function.as_ref());
        let arguments: u64 = functions.map(|function| function.arguments.0).sum();
        self.content.0 + self.refusal.0 + self.reasoning_content.0 + self.reasoning.0 + arguments
    }
}

/// Counts the tokens of a string during deserialization, without copying it. `null` counts as zero.
#[derive(Default)]
struct Counted(u64);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = Counted;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or null")
            }

            fn visit_str<E>(self, text: &str) -> Result<Counted, E> {
                Ok(Counted(tokens::count(text)))
            }

            fn visit_unit<E>(self) -> Result<Counted, E> {
                Ok(Counted(0))
            }
        }
        deserializer.deserialize_any(Count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_event(data: &str) -> Result<TranslatedEvent, ProviderFailure> {
        EventTranslation.read(Event { name: String::new(), data: data.to_owned() })
    }

    #[test]
    fn choices_are_kept_byte_for_byte() {
        let choices = r#"[{"index":0, "delta":{"content":"h\u0069  👍"},"x":1e2,"finish_reason":null}]"#;
        let Ok(TranslatedEvent::Chunk(chunk)) =
            read_event(&format!(r#"{{"id":"a","choices":{choices},"usage":null}}"#))
        else {
            panic!("no chunk")
        };
        assert_eq!(chunk.choices.unwrap().to_json(), choices);
        assert_eq!((chunk.finished, chunk.counted_output), (0, tokens::count("hi  👍")));
    }

    #[test]
    fn text_reasoning_and_arguments_count_as_output() {
        let delta =
            r#"{"content":null,"reasoning_content":"abcd","tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#;
        let Ok(TranslatedEvent::Chunk(chunk)) =
            read_event(&format!(r#"{{"choices":[{{"delta":{delta},"finish_reason":"stop"}}]}}"#))
        else {
            panic!("no chunk")
        };
        assert_eq!((chunk.finished, chunk.counted_output), (1, 4));
    }

    #[test]
    fn events_that_are_not_chunks_are_recognized() {
        assert!(matches!(read_event(" [DONE]"), Ok(TranslatedEvent::End)));
        assert!(matches!(read_event(""), Ok(TranslatedEvent::Nothing)));
        assert!(matches!(read_event(r#"{"choices":[],"prompt_filter_results":[]}"#), Ok(TranslatedEvent::Nothing)));
        assert!(matches!(read_event(r#"{"choices":{}}"#), Err(failure) if failure.code == "provider_answer_garbled"));
        assert!(matches!(read_event(r#"{"cho"#), Err(failure) if failure.code == "provider_answer_garbled"));
        let failed = read_event(r#"{"error":{"message":"engine gone","type":"server_error","code":503}}"#);
        let Err(failure) = failed else { panic!("no failure") };
        assert_eq!((failure.code.as_str(), failure.message.as_str()), ("server_error", "engine gone"));
        assert!(failure.may_have_run);
    }
}
