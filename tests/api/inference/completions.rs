//! OpenAI's legacy completions: `/gateway/v1/completions`.

use domain::money::Money;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{refusal, send};
use tests::gateway::{CHAT, ModelBuilder, events};
use tests::provider::{Behaviour, FakeProvider};

use super::{post, with};

const COMPLETIONS: &str = "/gateway/v1/completions";
const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");
const STREAM: &str = include_str!("../../providers/fixtures/openai/stream.sse");

fn prompt(model: &str) -> Value {
    json!({"model": model, "prompt": "Why is a lease taken first?"})
}

async fn fake_model(app: &TestApp) -> FakeProvider {
    let fake = FakeProvider::start().await;
    ModelBuilder::new("fake").with_deployment(app, &fake).await.insert(app).await;
    fake
}

#[tokio::test]
async fn a_chat_model_completes_a_prompt_at_the_price_of_a_chat() {
    let app = TestApp::start().await;
    let customer = app.customer("completions", Money::from_usd(1)).await;
    let answer = post(&customer.person, COMPLETIONS, &with(prompt("dev-chat"), json!({"max_tokens": 200}))).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_json_snapshot!(answer.json, {".id" => "[id]", ".created" => 0}, @r#"
    {
      "id": "[id]",
      "object": "text_completion",
      "created": 0,
      "model": "dev-chat",
      "choices": [
        {
          "text": "I am dev-chat, the development model of this platform; no provider is behind me. You said: Why is a lease taken first?",
          "index": 0,
          "logprobs": null,
          "finish_reason": "stop"
        }
      ],
      "system_fingerprint": "dev-1",
      "usage": {
        "prompt_tokens": 22,
        "completion_tokens": 57,
        "total_tokens": 79,
        "prompt_tokens_details": {
          "cached_tokens": 0,
          "cache_write_tokens": 0
        },
        "completion_tokens_details": {
          "reasoning_tokens": 0
        },
        "cost": 0.000025
      }
    }
    "#);
    assert!(answer.json["id"].as_str().unwrap().starts_with("cmpl-"));
    let cost: Money = answer.header("x-request-cost").unwrap().parse().unwrap();
    assert_eq!(answer.json["usage"]["cost"].to_string(), cost.to_string());
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1).less(cost));

    let listed = post(&customer.person, COMPLETIONS, &json!({"model": "dev-chat", "prompt": ["Hi"], "n": 2})).await;
    let choices = listed.json["choices"].as_array().unwrap();
    assert_eq!(choices.iter().map(|choice| &choice["index"]).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(choices[0]["finish_reason"], "length", "16 tokens are the default");
}

