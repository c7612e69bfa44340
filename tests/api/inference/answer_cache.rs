//! The cache of answers: a model gives its answer again to an equal request of the same organization.

use std::time::Duration;

use domain::catalog::{ModelType, ResponseCache};
use domain::id::OrgId;
use domain::money::Money;
use domain::time::Time;
use reqwest::Method;
use serde_json::{Value, json};
use store::CachedAnswers;
use store::cached_answers::CachedRequest;
use store::claims::StoredAnswer;
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::gateway::{CHAT, ModelBuilder, events};
use tests::provider::{Behaviour, FakeProvider};

const CALLS: &str = "/gateway/v1/billing/calls";
const STREAM: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}\n\n",
    "data: [DONE]\n\n",
);

/// A model of a provider whose answers are kept for an hour, and cost a quarter from the cache.
async fn start(change: impl FnOnce(ModelBuilder) -> ModelBuilder) -> (TestApp, FakeProvider) {
    let app = TestApp::start().await;
    let provider = FakeProvider::start().await;
    let cache = ResponseCache { seconds: 3_600, hit_price_percent: 25 };
    let model = ModelBuilder::new("kept").with(|model| model.response_cache = Some(cache));
    change(model).with_deployment(&app, &provider).await.insert(&app).await;
    provider.respond_with(completion("Hi"));
    (app, provider)
}

fn completion(text: &str) -> Behaviour {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    Behaviour::json(200, json!({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}))
}

async fn ask(person: &Person, question: &str, cache_control: &str) -> Answer {
    let body = json!({"model": "kept", "messages": [{"role": "user", "content": question}], "max_tokens": 50});
    send(person.request(Method::POST, CHAT).header("cache-control", cache_control).json(&body)).await
}

fn text(answer: &Answer) -> &str {
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["choices"][0]["message"]["content"].as_str().unwrap()
}

fn use_of_cache(answer: &Answer) -> Option<&str> {
    answer.header("x-svc-cache")
}

#[tokio::test]
async fn an_equal_request_gets_the_answer_again_at_the_price_of_the_cache() {
    let (app, provider) = start(|model| model).await;
    let customer = app.customer("cache", Money::from_usd(1)).await;
    let first = ask(&customer.person, "hello", "max-age=0").await;
    provider.respond_with(completion("Another"));
    let again = ask(&customer.person, "hello", "max-age=0").await;
    assert_eq!([use_of_cache(&first), use_of_cache(&again)], [Some("miss"), Some("hit")]);
    assert_eq!([text(&first), text(&again)], ["Hi", "Hi"]);
    assert_eq!(provider.take_requests().len(), 1);
    assert_ne!(first.json["id"], again.json["id"], "the charge of each call is found by its id");
    let cost = |answer: &Answer| answer.header("x-request-cost").unwrap().parse::<f64>().unwrap();
    assert_eq!(cost(&again), cost(&first) / 4.0);
    assert_eq!(again.json["usage"]["total_tokens"], 120);
    assert_eq!(
        [first.header("x-svc-deployment"), again.header("x-svc-deployment")],
        [Some("kept-0/upstream-model"), None]
    );

    // The log, the receipt and the balance agree.
    let calls = customer.person.get(CALLS).await.json["data"].clone();
    let shown = |call: &Value| json!([call["from_cache"], call["provider"], call["tokens"]["input"], call["cost"]]);
    assert_eq!(shown(&calls[0]), json!([true, null, 100, calls[0]["cost"]]));
    assert_eq!(shown(&calls[1]), json!([false, "kept-0", 100, calls[1]["cost"]]));
    let receipt =
        customer.person.get(&format!("/gateway/v1/billing/receipts/{}", again.json["id"].as_str().unwrap())).await;
    assert_eq!(receipt.json["receipt"]["cost"].as_str().unwrap().parse::<f64>().unwrap(), cost(&again));
    let (charged, count) = app.sum_charges(customer.account.org).await;
    assert_eq!((charged + app.balance(customer.account.org).await, count), (Money::from_usd(1), 2));
}

#[tokio::test]
async fn the_client_may_refresh_an_answer_or_leave_the_cache_out() {
    let (app, provider) = start(|model| model).await;
    let customer = app.customer("control", Money::from_usd(1)).await;
    let mut seen = Vec::new();
    for (answer, control) in [
        ("one", "no-store"),
        ("two", ""),
        ("three", ""),
        ("four", "no-store"),
        ("five", ""),
        ("six", "max-age=0, No-Cache"),
        ("seven", ""),
    ] {
        provider.respond_with(completion(answer));
        let answer = ask(&customer.person, "hello", control).await;
        seen.push(format!("{} {}", use_of_cache(&answer).unwrap_or("-"), text(&answer)));
    }
    assert_eq!(seen, ["- one", "miss two", "hit two", "- four", "hit two", "miss six", "hit six"]);
}

#[tokio::test]
async fn other_requests_models_and_organizations_get_no_answer_of_the_cache() {
    let (app, provider) = start(|model| model).await;
    let customer = app.customer("own", Money::from_usd(1)).await;
    ask(&customer.person, "hello", "").await;
    let other = app.customer("other", Money::from_usd(1)).await;
    assert_eq!(use_of_cache(&ask(&other.person, "hello", "").await), Some("miss"));
    assert_eq!(use_of_cache(&ask(&customer.person, "hello!", "").await), Some("miss"));
    assert_eq!(provider.take_requests().len(), 3);
    // Failures are not kept.
    provider.respond_with(Behaviour::json(400, json!({"error": {"message": "no", "code": "bad"}})));
    assert_eq!(ask(&customer.person, "fails", "").await.status, "400 Bad Request");
    provider.respond_with(completion("Hi"));
    assert_eq!(use_of_cache(&ask(&customer.person, "fails", "").await), Some("miss"));
}

