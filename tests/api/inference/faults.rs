//! Errors of a provider are reported as errors: never as an answer, and never charged without a result.

use domain::money::Money;
use serde_json::{Value, json};
use store::catalog::StoredProvider;
use tests::TestApp;
use tests::client::Answer;
use tests::gateway::{Customer, ModelBuilder, events};
use tests::polling::PATIENCE;
use tests::provider::{Behaviour, FakeProvider};

use super::{chat, question, with};

const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");
const STREAM: &str = include_str!("../../providers/fixtures/openai/stream.sse");

struct Stage {
    app: TestApp,
    fake: FakeProvider,
    customer: Customer,
}

async fn stage() -> Stage {
    stage_with(|_| {}).await
}

async fn stage_with(change: impl FnOnce(&mut StoredProvider)) -> Stage {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    ModelBuilder::new("fake").with_changed_deployment(&app, &fake, change).await.insert(&app).await;
    let customer = app.customer("faults", Money::from_usd(1)).await;
    Stage { app, fake, customer }
}

impl Stage {
    async fn send(&self, behaviour: Behaviour) -> Answer {
        self.fake.respond_with(behaviour);
        chat(&self.customer.person, &question("fake")).await
    }

    async fn stream(&self, behaviour: Behaviour) -> Answer {
        self.fake.respond_with(behaviour);
        chat(&self.customer.person, &with(question("fake"), json!({"stream": true}))).await
    }

    async fn sum_charges(&self) -> Money {
        self.app.sum_charges(self.customer.account.org).await.0
    }

    async fn is_free(&self) {
        assert_eq!(self.sum_charges().await, Money::ZERO);
        assert_eq!(self.app.balance(self.customer.account.org).await, Money::from_usd(1));
    }
}

fn error(code: &str) -> String {
    json!({"error": {"message": "the provider's words", "type": "t", "param": "temperature", "code": code}}).to_string()
}

#[tokio::test]
async fn a_400_keeps_code_param_and_message() {
    let stage = stage().await;
    for answer in [
        stage.send(Behaviour::json(400, error("invalid_value"))).await,
        stage.stream(Behaviour::json(400, error("invalid_value"))).await,
    ] {
        assert_eq!(answer.status, "400 Bad Request");
        let error_body = &answer.json["error"];
        assert_eq!(
            (&error_body["type"], &error_body["code"]),
            (&json!("invalid_request_error"), &json!("invalid_value"))
        );
        assert_eq!(
            (&error_body["param"], &error_body["message"]),
            (&json!("temperature"), &json!("the provider's words"))
        );
        assert_eq!(error_body["request_id"], answer.header("x-request-id").unwrap());
    }
    assert_eq!(stage.fake.take_requests().len(), 2, "an error of the request is not retried");
    stage.is_free().await;
}

#[tokio::test]
async fn a_401_of_a_provider_is_a_502_that_is_not_retried() {
    let stage = stage().await;
    let answer = stage.send(Behaviour::json(401, error("invalid_api_key"))).await;
    assert_eq!((answer.status.as_str(), answer.header("x-should-retry")), ("502 Bad Gateway", Some("false")));
    assert_eq!(answer.json["error"]["type"], "provider_error");
    stage.is_free().await;
}

#[tokio::test]
async fn a_429_keeps_its_retry_after() {
    let stage = stage().await;
    let answer = stage.send(Behaviour::json(429, error("slow_down")).header("Retry-After", "7")).await;
    assert_eq!(answer.status, "429 Too Many Requests");
    assert_eq!((answer.header("retry-after"), answer.header("retry-after-ms")), (Some("7"), Some("7000")));
    assert_eq!(answer.json["error"]["type"], "rate_limit_error");
    stage.is_free().await;
}

#[tokio::test]
async fn a_503_is_retried_and_then_reported() {
    let stage = stage().await;
    stage.fake.then_respond(Behaviour::json(503, error("overloaded")));
    stage.fake.then_respond(Behaviour::json(200, ANSWER));
    let answer = chat(&stage.customer.person, &question("fake")).await;
    assert_eq!(answer.status, "200 OK");
    assert_eq!(stage.fake.take_requests().len(), 2);

    let answer = stage.send(Behaviour::json(503, error("overloaded")).header("Retry-After", "9")).await;
    assert_eq!((answer.status.as_str(), answer.header("retry-after")), ("502 Bad Gateway", Some("9")));
    assert_eq!(answer.json["error"]["type"], "provider_error");
}

