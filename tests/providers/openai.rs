//! `OpenAI` and compatible providers: requests, and answers that are forwarded unchanged.

use domain::provider::ProviderKind::OpenAi;
use domain::usage::Tokens;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use tests::provider::Behaviour;

use crate::stage::{KEY, chat, choices, embeddings, question, stage, stage_with};

const ANSWER: &str = include_str!("fixtures/openai/answer.json");
const STREAM: &str = include_str!("fixtures/openai/stream.sse");
const TOOLS: &str = include_str!("fixtures/openai/tools.sse");

#[tokio::test]
async fn requests_are_forwarded_without_the_gateways_own_fields() {
    let stage = stage(OpenAi).await;
    let request = chat(json!({
        "model": "public-name", "guard": true, "stream": true, "n": 2, "seed": 7, "user": "u", "max_tokens": 9,
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "https://pictures.test/a.png", "detail": "low"}},
            ]},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
        "stream_options": {"include_usage": false, "include_obfuscation": false},
    }));
    stage.stream(Behaviour::events(STREAM), &request).await;
    assert_json_snapshot!("openai_streamed_request", stage.take_request_body());
    stage.send(Behaviour::json(200, ANSWER), &request).await.unwrap();
    let whole = stage.take_request_body();
    assert!(whole.get("stream").is_none() && whole.get("stream_options").is_none() && whole.get("guard").is_none());
    assert_eq!(whole["model"], "upstream-model");
}

#[tokio::test]
async fn the_key_is_sent_in_the_configured_header() {
    let stage = stage(OpenAi).await;
    stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/chat/completions");
    assert_eq!(received.headers["authorization"], format!("Bearer {KEY}"));

    let azure = stage_with(OpenAi, |settings| {
        let base = settings.base_url.take().unwrap();
        settings.base_url = Some(format!("{base}/openai/deployments/d/?api-version=2026-01-01"));
        settings.auth_header = Some("api-key".to_owned());
        settings.headers.insert("X-Extra".to_owned(), "yes".to_owned());
    })
    .await;
    azure.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    let received = azure.fake.take_requests().remove(0);
    assert_eq!(received.path, "/openai/deployments/d/chat/completions?api-version=2026-01-01");
    assert_eq!(
        (&received.headers["api-key"], &received.headers["x-extra"]),
        (&KEY.parse().unwrap(), &"yes".parse().unwrap())
    );
    assert!(!received.headers.contains_key("authorization"));
}

#[tokio::test]
async fn an_answer_keeps_its_bytes_and_reports_usage() {
    let stage = stage(OpenAi).await;
    let answer = stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    assert!(ANSWER.contains(&answer.choices.to_json()));
    assert_eq!(choices(&answer)[0]["message"]["content"], "Because a lease is taken first.");
    assert_eq!(
        answer.usage,
        Some(Tokens { input: 1_200, cached: 1_024, output: 90, reasoning: 64, ..Tokens::default() })
    );
    assert_eq!(answer.system_fingerprint.as_deref(), Some("fp_f1xtur3"));
}

#[tokio::test]
async fn a_stream_has_text_finish_and_usage() {
    let stage = stage(OpenAi).await;
    let all = stage.stream(Behaviour::events(STREAM), &question()).await;
    assert_eq!((all.text().as_str(), all.finished), ("Because a lease is taken first.", 1));
    assert_eq!(all.usage, Some(Tokens { input: 12, output: 8, ..Tokens::default() }));
    assert!(all.failure.is_none() && all.weight >= 8);
}

#[tokio::test]
async fn streamed_tool_calls_are_unchanged() {
    let stage = stage(OpenAi).await;
    let all = stage.stream(Behaviour::events(TOOLS), &question()).await;
    let deltas = all.choices.iter().filter_map(|choice| choice["delta"]["tool_calls"][0].as_object());
    let indexes: Vec<_> = deltas.map(|call| call["index"].as_u64().unwrap()).collect();
    assert_eq!(indexes, [0, 0, 0, 0, 1, 1]);
    assert_eq!(all.choices.last().unwrap()["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn a_connection_is_reused_for_streams() {
    let stage = stage(OpenAi).await;
    for _ in 0..5 {
        stage.stream(Behaviour::events(STREAM), &question()).await;
    }
    assert_eq!(stage.fake.abandoned_responses(), 0);
}

#[tokio::test]
async fn embeddings_requests_are_forwarded() {
    let stage = stage(OpenAi).await;
    let answer = json!({
        "object": "list", "model": "e", "usage": {"prompt_tokens": 8, "total_tokens": 8},
        "data": [
            {"object": "embedding", "index": 0, "embedding": [0.25, -1.0]},
            {"object": "embedding", "index": 1, "embedding": "AACAPgAAgL8="},
        ],
    });
    stage.fake.respond_with(Behaviour::json(200, answer));
    let request = json!({"model": "e", "input": ["a", "b"], "dimensions": 2, "encoding_format": "base64", "user": "u"});
    let answer = stage.provider.embed("upstream-model", &embeddings(request)).await.unwrap();
    assert_eq!(answer.vectors, [[0.25, -1.0], [0.25, -1.0]]);
    assert_eq!(answer.usage, Some(Tokens { input: 8, ..Tokens::default() }));
    let received = stage.fake.take_requests().remove(0);
    assert_eq!(received.path, "/embeddings");
    assert_eq!(
        received.body,
        json!({"model": "upstream-model", "input": ["a", "b"], "dimensions": 2, "encoding_format": "base64", "user": "u"})
    );
}

#[tokio::test]
async fn usage_reported_during_a_stream_is_kept() {
    let stage = stage(OpenAi).await;
    let piece = |text: &str, output: u64| {
        let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null});
        let usage = json!({"prompt_tokens": 3, "completion_tokens": output, "total_tokens": 3 + output});
        format!("data: {}\n\n", json!({"choices": [choice], "usage": usage}))
    };
    let events = [piece("a", 1), piece("b", 2)].concat();
    let all = stage.stream(Behaviour::events(&events).cut_after(2), &question()).await;
    assert_eq!(all.usage.map(|usage| usage.output), Some(2));
    assert_eq!(all.failure.unwrap().code, "provider_stream_cut");
}

#[test]
fn fixtures_are_json() {
    for event in [STREAM, TOOLS].concat().split_terminator("\n\n").filter(|event| !event.ends_with("[DONE]")) {
        serde_json::from_str::<Value>(event.strip_prefix("data: ").unwrap()).unwrap();
    }
}