#[tokio::test]
async fn the_operator_sets_the_cache_of_a_model() {
    let (app, _provider) = start(|model| model).await;
    let (operator, path) = (app.operator(), "/gateway/v1/admin/models/kept");
    assert_eq!(operator.get(path).await.json["response_cache"], json!({"seconds": 3_600, "hit_price_percent": 25}));
    for (settings, shown) in
        [(json!({"seconds": 60}), json!({"seconds": 60, "hit_price_percent": 25})), (Value::Null, Value::Null)]
    {
        let patched = operator.patch(path, json!({"response_cache": settings})).await;
        assert_eq!((patched.status.as_str(), &patched.json["response_cache"]), ("200 OK", &shown), "{}", patched.text);
    }
    for (settings, parameter) in [
        (json!({"seconds": 0}), "response_cache.seconds"),
        (json!({"seconds": 90_000}), "response_cache.seconds"),
        (json!({"seconds": 60, "hit_price_percent": 101}), "response_cache.hit_price_percent"),
    ] {
        let refused = operator.patch(path, json!({"response_cache": settings})).await;
        assert_eq!((refused.status.as_str(), &refused.json["error"]["param"]), ("400 Bad Request", &json!(parameter)));
    }
}

#[tokio::test]
async fn streams_are_kept_when_they_are_complete() {
    let (app, provider) = start(|model| model).await;
    let customer = app.customer("streams", Money::from_usd(1)).await;
    let body = json!({"model": "kept", "messages": [{"role": "user", "content": "hello"}], "stream": true,
        "stream_options": {"include_usage": true}});
    let mut answers = Vec::new();
    for behaviour in [Behaviour::events(STREAM).cut_after(1), Behaviour::events(STREAM), completion("unused")] {
        provider.respond_with(behaviour);
        let answer = customer.person.post_json(CHAT, body.clone()).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        answers.push(answer);
    }
    assert_eq!(answers.iter().map(use_of_cache).collect::<Vec<_>>(), [Some("miss"), Some("miss"), Some("hit")]);
    assert!(answers[0].text.contains("\"error\""), "{}", answers[0].text);
    let content = |answer: &Answer| {
        let events = events(&answer.text);
        let texts = events.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str());
        let usage = events.iter().find_map(|event| event["usage"]["total_tokens"].as_u64());
        (texts.collect::<String>(), usage, answer.text.ends_with("data: [DONE]\n\n"))
    };
    assert_eq!(content(&answers[1]), ("Hi".to_owned(), Some(120), true));
    assert_eq!(content(&answers[2]), content(&answers[1]));
    let costs =
        |answer: &Answer| events(&answer.text).iter().find_map(|event| event["usage"]["cost"].as_f64()).unwrap();
    assert_eq!(costs(&answers[2]), costs(&answers[1]) / 4.0);
    // The same text in another dialect is another request.
    let messages = json!({"model": "kept", "max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]});
    let mut uses = Vec::new();
    for _ in 0..2 {
        let answer = customer.person.post_json("/gateway/v1/messages", messages.clone()).await;
        assert_eq!((answer.status.as_str(), &answer.json["content"][0]["text"]), ("200 OK", &json!("unused")));
        uses.push(use_of_cache(&answer).unwrap().to_owned());
    }
    assert_eq!(uses, ["miss", "hit"]);
}

#[tokio::test]
async fn embeddings_and_long_answers_are_kept() {
    let (app, provider) = start(|model| model.with(|model| model.r#type = ModelType::Embeddings)).await;
    let customer = app.customer("vectors", Money::from_usd(1)).await;
    // It is too long for an item of the table.
    let vector: Vec<f32> = (0..20_000u16).map(|number| f32::from(number) / 7.0).collect();
    let answer = json!({"data": [{"index": 0, "embedding": vector}], "usage": {"prompt_tokens": 3}});
    provider.respond_with(Behaviour::json(200, answer));
    let body = json!({"model": "kept", "input": "hello"});
    let first = customer.person.post_json("/gateway/v1/embeddings", body.clone()).await;
    let again = customer.person.post_json("/gateway/v1/embeddings", body).await;
    assert_eq!(first.status, "200 OK", "{}", first.text);
    assert_eq!([use_of_cache(&first), use_of_cache(&again)], [Some("miss"), Some("hit")]);
    assert_eq!(first.json["data"], again.json["data"]);
    assert_eq!(first.json["data"][0]["embedding"].as_array().unwrap().len(), 20_000);
}

#[tokio::test]
async fn an_answer_expires_and_belongs_to_one_version_of_its_model() {
    let app = TestApp::start().await;
    let answers = CachedAnswers::new(&app.platform.context()).unwrap();
    let request = CachedRequest {
        org: OrgId::new(),
        model: "kept".to_owned(),
        version: 1,
        scope: "chat".to_owned(),
        body_hash: "L2rN4zEF8Z4DpDEqQeZpFg".to_owned(),
    };
    let answer = StoredAnswer { content_type: "application/json".to_owned(), body: "{}".into() };
    let expires_at = Time::from_millis(1_772_357_400_000);
    answers.put(&request, answer.clone(), expires_at).await.unwrap();
    let find = |at: Time| answers.find(&request, at);
    assert_eq!(find(expires_at.minus(Duration::from_secs(1))).await.unwrap(), Some(answer));
    assert_eq!(find(expires_at).await.unwrap(), None);
    let of_next = CachedRequest { version: 2, ..request.clone() };
    assert_eq!(answers.find(&of_next, expires_at.minus(Duration::from_secs(1))).await.unwrap(), None);
}
