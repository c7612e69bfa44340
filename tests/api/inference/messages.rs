//! Anthropic's dialect: `/gateway/v1/messages`.

use domain::catalog::Pricing;
use domain::money::Money;
use domain::provider::ProviderKind;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::{post, with};

const MESSAGES: &str = "/gateway/v1/messages";
const COUNT: &str = "/gateway/v1/messages/count_tokens";
const ANTHROPIC_ANSWER: &str = include_str!("../../providers/fixtures/anthropic/answer.json");
const ANTHROPIC_STREAM: &str = include_str!("../../providers/fixtures/anthropic/stream.sse");
const OPENAI_STREAM: &str = include_str!("../../providers/fixtures/openai/stream.sse");

fn message(model: &str) -> Value {
    json!({"model": model, "max_tokens": 64, "messages": [{"role": "user", "content": "Why?"}]})
}

/// The names and the data of a stream's events.
fn events(text: &str) -> Vec<Value> {
    let events = text.split("\n\n").filter(|event| !event.is_empty()).map(|event| {
        let (name, data) = event.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(data["type"], name.strip_prefix("event: ").unwrap());
        data
    });
    events.collect()
}

async fn provider(app: &TestApp, name: &str, kind: ProviderKind) -> FakeProvider {
    let fake = FakeProvider::start().await;
    let pricing = Pricing {
        input_micro_usd: 3_000_000,
        output_micro_usd: 15_000_000,
        cached_input_micro_usd: Some(300_000),
        cache_write_micro_usd: Some(3_750_000),
        cache_write_1h_micro_usd: Some(6_000_000),
        ..Pricing::default()
    };
    let builder = ModelBuilder::new(name).with(|model| {
        model.pricing = pricing;
        model.max_output_tokens = Some(16_384);
    });
    builder.with_changed_deployment(app, &fake, |provider| provider.kind = kind).await.insert(app).await;
    fake
}

