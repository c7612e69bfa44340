//! `OpenAI`'s Responses API as the dialect of a deployment: requests, answers, streams and failures.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use domain::catalog::{OptionalParameter, Unsupported};
use domain::provider::UpstreamApi::OpenAiResponses;
use domain::usage::Tokens;
use gateway::FailureKind;
use gateway::chat::responses::ResponsesRequest;
use gateway::chat::{ChatRequest, Terms};
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use tests::provider::Behaviour;

use crate::parameters;
use crate::stage::{Gathered, KEY, Stage, chat, choices, conversation, question, question_with};

const ANSWER: &str = include_str!("fixtures/openai_responses/answer.json");
const STREAM: &str = include_str!("fixtures/openai_responses/stream.sse");

async fn stage() -> Stage {
    parameters::stage(OpenAiResponses).await
}

/// The body that arrives for a request.
async fn sent(stage: &Stage, request: &ChatRequest) -> Value {
    stage.send(Behaviour::json(200, ANSWER), request).await.unwrap();
    stage.take_request_body()
}

fn of_model_that_reasons(mut request: ChatRequest) -> ChatRequest {
    request.set_terms(Terms { reasons: true, ..Terms::default() });
    request
}

fn with_usage(usage: Value) -> Value {
    let mut answer: Value = serde_json::from_str(ANSWER).unwrap();
    answer["usage"] = usage;
    answer
}

#[tokio::test]
async fn a_conversation_becomes_items() {
    let stage = stage().await;
    let mut body = conversation("https://pictures.test/a.png");
    let fields = body.as_object_mut().unwrap();
    fields.remove("stop");
    fields["messages"][1]["content"][2]["image_url"]["detail"] = "low".into();
    fields["messages"][2]["reasoning_details"] = json!([
        {"type": "reasoning.text", "text": "Hm.", "signature": "gAAA", "id": "rs_1", "format": "openai-responses-v1"},
        {"type": "reasoning.text", "text": "No.", "signature": "c2ln", "format": "anthropic-claude-v1"},
        {"type": "reasoning.encrypted", "data": "gBBB", "id": "rs_2", "format": "openai-responses-v1"},
    ]);
    let settings = json!({
        "reasoning_effort": "high", "verbosity": "low", "tool_choice": {"type": "function", "function": {"name": "clock"}},
        "parallel_tool_calls": false, "seed": 7, "prompt_cache_key": "k",
        "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}, "strict": true}},
    });
    fields.extend(settings.as_object().unwrap().clone());
    let request = of_model_that_reasons(chat(body));
    assert_json_snapshot!("openai_responses_request", sent(&stage, &request).await);
    let report = request.parameters(OpenAiResponses, "upstream-model").report();
    assert_eq!(report.dropped, ["seed"]);
    let file = json!({"type": "file", "file": {"file_data": "https://files.test/a.pdf"}});
    let media = |part: Value| chat(json!({"model": "m", "messages": [{"role": "user", "content": [part]}]}));
    let body = sent(&stage, &media(file)).await;
    let linked = json!({"type": "input_file", "file_url": "https://files.test/a.pdf"});
    assert_eq!(body["input"][0]["content"], json!([linked]), "the API fetches links itself");
    let audio = json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}});
    let refused = stage.send(Behaviour::json(200, ANSWER), &media(audio)).await.unwrap_err();
    assert_eq!((refused.kind, refused.param.as_deref()), (FailureKind::Unsupported, Some("messages")));
}

