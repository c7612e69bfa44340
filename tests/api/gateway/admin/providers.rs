//! Validation of provider addresses (SSRF) and headers, and the test call of a provider.

use domain::provider::{ProviderKind, Timeouts};
use serde_json::{Value, json};
use store::Catalog;
use store::catalog::StoredProvider;
use tests::TestApp;
use tests::provider::{Behaviour, FakeProvider};

use super::{ADMIN, assert_refused, provider};

fn with(name: &str, fields: Value) -> Value {
    let mut body = provider();
    body["name"] = json!(name);
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[tokio::test]
async fn a_forbidden_provider_address_is_refused_when_it_is_set() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let path = format!("{ADMIN}/providers");
    // The development platform allows private networks, but no other internal addresses.
    for url in ["http://169.254.169.254/v1", "https://[::ffff:169.254.169.254]:8443/v1", "http://100.100.100.200"] {
        let answer = operator.post_json(&path, with("inside", json!({"base_url": url}))).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        assert_eq!(answer.json["error"]["param"], "base_url");
        assert!(answer.text.contains("OUTBOUND_ALLOWED_CIDRS"), "{}", answer.text);
    }
    let named = operator.post_json(&path, with("named", json!({"base_url": "https://models.example/v1"}))).await;
    assert_eq!(named.status, "201 Created", "{}", named.text);
    let patched = operator.patch(&format!("{path}/named"), json!({"base_url": "http://169.254.169.254"})).await;
    assert_eq!((patched.status.as_str(), &patched.json["error"]["param"]), ("400 Bad Request", &json!("base_url")));
    let bedrock = json!({"kind": "bedrock", "base_url": "https://169.254.169.254", "region": "eu-west-3"});
    assert_eq!(operator.post_json(&path, with("endpoint", bedrock)).await.status, "201 Created");
}

#[tokio::test]
async fn two_providers_cannot_have_the_same_name() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let path = format!("{ADMIN}/providers");
    let first = operator.post_json(&path, with("twin", json!({"base_url": "https://one.example/v1"}))).await;
    assert_eq!(first.status, "201 Created", "{}", first.text);
    let second = operator.post_json(&path, with("twin", json!({"base_url": "https://two.example/v1"}))).await;
    assert_refused(&second, "409 Conflict", "provider_exists");
    assert_eq!(operator.get(&format!("{path}/twin")).await.json["base_url"], "https://one.example/v1");
}

#[tokio::test]
async fn headers_that_the_platform_sets_are_refused() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let path = format!("{ADMIN}/providers");
    for name in [
        "Host",
        "content-length",
        "Transfer-Encoding",
        "Connection",
        "keep-alive",
        "TE",
        "Trailer",
        "Upgrade",
        "Proxy-Connection",
        "Expect",
        "Accept-Encoding",
        "Content-Encoding",
        "Content-Type",
        "Accept",
    ] {
        let answer = operator.post_json(&path, with("framed", json!({"headers": { name: "x" }}))).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        assert_eq!(answer.json["error"]["param"], format!("headers.{name}"));
        let answer = operator.post_json(&path, with("framed", json!({"auth_header": name}))).await;
        assert_eq!(answer.json["error"]["param"], "auth_header", "{}", answer.text);
    }
    let usual = json!({"headers": {"X-Team": "ml", "OpenAI-Organization": "org-1"}, "auth_header": "Authorization"});
    assert_eq!(operator.post_json(&path, with("usual", usual)).await.status, "201 Created");
}

