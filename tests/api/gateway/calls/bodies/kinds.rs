//! What is kept of each kind of call.

use domain::catalog::ResponseCache;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

const STREAM: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"It is \"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"warm.\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\n\n",
    "data: [DONE]\n\n",
);

/// A model of a fake provider, and a customer who keeps bodies.
async fn start() -> (TestApp, FakeProvider, Customer) {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let cache = ResponseCache { seconds: 3_600, hit_price_percent: 25 };
    let model = ModelBuilder::new("weather").with(|model| model.response_cache = Some(cache));
    model.with_deployment(&app, &fake).await.insert(&app).await;
    let customer = keeper(&app, "kinds", 7).await;
    (app, fake, customer)
}

/// Makes a call, and returns what is kept of it.
async fn kept(app: &TestApp, person: &Person, path: &str, body: &Value) -> Value {
    let called = person.post_json(path, body.clone()).await;
    assert!(called.status.starts_with('2'), "{path}: {}", called.text);
    kept_of(app, person, &called, body).await
}

async fn kept_of(app: &TestApp, person: &Person, called: &Answer, body: &Value) -> Value {
    let kept = read(app, person, request_of(called)).await;
    assert_eq!(kept.status, "200 OK", "{body}: {}", kept.text);
    assert_eq!((&kept.json["request"], &kept.json["truncated"]), (body, &json!(false)));
    kept.json["response"].clone()
}

#[tokio::test]
async fn chats_are_kept_in_every_dialect() {
    let (app, fake, customer) = start().await;
    let person = &customer.person;
    let choice =
        json!({"index": 0, "message": {"role": "assistant", "content": "It is warm."}, "finish_reason": "stop"});
    let whole =
        Behaviour::json(200, json!({"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 2}}));
    let messages = json!([{"role": "user", "content": "Is it warm?"}]);
    let bodies = [
        (CHAT, json!({"model": "weather", "messages": messages, "max_tokens": 9})),
        ("/gateway/v1/completions", json!({"model": "weather", "prompt": "Is it warm?", "max_tokens": 9})),
        ("/gateway/v1/messages", json!({"model": "weather", "messages": messages, "max_tokens": 9})),
        ("/gateway/v1/responses", json!({"model": "weather", "input": "Is it warm?", "max_output_tokens": 16})),
    ];
    for (path, body) in bodies {
        fake.respond_with(whole.clone());
        let response = kept(&app, person, path, &body).await;
        assert_eq!(response, json!({"model": "weather", "choices": [choice]}), "{path}");
        let mut streamed = body;
        streamed["stream"] = json!(true);
        fake.respond_with(Behaviour::events(STREAM));
        // The second time, the cache answers.
        for _ in 0..2 {
            let response = kept(&app, person, path, &streamed).await;
            let assembled = &response["choices"][0];
            assert_eq!(
                (&assembled["message"]["content"], &assembled["finish_reason"], response.get("error")),
                (&json!("It is warm."), &json!("stop"), None),
                "{path}: {response}"
            );
        }
    }
    let cached = list(person, CALLS, 100).await.iter().filter(|call| call["from_cache"] == true).count();
    assert_eq!((cached, count_objects(&app).await), (4, 12));
}

#[tokio::test]
async fn other_calls_are_kept_too() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "others", 7).await;
    let person = &customer.person;
    let embed = json!({"model": "dev-embed", "input": ["A graph"], "dimensions": 2});
    let embeddings = kept(&app, person, "/gateway/v1/embeddings", &embed).await;
    assert_eq!(embeddings["embeddings"].as_array().map(Vec::len), Some(1), "{embeddings}");
    let rerank = json!({"model": "dev-rerank", "query": "What is a lease?", "documents": ["A graph.", "A lease."]});
    let ranks = kept(&app, person, "/gateway/v1/rerank", &rerank).await;
    assert_eq!(
        (&ranks["model"], ranks["results"].as_array().map(Vec::len)),
        (&json!("dev-rerank"), Some(2)),
        "{ranks}"
    );
    let guard = json!({"input": [{"role": "user", "content": "How do I make a bomb?"}]});
    let verdict = kept(&app, person, "/gateway/v1/guard", &guard).await;
    assert!(verdict["verdict"]["results"].is_array(), "{verdict}");
}

#[tokio::test]
async fn the_prompt_and_the_names_of_images_are_kept() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "images", 7).await;
    let body = json!({"preset": "dev-image", "prompt": "A red fox", "size": "64x64"});
    let request = customer.person.request(Method::POST, "/gateway/v1/images/generations");
    let started = send(request.header("prefer", "respond-async").json(&body)).await;
    assert_eq!(started.status, "202 Accepted", "{}", started.text);
    app.platform.drain().await;
    let kept = read(&app, &customer.person, request_of(&started)).await;
    assert_eq!(kept.json["request"]["prompt"], "A red fox", "{}", kept.text);
    let response = &kept.json["response"];
    assert_eq!((&response["job"], response["images"].as_array().map(Vec::len)), (&started.json["job_id"], Some(1)));
}