#[tokio::test]
async fn any_chat_model_answers_in_anthropics_form() {
    let app = TestApp::start().await;
    let person = app.customer("messages", Money::from_usd(1)).await.person;
    let answer = post(&person, MESSAGES, &with(message("dev-chat"), json!({"system": "Be brief."}))).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_json_snapshot!(answer.json, {".id" => "[id]"}, @r#"
    {
      "id": "[id]",
      "type": "message",
      "role": "assistant",
      "model": "dev-chat",
      "content": [
        {
          "type": "text",
          "text": "I am dev-chat, the development model of this platform; no provider is behind me. You said: Why?"
        }
      ],
      "stop_reason": "end_turn",
      "stop_sequence": null,
      "usage": {
        "input_tokens": 25,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {
          "ephemeral_5m_input_tokens": 0,
          "ephemeral_1h_input_tokens": 0
        },
        "output_tokens": 46,
        "cost": 0.0000209
      }
    }
    "#);
    assert!(answer.json["id"].as_str().unwrap().starts_with("msg_"));
    assert_eq!(answer.header("request-id"), answer.header("x-request-id"));
    assert!(answer.header("x-request-cost").is_some());

    let streamed = post(
        &person,
        "/gateway/v1/messages?beta=true",
        &with(message("dev-chat"), json!({"stream": true, "max_tokens": 2})),
    )
    .await;
    assert_eq!(streamed.header("content-type"), Some("text/event-stream"));
    assert_json_snapshot!(events(&streamed.text), {"[0].message.id" => "[id]"}, @r#"
    [
      {
        "type": "message_start",
        "message": {
          "id": "[id]",
          "type": "message",
          "role": "assistant",
          "model": "dev-chat",
          "content": [],
          "stop_reason": null,
          "stop_sequence": null,
          "usage": {
            "input_tokens": 0,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {
              "ephemeral_5m_input_tokens": 0,
              "ephemeral_1h_input_tokens": 0
            },
            "output_tokens": 0,
            "cost": 0
          }
        }
      },
      {
        "type": "content_block_start",
        "index": 0,
        "content_block": {
          "type": "text",
          "text": ""
        }
      },
      {
        "type": "content_block_delta",
        "index": 0,
        "delta": {
          "type": "text_delta",
          "text": "I"
        }
      },
      {
        "type": "content_block_delta",
        "index": 0,
        "delta": {
          "type": "text_delta",
          "text": " am"
        }
      },
      {
        "type": "content_block_delta",
        "index": 0,
        "delta": {
          "type": "text_delta",
          "text": " "
        }
      },
      {
        "type": "content_block_stop",
        "index": 0
      },
      {
        "type": "message_delta",
        "delta": {
          "stop_reason": "max_tokens",
          "stop_sequence": null
        },
        "usage": {
          "input_tokens": 11,
          "cache_creation_input_tokens": 0,
          "cache_read_input_tokens": 0,
          "cache_creation": {
            "ephemeral_5m_input_tokens": 0,
            "ephemeral_1h_input_tokens": 0
          },
          "output_tokens": 2,
          "cost": 0.0000019
        }
      },
      {
        "type": "message_stop"
      }
    ]
    "#);
}

#[tokio::test]
async fn a_model_of_anthropic_gets_the_request_as_it_is() {
    let app = TestApp::start().await;
    let fake = provider(&app, "claude", ProviderKind::Anthropic).await;
    fake.then_respond(Behaviour::json(200, ANTHROPIC_ANSWER));
    let person = app.customer("native", Money::from_usd(1)).await.person;
    let mark = json!({"type": "ephemeral", "ttl": "1h", "scope": "global"});
    let body = json!({
        "model": "claude", "max_tokens": 2_000,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": " "}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "thinking", "thinking": "By another vendor.", "signature": "google//Zw=="},
                {"type": "thinking", "thinking": "By a server that signs nothing.", "signature": ""},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"z": 1, "a": 2.50}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "ok"}], "cache_control": mark},
            ]},
        ],
        "tools": [{"name": "weather", "input_schema": {"type": "object", "properties": {"z": {}, "a": {}}}, "cache_control": mark}],
        "thinking": {"type": "enabled", "budget_tokens": 1_024}, "context_management": {"edits": []},
        "metadata": {"user_id": "user_1_account__session_2"},
    });
    let request = person.request(reqwest::Method::POST, MESSAGES).json(&body).header("anthropic-beta", "one, two");
    let answer = send(request.header("anthropic-version", "2023-06-01")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(answer.header("x-svc-dropped"), None);
    let received = fake.take_requests().remove(0);
    let mut expected = body;
    expected["model"] = json!("upstream-model");
    expected["messages"][1]["content"].as_array_mut().unwrap().drain(1..3);
    let names = |body: &Value| body.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(names(&received.body), names(&expected));
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(received.body[name].to_string(), value.to_string(), "{name} has the same bytes");
    }
    assert_eq!(
        (received.path.as_str(), received.headers["anthropic-beta"].to_str().unwrap()),
        ("/v1/messages", "one,two")
    );
    assert_json_snapshot!(answer.json, {".id" => "[id]"}, @r#"
    {
      "id": "[id]",
      "type": "message",
      "role": "assistant",
      "model": "claude",
      "content": [
        {
          "type": "thinking",
          "thinking": "They want the weather.",
          "signature": "c2lnbmF0dXJl"
        },
        {
          "type": "text",
          "text": "Let me look."
        },
        {
          "type": "tool_use",
          "id": "toolu_01A",
          "name": "weather",
          "input": {
            "city": "Lima",
            "unit": "C"
          }
        },
        {
          "type": "tool_use",
          "id": "toolu_01B",
          "name": "clock",
          "input": {}
        }
      ],
      "stop_reason": "tool_use",
      "stop_sequence": null,
      "usage": {
        "input_tokens": 50,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 1000,
        "cache_creation": {
          "ephemeral_5m_input_tokens": 200,
          "ephemeral_1h_input_tokens": 0
        },
        "output_tokens": 75,
        "cost": 0.002325
      }
    }
    "#);
}

#[tokio::test]
async fn the_stream_of_anthropic_arrives_with_its_thinking_and_signatures() {
    let app = TestApp::start().await;
    let fake = provider(&app, "claude", ProviderKind::Anthropic).await;
    fake.then_respond(Behaviour::events(ANTHROPIC_STREAM));
    let person = app.customer("native", Money::from_usd(1)).await.person;
    let answer = post(&person, MESSAGES, &with(message("claude"), json!({"stream": true}))).await;
    assert_json_snapshot!(events(&answer.text), {"[0].message.id" => "[id]"});
}

#[tokio::test]
async fn tokens_of_the_cache_cost_what_the_vendor_charges() {
    let app = TestApp::start().await;
    let fake = provider(&app, "claude", ProviderKind::Anthropic).await;
    let person = app.customer("cache", Money::from_usd(1)).await.person;
    let cost = async |usage: Value| {
        let answer = json!({"type": "message", "content": [], "stop_reason": "end_turn", "usage": usage});
        fake.respond_with(Behaviour::json(200, answer));
        let answer = post(&person, MESSAGES, &message("claude")).await;
        let transactions = person.get("/gateway/v1/billing/transactions?limit=1").await;
        assert_eq!(answer.json["usage"]["cost"], transactions.json["data"][0]["amount"]);
        (answer.header("x-request-cost").unwrap().to_owned(), answer.json["usage"].clone())
    };
    let usage = json!({
        "input_tokens": 0, "cache_creation_input_tokens": 1_000, "cache_read_input_tokens": 2_000, "output_tokens": 7,
    });
    let (short, shown) = cost(usage.clone()).await;
    assert_eq!(short, "0.004455");
    assert_eq!(
        (&shown["cache_creation_input_tokens"], &shown["cache_read_input_tokens"]),
        (&json!(1_000), &json!(2_000))
    );
    assert_eq!((&shown["input_tokens"], &shown["output_tokens"]), (&json!(0), &json!(7)));
    let creation = json!({"ephemeral_5m_input_tokens": 600, "ephemeral_1h_input_tokens": 400});
    let (long, shown) = cost(with(usage, json!({"cache_creation": creation}))).await;
    // 600 × 3.75 + 400 × 6 + 2,000 × 0.3 + 7 × 15 dollars a million.
    assert_eq!((long.as_str(), &shown["cache_creation"]), ("0.005355", &creation));
}

