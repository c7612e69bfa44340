//! Streamed answers of models: passes the text on while it arrives, and puts the whole answer together.

use domain::run::StepError;
use engine::drive::{EffectError, RetryHint};
use futures::StreamExt;
use gateway::EventStream;
use runner::{InvocationEvent, InvocationEvents};
use serde_json::{Map, Value, json};

/// Reads a stream to its end. Returns the answer in the format of an answer that is not streamed.
pub async fn read_stream(mut stream: EventStream, step: &str, events: &InvocationEvents) -> Result<Value, EffectError> {
    let (mut answer, mut is_complete) = (StreamedAnswer::default(), false);
    while let Some(event) = stream.next().await {
        let text = std::str::from_utf8(&event).unwrap_or_default();
        for data in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
            if data == "[DONE]" {
                is_complete = true;
                continue;
            }
            let chunk: Value = serde_json::from_str(data).unwrap_or_default();
            if let Some(error) = chunk.get("error") {
                return Err(failure(error));
            }
            if let Some(text) = answer.add(chunk) {
                // The reader may have left. The answer is still needed.
                let _ = events.send(InvocationEvent::Text { step: step.to_owned(), text }).await;
            }
        }
    }
    if is_complete { Ok(answer.into_value()) } else { Err(failure(&Value::Null)) }
}

fn failure(error: &Value) -> EffectError {
    let code = error["code"].as_str().unwrap_or("provider_error");
    let message = error["message"].as_str().unwrap_or("the model stopped in the middle of its answer");
    EffectError { error: StepError::new(code, message), retry: RetryHint::Never }
}

#[derive(Default)]
struct StreamedAnswer {
    text: Option<String>,
    calls: Vec<Value>,
    usage: Value,
}

impl StreamedAnswer {
    /// Adds a chunk, and returns its text.
    fn add(&mut self, mut chunk: Value) -> Option<String> {
        if let Some(usage) = chunk.get_mut("usage").filter(|usage| usage.is_object()) {
            self.usage = usage.take();
        }
        let mut delta = chunk["choices"].get_mut(0)?.get_mut("delta")?.take();
        for call in delta["tool_calls"].as_array_mut().map(std::mem::take).unwrap_or_default() {
            self.add_call(call);
        }
        let text = delta["content"].as_str().filter(|text| !text.is_empty())?;
        self.text.get_or_insert_default().push_str(text);
        Some(text.to_owned())
    }

    /// Adds a piece of a call. Only its first piece has an id and a name; the arguments come in pieces.
    fn add_call(&mut self, piece: Value) {
        const MAX_CALLS: usize = 128;
        let index = piece["index"].as_u64().and_then(|index| index.try_into().ok()).unwrap_or(MAX_CALLS);
        if index >= MAX_CALLS {
            return;
        }
        while self.calls.len() <= index {
            self.calls.push(json!({"type": "function", "function": {"name": "", "arguments": ""}}));
        }
        let Some(call) = self.calls.get_mut(index).and_then(Value::as_object_mut) else { return };
        let Value::Object(mut piece) = piece else { return };
        let function = piece.remove("function").unwrap_or_default();
        piece.remove("index");
        call.extend(piece.into_iter().filter(|(_, value)| !value.is_null()));
        let Some(known) = call.get_mut("function").and_then(Value::as_object_mut) else { return };
        append(known, "name", &function);
        append(known, "arguments", &function);
    }

    fn into_value(self) -> Value {
        let mut message = json!({"role": "assistant", "content": self.text});
        if !self.calls.is_empty() {
            message["tool_calls"] = self.calls.into();
        }
        json!({"choices": [{"message": message}], "usage": self.usage})
    }
}

fn append(known: &mut Map<String, Value>, field: &str, piece: &Value) {
    if let (Some(Value::String(text)), Some(more)) = (known.get_mut(field), piece[field].as_str()) {
        text.push_str(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use futures::stream;
    use tokio::sync::mpsc;

    async fn read(chunks: &[Value], is_complete: bool) -> (Result<Value, EffectError>, Vec<String>) {
        let events = chunks.iter().map(|chunk| Bytes::from(format!("data: {chunk}\n\n")));
        let heartbeat = Bytes::from_static(b": waiting for the model\n\n");
        let done = is_complete.then(|| Bytes::from_static(b"data: [DONE]\n\n"));
        let events: Vec<Bytes> = std::iter::once(heartbeat).chain(events).chain(done).collect();
        let (texts, mut pieces) = mpsc::channel(64);
        let answer = read_stream(stream::iter(events).boxed(), "3", &texts).await;
        drop(texts);
        let mut seen = Vec::new();
        while let Some(event) = pieces.recv().await {
            let InvocationEvent::Text { step, text } = event else { panic!("{event:?}") };
            assert_eq!(step, "3");
            seen.push(text);
        }
        (answer, seen)
    }

    fn delta(delta: Value) -> Value {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
    }

    #[tokio::test]
    async fn the_text_is_passed_on_and_put_together() {
        let usage = json!({"prompt_tokens": 3, "completion_tokens": 2});
        let chunks = [
            delta(json!({"role": "assistant", "content": ""})),
            delta(json!({"content": "Good "})),
            delta(json!({"content": "day."})),
            json!({"choices": [], "usage": usage}),
        ];
        let (answer, seen) = read(&chunks, true).await;
        let message = json!({"role": "assistant", "content": "Good day."});
        assert_eq!(answer.unwrap(), json!({"choices": [{"message": message}], "usage": usage}));
        assert_eq!(seen, ["Good ", "day."]);
    }

    #[tokio::test]
    async fn calls_are_put_together_by_their_index() {
        let begin = |index: u64, id: &str, name: &str| json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        let piece = |index: u64, text: &str| json!({"index": index, "function": {"arguments": text}});
        let chunks = [
            delta(json!({"tool_calls": [begin(0, "a", "find"), begin(1, "b", "send")]})),
            delta(json!({"tool_calls": [piece(1, "{\"to\":"), piece(0, "{}")]})),
            delta(json!({"tool_calls": [piece(1, "7}")]})),
        ];
        let (answer, seen) = read(&chunks, true).await;
        let calls = &answer.unwrap()["choices"][0]["message"]["tool_calls"];
        assert_eq!(
            (&calls[0]["id"], &calls[0]["function"]),
            (&json!("a"), &json!({"name": "find", "arguments": "{}"}))
        );
        assert_eq!(calls[1]["function"], json!({"name": "send", "arguments": "{\"to\":7}"}));
        assert!(seen.is_empty());
    }

    #[tokio::test]
    async fn a_stream_that_breaks_off_is_an_error() {
        let text = delta(json!({"content": "Good "}));
        let (answer, _) = read(std::slice::from_ref(&text), false).await;
        assert_eq!(answer.unwrap_err().error.code, "provider_error");
        let error = json!({"error": {"code": "provider_timeout", "message": "It was slow."}});
        let (answer, _) = read(&[text, error], false).await;
        assert_eq!(answer.unwrap_err().error, StepError::new("provider_timeout", "It was slow."));
    }
}
