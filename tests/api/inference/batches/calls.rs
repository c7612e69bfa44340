//! The calls of a batch: its routes, its prices, its labels and the rights of its key.

use domain::catalog::ResponseCache;
use domain::money::Money;

use super::*;

/// The fields of an object, without their values.
fn fields(object: &Value) -> Vec<&String> {
    object.as_object().unwrap().keys().collect()
}

#[tokio::test]
async fn every_endpoint_answers_as_its_route_does() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let question = json!([{"role": "user", "content": "Hello"}]);
    let documents = json!(["A workflow is a graph.", "A lease holds money."]);
    for (endpoint, body) in [
        (CHATS, json!({"model": "dev-chat", "messages": question})),
        ("/v1/completions", json!({"model": "dev-chat", "prompt": "Hello"})),
        ("/v1/embeddings", json!({"model": "dev-embed", "input": ["one", "two"]})),
        ("/v1/messages", json!({"model": "dev-chat", "max_tokens": 50, "messages": question})),
        ("/v1/rerank", json!({"model": "dev-rerank", "query": "money", "documents": documents})),
        ("/v1/responses", json!({"model": "dev-chat", "input": "Hello"})),
    ] {
        let direct = ada.post_json(&format!("/gateway{endpoint}"), body.clone()).await;
        assert_eq!(direct.status, "200 OK", "{endpoint}: {}", direct.text);
        let input = line("good", endpoint, &body) + &line("bad", endpoint, &json!({"model": "none"}));
        let path = start(&ada, endpoint, &input).await;
        app.platform.drain().await;
        let batch = read(&ada, &path).await;
        assert_eq!(batch["request_counts"], json!({"total": 2, "completed": 1, "failed": 1}), "{endpoint}: {batch}");
        let answer = answers(&ada, &batch).await["good"]["response"]["body"].clone();
        assert_eq!(fields(&answer), fields(&direct.json), "{endpoint}");
        let refused = ada.post_json(&format!("/gateway{endpoint}"), json!({"model": "none"})).await;
        let error = errors(&ada, &batch).await["bad"]["response"].clone();
        assert_eq!(format!("{} Bad Request", error["status_code"]), refused.status, "{endpoint}: {error}");
        assert_eq!(error["body"]["error"]["message"], refused.json["error"]["message"]);
    }
}

#[tokio::test]
async fn calls_are_charged_at_the_batch_price_of_the_model() {
    let app = TestApp::start().await;
    insert_model(&app, "half", |model| model.batch_price_percent = Some(50)).await;
    insert_model(&app, "whole", |_| {}).await;
    let kept = ResponseCache { seconds: 3_600, hit_price_percent: 25 };
    let cache = |model: &mut domain::catalog::Model| {
        (model.response_cache, model.batch_price_percent) = (Some(kept), Some(50));
    };
    insert_model(&app, "cached", cache).await;
    let customer = app.customer("prices", Money::from_usd(1)).await;
    let direct = customer.person.post_json("/gateway/v1/chat/completions", ask("half", "Hello")).await;
    assert_eq!(direct.header("x-request-cost"), Some(&*CALL_COST.to_string()));
    // The cache keeps the answer of a call at the usual price.
    customer.person.post_json("/gateway/v1/chat/completions", ask("cached", "Hello")).await;
    let input = ["half", "whole", "cached"].map(|model| line(model, CHATS, &ask(model, "Hello"))).concat();
    let request = customer.person.request(Method::POST, BATCHES).header("x-svc-tags", "team=search, nightly");
    let file = upload(&customer.person, &input).await.json["id"].clone();
    let body = json!({"input_file_id": file, "endpoint": CHATS, "completion_window": "24h"});
    let batch = send(request.json(&body)).await;
    app.platform.drain().await;

    let path = format!("{BATCHES}/{}", batch.json["id"].as_str().unwrap());
    let answers = answers(&customer.person, &read(&customer.person, &path).await).await;
    let costs: BTreeMap<&str, Value> = answers
        .iter()
        .map(|(name, answer)| (name.as_str(), answer["response"]["body"]["usage"]["cost"].clone()))
        .collect();
    let dollars = |cost: Money| serde_json::to_value(domain::usd::Usd::from(cost)).unwrap();
    // Both percentages apply, one after the other.
    let (half, from_cache) = (CALL_COST.percent(50), CALL_COST.percent(25).percent(50));
    assert_eq!(
        costs,
        BTreeMap::from([("half", dollars(half)), ("whole", dollars(CALL_COST)), ("cached", dollars(from_cache))])
    );
    let expected = CALL_COST.times(3) + half + from_cache;
    assert_eq!(app.sum_charges(customer.account.org).await, (expected, 5));
    assert_eq!(app.balance(customer.account.org).await + expected, Money::from_usd(1));

    let calls = customer.person.get("/gateway/v1/billing/calls").await.json["data"].clone();
    let shown =
        |call: &Value| json!([call["model"], call["from_batch"], call["from_cache"], call["tags"], call["cost"]]);
    let mut shown: Vec<Value> = calls.as_array().unwrap().iter().map(shown).collect();
    shown.sort_by_key(Value::to_string);
    let tags = json!(["team=search", "nightly"]);
    assert_eq!(
        shown,
        [
            json!(["cached", false, false, [], dollars(CALL_COST)]),
            json!(["cached", true, true, tags, dollars(from_cache)]),
            json!(["half", false, false, [], dollars(CALL_COST)]),
            json!(["half", true, false, tags, dollars(half)]),
            json!(["whole", true, false, tags, dollars(CALL_COST)]),
        ]
    );
    for call in calls.as_array().unwrap() {
        let receipt = format!("/gateway/v1/billing/receipts/{}", call["request_id"].as_str().unwrap());
        let receipt = customer.person.get(&receipt).await;
        assert_eq!(receipt.status, "200 OK", "{}", receipt.text);
    }
}

