//! Parameters that a provider does not support, and unknown parameters.

use domain::catalog::Unsupported;
use domain::money::Money;
use domain::provider::ProviderKind;
use serde_json::{Value, json};
use tests::TestApp;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::{chat, post, question, with};

const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");

async fn claude(app: &TestApp, name: &str, unsupported: Unsupported) -> FakeProvider {
    let fake = FakeProvider::start().await;
    let message = json!({
        "type": "message", "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    });
    fake.then_respond(Behaviour::json(200, message));
    let change = |provider: &mut store::catalog::StoredProvider| provider.kind = ProviderKind::Anthropic;
    let builder = ModelBuilder::new(name).with(|model| model.unsupported = unsupported);
    builder.with_changed_deployment(app, &fake, change).await.insert(app).await;
    fake
}

#[tokio::test]
async fn unsupported_parameters_are_dropped_or_refused_by_the_models_setting() {
    let app = TestApp::start().await;
    let dropping = claude(&app, "dropping", Unsupported::Drop).await;
    let rejecting = claude(&app, "rejecting", Unsupported::Reject).await;
    let customer = app.customer("parameters", Money::from_usd(1)).await;
    let more = json!({
        "seed": 7, "logit_bias": {"1": 2}, "reasoning_effort": "low", "store": false, "n": 1, "thinking": {"type": "disabled"},
        "user": "user-7", "documents": [],
    });
    let answer = chat(&customer.person, &with(question("dropping"), more.clone())).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(answer.header("x-svc-dropped"), Some("seed, logit_bias, reasoning_effort, documents"));
    assert_eq!(answer.header("x-svc-passthrough"), Some("thinking, user"));
    let received = dropping.take_requests().remove(0).body;
    let names: Vec<_> = received.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["thinking", "model", "max_tokens", "messages", "metadata"]);

    let answer = chat(&customer.person, &with(question("rejecting"), more)).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "parameter_not_supported"));
    assert_eq!(answer.json["error"]["param"], "seed");
    let several = chat(&customer.person, &with(question("dropping"), json!({"n": 2}))).await;
    assert_eq!(several.json["error"]["param"], "n", "a parameter that changes the answer's form is always refused");
    assert!(rejecting.take_requests().is_empty() && dropping.take_requests().is_empty());
}

#[tokio::test]
async fn a_temperature_above_the_scale_of_the_provider_is_lowered_and_named() {
    let app = TestApp::start().await;
    let fake = claude(&app, "dropping", Unsupported::Drop).await;
    claude(&app, "rejecting", Unsupported::Reject).await;
    let customer = app.customer("warm", Money::from_usd(1)).await;
    let warm = |model: &str| with(question(model), json!({"temperature": 1.8, "max_tokens": 9}));
    let answer = chat(&customer.person, &warm("dropping")).await;
    assert_eq!((answer.status.as_str(), answer.header("x-svc-adjusted")), ("200 OK", Some("temperature")));
    assert_eq!(fake.take_requests().remove(0).body["temperature"], 1.0);
    let refused = chat(&customer.person, &warm("rejecting")).await;
    assert_eq!((refused.code(), &refused.json["error"]["param"]), ("parameter_not_supported", &json!("temperature")));
}

#[tokio::test]
async fn too_many_unknown_parameters_are_refused_before_the_call() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, ANSWER));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("unknown", Money::from_usd(1)).await;
    let many = |count: usize| {
        let fields = (0..count).map(|i| (format!("{i:x>100}"), json!(i)));
        with(question("fake"), Value::Object(fields.collect()))
    };
    let named = |name: &str| with(question("fake"), json!({ name: 1 }));
    let long = "x".repeat(4_000_000 / 2);
    let refused = [
        many(65),
        many(3_000),
        named("\u{7}"),
        named("a,b"),
        named("é"),
        named(""),
        named(&"x".repeat(101)),
        named(&long),
    ];
    for body in refused {
        for path in [tests::gateway::CHAT, "/gateway/v1/embeddings"] {
            let answer = post(&customer.person, path, &with(body.clone(), json!({"input": "a"}))).await;
            assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_body"));
            assert!(answer.text.len() < 1_000, "{}", answer.text.len());
        }
    }
    assert!(fake.take_requests().is_empty());

    let answer = chat(&customer.person, &many(64)).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(answer.header("x-svc-passthrough").map(|names| names.split(", ").count()), Some(64));
}