#[tokio::test]
async fn a_stream_has_chunks_of_text_and_the_usage_on_request() {
    let app = TestApp::start().await;
    let person = app.customer("streams", Money::from_usd(1)).await.person;
    let body = json!({"stream": true, "max_tokens": 2, "stream_options": {"include_usage": true}});
    let answer = post(&person, COMPLETIONS, &with(prompt("dev-chat"), body)).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_json_snapshot!(events(&answer.text), {"[].id" => "[id]", "[].created" => 0}, @r#"
    [
      {
        "id": "[id]",
        "object": "text_completion",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "text": "I",
            "index": 0,
            "logprobs": null,
            "finish_reason": null
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "text_completion",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "text": " am",
            "index": 0,
            "logprobs": null,
            "finish_reason": null
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "text_completion",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "text": " ",
            "index": 0,
            "logprobs": null,
            "finish_reason": null
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "text_completion",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "text": "",
            "index": 0,
            "logprobs": null,
            "finish_reason": "length"
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "text_completion",
        "created": 0,
        "model": "dev-chat",
        "choices": [],
        "usage": {
          "prompt_tokens": 22,
          "completion_tokens": 2,
          "total_tokens": 24,
          "prompt_tokens_details": {
            "cached_tokens": 0,
            "cache_write_tokens": 0
          },
          "completion_tokens_details": {
            "reasoning_tokens": 0
          },
          "cost": 0.000003
        }
      },
      "[DONE]"
    ]
    "#);

    let answer = post(&person, COMPLETIONS, &with(prompt("dev-chat"), json!({"stream": true}))).await;
    let events = events(&answer.text);
    assert_eq!(events.last().unwrap(), "[DONE]");
    assert!(events.iter().all(|event| event.get("usage").is_none()), "{}", answer.text);
}

#[tokio::test]
async fn a_provider_gets_a_chat_and_only_its_text_reaches_the_client() {
    let app = TestApp::start().await;
    let fake = fake_model(&app).await;
    let person = app.customer("providers", Money::from_usd(1)).await.person;
    let mut upstream: Value = serde_json::from_str(ANSWER).unwrap();
    upstream["choices"][0]["message"]["reasoning_content"] = "Hm.".into();
    fake.then_respond(Behaviour::json(200, upstream));
    let more =
        json!({"temperature": 0.2, "stop": ["END"], "logit_bias": {"7": 1}, "top_k": 4, "echo": false, "best_of": 1});
    let answer = post(&person, COMPLETIONS, &with(prompt("fake"), more)).await;
    let text =
        json!({"text": "Because a lease is taken first.", "index": 0, "logprobs": null, "finish_reason": "stop"});
    assert_eq!((&answer.json["choices"], &answer.json["model"]), (&json!([text]), &json!("fake")));
    assert_eq!(answer.header("x-svc-passthrough"), Some("logit_bias, top_k"));
    let request = fake.take_requests().remove(0);
    assert_eq!(request.path, "/chat/completions");
    assert_eq!(
        request.body,
        json!({
            "model": "upstream-model", "messages": [{"role": "user", "content": "Why is a lease taken first?"}],
            "max_tokens": 16, "temperature": 0.2, "stop": ["END"], "logit_bias": {"7": 1}, "top_k": 4,
        })
    );

    let reasoning = r#"data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"finish_reason":null}]}"#;
    fake.respond_with(Behaviour::events(&format!("{reasoning}\n\n{STREAM}")));
    let answer = post(&person, COMPLETIONS, &with(prompt("fake"), json!({"stream": true}))).await;
    let mut chunks = events(&answer.text);
    assert_eq!(chunks.pop().unwrap(), "[DONE]");
    let texts: String = chunks.iter().map(|chunk| chunk["choices"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, "Because a lease is taken first.");
    assert_eq!(chunks.last().unwrap()["choices"][0]["finish_reason"], "stop");
    assert!(chunks.iter().rev().skip(1).all(|chunk| chunk["choices"][0]["finish_reason"].is_null()));
    assert!(!answer.text.contains("Hm."), "{}", answer.text);
}

#[tokio::test]
async fn a_stream_that_breaks_ends_with_an_error_and_without_done() {
    let app = TestApp::start().await;
    let fake = fake_model(&app).await;
    let person = app.customer("breaks", Money::from_usd(1)).await.person;
    fake.then_respond(Behaviour::events(STREAM).cut_after(3));
    let answer = post(&person, COMPLETIONS, &with(prompt("fake"), json!({"stream": true}))).await;
    let events = events(&answer.text);
    assert_eq!(events[0]["choices"][0]["text"], "Because");
    assert_eq!(events.last().unwrap()["error"]["type"], "provider_error", "{}", answer.text);
}

/// A repeated request gets the bytes of the first answer, whole or streamed, and is charged once.
#[tokio::test]
async fn an_idempotency_key_replays_completions() {
    let app = TestApp::start().await;
    let customer = app.customer("replays", Money::from_usd(1)).await;
    let options = json!({"stream": true, "stream_options": {"include_usage": true}});
    for (key, body) in [("whole", prompt("dev-chat")), ("stream", with(prompt("dev-chat"), options))] {
        let send_again = async || {
            send(customer.person.request(Method::POST, COMPLETIONS).header("idempotency-key", key).json(&body)).await
        };
        let (first, again) = (send_again().await, send_again().await);
        assert_eq!((first.status.as_str(), first.header("idempotent-replayed")), ("200 OK", None), "{}", first.text);
        assert_eq!((again.text, again.headers.get("idempotent-replayed").is_some()), (first.text, true), "{key}");
    }
    assert_eq!(app.sum_charges(customer.account.org).await.1, 2);
}

#[tokio::test]
async fn what_a_chat_cannot_do_is_refused_by_name() {
    let app = TestApp::start().await;
    let customer = app.customer("refusals", Money::from_usd(1)).await;
    for (name, value) in [
        ("prompt", json!(["a", "b"])),
        ("prompt", json!([1, 2, 3])),
        ("prompt", json!(null)),
        ("suffix", json!("end")),
        ("echo", json!(true)),
        ("best_of", json!(2)),
        ("logprobs", json!(1)),
        ("tools", json!([])),
        ("messages", json!([{"role": "user", "content": "Hi"}])),
        ("max_tokens", json!(0)),
    ] {
        let answer = post(&customer.person, COMPLETIONS, &with(prompt("dev-chat"), json!({name: value}))).await;
        assert_eq!((refusal(&answer), &answer.json["error"]["param"]), (("400", "invalid_body"), &json!(name)));
    }
    let answer = post(&customer.person, COMPLETIONS, &with(prompt("dev-chat"), json!({"logprobs": 1}))).await;
    assert!(answer.json["error"]["message"].as_str().unwrap().contains(CHAT), "{}", answer.text);
    let answer = post(&customer.person, COMPLETIONS, &prompt("dev-embed")).await;
    assert_eq!((refusal(&answer), &answer.json["error"]["param"]), (("400", "invalid_body"), &json!("model")));
    assert_eq!(refusal(&post(&app.anonymous(), COMPLETIONS, &prompt("dev-chat")).await).0, "401");
    assert_eq!(refusal(&post(&app.person("ada"), COMPLETIONS, &prompt("dev-chat")).await).0, "401");
    let answer = post(&customer.person, COMPLETIONS, &prompt("nowhere")).await;
    assert_eq!(refusal(&answer), ("404", "model_not_found"));
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}