#[tokio::test]
async fn a_stream_of_openais_api_becomes_events_of_anthropic() {
    let app = TestApp::start().await;
    let fake = provider(&app, "gpt", ProviderKind::OpenAi).await;
    fake.respond_with(Behaviour::events(OPENAI_STREAM));
    let person = app.customer("translated", Money::from_usd(1)).await.person;
    let body = with(
        message("gpt"),
        json!({
            "stream": true, "thinking": {"type": "adaptive"}, "top_k": 3,
            "tools": [{"name": "f", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}],
        }),
    );
    let answer = post(&person, MESSAGES, &body).await;
    assert_eq!(answer.header("x-svc-dropped"), Some("top_k, thinking, reasoning_effort, cache_control"));
    let text: String = events(&answer.text).iter().filter_map(|event| event["delta"]["text"].as_str()).collect();
    assert!(!text.is_empty());
    let events = events(&answer.text);
    let last = &events[events.len() - 2..];
    assert_eq!((last[0]["type"].as_str(), last[1]["type"].as_str()), (Some("message_delta"), Some("message_stop")));
    assert!(last[0]["usage"]["cost"].is_number() && last[0]["delta"]["stop_reason"].is_string());
    let received = fake.take_requests().remove(0).body;
    let function = json!({"name": "f", "parameters": {"type": "object"}});
    assert_eq!(received["tools"], json!([{"type": "function", "function": function}]));
    assert_eq!((received.get("thinking"), received.get("top_k")), (None, None));
}

