//! Error codes that no other test produces.

use std::time::Duration;

use domain::money::Money;
use tests::TestApp;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

fn refusal(answer: &Answer) -> (&str, &str, &str) {
    let status = answer.status.split(' ').next().unwrap();
    (status, answer.json["error"]["type"].as_str().unwrap_or_default(), answer.code())
}

#[tokio::test]
async fn failures_of_providers_without_a_code_have_the_gateways_code() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    ModelBuilder::new("upstream").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("codes", Money::from_usd(1)).await;
    for (behaviour, expected) in [
        (Behaviour::json(418, json!({})), ("400", "invalid_request_error", "provider_refused")),
        (Behaviour::json(401, json!({})), ("502", "provider_error", "provider_setup")),
    ] {
        fake.respond_with(behaviour);
        let answer = chat(&customer.person, &question("upstream")).await;
        assert_eq!(refusal(&answer), expected, "{}", answer.text);
    }
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}

#[tokio::test]
async fn a_provider_that_is_overloaded_or_gone_is_named() {
    for (behaviour, expected) in [
        (Behaviour::json(429, json!({})), ("429", "rate_limit_error", "provider_rate_limited")),
        (Behaviour::hang_up(), ("502", "provider_error", "provider_unavailable")),
        (Behaviour::json(503, json!({})), ("502", "provider_error", "provider_unavailable")),
        (Behaviour::json(200, "no json"), ("502", "provider_error", "provider_answer_garbled")),
    ] {
        // A deployment that fails rests, so each failure has an environment of its own.
        let app = TestApp::start().await;
        let fake = FakeProvider::start().await;
        ModelBuilder::new("upstream").with_deployment(&app, &fake).await.insert(&app).await;
        let customer = app.customer("codes", Money::from_usd(1)).await;
        fake.respond_with(behaviour);
        let answer = chat(&customer.person, &question("upstream")).await;
        assert_eq!(refusal(&answer), expected, "{}", answer.text);
    }
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_refused_before_the_call() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let small = ModelBuilder::new("small").with(|model| model.context_window = Some(64));
    small.with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("long", Money::from_usd(1)).await;
    let body = json!({"model": "small", "messages": [{"role": "user", "content": "word ".repeat(500)}]});
    let answer = chat(&customer.person, &body).await;
    assert_eq!(refusal(&answer), ("400", "invalid_request_error", "context_length_exceeded"));
    assert_eq!(answer.json["error"]["param"], "messages");
    assert!(fake.take_requests().is_empty());
}

#[tokio::test]
async fn a_development_model_refuses_values_that_it_cannot_fulfil() {
    let app = TestApp::start().await;
    let customer = app.customer("values", Money::from_usd(1)).await;
    let named = json!({"type": "function", "function": {"name": "none"}});
    let tools = json!([{"type": "function", "function": {"name": "own"}}]);
    let body = with(question("dev-chat"), json!({"tool_choice": named, "tools": tools}));
    let answer = chat(&customer.person, &body).await;
    assert_eq!(refusal(&answer), ("400", "invalid_request_error", "invalid_value"), "{}", answer.text);
    assert_eq!(answer.json["error"]["param"], "tool_choice");
}

#[tokio::test]
async fn maintenance_has_its_own_code_for_every_kind_of_call() {
    let app = TestApp::start().await;
    let customer = app.customer("maintenance", Money::from_usd(1)).await;
    let on = json!({"on": true, "message": "back soon", "retry_after_s": 90});
    assert_eq!(app.operator().put("/gateway/v1/admin/maintenance", on).await.status, "200 OK");
    let text = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hi"}]});
    for (path, body) in [
        ("/gateway/v1/chat/completions", text.clone()),
        ("/gateway/v1/chat/completions", with(text, json!({"stream": true}))),
        ("/gateway/v1/embeddings", json!({"model": "dev-embed", "input": "hi"})),
        ("/gateway/v1/images/generations", json!({"preset": "dev-image", "prompt": "hi"})),
        ("/gateway/v1/guard", json!({"input": [{"role": "user", "content": "hi"}]})),
        ("/gateway/v1/moderations", json!({"input": "hi"})),
        ("/gateway/v1/billing/exports", json!({})),
    ] {
        let answer = post(&customer.person, path, &body).await;
        assert_eq!(refusal(&answer), ("503", "maintenance_error", "maintenance"), "{path}");
        assert_eq!(answer.header("retry-after"), Some("90"));
    }
    for path in ["/gateway/v1/billing/usage", "/gateway/v1/guard/events", "/gateway/v1/me/api-keys"] {
        assert_eq!(refusal(&customer.person.get(path).await).2, "maintenance", "{path}");
    }
    app.operator().put("/gateway/v1/admin/maintenance", json!({"on": false})).await;
    // Another environment has not cached the catalog.
    let (status, _) = customer.call(&app.environment(), tests::gateway::CHAT, &question("dev-chat")).await;
    assert_eq!(status.as_u16(), 200);
}

#[tokio::test]
async fn a_retired_model_answers_no_call() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    for (name, capability) in [("old-chat", "chat"), ("old-pictures", "images"), ("old-guard", "guard")] {
        let old = ModelBuilder::new(name).with(|model| {
            model.capabilities = vec![capability.to_owned()];
            model.retires_at = Some(domain::time::Time::from_millis(1_000));
        });
        old.with_deployment(&app, &fake).await.insert(&app).await;
    }
    let alias = app.operator().put("/gateway/v1/admin/aliases/evergreen", json!({"model": "old-chat"})).await;
    assert_eq!(alias.status, "200 OK", "{}", alias.text);
    let customer = app.customer("retired", Money::from_usd(1)).await;
    for (path, body) in [
        ("/gateway/v1/chat/completions", question("old-chat")),
        ("/gateway/v1/chat/completions", question("evergreen")),
        ("/gateway/v1/images/generations", json!({"preset": "old-pictures", "prompt": "hi"})),
        ("/gateway/v1/guard", json!({"input": [{"role": "user", "content": "hi"}], "model": "old-guard"})),
    ] {
        let answer = post(&customer.person, path, &body).await;
        assert_eq!(refusal(&answer), ("404", "not_found_error", "model_not_found"), "{path} {body}");
    }
    assert!(fake.take_requests().is_empty());
}

#[tokio::test]
async fn a_deprecated_model_says_so_in_every_answer() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let reply =
        json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "."}}]});
    fake.respond_with(Behaviour::json(200, reply));
    let now = domain::time::Time::now();
    for (name, deprecated_at) in [("ageing", now), ("soon", now.plus(Duration::from_secs(86_400)))] {
        let model = ModelBuilder::new(name).with(|model| model.deprecated_at = Some(deprecated_at));
        model.with_deployment(&app, &fake).await.insert(&app).await;
    }
    let customer = app.customer("deprecated", Money::from_usd(1)).await;
    let answer = chat(&customer.person, &question("ageing")).await;
    assert_eq!((answer.status.as_str(), answer.header("x-model-deprecated")), ("200 OK", Some("true")));
    let answer = chat(&customer.person, &question("soon")).await;
    assert_eq!((answer.status.as_str(), answer.header("x-model-deprecated")), ("200 OK", None));
}