/// The guard model is called at once, also for a call of a batch.
#[tokio::test]
async fn evaluations_have_no_batch_price() {
    let app = TestApp::start().await;
    let free = app.operator().patch("/gateway/v1/admin/models/dev-guard", json!({"batch_price_percent": 0})).await;
    assert_eq!(free.status, "200 OK", "{}", free.text);
    let customer = app.customer("guarded", Money::from_usd(1)).await;
    let mut guarded = ask("dev-chat", "Hello");
    guarded["guard"] = json!(true);
    let path = start(&customer.person, CHATS, &line("one", CHATS, &guarded)).await;
    app.platform.drain().await;
    assert_eq!(read(&customer.person, &path).await["request_counts"]["completed"], 1);
    let calls = customer.person.get("/gateway/v1/billing/calls").await.json["data"].clone();
    let mut shown: Vec<Value> = calls
        .as_array()
        .unwrap()
        .iter()
        .map(|call| json!([call["model"], call["evaluation"], call["from_batch"], call["cost"].as_f64() > Some(0.0)]))
        .collect();
    shown.sort_by_key(Value::to_string);
    assert_eq!(shown, [json!(["dev-chat", false, true, true]), json!(["dev-guard", true, false, true])]);
}

#[tokio::test]
async fn operators_set_the_batch_price() {
    let app = TestApp::start().await;
    insert_model(&app, "priced", |_| {}).await;
    let (operator, path) = (app.operator(), "/gateway/v1/admin/models/priced");
    assert_eq!(operator.get(path).await.json["batch_price_percent"], Value::Null);
    for price in [json!(50), json!(0), Value::Null] {
        let patched = operator.patch(path, json!({"batch_price_percent": price})).await;
        assert_eq!((patched.status.as_str(), &patched.json["batch_price_percent"]), ("200 OK", &price));
        assert_eq!(operator.get(path).await.json["batch_price_percent"], price);
    }
    let refused = operator.patch(path, json!({"batch_price_percent": 101})).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"));
}

#[tokio::test]
async fn the_rights_of_the_key_are_those_at_the_call() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("revoked", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("model", 2)).await;
    let reader = app.customer("revoked", Money::ZERO).await;
    let revoked = customer.person.delete(&format!("/gateway/v1/me/api-keys/{}", customer.key)).await;
    assert_eq!(revoked.status, "204 No Content", "{}", revoked.text);
    app.platform.drain().await;
    let batch = read(&reader.person, &path).await;
    assert_eq!(
        (&batch["status"], &batch["request_counts"]),
        (&json!("completed"), &json!({"total": 2, "completed": 0, "failed": 2}))
    );
    let error = errors(&reader.person, &batch).await["0"]["response"].clone();
    assert_eq!(
        (&error["status_code"], &error["body"]["error"]["code"]),
        (&json!(401), &json!("identity.unauthorized"))
    );
    assert_eq!((fake.take_requests().len(), app.sum_charges(customer.account.org).await.1), (0, 0));
}

#[tokio::test]
async fn the_key_allows_the_models() {
    let app = TestApp::start().await;
    insert_model(&app, "allowed", |_| {}).await;
    insert_model(&app, "denied", |_| {}).await;
    let customer =
        app.customer_with_key("models", Money::from_usd(1), |key| key.models = Some(vec!["allowed".to_owned()])).await;
    let input = ["allowed", "denied"].map(|model| line(model, CHATS, &ask(model, "Hello"))).concat();
    let path = start(&customer.person, CHATS, &input).await;
    app.platform.drain().await;
    let batch = read(&customer.person, &path).await;
    assert_eq!(answers(&customer.person, &batch).await.into_keys().collect::<Vec<_>>(), ["allowed"]);
    assert_eq!(errors(&customer.person, &batch).await["denied"]["response"]["status_code"], 403);
}

/// The answers of responses are kept, so that the client may continue them.
#[tokio::test]
async fn responses_of_a_batch_are_kept() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let body = json!({"model": "dev-chat", "input": "Hello"});
    let path = start(&ada, "/v1/responses", &line("one", "/v1/responses", &body)).await;
    app.platform.drain().await;
    let answer = answers(&ada, &read(&ada, &path).await).await["one"]["response"]["body"].clone();
    let kept = ada.get(&format!("/gateway/v1/responses/{}", answer["id"].as_str().unwrap())).await;
    assert_eq!((kept.status.as_str(), &kept.json["id"]), ("200 OK", &answer["id"]));
}
