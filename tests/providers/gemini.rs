//! Requests to Google's Gemini API, and its answers.

use std::time::Duration;

use domain::provider::ProviderKind::Gemini;
use domain::usage::Tokens;
use gateway::FailureKind;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use tests::provider::Behaviour;

use crate::stage::{KEY, chat, choices, conversation, embeddings, question, question_with, stage};

const ANSWER: &str = include_str!("fixtures/gemini/answer.json");
const STREAM: &str = include_str!("fixtures/gemini/stream.sse");
const PICTURE: &str = "data:image/jpeg;base64,/9j/4AA=";

fn stream() -> Behaviour {
    let events = STREAM.split_inclusive("\r\n\r\n").map(|event| event.as_bytes().to_vec().into());
    Behaviour::bytes(200, "text/event-stream", events.collect())
}

fn answer(candidate: Value) -> Behaviour {
    Behaviour::json(200, json!({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1}}))
}

#[tokio::test]
async fn a_conversation_is_translated() {
    let stage = stage(Gemini).await;
    let mut body = conversation(PICTURE);
    body["n"] = json!(2);
    body["seed"] = json!(7);
    body["tool_choice"] = json!({"type": "function", "function": {"name": "weather"}});
    body["safetySettings"] = json!([]);
    body["generationConfig"] = json!({"thinkingConfig": {"thinkingBudget": 0}});
    body["messages"][2]["tool_calls"][0]["extra_content"] = json!({"google": {"thought_signature": "c2ln"}});
    stage.send(Behaviour::json(200, ANSWER), &chat(body)).await.unwrap();
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/v1beta/models/upstream-model:generateContent");
    assert_eq!(received.headers["x-goog-api-key"], KEY);
    assert_json_snapshot!("gemini_request", received.body);
}

#[tokio::test]
async fn response_formats_are_sent_as_type_and_schema() {
    let stage = stage(Gemini).await;
    let schema = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}});
    let format = json!({"type": "json_schema", "json_schema": {"name": "s", "schema": schema}});
    stage.stream(stream(), &question_with(json!({"response_format": format}))).await;
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/v1beta/models/upstream-model:streamGenerateContent?alt=sse");
    let config = &received.body["generationConfig"];
    assert_eq!((&config["responseMimeType"], &config["responseJsonSchema"]), (&json!("application/json"), &schema));
    let plain = question_with(json!({"response_format": {"type": "json_object"}}));
    stage.send(Behaviour::json(200, ANSWER), &plain).await.unwrap();
    assert_eq!(
        stage.take_request_body()["generationConfig"],
        json!({"maxOutputTokens": 64, "responseMimeType": "application/json"})
    );
}

#[tokio::test]
async fn an_answer_has_its_tool_calls_and_counts_thoughts_as_output() {
    let stage = stage(Gemini).await;
    let answer = stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    assert_json_snapshot!("gemini_choices", choices(&answer));
    assert_eq!(
        answer.usage,
        Some(Tokens { input: 1_010, cached: 800, output: 150, reasoning: 120, ..Tokens::default() })
    );
}

#[tokio::test]
async fn a_stream_has_the_content_of_an_answer() {
    let stage = stage(Gemini).await;
    let all = stage.stream(stream(), &question()).await;
    assert_json_snapshot!("gemini_stream", all.choices);
    assert_eq!((all.text().as_str(), all.finished), ("Let me look.", 1));
    assert_eq!(all.usage, Some(Tokens { input: 12, output: 31, reasoning: 20, ..Tokens::default() }));
    let cut = stage.stream(stream().cut_after(3), &question()).await;
    assert_eq!(cut.usage.map(|usage| usage.output), Some(24));
    assert_eq!(cut.failure.unwrap().code, "provider_stream_cut");
    let ended = stage.stream(stream().ended_after(3), &question()).await;
    assert_eq!((ended.finished, ended.failure.is_none()), (0, true));
}