#[tokio::test]
async fn a_request_goes_to_the_path_and_with_the_key_of_the_provider() {
    let stage = stage().await;
    stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    let received = stage.fake.take_requests().remove(0);
    assert_eq!((received.path.as_str(), &received.body["model"]), ("/responses", &json!("upstream-model")));
    assert_eq!(received.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(received.body["store"], false, "the provider keeps no copy");
    assert!(received.body.get("include").is_none(), "not every model has reasoning to encrypt");
    stage.stream(Behaviour::events(STREAM), &question()).await;
    assert_eq!(stage.take_request_body()["stream"], true);
    let tested = stage.provider.probe(Some("o3-pro")).await.unwrap();
    assert_eq!((tested.status, stage.fake.take_requests().remove(0).path.as_str()), (Some(200), "/responses"));
}

#[tokio::test]
async fn a_small_limit_is_raised_to_the_least_that_the_api_takes() {
    let stage = stage().await;
    assert_eq!(sent(&stage, &question_with(json!({"max_tokens": 1}))).await["max_output_tokens"], 16);
    assert_eq!(sent(&stage, &question_with(json!({"max_completion_tokens": 900}))).await["max_output_tokens"], 900);
}

#[tokio::test]
async fn clients_of_the_same_dialect_keep_their_reasoning() {
    let stage = stage().await;
    let item = json!({"type": "reasoning", "id": "rs_9", "summary": [], "encrypted_content": "gAAA"});
    let body = json!({
        "model": "m", "reasoning": {"effort": "minimal", "summary": "auto"},
        "input": [{"role": "user", "content": "Why?"}, item, {"role": "user", "content": "And now?"}],
    });
    let request = of_model_that_reasons(ResponsesRequest::read(body, &[]).unwrap().chat);
    let body = sent(&stage, &request).await;
    assert_eq!(body["reasoning"], json!({"effort": "minimal", "summary": "auto"}));
    assert_eq!((&body["input"][1], &body["include"]), (&item, &json!(["reasoning.encrypted_content"])));
}

#[tokio::test]
async fn what_the_model_does_not_take_is_left_out_or_refused() {
    let stage = stage().await;
    let with = |unsupported| {
        let mut request = question_with(json!({"temperature": 0.2, "top_p": 0.5}));
        let unsupported_parameters = vec![OptionalParameter::Temperature];
        request.set_terms(Terms { unsupported, unsupported_parameters, ..Terms::default() });
        request
    };
    let request = with(Unsupported::Drop);
    let body = sent(&stage, &request).await;
    assert_eq!((body.get("temperature"), &body["top_p"]), (None, &json!(0.5)));
    assert_eq!(request.parameters(OpenAiResponses, "upstream-model").report().dropped, ["temperature"]);
    let refused = stage.send(Behaviour::json(200, ANSWER), &with(Unsupported::Reject)).await.unwrap_err();
    assert_eq!((refused.kind, refused.param.as_deref()), (FailureKind::Unsupported, Some("temperature")));
}

#[tokio::test]
async fn an_answer_has_text_reasoning_calls_and_usage() {
    let stage = stage().await;
    let answer = stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    assert_json_snapshot!("openai_responses_choices", choices(&answer));
    let expected = Tokens { input: 1_200, cached: 1_024, written: 64, written_1h: 0, output: 90, reasoning: 64 };
    assert_eq!(answer.usage, Some(expected));
    for unknown in [json!(null), json!({"input_tokens": 7}), json!({"input_tokens": -7, "output_tokens": 1})] {
        let answer = stage.send(Behaviour::json(200, with_usage(unknown)), &question()).await.unwrap();
        assert_eq!(answer.usage, None);
    }
}

#[tokio::test]
async fn an_answer_says_why_it_ended() {
    let stage = stage().await;
    let message = |part: Value| json!([{"type": "message", "role": "assistant", "content": [part]}]);
    let text = json!({"type": "output_text", "text": "Be", "logprobs": [{"token": "Be", "logprob": -0.1, "bytes": [66, 101], "top_logprobs": []}]});
    let refusal = json!({"type": "refusal", "refusal": "No."});
    for (status, details, part, reason) in [
        ("completed", json!(null), &text, "stop"),
        ("completed", json!(null), &refusal, "stop"),
        ("incomplete", json!({"reason": "max_output_tokens"}), &text, "length"),
        ("incomplete", json!({"reason": "content_filter"}), &text, "content_filter"),
    ] {
        let answer = json!({"status": status, "incomplete_details": details, "output": message(part.clone())});
        let answer = stage.send(Behaviour::json(200, answer), &question()).await.unwrap();
        let choice = &choices(&answer)[0];
        assert_eq!(choice["finish_reason"], reason, "{status}");
        let is_text = part["type"] == "output_text";
        assert_eq!(choice["message"]["refusal"] == "No.", !is_text, "{choice}");
        assert_eq!(choice["message"]["content"].is_null(), !is_text, "{choice}");
        assert_eq!(choice["logprobs"]["content"][0]["token"] == "Be", is_text, "{choice}");
    }
}

#[tokio::test]
async fn a_response_that_is_no_answer_is_a_failure() {
    let stage = stage().await;
    let failed =
        |code: &str| json!({"status": "failed", "output": [], "error": {"code": code, "message": "it failed"}});
    for (answer, kind, code) in [
        (failed("server_error"), FailureKind::Unavailable, "server_error"),
        (failed("rate_limit_exceeded"), FailureKind::RateLimited, "rate_limit_exceeded"),
        (failed("invalid_prompt"), FailureKind::Request, "invalid_prompt"),
        (failed("image_too_large"), FailureKind::Request, "image_too_large"),
        (json!({"status": "in_progress", "output": []}), FailureKind::Broken, "provider_answer_garbled"),
        (json!({"choices": []}), FailureKind::Broken, "provider_answer_garbled"),
        (json!(null), FailureKind::Broken, "provider_answer_garbled"),
        (json!({"error": {"code": "rate_limit_exceeded"}}), FailureKind::RateLimited, "rate_limit_exceeded"),
    ] {
        let failure = stage.send(Behaviour::json(200, &answer), &question()).await.unwrap_err();
        assert_eq!((failure.kind, failure.code.as_str()), (kind, code), "{answer}");
    }
    let refusal =
        json!({"error": {"message": "Unsupported parameter", "param": "top_p", "code": "unsupported_parameter"}});
    let failure = stage.send(Behaviour::json(400, refusal), &question()).await.unwrap_err();
    assert_eq!((failure.kind, failure.param.as_deref()), (FailureKind::Request, Some("top_p")));
}

#[tokio::test]
async fn a_stream_has_what_the_answer_has() {
    let stage = stage().await;
    let all = stage.stream(Behaviour::events(STREAM), &question()).await;
    assert!(all.failure.is_none() && all.weight > 0);
    assert_json_snapshot!("openai_responses_stream", all.choices);
    let answer = stage.send(Behaviour::json(200, ANSWER), &question()).await.unwrap();
    assert_eq!((all.usage, all.finished), (answer.usage, 1));
    let message = &choices(&answer)[0]["message"];
    assert_eq!((all.text().as_str(), reasoning(&all)), (message["content"].as_str().unwrap(), details(message)));
    assert_eq!(stage.fake.abandoned_responses(), 0);
}

/// The text and the signature of the reasoning in the chunks of a stream.
fn reasoning(all: &Gathered) -> (String, Vec<(String, String)>) {
    let mut text = String::new();
    let mut signatures = Vec::new();
    for delta in all.choices.iter().map(|choice| &choice["delta"]) {
        text.push_str(delta["reasoning_content"].as_str().unwrap_or_default());
        signatures.extend(details(delta).1);
    }
    (text, signatures)
}

fn details(message: &Value) -> (String, Vec<(String, String)>) {
    let details = message["reasoning_details"].as_array().into_iter().flatten();
    let signatures = details
        .filter_map(|detail| Some((detail["id"].as_str()?.to_owned(), detail["signature"].as_str()?.to_owned())));
    (message["reasoning_content"].as_str().unwrap_or_default().to_owned(), signatures.collect())
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

#[tokio::test]
async fn a_server_that_sends_items_whole_is_understood() {
    let stage = stage().await;
    let answer: Value = serde_json::from_str(ANSWER).unwrap();
    let mut events = String::new();
    for (place, item) in answer["output"].as_array().unwrap().iter().enumerate() {
        if item["type"] != "message" {
            events += &event(&json!({"type": "response.output_item.done", "output_index": place, "item": item}));
        }
    }
    for (place, text) in [(1, "A"), (1, "B"), (9, "C")] {
        events += &event(&json!({"type": "response.output_text.delta", "output_index": place, "delta": text}));
    }
    events += &event(&json!({"type": "response.completed", "response": answer}));
    events += "data: [DONE]\n\n";
    let all = stage.stream(Behaviour::events(&events), &question()).await;
    assert_eq!((all.finished, all.text().as_str()), (1, "AB\n\nC"), "{:?}", all.failure);
    let calls: Vec<_> = all.choices.iter().filter_map(|choice| choice["delta"]["tool_calls"][0].as_object()).collect();
    let arguments = |call: &serde_json::Map<String, Value>| call["function"]["arguments"].as_str().unwrap().to_owned();
    assert_eq!((calls.len(), arguments(calls[1]).as_str()), (2, "{\"city\":\"Oslo\"}"));
    assert_eq!(reasoning(&all).1, [("rs_1".to_owned(), "gAAAAAB-one".to_owned())]);
    assert_eq!(all.choices.last().unwrap()["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn a_stream_that_breaks_is_a_failure() {
    let stage = stage().await;
    let cut = stage.stream(Behaviour::events(STREAM).cut_after(13), &question()).await;
    assert_eq!((cut.text().as_str(), cut.finished), ("I look at", 0));
    assert_eq!(cut.failure.unwrap().code, "provider_stream_cut");
    let ended = stage.stream(Behaviour::events(STREAM).ended_after(13), &question()).await;
    assert_eq!((ended.finished, ended.failure.is_none()), (0, true));

    let start: String = STREAM.split_inclusive("\n\n").take(13).collect();
    let response = json!({"status": "failed", "error": {"code": "server_error", "message": "the engine is gone"}});
    for (last, kind, code) in [
        (
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"}),
            FailureKind::RateLimited,
            "rate_limit_exceeded",
        ),
        (
            json!({"type": "error", "error": {"type": "server_error", "message": "gone"}}),
            FailureKind::Unavailable,
            "server_error",
        ),
        (json!({"type": "response.failed", "response": response}), FailureKind::Unavailable, "server_error"),
        (json!({"type": "response.completed"}), FailureKind::Broken, "provider_answer_garbled"),
    ] {
        let events = format!("{start}{}", event(&last));
        let all = stage.stream(Behaviour::events(&events), &question()).await;
        let failure = all.failure.as_ref().unwrap();
        assert_eq!((failure.kind, failure.code.as_str(), all.finished), (kind, code, 0), "{last}");
        assert!(failure.may_have_run && all.text() == "I look at", "{last}");
    }
}

#[test]
fn fixtures_are_json() {
    for event in STREAM.split_terminator("\n\n") {
        let (name, data) = event.split_once("\ndata: ").unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
    }
}
