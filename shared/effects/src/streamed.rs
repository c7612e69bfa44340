//! Streamed answers of models: passes the text on while it arrives, and puts the whole answer together.

use std::collections::BTreeMap;

use domain::Result;
use domain::chat::Reasoning;
use engine::drive::{EffectError, RetryHint};
use futures::StreamExt;
use gateway::chat::{AnswerMessage, DeltaChoice, ToolCallOut};
use gateway::{AnswerChunk, ChatStream, StreamItem, Usage};
use runner::{InvocationEvent, InvocationEvents};

use crate::errors::{refused, to_effect_error};

/// Reads a stream to its end.
pub async fn read_stream(
    mut stream: ChatStream,
    step: &str,
    events: &InvocationEvents,
) -> std::result::Result<(AnswerMessage, Usage), EffectError> {
    let (mut message, mut calls) = (AnswerMessage::new(None, Vec::new()), BTreeMap::new());
    while let Some(item) = stream.items.next().await {
        match item {
            StreamItem::Heartbeat => {}
            StreamItem::Chunks(chunks) => {
                for chunk in chunks {
                    if let Some(text) = add_chunk(&mut message, &mut calls, chunk).map_err(to_effect_error)? {
                        // The reader may have left. The answer is still needed.
                        let _ = events.send(InvocationEvent::Text { step: step.to_owned(), text }).await;
                    }
                }
            }
            // The text cannot be taken back, so another attempt would repeat it.
            StreamItem::Failed(error) => {
                return Err(EffectError { retry: RetryHint::Never, ..to_effect_error(error) });
            }
            StreamItem::End(usage) => {
                return Ok((AnswerMessage { tool_calls: calls.into_values().collect(), ..message }, usage));
            }
        }
    }
    Err(refused("provider_error", "the model stopped in the middle of its answer"))
}

/// Adds a chunk, and returns its text.
fn add_chunk(
    message: &mut AnswerMessage,
    calls: &mut BTreeMap<u32, ToolCallOut>,
    chunk: AnswerChunk,
) -> Result<Option<String>> {
    let Some(DeltaChoice { delta, .. }) = chunk.choices.into_first()? else { return Ok(None) };
    for piece in delta.reasoning {
        Reasoning::add(&mut message.reasoning, piece);
    }
    for call in delta.tool_calls {
        ToolCallOut::add(calls, call);
    }
    let Some(text) = delta.content.filter(|text| !text.is_empty()) else { return Ok(None) };
    message.content.get_or_insert_default().push_str(&text);
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::TransactionId;
    use domain::money::Money;
    use domain::run::StepError;
    use domain::usage::Tokens;
    use domain::{Error, ProviderTrouble};
    use futures::stream;
    use gateway::AnswerHead;
    use gateway::chat::Choices;
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};
    use tokio::sync::mpsc;

    const TOKENS: Tokens = Tokens { input: 3, cached: 0, written: 0, written_1h: 0, output: 2, reasoning: 0 };

    async fn read(
        deltas: &[Value],
        last: Option<StreamItem>,
    ) -> (std::result::Result<(AnswerMessage, Usage), EffectError>, Vec<String>) {
        let chunks = deltas.iter().map(|delta| {
            let choices = to_raw_value(&json!([{"index": 0, "delta": delta, "finish_reason": null}])).unwrap();
            StreamItem::Chunks(vec![AnswerChunk { choices: Choices::OpenAi(choices), system_fingerprint: None }])
        });
        let items: Vec<StreamItem> = std::iter::once(StreamItem::Heartbeat).chain(chunks).chain(last).collect();
        let head = AnswerHead { id: TransactionId::new(), created: 0, model: "m".to_owned() };
        let (texts, mut pieces) = mpsc::channel(64);
        let answer = read_stream(ChatStream { head, items: stream::iter(items).boxed() }, "3", &texts).await;
        drop(texts);
        let mut seen = Vec::new();
        while let Some(event) = pieces.recv().await {
            let InvocationEvent::Text { step, text } = event else { panic!("{event:?}") };
            assert_eq!(step, "3");
            seen.push(text);
        }
        (answer, seen)
    }

    fn end() -> Option<StreamItem> {
        Some(StreamItem::End(Usage { tokens: TOKENS, cost: Money::ZERO }))
    }

    #[tokio::test]
    async fn the_text_is_passed_on_and_put_together() {
        let deltas =
            [json!({"role": "assistant", "content": ""}), json!({"content": "Good "}), json!({"content": "day."})];
        let (answer, seen) = read(&deltas, end()).await;
        let (message, usage) = answer.unwrap();
        assert_eq!((message.content.as_deref(), usage.tokens), (Some("Good day."), TOKENS));
        assert!(message.tool_calls.is_empty());
        assert_eq!(seen, ["Good ", "day."]);
    }

    #[tokio::test]
    async fn calls_are_put_together_by_their_index() {
        let begin = |index: u64, id: &str, name: &str| json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        let piece = |index: u64, text: &str| json!({"index": index, "function": {"arguments": text}});
        let deltas = [
            json!({"tool_calls": [begin(0, "a", "find"), begin(1, "b", "send")]}),
            json!({"tool_calls": [piece(1, "{\"to\":"), piece(0, "{}")]}),
            json!({"tool_calls": [piece(1, "7}"), piece(128, "beyond the maximum")]}),
        ];
        let (answer, seen) = read(&deltas, end()).await;
        let calls = answer.unwrap().0.tool_calls;
        let calls = calls.iter().map(|call| (&*call.id, &*call.function.name, &*call.function.arguments));
        assert_eq!(calls.collect::<Vec<_>>(), [("a", "find", "{}"), ("b", "send", "{\"to\":7}")]);
        assert!(seen.is_empty());
    }

    #[tokio::test]
    async fn calls_without_an_index_stay_apart_and_keep_what_the_provider_added() {
        let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}, "signature": id});
        let (answer, _) = read(&[json!({"tool_calls": [call("a", "find"), call("b", "send")]})], end()).await;
        let calls = answer.unwrap().0.tool_calls;
        let calls = calls.iter().map(|call| (&*call.id, &*call.function.name, &call.others["signature"]));
        assert_eq!(calls.collect::<Vec<_>>(), [("a", "find", &json!("a")), ("b", "send", &json!("b"))]);
    }

    #[tokio::test]
    async fn a_stream_that_breaks_off_is_an_error() {
        let text = json!({"content": "Good "});
        let (answer, _) = read(std::slice::from_ref(&text), None).await;
        assert_eq!(answer.unwrap_err().error.code, "provider_error");
        let error = Error::Provider {
            trouble: ProviderTrouble::Timeout,
            code: "provider_timeout".to_owned(),
            message: "It was slow.".to_owned(),
            param: None,
            retry_after_s: None,
        };
        let (answer, _) = read(&[text], Some(StreamItem::Failed(error))).await;
        let failure = answer.unwrap_err();
        assert_eq!(failure.error, StepError::new("provider_timeout", "It was slow."));
        assert_eq!(failure.retry, RetryHint::Never);
    }
}