#[tokio::test]
async fn finish_reasons_are_translated() {
    let stage = stage(Gemini).await;
    let reasons = [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("OTHER", "stop"),
    ];
    for (reason, finish) in reasons {
        let candidate = json!({"content": {"parts": [{"text": "a"}]}, "finishReason": reason});
        let answer = stage.send(answer(candidate), &question()).await.unwrap();
        assert_eq!(choices(&answer)[0]["finish_reason"], finish, "{reason}");
        assert_eq!(answer.usage, Some(Tokens { input: 1, ..Tokens::default() }));
    }
    let malformed = answer(json!({"finishReason": "MALFORMED_FUNCTION_CALL"}));
    let failure = stage.send(malformed, &question()).await.unwrap_err();
    assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Broken, "malformed_function_call"));
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 5}});
    let answer = stage.send(Behaviour::json(200, blocked), &question()).await.unwrap();
    assert_eq!(choices(&answer)[0]["finish_reason"], "content_filter");
}

#[tokio::test]
async fn tool_calls_without_ids_get_ids() {
    let stage = stage(Gemini).await;
    let call = json!({"functionCall": {"name": "f", "args": {}}});
    let candidate = json!({"content": {"parts": [call, call]}, "finishReason": "STOP"});
    let answer = stage.send(answer(candidate), &question()).await.unwrap();
    let calls = &choices(&answer)[0]["message"]["tool_calls"];
    assert!(calls[0]["id"].as_str().unwrap().starts_with("call_") && calls[0]["id"] != calls[1]["id"]);
}

#[tokio::test]
async fn errors_keep_their_status_and_retry_delay() {
    let stage = stage(Gemini).await;
    let error = |code: u16, status: &str, details: Value| json!({"error": {"code": code, "message": "said so", "status": status, "details": details}});
    let retry = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"}]);
    let limited = Behaviour::json(429, error(429, "RESOURCE_EXHAUSTED", retry));
    let failure = stage.send(limited, &question()).await.unwrap_err();
    assert_eq!((failure.kind, failure.retry_after), (FailureKind::RateLimited, Some(Duration::from_secs(36))));
    let reason = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
    let cases = [
        (400, error(400, "INVALID_ARGUMENT", json!([])), FailureKind::Request, "INVALID_ARGUMENT"),
        (400, error(400, "INVALID_ARGUMENT", reason), FailureKind::Setup, "provider_setup"),
        (404, error(404, "NOT_FOUND", json!([])), FailureKind::Setup, "provider_setup"),
        (503, error(503, "UNAVAILABLE", json!([])), FailureKind::Unavailable, "UNAVAILABLE"),
    ];
    for (status, body, kind, code) in cases {
        let failure = stage.send(Behaviour::json(status, body), &question()).await.unwrap_err();
        assert_eq!((failure.kind, failure.code.as_str()), (kind, code));
    }
    let events = format!("data: {}\n\n", error(503, "UNAVAILABLE", json!([])));
    let all = stage.stream(Behaviour::events(&events), &question()).await;
    assert_eq!(all.failure.unwrap().code, "UNAVAILABLE");
}

#[tokio::test]
async fn unsupported_parameters_are_refused_before_a_request() {
    let stage = stage(Gemini).await;
    let video = json!({"type": "video_url", "video_url": {"url": "https://videos.test/a.mp4"}});
    let cases = [
        ("logprobs", json!({"logprobs": true})),
        ("messages", json!({"messages": [{"role": "user", "content": [video]}]})),
    ];
    for (param, more) in cases {
        let failure = stage.provider.chat("m", &question_with(more)).await.unwrap_err();
        assert_eq!((failure.kind, failure.param.as_deref()), (FailureKind::Unsupported, Some(param)));
    }
    let numbers = embeddings(json!({"model": "m", "input": [1, 2]}));
    assert_eq!(stage.provider.embed("m", &numbers).await.unwrap_err().kind, FailureKind::Unsupported);
    assert!(stage.fake.take_requests().is_empty());
}

#[tokio::test]
async fn embeddings_are_sent_in_one_batch() {
    let stage = stage(Gemini).await;
    stage.fake.respond_with(Behaviour::json(200, json!({"embeddings": [{"values": [0.5]}, {"values": [-1]}]})));
    let request = json!({"model": "m", "input": ["a", "b"], "dimensions": 1, "taskType": "RETRIEVAL_QUERY"});
    let answer = stage.provider.embed("upstream-model", &embeddings(request)).await.unwrap();
    assert_eq!((answer.vectors, answer.usage), (vec![vec![0.5], vec![-1.0]], None));
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/v1beta/models/upstream-model:batchEmbedContents");
    assert_json_snapshot!("gemini_embeddings_request", received.body);
}