#[tokio::test]
async fn a_provider_is_tested_by_listing_models_or_by_a_short_call() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let fake = FakeProvider::start().await;
    for (kind, listing, chat) in [
        ("openai", "/v1/models", "/v1/chat/completions"),
        ("anthropic", "/v1/models?limit=1", "/v1/messages"),
        ("gemini", "/v1beta/models?pageSize=1", "/v1beta/models/m:generateContent"),
    ] {
        let base_url = if kind == "openai" { format!("{}/v1", fake.base_url) } else { fake.base_url.clone() };
        let settings = with(kind, json!({"kind": kind, "base_url": base_url}));
        assert_eq!(operator.post_json(&format!("{ADMIN}/providers"), settings).await.status, "201 Created");
        let path = format!("{ADMIN}/providers/{kind}/test");
        fake.respond_with(Behaviour::json(200, json!({"data": []})));
        let listed = operator.post_json(&path, json!({})).await;
        assert_eq!(listed.status, "200 OK", "{}", listed.text);
        assert_eq!((&listed.json["ok"], &listed.json["status"]), (&json!(true), &json!(200)), "{}", listed.text);
        assert!(listed.json["duration_ms"].is_u64() && listed.json["error"].is_null());
        assert_eq!(fake.take_requests().remove(0).path, listing);

        let error = json!({"error": {"message": "The model `m` does not exist", "code": "model_not_found"}});
        fake.respond_with(Behaviour::json(404, error));
        let missed = operator.post_json(&path, json!({"model": "m"})).await;
        assert_eq!((&missed.json["ok"], &missed.json["status"]), (&json!(false), &json!(404)));
        let expected = json!({"code": "model_not_found", "message": "The model `m` does not exist"});
        assert_eq!(missed.json["error"], expected, "the operator sees the provider's own message");
        let received = fake.take_requests().remove(0);
        assert_eq!(received.path, chat);
        assert!(!received.body.is_null());
        let key = ["authorization", "x-api-key", "x-goog-api-key"].map(|name| received.headers.get(name));
        assert!(key.iter().flatten().any(|value| value.to_str().unwrap().ends_with("sk-mock")));
    }
}

#[tokio::test]
async fn a_provider_test_reports_why_it_failed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let test = |name: &str| format!("{ADMIN}/providers/{name}/test");
    let own = operator.post_json(&test("dev"), json!({"model": "dev-chat"})).await;
    assert_eq!((&own.json["ok"], &own.json["status"]), (&json!(true), &Value::Null), "{}", own.text);
    assert_refused(&operator.post_json(&test("nobody"), json!({})).await, "404 Not Found", "provider_not_found");
    assert_refused(&operator.post_json(&test("dev"), json!({"modle": "x"})).await, "400 Bad Request", "invalid_body");

    // As if the provider had been stored before its address was forbidden.
    let catalog = Catalog::new(&app.platform.context()).unwrap();
    let stored = |name: &str, kind, base_url: &str| StoredProvider {
        name: name.to_owned(),
        kind,
        base_url: Some(base_url.to_owned()),
        api_key: None,
        api_key_last4: None,
        auth_header: None,
        headers: std::collections::BTreeMap::new(),
        region: Some("eu-west-3".to_owned()),
        timeouts: Timeouts::default(),
        version: 1,
    };
    catalog.add_provider(&stored("inside", ProviderKind::OpenAi, "http://169.254.169.254")).await.unwrap();
    let inside = operator.post_json(&test("inside"), json!({})).await;
    assert_eq!(inside.json["error"]["code"], "destination_forbidden", "{}", inside.text);
    assert!(inside.json["error"]["message"].as_str().unwrap().contains("OUTBOUND_ALLOWED_CIDRS"));

    catalog.add_provider(&stored("gone", ProviderKind::Anthropic, "http://127.0.0.1:9")).await.unwrap();
    let gone = operator.post_json(&test("gone"), json!({})).await;
    assert_eq!((&gone.json["ok"], &gone.json["error"]["code"]), (&json!(false), &json!("destination_unreachable")));

    catalog.add_provider(&stored("bedrock", ProviderKind::Bedrock, "http://127.0.0.1:9")).await.unwrap();
    let unnamed = operator.post_json(&test("bedrock"), json!({})).await;
    assert_eq!((unnamed.status.as_str(), &unnamed.json["error"]["param"]), ("400 Bad Request", &json!("model")));
}

/// Some models have only one dialect, so the test uses that of the catalog.
#[tokio::test]
async fn a_model_is_tested_in_the_dialect_of_its_deployment() {
    let app = TestApp::start().await;
    let (operator, fake) = (app.operator(), FakeProvider::start().await);
    fake.respond_with(Behaviour::json(200, json!({})));
    operator.post_json(&format!("{ADMIN}/providers"), with("vendor", json!({"base_url": fake.base_url}))).await;
    let mut model = super::small_model("pro");
    model["deployments"] = json!([{"provider": "vendor", "model": "o3-pro", "dialect": "responses"}]);
    assert_eq!(operator.post_json(&format!("{ADMIN}/models"), model).await.status, "201 Created");
    for (model, path) in [("o3-pro", "/responses"), ("gpt-4o", "/chat/completions")] {
        let tested = operator.post_json(&format!("{ADMIN}/providers/vendor/test"), json!({"model": model})).await;
        assert_eq!(tested.json["ok"], true, "{}", tested.text);
        assert_eq!(fake.take_requests().remove(0).path, path);
    }
}
