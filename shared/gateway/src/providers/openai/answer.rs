//! Chat answers. `choices` are kept as bytes; they are parsed only for finish reasons and token counts.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::usage;
use crate::chat::{ChatAnswer, Choices, Chunk, DeltaChoice};
use crate::failure::ProviderFailure;
use crate::providers::status::{ErrorDetails, failure_in_answer, failure_in_stream};
use crate::providers::translation::{TranslatedEvent, Translation};
use crate::tokens;
use outbound::sse::Event;

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
struct ChoiceView<'a> {
    #[serde(default)]
    index: u32,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
    delta: Option<DeltaView>,
    message: Option<DeltaView>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DeltaView {
    content: Weighed,
    refusal: Weighed,
    reasoning_content: Weighed,
    reasoning: Weighed,
    tool_calls: Option<Vec<CallView>>,
}

#[derive(Deserialize)]
struct CallView {
    function: Option<FunctionView>,
}

#[derive(Deserialize)]
struct FunctionView {
    #[serde(default)]
    arguments: Weighed,
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
    let is_usual =
        views.iter().all(|choice| choice.is_usual(choice.message.as_ref().is_some_and(DeltaView::has_calls)));
    let choices = Choices::OpenAi(choices.to_owned());
    Ok(ChatAnswer {
        choices: if is_usual { choices } else { Choices::Translated(choices.read().into_owned()) },
        usage: answer.usage.and_then(usage::read),
        system_fingerprint: answer.system_fingerprint,
    })
}

/// Translates a stream.
#[derive(Default)]
pub struct EventTranslation {
    /// The choices that called tools.
    with_calls: BTreeSet<u32>,
}

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
        let mut is_usual = true;
        for choice in &views {
            if choice.delta.as_ref().is_some_and(DeltaView::has_calls) {
                self.with_calls.insert(choice.index);
            }
            is_usual &= choice.is_usual(self.with_calls.contains(&choice.index));
        }
        let choices = chunk.choices.filter(|_| !views.is_empty()).map(|choices| Choices::OpenAi(choices.to_owned()));
        let choices = if is_usual { choices } else { choices.map(|choices| self.translate(&choices)) };
        Ok(TranslatedEvent::Chunk(Chunk {
            choices,
            finished: views.iter().map(|choice| u32::from(choice.finish_reason.is_some())).sum(),
            weight: views.iter().filter_map(|choice| choice.delta.as_ref()).map(DeltaView::weigh).sum(),
            usage,
            system_fingerprint: chunk.system_fingerprint,
        }))
    }
}

impl EventTranslation {
    /// The choices of a server that deviates from OpenAI's API, in its form.
    fn translate(&self, choices: &Choices<DeltaChoice>) -> Choices<DeltaChoice> {
        let mut choices = choices.read().into_owned();
        for choice in &mut choices {
            let has_calls = self.with_calls.contains(&choice.index);
            choice.finish_reason = choice.finish_reason.map(|reason| reason.after_calls(has_calls));
        }
        Choices::Translated(choices)
    }
}

impl ChoiceView<'_> {
    /// Whether clients of OpenAI understand the choice. Other servers have more finish reasons (`eos`), report the end of a text
    /// after calls, or send arguments as an object.
    fn is_usual(&self, has_calls: bool) -> bool {
        let is_usual_reason = match self.finish_reason.as_deref() {
            None | Some("length" | "tool_calls" | "content_filter" | "function_call") => true,
            Some("stop") => !has_calls,
            Some(_) => false,
        };
        is_usual_reason && ![&self.delta, &self.message].into_iter().flatten().any(DeltaView::has_object_arguments)
    }
}

fn read_failure(error: &RawValue) -> ProviderFailure {
    let error: serde_json::Value = serde_json::from_str(error.get()).unwrap_or_default();
    failure_in_answer(&error)
}

impl DeltaView {
    fn functions(&self) -> impl Iterator<Item = &FunctionView> {
        self.tool_calls.iter().flatten().filter_map(|call| call.function.as_ref())
    }

    fn has_calls(&self) -> bool {
        self.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty())
    }

    fn has_object_arguments(&self) -> bool {
        self.functions().any(|function| function.arguments.is_object)
    }

    fn weigh(&self) -> u64 {
        let arguments: u64 = self.functions().map(|function| function.arguments.weight).sum();
        let texts = [&self.content, &self.refusal, &self.reasoning_content, &self.reasoning];
        texts.into_iter().map(|text| text.weight).sum::<u64>() + arguments
    }
}

/// Weighs a string during deserialization, without copying it. Other values weigh nothing.
#[derive(Default)]
struct Weighed {
    weight: u64,
    is_object: bool,
}

impl<'de> Deserialize<'de> for Weighed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Weigh;
        impl<'de> Visitor<'de> for Weigh {
            type Value = Weighed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, null, or the parts or fields of other servers")
            }

            fn visit_str<E>(self, text: &str) -> Result<Weighed, E> {
                Ok(Weighed { weight: tokens::weigh(text), is_object: false })
            }

            fn visit_unit<E>(self) -> Result<Weighed, E> {
                Ok(Weighed::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Weighed, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Weighed { weight: 0, is_object: true })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Weighed, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Weighed::default())
            }
        }
        deserializer.deserialize_any(Weigh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::FinishReason;

    fn read_event(data: &str) -> Result<TranslatedEvent, ProviderFailure> {
        EventTranslation::default().read(Event { name: String::new(), data: data.to_owned() })
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
        assert_eq!((chunk.finished, chunk.weight), (0, tokens::weigh("hi  👍")));
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
        assert_eq!((chunk.finished, chunk.weight), (1, tokens::weigh("abcd{}")));
    }

    #[test]
    fn answers_of_servers_that_deviate_are_normalized() {
        let call = r#"{"index":0,"id":"c","function":{"name":"f","arguments":{"a":1}}}"#;
        let answer = |choice: &str| {
            let answer = parse_answer(format!(r#"{{"choices":[{choice}]}}"#).as_bytes()).unwrap();
            answer.choices.read()[0].clone()
        };
        let called = answer(&format!(
            r#"{{"index":0,"message":{{"content":null,"tool_calls":[{call}]}},"finish_reason":"stop"}}"#
        ));
        assert_eq!(called.finish_reason, FinishReason::ToolCalls);
        assert_eq!(called.message.tool_calls[0].function.arguments, r#"{"a":1}"#);
        let said = answer(r#"{"index":0,"message":{"content":"a"},"finish_reason":"eos"}"#);
        assert_eq!((said.finish_reason, said.message.content.as_deref()), (FinishReason::Stop, Some("a")));

        let mut stream = EventTranslation::default();
        let mut read = |choice: &str| {
            let event = Event { name: String::new(), data: format!(r#"{{"choices":[{choice}]}}"#) };
            let Ok(TranslatedEvent::Chunk(chunk)) = stream.read(event) else { panic!("no chunk") };
            chunk.choices.unwrap()
        };
        let called = read(&format!(r#"{{"index":0,"delta":{{"tool_calls":[{call}]}},"finish_reason":null}}"#));
        assert_eq!(called.read()[0].delta.tool_calls[0].function.arguments, r#"{"a":1}"#);
        let ended = read(r#"{"index":0,"delta":{},"finish_reason":"stop"}"#);
        assert_eq!(ended.read()[0].finish_reason, Some(FinishReason::ToolCalls));
        let other = r#"{"index":1,"delta":{},"finish_reason":"stop"}"#;
        assert_eq!(read(other).to_json(), format!("[{other}]"), "a choice without calls keeps its bytes");
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
