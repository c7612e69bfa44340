//! Chat completions without streaming.

use domain::money::Money;
use insta::assert_json_snapshot;
use serde_json::json;
use tests::TestApp;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::{chat, question, with};

const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");

#[tokio::test]
async fn the_development_model_answers_in_the_openai_format() {
    let app = TestApp::start().await;
    let customer = app.customer("chat", Money::from_usd(1)).await;
    let answer = chat(&customer.person, &question("dev-chat")).await;
    assert_eq!(answer.status, "200 OK");
    assert_json_snapshot!(answer.json, {".id" => "[id]", ".created" => 0}, @r#"
    {
      "id": "[id]",
      "object": "chat.completion",
      "created": 0,
      "model": "dev-chat",
      "choices": [
        {
          "index": 0,
          "message": {
            "role": "assistant",
            "content": "I am dev-chat, the development model of this platform; no provider is behind me. You said: Why is a lease taken first?",
            "refusal": null
          },
          "logprobs": null,
          "finish_reason": "stop"
        }
      ],
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
      },
      "system_fingerprint": "dev-1"
    }
    "#);
    assert!(answer.json["id"].as_str().unwrap().starts_with("chatcmpl-"));
    let cost: Money = answer.header("x-request-cost").unwrap().parse().unwrap();
    assert_eq!(answer.json["usage"]["cost"].to_string(), cost.to_string());
    let remaining: Money = answer.header("x-credits-remaining").unwrap().parse().unwrap();
    assert_eq!(remaining, Money::from_usd(1).less(cost));
    assert_eq!(app.balance(customer.account.org).await, remaining);
    assert_eq!(answer.header("x-credits-warning"), None);
}

#[tokio::test]
async fn the_providers_choices_are_forwarded_unchanged() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, ANSWER));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("chat", Money::from_usd(1)).await;

    let body = with(question("fake"), json!({"temperature": 0.2, "top_k": 4, "user": null}));
    let answer = chat(&customer.person, &body).await;
    let upstream: serde_json::Value = serde_json::from_str(ANSWER).unwrap();
    assert_eq!(answer.json["choices"], upstream["choices"]);
    assert_eq!(answer.json["model"], "fake", "the catalog's name, not the provider's");
    assert_eq!(answer.header("x-svc-passthrough"), Some("top_k"));

    let received = fake.take_requests().remove(0).body;
    assert_eq!(received["model"], "upstream-model");
    assert_eq!((&received["top_k"], &received["temperature"]), (&json!(4), &json!(0.2)));
    assert_eq!(received.get("max_tokens"), None, "the platform adds no limit of its own");
    assert_eq!(received.get("user"), None);
}

#[tokio::test]
async fn the_models_defaults_fill_in_omitted_parameters() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, ANSWER));
    let defaults = json!({"temperature": 0.1, "top_p": 0.5}).as_object().cloned().unwrap();
    ModelBuilder::new("fake")
        .with(|model| model.defaults = defaults)
        .with_deployment(&app, &fake)
        .await
        .insert(&app)
        .await;
    let customer = app.customer("chat", Money::from_usd(1)).await;

    let answer = chat(&customer.person, &with(question("fake"), json!({"temperature": 0.9}))).await;
    assert_eq!(answer.header("x-svc-model-defaults"), Some("top_p"));
    let received = fake.take_requests().remove(0).body;
    assert_eq!((&received["temperature"], &received["top_p"]), (&json!(0.9), &json!(0.5)));
}

#[tokio::test]
async fn several_choices_tools_and_json_are_supported() {
    let app = TestApp::start().await;
    let customer = app.customer("chat", Money::from_usd(1)).await;
    let answer =
        chat(&customer.person, &with(question("dev-chat"), json!({"n": 3, "logprobs": true, "top_logprobs": 1}))).await;
    let choices = answer.json["choices"].as_array().unwrap();
    assert_eq!(choices.iter().map(|choice| &choice["index"]).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(choices[2]["logprobs"]["content"][0]["logprob"].is_number());

    let weather = json!({"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}});
    let body = with(question("dev-chat"), json!({"tools": [weather], "tool_choice": "required"}));
    let answer = chat(&customer.person, &body).await;
    let choice = &answer.json["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!((&call["type"], &call["function"]["name"]), (&json!("function"), &json!("weather")));
    let arguments: serde_json::Value = serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
    assert!(arguments["city"].is_string());

    let schema = json!({"type": "json_schema", "json_schema": {"name": "n", "schema": {
        "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false}}});
    let answer = chat(&customer.person, &with(question("dev-chat"), json!({"response_format": schema}))).await;
    let content = answer.json["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(content).unwrap()["n"].is_i64());
}

#[tokio::test]
async fn the_ledger_links_a_retry_to_its_first_request() {
    use domain::ledger::LedgerEntry;
    use store::Ledger;
    use store::ledger::EntryFilter;

    let app = TestApp::start().await;
    let customer = app.customer("chat", Money::from_usd(1)).await;
    for retries in ["0", "1", "2"] {
        let request = customer.person.request(reqwest::Method::POST, tests::gateway::CHAT).json(&question("dev-chat"));
        tests::client::send(request.header("x-stainless-retry-count", retries)).await;
    }
    let month = domain::lease::month(domain::time::Time::now());
    let page = Ledger::new(&app.platform.context())
        .unwrap()
        .list(customer.account.org, month, EntryFilter::default(), 10, None)
        .await
        .unwrap();
    let charges: Vec<_> = page
        .items
        .into_iter()
        .filter_map(|entry| match entry {
            LedgerEntry::Charge(charge) => Some(*charge),
            LedgerEntry::Adjustment(_) => None,
        })
        .collect();
    let [third, second, first] = &charges[..] else { panic!("{charges:?}") };
    assert_eq!((first.retry_of, second.retry_of, third.retry_of), (None, Some(first.id), Some(first.id)));
}
