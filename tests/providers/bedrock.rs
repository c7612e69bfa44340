//! Requests to Amazon Bedrock through the real SDK, and its answers.

use std::time::Duration;

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use bytes::Bytes;
use domain::provider::ProviderKind::Bedrock;
use domain::usage::Tokens;
use gateway::FailureKind;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use tests::provider::Behaviour;

use crate::stage::{KEY, Stage, chat, choices, conversation, embeddings, question, question_with, stage_with};

const ANSWER: &str = include_str!("fixtures/bedrock/answer.json");
const STREAM: &str = include_str!("fixtures/bedrock/stream.jsonl");
const PICTURE: &str = "data:image/jpeg;base64,/9j/4AA=";

/// A provider that signs with the platform's own credentials.
async fn stage() -> Stage {
    stage_with(Bedrock, |settings| {
        settings.api_key = None;
        settings.region = Some("eu-west-3".to_owned());
    })
    .await
}

/// An encoded message of the event stream.
fn frame(message_type: &str, name: &str, payload: &Value) -> Bytes {
    let kind = if message_type == "event" { ":event-type" } else { ":exception-type" };
    let text = |text: &str| HeaderValue::String(text.to_owned().into());
    let message = Message::new(payload.to_string())
        .add_header(Header::new(":message-type", text(message_type)))
        .add_header(Header::new(kind, text(name)))
        .add_header(Header::new(":content-type", text("application/json")));
    let mut bytes = Vec::new();
    write_message_to(&message, &mut bytes).expect("the message can be encoded");
    bytes.into()
}

fn frames() -> Vec<Bytes> {
    let event = |line: &str| {
        let (name, payload): (String, Value) = serde_json::from_str(line).expect("the fixture holds events");
        frame("event", &name, &payload)
    };
    STREAM.lines().map(event).collect()
}

fn stream(frames: Vec<Bytes>) -> Behaviour {
    Behaviour::bytes(200, "application/vnd.amazon.eventstream", frames)
}

fn error(status: u16, code: &str, message: &str) -> Behaviour {
    Behaviour::json(status, json!({"message": message})).header("x-amzn-errortype", code)
}

#[tokio::test]
async fn a_conversation_is_translated_and_signed() {
    let stage = stage().await;
    let mut body = conversation(PICTURE);
    body["top_k"] = json!(40);
    body["tool_choice"] = json!("required");
    let format = json!({"name": "s", "schema": {"type": "object"}});
    body["response_format"] = json!({"type": "json_schema", "json_schema": format});
    stage.send(Behaviour::json(200, ANSWER), &chat(body)).await.unwrap();
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/model/upstream-model/converse");
    let authorization = received.headers["authorization"].to_str().unwrap();
    assert!(authorization.starts_with("AWS4-HMAC-SHA256") && authorization.contains("/eu-west-3/bedrock/"));
    // The SDK does not keep the order of keys in a schema.
    insta::with_settings!({ sort_maps => true }, { assert_json_snapshot!("bedrock_request", received.body) });
}

#[tokio::test]
async fn an_api_key_is_sent_as_a_bearer_token() {
    let stage = stage_with(Bedrock, |_| {}).await;
    stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    assert_eq!(stage.fake.take_requests().remove(0).headers["authorization"], format!("Bearer {KEY}"));
}

#[tokio::test]
async fn an_answer_has_its_tool_calls_and_total_input() {
    let stage = stage().await;
    let answer = stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    assert_json_snapshot!("bedrock_choices", choices(&answer));
    assert_eq!(
        answer.usage,
        Some(Tokens { input: 1_250, cached: 1_000, written: 200, output: 75, ..Tokens::default() })
    );
}

#[tokio::test]
async fn a_stream_has_the_content_of_an_answer() {
    let stage = stage().await;
    let all = stage.stream(stream(frames()), &question()).await;
    assert_json_snapshot!("bedrock_stream", all.choices);
    assert_eq!((all.text().as_str(), all.finished), ("Let me look.", 1));
    assert_eq!(all.usage, Some(Tokens { input: 125, cached: 100, output: 89, ..Tokens::default() }));
    assert!(all.failure.is_none());
    assert_eq!(stage.fake.take_requests().remove(0).path, "/model/upstream-model/converse-stream");
}

#[tokio::test]
async fn failed_cut_and_silent_streams_are_reported() {
    let stage = stage().await;
    let cut = stage.stream(stream(frames()).cut_after(4), &question()).await;
    assert_eq!((cut.text().as_str(), cut.failure.unwrap().code.as_str()), ("Let me", "provider_stream_cut"));
    let ended = stage.stream(stream(frames()).ended_after(4), &question()).await;
    assert_eq!((ended.finished, ended.failure.is_none()), (0, true));
    let impatient = stage_with(Bedrock, |settings| settings.timeouts.idle_ms = 50).await;
    let silent = impatient.stream(stream(frames()).silent_after(4), &question()).await;
    assert_eq!(silent.failure.unwrap().kind, FailureKind::Timeout);
    let mut garbled = frames();
    garbled[3] = garbled[3].iter().map(|byte| byte ^ 1).collect();
    let all = stage.stream(stream(garbled), &question()).await;
    assert_eq!(all.failure.unwrap().kind, FailureKind::Broken);
    for (name, kind) in [
        ("throttlingException", FailureKind::RateLimited),
        ("modelStreamErrorException", FailureKind::Unavailable),
        ("validationException", FailureKind::Request),
    ] {
        let mut failed = frames();
        failed[4] = frame("exception", name, &json!({"message": "said so"}));
        let failure = stage.stream(stream(failed), &question()).await.failure.unwrap();
        assert_eq!((failure.kind, failure.message.as_str(), failure.may_have_run), (kind, "said so", true), "{name}");
    }
}

