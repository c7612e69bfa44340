//! Requests to Anthropic's Messages API, and its answers.

use domain::provider::ProviderKind::Anthropic;
use domain::usage::Tokens;
use gateway::FailureKind;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use tests::provider::Behaviour;

use crate::stage::{KEY, chat, choices, conversation, embeddings, question, question_with, stage};

const ANSWER: &str = include_str!("fixtures/anthropic/answer.json");
const STREAM: &str = include_str!("fixtures/anthropic/stream.sse");

fn answer(reason: &str, content: Value) -> Behaviour {
    let usage = json!({"input_tokens": 1, "output_tokens": 2});
    Behaviour::json(200, json!({"type": "message", "content": content, "stop_reason": reason, "usage": usage}))
}

#[tokio::test]
async fn a_conversation_is_translated() {
    let stage = stage(Anthropic).await;
    let mut body = conversation("https://pictures.test/a.png");
    body["top_k"] = json!(40);
    body["user"] = json!("user-7");
    body["parallel_tool_calls"] = json!(false);
    body["tool_choice"] = json!("required");
    stage.send(Behaviour::json(200, ANSWER), &chat(body)).await.unwrap();
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/v1/messages", "the base URL has the form that Anthropic's SDKs use");
    assert_eq!(
        (&received.headers["x-api-key"], &received.headers["anthropic-version"]),
        (&KEY.parse().unwrap(), &"2023-06-01".parse().unwrap())
    );
    assert_json_snapshot!("anthropic_request", received.body);
}

#[tokio::test]
async fn a_response_schema_becomes_an_output_format() {
    let stage = stage(Anthropic).await;
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let format = json!({"type": "json_schema", "json_schema": {"name": "s", "strict": true, "schema": schema}});
    let request = question_with(json!({"response_format": format, "output_config": {"effort": "low"}}));
    stage.stream(Behaviour::events(STREAM), &request).await;
    let asked = stage.take_request_body();
    let expected = json!({"effort": "low", "format": {"type": "json_schema", "schema": schema}});
    assert_eq!((&asked["output_config"], &asked["stream"]), (&expected, &json!(true)));
}

#[tokio::test]
async fn an_answer_has_its_tool_calls_and_total_input() {
    let stage = stage(Anthropic).await;
    let answer = stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    assert_json_snapshot!("anthropic_choices", choices(&answer));
    assert_eq!(
        answer.usage,
        Some(Tokens { input: 1_250, cached: 1_000, written: 200, output: 75, ..Tokens::default() })
    );
}

#[tokio::test]
async fn a_stream_has_the_content_of_an_answer() {
    let stage = stage(Anthropic).await;
    let all = stage.stream(Behaviour::events(STREAM), &question()).await;
    assert_json_snapshot!("anthropic_stream", all.choices);
    assert_eq!((all.text().as_str(), all.finished), ("Let me look.", 1));
    assert_eq!(all.usage, Some(Tokens { input: 125, cached: 100, output: 89, ..Tokens::default() }));
    assert!(all.failure.is_none());
}

#[tokio::test]
async fn a_cut_stream_keeps_the_reported_input() {
    let stage = stage(Anthropic).await;
    let all = stage.stream(Behaviour::events(STREAM).cut_after(9), &question()).await;
    assert_eq!(all.usage.map(|usage| (usage.input, usage.output)), Some((125, 1)));
    assert_eq!((all.failure.unwrap().code.as_str(), all.finished), ("provider_stream_cut", 0));
}

#[tokio::test]
async fn stop_reasons_are_translated() {
    let stage = stage(Anthropic).await;
    let reasons = [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("refusal", "content_filter"),
    ];
    for (reason, finish) in reasons {
        let content = json!([{"type": "text", "text": "a"}]);
        let answer = stage.send(answer(reason, content), &question()).await.unwrap();
        assert_eq!(choices(&answer)[0]["finish_reason"], finish, "{reason}");
    }
    let silent = stage.send(answer("end_turn", json!([])), &question()).await.unwrap();
    assert_eq!(choices(&silent)[0]["message"]["content"], "");
}

#[tokio::test]
async fn errors_keep_their_type() {
    let stage = stage(Anthropic).await;
    let error =
        |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "said so"}, "request_id": "req_1"});
    let cases = [
        (400, "invalid_request_error", FailureKind::Request),
        (413, "request_too_large", FailureKind::Request),
        (429, "rate_limit_error", FailureKind::RateLimited),
        (500, "api_error", FailureKind::Unavailable),
        (529, "overloaded_error", FailureKind::Unavailable),
    ];
    for (status, kind, expected) in cases {
        let failure = stage.send(Behaviour::json(status, error(kind)), &question()).await.unwrap_err();
        assert_eq!((failure.kind, failure.code.as_str(), failure.message.as_str()), (expected, kind, "said so"));
    }
    for (status, kind) in [(401, "authentication_error"), (403, "permission_error"), (404, "not_found_error")] {
        let failure = stage.send(Behaviour::json(status, error(kind)), &question()).await.unwrap_err();
        assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Setup, "provider_setup"));
    }
    let begun: String = STREAM.split_inclusive("\n\n").take(8).collect();
    let events = format!("{begun}event: error\ndata: {}\n\n", error("overloaded_error"));
    let all = stage.stream(Behaviour::events(&events), &question()).await;
    let failure = all.failure.as_ref().unwrap();
    assert_eq!((failure.code.as_str(), failure.message.as_str()), ("overloaded_error", "said so"));
    assert_eq!((failure.kind, all.text().as_str()), (FailureKind::Unavailable, "Let me"));
}

#[tokio::test]
async fn unsupported_parameters_are_refused_before_a_request() {
    let stage = stage(Anthropic).await;
    let cases = [
        ("n", json!({"n": 2})),
        ("logprobs", json!({"logprobs": true})),
        ("tools", json!({"tools": [{"type": "custom", "custom": {"name": "x"}}]})),
        ("messages", json!({"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]})),
    ];
    for (param, more) in cases {
        let failure = stage.provider.chat("m", &question_with(more)).await.unwrap_err();
        assert_eq!((failure.kind, failure.param.as_deref()), (FailureKind::Unsupported, Some(param)));
    }
    let request = embeddings(json!({"model": "m", "input": "a"}));
    assert_eq!(stage.provider.embed("m", &request).await.unwrap_err().kind, FailureKind::Unsupported);
    assert!(stage.fake.take_requests().is_empty());
}
