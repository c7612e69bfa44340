//! Error codes of calls, and the header of deprecated models.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use domain::money::Money;
use domain::time::Time;
use tests::TestApp;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};
use tests::proxy::in_front_of_dynamodb;

use super::*;

fn refusal(answer: &Answer) -> (&str, &str, &str) {
    let status = answer.status.split(' ').next().unwrap();
    (status, answer.json["error"]["type"].as_str().unwrap_or_default(), answer.code())
}

/// A call of each kind on the embedded models.
fn calls_of_each_kind() -> [(&'static str, Value); 9] {
    let text = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hi"}]});
    [
        ("/gateway/v1/chat/completions", text.clone()),
        ("/gateway/v1/chat/completions", with(text, json!({"stream": true}))),
        ("/gateway/v1/completions", json!({"model": "dev-chat", "prompt": "hi"})),
        ("/gateway/v1/embeddings", json!({"model": "dev-embed", "input": "hi"})),
        ("/gateway/v1/rerank", json!({"model": "dev-rerank", "query": "hi", "documents": ["hi"]})),
        ("/gateway/v1/images/generations", json!({"preset": "dev-image", "prompt": "hi"})),
        ("/gateway/v1/audio/speech", json!({"model": "dev-speech", "input": "hi"})),
        ("/gateway/v1/guard", json!({"input": [{"role": "user", "content": "hi"}]})),
        ("/gateway/v1/moderations", json!({"input": "hi"})),
    ]
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
    let export = ("/gateway/v1/billing/exports", json!({}));
    for (path, body) in calls_of_each_kind().into_iter().chain([export]) {
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

/// The caller learns no detail of a failure of the database.
#[tokio::test]
async fn a_broken_database_is_an_internal_error_without_details() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let breaks = Arc::clone(&is_broken);
    let proxy = in_front_of_dynamodb(move |upstream| {
        let upstream = Arc::new(upstream);
        Router::new().fallback(async move |request: Request| {
            if breaks.load(Ordering::Relaxed) {
                let secret = r#"{"__type": "ResourceNotFoundException", "message": "no table planted-name"}"#;
                return (StatusCode::BAD_REQUEST, secret).into_response();
            }
            let (parts, body) = request.into_parts();
            upstream.send(&parts, to_bytes(body, usize::MAX).await.unwrap()).await
        })
    });
    let app = TestApp::start_with_options(|options| options.services_proxy = Some(proxy)).await;
    let customer = app.customer("broken", Money::from_usd(1)).await;
    is_broken.store(true, Ordering::Relaxed);
    let answers = [
        chat(&customer.person, &question("dev-chat")).await,
        customer.person.get("/gateway/v1/billing/usage").await,
        customer.person.get("/gateway/v1/models").await,
    ];
    for answer in answers {
        assert_eq!(refusal(&answer), ("500", "internal_error", "internal_error"), "{}", answer.text);
        assert!(!answer.text.contains("planted-name"), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_suspended_organization_makes_no_call_of_any_kind() {
    let app = TestApp::start().await;
    let customer = app.customer("suspended", Money::from_usd(1)).await;
    let path = format!("/gateway/v1/admin/orgs/{}", customer.account.org);
    let suspend = async |suspended: bool| {
        let changed = app.operator().patch(&path, json!({"suspended": suspended})).await;
        assert_eq!(changed.status, "200 OK", "{}", changed.text);
    };
    suspend(true).await;
    for (path, body) in calls_of_each_kind() {
        let (status, answer) = customer.call(&app.environment(), path, &body).await;
        assert_eq!((status.as_u16(), &answer["error"]["code"]), (401, &json!("identity.org_suspended")), "{path}");
    }
    suspend(false).await;
    for (path, body) in calls_of_each_kind() {
        // No worker runs here, so the images are only requested as a job.
        let header = ("prefer", "respond-async");
        let (status, _) = customer.call_with_header(&app.environment(), path, header, &body).await;
        assert!(status.is_success(), "{path}: {status}");
    }
}

#[tokio::test]
async fn a_key_that_expired_and_a_header_of_another_scheme_are_refused() {
    let app = TestApp::start().await;
    let expired = Some(Time::from_millis(1_000));
    let customer = app.customer_with_key("expired", Money::from_usd(1), |key| key.expires_at = expired).await;
    let answer = chat(&customer.person, &question("dev-chat")).await;
    assert_eq!(refusal(&answer), ("401", "authentication_error", "identity.unauthorized"));
    for header in ["Basic YWRhOnB3", "Bearer", "Bearer two words", "atl_key_without_scheme"] {
        let request = app.anonymous().request(reqwest::Method::POST, tests::gateway::CHAT);
        let answer = send(request.header("authorization", header).json(&question("dev-chat"))).await;
        assert_eq!(refusal(&answer), ("401", "authentication_error", "identity.invalid_token"), "{header}");
    }
}

#[tokio::test]
async fn a_retired_model_answers_no_call() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    for (name, capability) in [("old-chat", "chat"), ("old-pictures", "images"), ("old-guard", "guard")] {
        let old = ModelBuilder::new(name).with(|model| {
            model.capabilities = vec![capability.to_owned()];
            model.retires_at = Some(Time::from_millis(1_000));
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
async fn an_answer_of_a_deprecated_model_has_a_header() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let reply =
        json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "."}}]});
    fake.respond_with(Behaviour::json(200, reply));
    let now = Time::now();
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