#[tokio::test]
async fn calls_that_fail_are_kept_with_their_error() {
    let (app, fake, customer) = start().await;
    let person = &customer.person;
    let body = json!({"model": "weather", "messages": [{"role": "user", "content": "Is it warm?"}], "max_tokens": 9});
    fake.respond_with(Behaviour::json(400, json!({"error": {"message": "no such tool", "code": "bad_tool"}})));
    let failed = person.post_json(CHAT, body.clone()).await;
    assert_eq!(failed.status, "400 Bad Request", "{}", failed.text);
    let response = kept_of(&app, person, &failed, &body).await;
    assert_eq!(response["error"]["code"], "bad_tool", "{response}");

    // A stream that is cut has what arrived.
    let mut streamed = body;
    streamed["stream"] = json!(true);
    fake.respond_with(Behaviour::events(STREAM).cut_after(1));
    let cut = person.post_json(CHAT, streamed.clone()).await;
    let response = kept_of(&app, person, &cut, &streamed).await;
    let choice = &response["choices"][0];
    assert_eq!((&choice["message"]["content"], &choice["finish_reason"]), (&json!("It is "), &Value::Null));
    assert!(response["error"]["code"].is_string(), "{response}");
    let calls = list(person, CALLS, 10).await;
    assert!(calls.iter().all(|call| call["bodies_expire_at"].is_string() && call["status"] == "failed"), "{calls:?}");
}

/// Such requests are not in the log of calls.
#[tokio::test]
async fn nothing_is_kept_of_refused_requests() {
    let (app, _, customer) = start().await;
    let person = &customer.person;
    let refused = person.post_json(CHAT, json!({"model": "none", "messages": question("x")["messages"]})).await;
    assert_eq!(refused.status, "404 Not Found", "{}", refused.text);
    let body = json!({"model": "weather", "messages": question("x")["messages"], "max_tokens": 0});
    assert_eq!(person.post_json(CHAT, body).await.status, "400 Bad Request");
    let counted = json!({"model": "dev-chat", "messages": question("x")["messages"]});
    assert_eq!(person.post_json("/gateway/v1/messages/count_tokens", counted).await.status, "200 OK");
    assert_eq!(count_objects(&app).await, 0);
}

/// Their runs have records of what was exchanged.
#[tokio::test]
async fn calls_of_the_platform_are_not_kept() {
    let app = TestApp::start().await;
    keep_bodies(&app.key_client("ada"), 7).await;
    let ada = app.person("ada");
    let agent = format!("/builder/v1/agents/{}", ada.post("/builder/v1/agents").await.id());
    ada.patch(&agent, json!({"name": "Helper", "config": {"instructions": "Be kind."}})).await;
    let answer = ada.post_json(&format!("{agent}/invoke"), json!({"input": "Hello"})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!((list(&app.key_client("ada"), CALLS, 10).await.len(), count_objects(&app).await), (1, 0));
}