#[tokio::test]
async fn stop_reasons_are_translated() {
    let stage = stage().await;
    let answer = |reason: &str| {
        let message = json!({"role": "assistant", "content": [{"text": "a"}]});
        let usage = json!({"inputTokens": 1, "outputTokens": 0, "totalTokens": 1});
        Behaviour::json(200, json!({"output": {"message": message}, "stopReason": reason, "usage": usage}))
    };
    let reasons = [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("content_filtered", "content_filter"),
        ("guardrail_intervened", "content_filter"),
        ("model_context_window_exceeded", "length"),
    ];
    for (reason, finish) in reasons {
        let answer = stage.send(answer(reason), &question()).await.unwrap();
        assert_eq!(choices(&answer)[0]["finish_reason"], finish, "{reason}");
    }
    let failure = stage.send(answer("malformed_tool_use"), &question()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Broken);
}

#[tokio::test]
async fn errors_are_classified_and_not_retried() {
    let stage = stage().await;
    let cases = [
        (400, "ValidationException", "too long", FailureKind::Request),
        (400, "ValidationException", "The provided model identifier is invalid.", FailureKind::Setup),
        (403, "AccessDeniedException", "no", FailureKind::Setup),
        (404, "ResourceNotFoundException", "no", FailureKind::Setup),
        (408, "ModelTimeoutException", "late", FailureKind::Timeout),
        (424, "ModelErrorException", "broke", FailureKind::Unavailable),
        (429, "ThrottlingException", "slow down", FailureKind::RateLimited),
        (429, "ModelNotReadyException", "loading", FailureKind::Unavailable),
        (500, "InternalServerException", "oh", FailureKind::Unavailable),
        (503, "ServiceUnavailableException", "oh", FailureKind::Unavailable),
    ];
    for (status, code, message, kind) in cases {
        let failure = stage.send(error(status, code, message), &question()).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{code}");
        assert_eq!(stage.fake.take_requests().len(), 1, "{code}");
        if kind == FailureKind::Request {
            assert_eq!((failure.code.as_str(), failure.message.as_str()), (code, message));
        }
    }
    let later = error(429, "ThrottlingException", "slow down").header("Retry-After", "3");
    let failure = stage.send(later, &question()).await.unwrap_err();
    assert_eq!(failure.retry_after, Some(Duration::from_secs(3)));
    let cut = stage.send(Behaviour::hang_up(), &question()).await.unwrap_err();
    assert_eq!((cut.kind, cut.may_have_run), (FailureKind::Unavailable, true));
    let nobody = stage_with(Bedrock, |settings| settings.base_url = Some("http://127.0.0.1:9".to_owned())).await;
    let unreached = nobody.provider.chat("m", &question()).await.unwrap_err();
    assert_eq!((unreached.kind, unreached.may_have_run), (FailureKind::Unavailable, false));
    let garbled = stage.send(Behaviour::json(200, "{\"output\""), &question()).await.unwrap_err();
    assert_eq!(garbled.kind, FailureKind::Broken);
}

#[tokio::test]
async fn unsupported_parameters_are_refused_before_a_request() {
    let stage = stage().await;
    let picture = |url: &str| {
        let part = json!({"type": "image_url", "image_url": {"url": url}});
        json!({"messages": [{"role": "user", "content": [part]}]})
    };
    let cases = [
        ("n", json!({"n": 2})),
        ("logprobs", json!({"logprobs": true})),
        ("messages", picture("data:image/tiff;base64,AAAA")),
    ];
    for (param, more) in cases {
        let failure = stage.provider.chat("m", &question_with(more)).await.unwrap_err();
        assert_eq!((failure.kind, failure.param.as_deref()), (FailureKind::Unsupported, Some(param)));
    }
    let request = embeddings(json!({"model": "m", "input": "a"}));
    assert_eq!(stage.provider.embed("other-model", &request).await.unwrap_err().kind, FailureKind::Unsupported);
    assert!(stage.fake.take_requests().is_empty());
}

#[tokio::test]
async fn embeddings_are_made_by_titan_and_cohere() {
    let stage = stage().await;
    let request = embeddings(json!({"model": "m", "input": ["a", "b"], "dimensions": 2}));
    stage.fake.respond_with(Behaviour::json(200, json!({"embedding": [0.5, -1], "inputTextTokenCount": 3})));
    let answer = stage.provider.embed("amazon.titan-embed-text-v2:0", &request).await.unwrap();
    assert_eq!(answer.vectors, [[0.5, -1.0], [0.5, -1.0]]);
    assert_eq!(answer.usage, Some(Tokens { input: 6, ..Tokens::default() }));
    let mut bodies: Vec<_> = stage.fake.take_requests().into_iter().map(|received| received.body).collect();
    bodies.sort_by_key(|body| body["inputText"].to_string());
    assert_eq!(bodies[0], json!({"inputText": "a", "dimensions": 2}));

    let rows = json!({"embeddings": {"float": [[1, 0], [0, 1]]}, "response_type": "embeddings_by_type"});
    stage.fake.respond_with(Behaviour::json(200, rows));
    let answer = stage.provider.embed("cohere.embed-v4:0", &request).await.unwrap();
    assert_eq!((answer.vectors, answer.usage), (vec![vec![1.0, 0.0], vec![0.0, 1.0]], None));
    let expected = json!({
        "texts": ["a", "b"], "input_type": "search_document", "output_dimension": 2, "embedding_types": ["float"],
    });
    assert_eq!(stage.take_request_body(), expected);
}
