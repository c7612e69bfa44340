//! Fallbacks to other models: by the client's `models`, and by the operator.

use domain::money::Money;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person};
use tests::gateway::{CHAT, Customer, ModelBuilder, events};
use tests::provider::{Behaviour, FakeProvider};

const STREAM: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: [DONE]\n\n",
);

struct Models {
    app: TestApp,
    customer: Customer,
    first: FakeProvider,
    second: FakeProvider,
}

/// Two models, `first` and `second`. The second one always answers.
async fn start(fallbacks: &[&str]) -> Models {
    let app = TestApp::start().await;
    let (first, second) = (FakeProvider::start().await, FakeProvider::start().await);
    let fallbacks = fallbacks.iter().map(|name| (*name).to_owned()).collect();
    let model = ModelBuilder::new("first").with(|model| model.fallbacks = fallbacks);
    model.with_deployment(&app, &first).await.insert(&app).await;
    ModelBuilder::new("second").with_deployment(&app, &second).await.insert(&app).await;
    second.respond_with(Behaviour::json(
        200,
        r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
    ));
    let customer = app.customer("fallbacks", Money::from_usd(1)).await;
    Models { app, customer, first, second }
}

fn failure(code: &str) -> Behaviour {
    Behaviour::json(400, json!({"error": {"message": "no", "code": code}}))
}

async fn ask(person: &Person, more: Value) -> Answer {
    let mut body = json!({"model": "first", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 8});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    person.post_json(CHAT, body).await
}

fn answered_by(answer: &Answer) -> (&str, Option<&str>, Option<&str>) {
    (answer.status.as_str(), answer.json["model"].as_str(), answer.header("x-svc-deployment"))
}

#[tokio::test]
async fn the_clients_models_answer_what_the_first_one_cannot() {
    let Models { app, customer, first, second } = start(&[]).await;
    let person = &customer.person;
    let models = json!({"models": ["first", "second"]});
    for behaviour in [failure("context_length_exceeded"), failure("content_filter"), Behaviour::json(503, "{}")] {
        first.respond_with(behaviour);
        let answer = ask(person, models.clone()).await;
        assert_eq!(
            answered_by(&answer),
            ("200 OK", Some("second"), Some("second-0/upstream-model")),
            "{}",
            answer.text
        );
    }
    let received = second.take_requests().remove(0).body;
    assert_eq!((received.get("models"), &received["max_tokens"]), (None, &json!(8)));

    // A wrong request is wrong for every model.
    first.respond_with(failure("bad_tool"));
    let refused = ask(person, models.clone()).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "bad_tool"));
    // Without the list, the failure is the answer.
    first.respond_with(failure("context_length_exceeded"));
    assert_eq!(ask(person, json!({})).await.code(), "context_length_exceeded");
    // The last failure is the answer if no model can.
    second.respond_with(failure("content_filter"));
    assert_eq!(ask(person, models).await.code(), "content_filter");

    // Each model is charged for its own calls.
    let charged: Vec<String> = app.charges(customer.account.org).await.into_iter().map(|charge| charge.model).collect();
    assert_eq!(charged, ["second", "second", "second"]);
    let failed = person.get("/gateway/v1/billing/calls?status=failed&model=first").await;
    assert_eq!(failed.json["data"].as_array().unwrap().len(), 6, "{}", failed.text);
}

#[tokio::test]
async fn the_operators_fallbacks_apply_without_a_list_of_the_client() {
    let Models { app: _app, customer, first, second } = start(&["gone", "second"]).await;
    let person = &customer.person;
    first.respond_with(failure("context_length_exceeded"));
    let answer = ask(person, json!({})).await;
    assert_eq!(answered_by(&answer), ("200 OK", Some("second"), Some("second-0/upstream-model")), "{}", answer.text);
    // The client's list has precedence.
    assert_eq!(ask(person, json!({"models": ["first"]})).await.status, "200 OK");
    // A stream falls back before its first chunk.
    second.respond_with(Behaviour::events(STREAM));
    let streamed = ask(person, json!({"stream": true})).await;
    assert_eq!(events(&streamed.text)[0]["model"], "second", "{}", streamed.text);
}

#[tokio::test]
async fn a_list_of_models_is_checked_before_the_first_call() {
    let Models { app: _app, customer, first, .. } = start(&[]).await;
    let person = &customer.person;
    for (models, code) in [
        (json!("second"), "invalid_body"),
        (json!([7]), "invalid_body"),
        (json!(["a", "b", "c", "d", "e", "f", "g", "h", "i"]), "invalid_body"),
        (json!(["second", "unknown"]), "model_not_found"),
    ] {
        let refused = ask(person, json!({"models": models})).await;
        assert_eq!(refused.code(), code, "{models}: {}", refused.text);
    }
    assert!(first.take_requests().is_empty());
}

#[tokio::test]
async fn an_operator_sets_the_fallbacks_of_a_model() {
    let Models { app, .. } = start(&[]).await;
    let operator = app.operator();
    let path = "/gateway/v1/admin/models/first";
    let patched = operator.patch(path, json!({"fallbacks": ["second"]})).await;
    assert_eq!(patched.json["fallbacks"], json!(["second"]), "{}", patched.text);
    assert_eq!(operator.patch(path, json!({"display_name": "First"})).await.json["fallbacks"], json!(["second"]));
    for wrong in [json!(["first"]), json!(["unknown"]), json!(["second", "second"]), json!(["dev-embed"])] {
        let refused = operator.patch(path, json!({"fallbacks": wrong})).await;
        assert_eq!(refused.status, "400 Bad Request", "{wrong}: {}", refused.text);
        assert!(refused.text.contains("fallbacks["), "{}", refused.text);
    }
    let refused = operator.delete("/gateway/v1/admin/models/second").await;
    assert_eq!((refused.status.as_str(), refused.code()), ("409 Conflict", "model_in_use"), "{}", refused.text);
    assert_eq!(operator.patch(path, json!({"fallbacks": null})).await.json["fallbacks"], json!([]));
}
