//! What the log shows of each call, and by what its calls are found.

use domain::money::Money;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

const CHAT: &str = "/gateway/v1/chat/completions";
const ANSWER: &str = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],
    "usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}"#;
const STREAM: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: [DONE]\n\n",
);

async fn call(person: &Person, tags: &str, body: Value) -> Answer {
    let mut request = person.request(Method::POST, CHAT);
    if !tags.is_empty() {
        request = request.header("x-svc-tags", tags);
    }
    send(request.json(&body)).await
}

fn body(model: &str, more: Value) -> Value {
    let mut body = json!({"model": model, "messages": [{"role": "user", "content": "hello"}], "max_tokens": 8});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// Makes calls of every kind, as the person of a customer.
async fn make_calls(app: &TestApp, person: &Person) {
    let (first, second) = (FakeProvider::start().await, FakeProvider::start().await);
    let model = ModelBuilder::new("served").with_deployment(app, &first).await.with_deployment(app, &second).await;
    model.insert(app).await;
    app.operator().put("/gateway/v1/admin/aliases/quick", json!({"model": "served"})).await;

    first.respond_with(Behaviour::json(200, ANSWER));
    call(person, "team=search, nightly", body("served", json!({"user": "u-1"}))).await;
    call(person, "team=search", body("served", json!({"safety_identifier": "u-2", "user": "u-1"}))).await;
    call(person, "", body("quick", json!({"metadata": {"team": "ads", "user_id": "u-1"}}))).await;
    first.respond_with(Behaviour::json(400, json!({"error": {"message": "no", "code": "bad_tool"}})));
    call(person, "nightly", body("served", json!({"user": "u-2"}))).await;
    first.respond_with(Behaviour::json(503, "{}"));
    second.respond_with(Behaviour::json(200, ANSWER));
    call(person, "", body("served", json!({}))).await;
    first.respond_with(Behaviour::events(STREAM));
    call(person, "", body("served", json!({"stream": true}))).await;
    first.respond_with(Behaviour::events(STREAM).cut_after(1));
    call(person, "nightly", body("served", json!({"stream": true}))).await;
    first.respond_with(Behaviour::json(200, ANSWER));
    call(person, "", body("served", json!({}))).await;
}

#[tokio::test]
async fn a_call_shows_how_it_was_made_and_served() {
    let app = TestApp::start().await;
    let customer = app.customer("log", Money::from_usd(1)).await;
    make_calls(&app, &customer.person).await;
    let calls = list(&customer.person, CALLS, 100).await;
    let shown = calls.iter().map(|call| {
        json!([
            call["status"],
            call["error_code"],
            call["model"],
            call["alias"],
            call["deployment"],
            call["end_user"],
            call["tags"],
            call["streamed"],
            call["tokens"]["input"],
            call["tokens"]["output"],
            call["cost"],
            call["first_output_ms"].is_u64(),
            call["duration_ms"].is_u64(),
        ])
        .to_string()
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n"));
    for call in &calls {
        assert_eq!(call["org"], customer.account.org.to_string());
        assert_eq!(call["user"], customer.account.user.to_string());
        assert_eq!(call["api_key"], customer.key.to_string());
        assert!(call["started_at"].as_str() <= call["ended_at"].as_str(), "{call}");
    }
    let mut keys: Vec<&String> = calls[0].as_object().unwrap().keys().collect();
    keys.sort();
    insta::assert_json_snapshot!(keys);
}

/// Each filter finds the calls that have its value, in pages of any size, for the organization and for the operator.
#[tokio::test]
async fn each_filter_finds_exactly_its_calls() {
    let app = TestApp::start().await;
    let customer = app.customer("log", Money::from_usd(1)).await;
    make_calls(&app, &customer.person).await;
    // The calls of another organization, with the same model, tags and end user.
    let other = app.customer("other", Money::from_usd(1)).await;
    for _ in 0..3 {
        call(&other.person, "nightly", body("served", json!({"user": "u-1"}))).await;
    }
    close_leases(&app).await;
    let operator = app.operator();
    let (own, all) = (list(&customer.person, CALLS, 100).await, list(&operator, ADMIN_CALLS, 100).await);
    assert_eq!((own.len(), all.len()), (8, 11));
    let org = customer.account.org.to_string();

    let fields = ["status", "error_code", "api_key", "user", "end_user", "model", "alias", "provider", "deployment"];
    let mut filters: Vec<(&str, String)> = Vec::new();
    for call in &all {
        let of_call = fields.iter().filter_map(|field| Some((*field, call[field].as_str()?.to_owned())));
        filters.extend(of_call);
        filters.extend(call["tags"].as_array().unwrap().iter().map(|tag| ("tag", tag.as_str().unwrap().to_owned())));
    }
    filters.sort();
    filters.dedup();
    assert!(filters.len() > 18, "{filters:?}");
    for (field, value) in filters {
        let has = |call: &&Value| match field {
            "tag" => call["tags"].as_array().unwrap().iter().any(|tag| *tag == *value),
            _ => call[field] == *value,
        };
        let query = format!("{field}={}", value.replace('=', "%3D"));
        let expected: Vec<Value> = own.iter().filter(has).cloned().collect();
        for limit in [1, 3, 100] {
            let found = list(&customer.person, &format!("{CALLS}?{query}"), limit).await;
            assert_eq!(ids(&found), ids(&expected), "{query} by {limit}");
            let found = list(&operator, &format!("{ADMIN_CALLS}?org={org}&{query}"), limit).await;
            assert_eq!(ids(&found), ids(&expected), "{query} of the organization by {limit}");
            if ["tag", "end_user"].contains(&field) {
                continue;
            }
            let expected: Vec<Value> = all.iter().filter(has).cloned().collect();
            let found = list(&operator, &format!("{ADMIN_CALLS}?{query}"), limit).await;
            assert_eq!(ids(&found), ids(&expected), "{query} of all by {limit}");
        }
    }
    // Two filters, and times.
    let both = list(&customer.person, &format!("{CALLS}?tag=nightly&status=failed&model=served"), 1).await;
    let expected = own.iter().filter(|call| call["tags"] == json!(["nightly"]) && call["status"] == "failed");
    assert_eq!(ids(&both), expected.map(|call| call["id"].as_str().unwrap()).collect::<Vec<_>>());
    let time = own[3]["ended_at"].as_str().unwrap();
    for filter in ["", "&model=served", "&status=completed"] {
        let path = |bound: &str| format!("{CALLS}?{bound}={time}{filter}");
        let (from, before) =
            (list(&customer.person, &path("from"), 2).await, list(&customer.person, &path("to"), 2).await);
        let selected = list(&customer.person, &format!("{CALLS}?from=2026-01-01T00:00:00Z{filter}"), 100).await;
        assert_eq!([ids(&from), ids(&before)].concat(), ids(&selected));
        assert!(from.iter().all(|call| call["ended_at"].as_str() >= Some(time)));
    }
}

#[tokio::test]
async fn tags_are_bounded() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let many = (0..11).map(|tag| tag.to_string()).collect::<Vec<_>>().join(",");
    for wrong in [many, "x".repeat(65)] {
        let refused = call(&ada, &wrong, body("dev-chat", json!({}))).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_query"), "{}", refused.text);
    }
    // Metadata may have another purpose, so what is no tag is left out.
    let metadata = json!({"long": "x".repeat(100), "number": 7, "kept": "yes"});
    call(&ada, " a ,a,, b", body("dev-chat", json!({"metadata": metadata, "user": "x".repeat(400)}))).await;
    let calls = list(&ada, CALLS, 10).await;
    assert_eq!(calls[0]["tags"], json!(["a", "b", "kept=yes"]));
    assert_eq!(calls[0]["end_user"], "x".repeat(128));
}
