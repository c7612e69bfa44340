//! The call that every gateway forwards, and the mock's answers.

use std::iter;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::call::{Expected, Service};
use crate::load::Target;

/// The size of a request, independent of the model's name at the subject.
const REQUEST_BYTES: usize = 1024;
pub const MAX_TOKENS: u32 = 256;
pub const MOCK_MODEL: &str = "mock-model";
/// The text of the mock's answer in one piece.
const TEXT: &str = "The lighthouse keeper counted the waves until the storm had passed, wrote the number in the book \
                    beside all the others, and found that on every night of that winter the sea had come to the rocks \
                    as often as he had years, which he took for a greeting and at once answered with the lamp until the \
                    first of the sun came up over the channel.";
/// The number of pieces of the mock's stream, one per chunk.
const PIECES: usize = 20;
/// A part of every answer with usage. A gateway that drops the usage would do less work.
const USAGE_MARK: &str = "\"total_tokens\"";

/// A server with `OpenAI`'s API at its usual path, which needs no key.
pub fn target(port: u16, model: &str) -> Target {
    let service = Service::Chat { model: model.to_owned(), guard: false };
    Target { port, path: "/v1/chat/completions".to_owned(), headers: Vec::new(), service }
}

/// The body of the request.
pub fn request(model: &str, stream: bool, guard: bool) -> Bytes {
    let mut body = json!({
        "model": model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "system", "content": "You tell short stories."}, {"role": "user", "content": ""}],
    });
    if guard {
        body["guard"] = true.into();
    }
    if stream {
        body["stream"] = true.into();
        body["stream_options"] = json!({"include_usage": true});
    }
    let room = REQUEST_BYTES.saturating_sub(body.to_string().len());
    body["messages"][1]["content"] = "And then? ".chars().cycle().take(room).collect::<String>().into();
    body.to_string().into()
}

/// The mock's answer in one piece.
pub fn answer() -> Bytes {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"});
    let answer = json!({
        "id": "chatcmpl-mock", "object": "chat.completion", "created": 1_767_225_600, "model": MOCK_MODEL,
        "choices": [choice], "usage": usage(),
    });
    answer.to_string().into()
}

/// The events of the mock's stream.
pub fn events(include_usage: bool) -> Vec<Bytes> {
    let piece = |index| chunk(json!([{"index": 0, "delta": {"content": piece(index)}, "finish_reason": null}]));
    let finish = chunk(json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]));
    let mut events: Vec<_> = (0..PIECES).map(piece).chain(iter::once(finish)).collect();
    if include_usage {
        let mut last = chunk(json!([]));
        last["usage"] = usage();
        events.push(last);
    }
    let done = iter::once("data: [DONE]\n\n".into());
    events.iter().map(|event| format!("data: {event}\n\n").into()).chain(done).collect()
}

fn chunk(choices: Value) -> Value {
    json!({
        "id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 1_767_225_600, "model": MOCK_MODEL,
        "choices": choices,
    })
}

fn piece(index: usize) -> String {
    format!(" wave-{index:02}")
}

fn usage() -> Value {
    json!({"prompt_tokens": 220, "completion_tokens": 60, "total_tokens": 280})
}

/// The mock's text and usage.
pub fn expected(stream: bool) -> Expected {
    let in_order = match stream {
        true => (0..PIECES).map(piece).chain(["[DONE]".to_owned()]).collect(),
        false => vec![TEXT.to_owned()],
    };
    Expected { in_order, anywhere: Some(USAGE_MARK) }
}