#[tokio::test]
async fn a_silent_provider_is_a_504() {
    let stage = stage_with(|provider| provider.timeouts.total_ms = 200).await;
    let answer = stage.send(Behaviour::json(200, ANSWER).delayed_by(PATIENCE)).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("504 Gateway Timeout", "provider_timeout"));
    assert_eq!(answer.json["error"]["type"], "provider_error");
    stage.is_free().await;
}

#[tokio::test]
async fn a_connection_cut_at_once_is_an_error_and_costs_nothing() {
    let stage = stage().await;
    let answer = stage.stream(Behaviour::hang_up()).await;
    assert_eq!(answer.status, "502 Bad Gateway");
    let answer = stage.stream(Behaviour::events(STREAM).cut_after(0)).await;
    assert_eq!(answer.status, "502 Bad Gateway");
    stage.is_free().await;
}

#[tokio::test]
async fn a_stream_cut_midway_ends_with_an_error_and_costs_what_was_sent() {
    for behaviour in [Behaviour::events(STREAM).cut_after(4), Behaviour::events(STREAM).ended_after(4)] {
        let stage = stage().await;
        let answer = stage.stream(behaviour).await;
        let events = events(&answer.text);
        let (last, before) = events.split_last().unwrap();
        assert_eq!(last["error"]["type"], "provider_error", "{}", answer.text);
        assert!(last["error"]["code"].is_string() && last["error"]["message"].is_string());
        assert_eq!(last["error"]["request_id"], answer.header("x-request-id").unwrap());
        assert_eq!(before.len(), 4, "{}", answer.text);
        for event in before {
            assert_eq!(event["choices"][0].get("finish_reason"), Some(&Value::Null), "no finish reason is invented");
        }
        assert!(!answer.text.contains("[DONE]"));
        let charged = stage.sum_charges().await;
        assert!(charged > Money::ZERO && charged < Money::from_micro_usd(12 + 8 * 4), "{charged}");
        assert_eq!(stage.app.balance(stage.customer.account.org).await, Money::from_usd(1).less(charged));
    }
}

#[tokio::test]
async fn an_error_in_a_stream_keeps_the_providers_message() {
    let stage = stage().await;
    let (first, _) = STREAM.split_at(STREAM.find("\n\n").unwrap() + 2);
    let text = format!("{first}data: {}\n\n", error("server_overloaded"));
    let answer = stage.stream(Behaviour::events(&text)).await;
    let events = events(&answer.text);
    let error_body = &events.last().unwrap()["error"];
    assert_eq!(
        (&error_body["code"], &error_body["message"]),
        (&json!("server_overloaded"), &json!("the provider's words"))
    );
    assert!(!answer.text.contains("[DONE]"));
    stage.is_free().await;
}

#[tokio::test]
async fn a_garbled_answer_is_an_error() {
    let stage = stage().await;
    assert_eq!(stage.send(Behaviour::json(200, "<html>")).await.status, "502 Bad Gateway");
    assert_eq!(stage.send(Behaviour::json(200, "{\"choices\": 3}")).await.status, "502 Bad Gateway");
    stage.is_free().await;
}

#[tokio::test]
async fn a_failing_deployment_falls_back_and_is_then_skipped() {
    let app = TestApp::start().await;
    let (broken, well) = (FakeProvider::start().await, FakeProvider::start().await);
    broken.then_respond(Behaviour::json(500, error("broken")));
    well.then_respond(Behaviour::json(200, ANSWER));
    ModelBuilder::new("twofold")
        .with_deployment(&app, &broken)
        .await
        .with_deployment(&app, &well)
        .await
        .insert(&app)
        .await;
    let customer = app.customer("faults", Money::from_usd(1)).await;
    for _ in 0..4 {
        assert_eq!(chat(&customer.person, &question("twofold")).await.status, "200 OK");
    }
    let asked = broken.take_requests().len();
    assert!((3..=4).contains(&asked), "the deployment is skipped after three failures in a row: {asked}");
    assert_eq!(well.take_requests().len(), 4);
}