/// Google's models refuse a call that comes back without its signature, and Anthropic's dialect has no field for it.
#[tokio::test]
async fn a_loop_of_tools_goes_on_over_gemini() {
    let app = TestApp::start().await;
    let fake = provider(&app, "gemini", ProviderKind::Gemini).await;
    let parts = json!([{"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "c2ln"}]);
    let candidate = json!({"content": {"parts": parts}, "finishReason": "STOP"});
    let usage = json!({"promptTokenCount": 5, "candidatesTokenCount": 2});
    let called = json!({"candidates": [candidate], "usageMetadata": usage});
    let person = app.customer("loop", Money::from_usd(1)).await.person;
    let mut body = with(message("gemini"), json!({"tools": [{"name": "f", "input_schema": {"type": "object"}}]}));
    for is_streamed in [false, true] {
        fake.respond_with(if is_streamed {
            Behaviour::events(&format!("data: {called}\n\n"))
        } else {
            Behaviour::json(200, called.clone())
        });
        let answer = post(&person, MESSAGES, &with(body.clone(), json!({"stream": is_streamed}))).await;
        let content = if is_streamed {
            let events = events(&answer.text);
            let starts = events.iter().filter(|event| event["type"] == "content_block_start");
            let mut blocks: Vec<Value> = starts.map(|event| event["content_block"].clone()).collect();
            blocks[1]["input"] = json!({"a": 1});
            json!(blocks)
        } else {
            answer.json["content"].clone()
        };
        assert_eq!(content[0], json!({"type": "redacted_thinking", "data": "google//c2ln"}), "{}", answer.text);
        let id = &content[1]["id"];
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]);
        let turns = [json!({"role": "assistant", "content": content}), json!({"role": "user", "content": result})];
        body["messages"].as_array_mut().unwrap().extend(turns);
        fake.respond_with(Behaviour::json(200, called.clone()));
        post(&person, MESSAGES, &body).await;
        let sent = fake.take_requests().pop().unwrap().body;
        let turns = sent["contents"].as_array().unwrap();
        assert_eq!(turns[turns.len() - 2]["parts"], parts);
        body["messages"].as_array_mut().unwrap().truncate(1);
    }
}

async fn error_of(person: &Person, path: &str, body: &Value) -> (Answer, Value) {
    let answer = post(person, path, body).await;
    let error = answer.json.clone();
    assert_eq!((&error["type"], &error["request_id"]), (&json!("error"), &json!(answer.header("request-id"))));
    (answer, error["error"].clone())
}

#[tokio::test]
async fn errors_have_anthropics_form_on_these_routes_only() {
    let app = TestApp::start().await;
    let fake = provider(&app, "claude", ProviderKind::Anthropic).await;
    let person = app.customer("errors", Money::from_usd(1)).await.person;
    let search = json!({"tools": [{"type": "web_search_20250305", "name": "web_search"}]});
    for (body, status, kind, code) in [
        (with(message("claude"), json!({"messages": []})), 400, "invalid_request_error", "invalid_body"),
        (with(message("claude"), search), 400, "invalid_request_error", "invalid_body"),
        (message("unknown"), 404, "not_found_error", "model_not_found"),
    ] {
        let (answer, error) = error_of(&person, MESSAGES, &body).await;
        assert!(answer.status.starts_with(&status.to_string()), "{}", answer.text);
        assert_eq!((error["type"].as_str(), error["code"].as_str()), (Some(kind), Some(code)));
        let (count, _) = error_of(&person, COUNT, &body).await;
        assert_eq!(count.status, answer.status);
    }
    let nobody = app.client_with_key("sk-svc-nobody");
    let (answer, error) = error_of(&nobody, MESSAGES, &message("claude")).await;
    assert_eq!((answer.status.as_str(), error["type"].as_str()), ("401 Unauthorized", Some("authentication_error")));
    let (answer, _) = error_of(&person, "/gateway/v1/messages?limit=1", &message("claude")).await;
    assert_eq!(answer.status, "400 Bad Request");

    let refusal = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    fake.respond_with(Behaviour::json(529, refusal.clone()).header("retry-after", "7"));
    let (answer, error) = error_of(&person, MESSAGES, &message("claude")).await;
    assert_eq!((answer.status.as_str(), error["type"].as_str()), ("502 Bad Gateway", Some("api_error")));
    fake.respond_with(Behaviour::events(&format!("event: error\ndata: {refusal}\n\n")));
    let streamed = post(&person, MESSAGES, &with(message("claude"), json!({"stream": true}))).await;
    assert_eq!(streamed.json["type"], "error", "{}", streamed.text);
    let other = post(&person, "/gateway/v1/chat/completions", &message("unknown")).await;
    assert_eq!(other.json["error"]["type"], "not_found_error");
    assert!(other.json.get("type").is_none());
}

#[tokio::test]
async fn a_failure_in_the_middle_is_the_last_event() {
    let app = TestApp::start().await;
    let fake = provider(&app, "claude", ProviderKind::Anthropic).await;
    fake.respond_with(Behaviour::events(ANTHROPIC_STREAM).cut_after(9));
    let person = app.customer("cut", Money::from_usd(1)).await.person;
    let answer = post(&person, MESSAGES, &with(message("claude"), json!({"stream": true}))).await;
    let events = events(&answer.text);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["error"]["type"]), (&json!("error"), &json!("api_error")));
    assert_eq!(last["error"]["code"], "provider_stream_cut");
}

#[tokio::test]
async fn tokens_are_counted_by_the_vendor_or_estimated() {
    let app = TestApp::start().await;
    let fake = provider(&app, "claude", ProviderKind::Anthropic).await;
    fake.respond_with(Behaviour::json(200, json!({"input_tokens": 1_234})));
    let person = app.customer("count", Money::ZERO).await.person;
    let body = json!({
        "model": "claude", "messages": [{"role": "user", "content": "Why?"}], "system": "Be brief.",
        "thinking": {"type": "enabled", "budget_tokens": 1_024},
    });
    let counted = post(&person, COUNT, &body).await;
    assert_eq!((counted.status.as_str(), &counted.json), ("200 OK", &json!({"input_tokens": 1_234})));
    let received = fake.take_requests().remove(0);
    assert_eq!(received.path, "/v1/messages/count_tokens");
    let names: Vec<_> = received.body.as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["model", "messages", "system", "thinking"]);
    let estimated = post(&person, COUNT, &message("dev-chat")).await;
    assert!(estimated.json["input_tokens"].as_u64().unwrap() > 0, "{}", estimated.text);
}

#[tokio::test]
async fn a_repeated_key_replays_the_message() {
    let app = TestApp::start().await;
    let person = app.customer("replay", Money::from_usd(1)).await.person;
    for is_streamed in [false, true] {
        let body = with(message("dev-chat"), json!({"stream": is_streamed}));
        let call = async || {
            let request = person.request(reqwest::Method::POST, MESSAGES).json(&body);
            send(request.header("idempotency-key", format!("key-{is_streamed}"))).await
        };
        let (first, second) = (call().await, call().await);
        assert_eq!((first.text, second.header("idempotent-replayed")), (second.text.clone(), Some("true")));
    }
}
