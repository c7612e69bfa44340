//! The reservation (hold) for a chat without a token limit, and the limit that the provider gets.

use domain::limits::{Limits, PlanLimits};
use domain::money::Money;
use domain::provider::ProviderKind;
use serde_json::json;
use tests::TestApp;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::{chat, question, with};

const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");

async fn fake_model(app: &TestApp) -> FakeProvider {
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, ANSWER));
    ModelBuilder::new("fake").with_deployment(app, &fake).await.insert(app).await;
    fake
}

#[tokio::test]
async fn without_a_limit_openai_gets_none_and_anthropic_gets_the_models() {
    let app = TestApp::start().await;
    let fake = fake_model(&app).await;
    let anthropic = FakeProvider::start().await;
    let message = json!({
        "type": "message", "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    });
    anthropic.then_respond(Behaviour::json(200, message));
    let change = |provider: &mut store::catalog::StoredProvider| provider.kind = ProviderKind::Anthropic;
    ModelBuilder::new("claude").with_changed_deployment(&app, &anthropic, change).await.insert(&app).await;
    let customer = app.customer("plenty", Money::from_usd(1)).await;

    let answer = chat(&customer.person, &question("fake")).await;
    assert_eq!((answer.status.as_str(), answer.header("x-svc-max-tokens")), ("200 OK", None));
    let received = fake.take_requests().remove(0).body;
    assert!(received.get("max_tokens").is_none() && received.get("max_completion_tokens").is_none(), "{received}");
    assert_eq!(chat(&customer.person, &question("claude")).await.status, "200 OK");
    assert_eq!(anthropic.take_requests().remove(0).body["max_tokens"], 256);
}

#[tokio::test]
async fn a_hold_above_the_balance_shrinks_and_limits_the_answer() {
    let app = TestApp::start().await;
    let fake = fake_model(&app).await;
    // 256 output tokens reserve 1,024 micro-USD.
    let customer = app.customer("some", Money::from_micro_usd(600)).await;
    let explicit = chat(&customer.person, &with(question("fake"), json!({"max_tokens": 256}))).await;
    assert_eq!(explicit.code(), "insufficient_credits", "a client's own limit is not changed");
    assert!(fake.take_requests().is_empty());

    let answer = chat(&customer.person, &question("fake")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let limit: u64 = answer.header("x-svc-max-tokens").unwrap().parse().unwrap();
    assert!((100..150).contains(&limit), "{limit}");
    assert_eq!(fake.take_requests().remove(0).body["max_tokens"], limit);

    let poor = app.customer("poor", Money::from_micro_usd(60)).await;
    assert_eq!(
        chat(&poor.person, &question("fake")).await.code(),
        "insufficient_credits",
        "too little for a useful answer"
    );
    assert!(fake.take_requests().is_empty());
}

#[tokio::test]
async fn caps_and_token_limits_shrink_the_hold_too() {
    let app = TestApp::start().await;
    let fake = fake_model(&app).await;
    let capped = app.customer("capped", Money::from_usd(1)).await;
    let me = capped.person.get("/gateway/v1/me").await.json;
    let path = format!("/gateway/v1/billing/admin/caps?org={}", me["org"]["id"].as_str().unwrap());
    let cap = app.operator().put(&path, json!({"limit": "0.0006"})).await;
    assert_eq!(cap.status, "200 OK", "{}", cap.text);
    let answer = chat(&capped.person, &question("fake")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(
        fake.take_requests().remove(0).body["max_tokens"].to_string(),
        answer.header("x-svc-max-tokens").unwrap()
    );

    let limited = app.customer("limited", Money::from_usd(1)).await;
    let limits = PlanLimits { org: Limits { tpd: Some(200), ..Limits::NONE }, ..PlanLimits::default() };
    app.put_on_plan(&limited, limits).await;
    let answer = chat(&limited.person, &question("fake")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let limit = fake.take_requests().remove(0).body["max_tokens"].as_u64().unwrap();
    assert!((100..200).contains(&limit), "the limit is 200 tokens minus the input: {limit}");
}

#[tokio::test]
async fn the_token_limit_has_the_clients_name_unless_the_model_overrides_it() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, ANSWER));
    let parameter = Some(domain::catalog::MaxTokensParameter::MaxCompletionTokens);
    let builder = ModelBuilder::new("new").with(|model| model.max_tokens_parameter = parameter);
    builder.with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("names", Money::from_usd(1)).await;
    chat(&customer.person, &with(question("new"), json!({"max_tokens": 9}))).await;
    let received = fake.take_requests().remove(0).body;
    assert_eq!((received.get("max_tokens"), &received["max_completion_tokens"]), (None, &json!(9)));
}

/// Coding agents send their own maximum to every model.
#[tokio::test]
async fn a_limit_above_the_models_is_lowered_and_named() {
    let app = TestApp::start().await;
    let fake = fake_model(&app).await;
    fake.respond_with(Behaviour::json(200, ANSWER));
    let customer = app.customer("agent", Money::from_usd(1)).await;
    for (limits, adjusted) in [
        (json!({"max_tokens": 32_000}), Some("max_tokens")),
        (json!({"max_completion_tokens": 257}), Some("max_completion_tokens")),
        (json!({"max_completion_tokens": 64_000, "max_tokens": 300}), Some("max_completion_tokens, max_tokens")),
        (json!({"max_tokens": 256}), None),
    ] {
        let answer = chat(&customer.person, &with(question("fake"), limits.clone())).await;
        assert_eq!((answer.status.as_str(), answer.header("x-svc-adjusted")), ("200 OK", adjusted), "{}", answer.text);
        let received = fake.take_requests().remove(0).body;
        let sent = ["max_tokens", "max_completion_tokens"].map(|name| received[name].as_u64());
        assert!(sent.iter().flatten().all(|limit| *limit == 256) && sent != [None, None], "{received}");
    }
    let streamed = with(question("dev-chat"), json!({"stream": true, "max_tokens": 100_000}));
    assert_eq!(chat(&customer.person, &streamed).await.header("x-svc-adjusted"), Some("max_tokens"));
}

#[tokio::test]
async fn an_operator_can_refuse_limits_above_the_models() {
    let app = TestApp::start().await;
    let fake = fake_model(&app).await;
    let (operator, path) = (app.operator(), "/gateway/v1/admin/models/fake");
    assert_eq!(operator.get(path).await.json["max_tokens_policy"], "clamp");
    let patched = operator.patch(path, json!({"max_tokens_policy": "reject"})).await;
    assert_eq!(patched.json["max_tokens_policy"], "reject", "{}", patched.text);
    let customer = app.customer("strict", Money::from_usd(1)).await;
    let refused = chat(&customer.person, &with(question("fake"), json!({"max_tokens": 257}))).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"));
    assert_eq!(refused.json["error"]["param"], "max_tokens");
    assert!(fake.take_requests().is_empty());
}
