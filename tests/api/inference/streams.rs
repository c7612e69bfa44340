//! Streamed chat completions (server-sent events).

use domain::catalog::OnDisconnect;
use domain::money::Money;
use insta::assert_json_snapshot;
use serde_json::json;
use tests::TestApp;
use tests::gateway::{CHAT, ModelBuilder, events};
use tests::polling::eventually;
use tests::provider::{Behaviour, FakeProvider, Gate};

use super::{chat, question, with};

const STREAM: &str = include_str!("../../providers/fixtures/openai/stream.sse");

#[tokio::test]
async fn requested_usage_is_sent_in_its_own_chunk() {
    let app = TestApp::start().await;
    let customer = app.customer("streams", Money::from_usd(1)).await;
    let body =
        with(question("dev-chat"), json!({"stream": true, "max_tokens": 2, "stream_options": {"include_usage": true}}));
    let answer = chat(&customer.person, &body).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!((answer.header("x-request-cost"), answer.header("x-ratelimit-limit-tokens")), (None, None));
    assert_json_snapshot!(events(&answer.text), {"[].id" => "[id]", "[].created" => 0}, @r#"
    [
      {
        "id": "[id]",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "index": 0,
            "delta": {
              "role": "assistant",
              "content": ""
            },
            "logprobs": null,
            "finish_reason": null
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "index": 0,
            "delta": {
              "content": "I"
            },
            "logprobs": null,
            "finish_reason": null
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "index": 0,
            "delta": {
              "content": " am"
            },
            "logprobs": null,
            "finish_reason": null
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "index": 0,
            "delta": {
              "content": " "
            },
            "logprobs": null,
            "finish_reason": null
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "dev-chat",
        "choices": [
          {
            "index": 0,
            "delta": {},
            "logprobs": null,
            "finish_reason": "length"
          }
        ],
        "system_fingerprint": "dev-1",
        "usage": null
      },
      {
        "id": "[id]",
        "object": "chat.completion.chunk",
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
}

#[tokio::test]
async fn usage_that_was_not_requested_is_charged_but_not_sent() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::events(STREAM));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("streams", Money::from_usd(1)).await;

    let answer = chat(&customer.person, &with(question("fake"), json!({"stream": true}))).await;
    let events = events(&answer.text);
    assert_eq!(events.last().unwrap(), "[DONE]");
    assert!(events.len() > 1 && events.iter().all(|event| event.get("usage").is_none()), "{}", answer.text);
    assert_eq!(fake.take_requests()[0].body["stream_options"]["include_usage"], true);
    // 12 input tokens at 1 USD per million, and 8 output tokens at 4 USD.
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(12 + 8 * 4), 1));
}

/// An event reaches the client before the provider sends the next one.
#[tokio::test]
async fn chunks_are_forwarded_as_they_arrive() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let gate = Gate::closed();
    fake.then_respond(Behaviour::events(STREAM).gated_by(&gate));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("streams", Money::from_usd(1)).await;

    let request = customer.person.request(reqwest::Method::POST, CHAT);
    gate.admit(1);
    let mut response = request.json(&with(question("fake"), json!({"stream": true}))).send().await.unwrap();
    let mut received = response.chunk().await.unwrap().expect("the first event").to_vec();
    for _ in 0..3 {
        gate.admit(1);
        received.extend(response.chunk().await.unwrap().expect("the next event"));
    }
    assert!(!String::from_utf8_lossy(&received).contains("[DONE]"));
    gate.open();
    while let Some(piece) = response.chunk().await.unwrap() {
        received.extend(piece);
    }
    assert_eq!(events(&String::from_utf8(received).unwrap()).last().unwrap(), "[DONE]");
}

#[tokio::test]
async fn a_disconnect_stops_or_drains_the_provider_by_the_models_setting() {
    let app = TestApp::start().await;
    let policies = [(OnDisconnect::Stop, "stops"), (OnDisconnect::Drain, "drains")];
    let mut fakes = Vec::new();
    for (on_disconnect, name) in policies {
        let (fake, gate) = (FakeProvider::start().await, Gate::closed());
        fake.then_respond(Behaviour::events(STREAM).gated_by(&gate));
        let model = ModelBuilder::new(name).with(|model| model.on_disconnect = on_disconnect);
        model.with_deployment(&app, &fake).await.insert(&app).await;
        fakes.push((fake, gate));
    }
    for ((on_disconnect, name), (fake, gate)) in policies.into_iter().zip(fakes) {
        let customer = app.customer(name, Money::from_usd(1)).await;

        let request = customer.person.request(reqwest::Method::POST, CHAT);
        gate.admit(3);
        let mut response = request.json(&with(question(name), json!({"stream": true}))).send().await.unwrap();
        for _ in 0..3 {
            response.chunk().await.unwrap();
        }
        drop(response);
        let whole = Money::from_micro_usd(12 + 8 * 4);
        if on_disconnect == OnDisconnect::Drain {
            gate.open();
        } else {
            // The provider has more to send, but waits: only the platform can end this call.
            eventually("the provider is cut off", async || (fake.abandoned_responses() == 1).then_some(())).await;
        }
        let charged = eventually("the charge", async || {
            let (charged, calls) = app.sum_charges(customer.account.org).await;
            (calls == 1).then_some(charged)
        })
        .await;
        match on_disconnect {
            OnDisconnect::Drain => assert_eq!((charged, fake.abandoned_responses()), (whole, 0)),
            OnDisconnect::Stop => {
                assert!(charged > Money::ZERO && charged != whole, "what was delivered is charged: {charged}");
            }
        }
    }
}
