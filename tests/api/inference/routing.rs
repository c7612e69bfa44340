//! The routing of a model's calls: strategies, retries and cooldowns of the operator.

use domain::catalog::Model;
use domain::money::Money;
use domain::routing::{DeploymentCost, RoutingPolicy, RoutingStrategy};
use serde_json::json;
use tests::TestApp;
use tests::client::Answer;
use tests::gateway::{Customer, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider, Gate};

use super::{chat, question, with};

const ANSWER: &str = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#;
const STREAM: &str = include_str!("../../providers/fixtures/openai/stream.sse");

struct Stage {
    _app: TestApp,
    customer: Customer,
    first: FakeProvider,
    second: FakeProvider,
}

/// A model with two deployments, which both answer.
async fn start(change: impl FnOnce(&mut Model)) -> Stage {
    let app = TestApp::start().await;
    let (first, second) = (FakeProvider::start().await, FakeProvider::start().await);
    for provider in [&first, &second] {
        provider.respond_with(Behaviour::json(200, ANSWER));
    }
    let model = ModelBuilder::new("routed").with_deployment(&app, &first).await.with_deployment(&app, &second).await;
    model.with(change).insert(&app).await;
    let customer = app.customer("routing", Money::from_usd(1)).await;
    Stage { _app: app, customer, first, second }
}

impl Stage {
    async fn ask(&self) -> Answer {
        chat(&self.customer.person, &question("routed")).await
    }

    /// The numbers of requests that each provider got since the last call.
    fn received(&self) -> (usize, usize) {
        (self.first.take_requests().len(), self.second.take_requests().len())
    }
}

fn by_latency(model: &mut Model) {
    model.routing.strategy = RoutingStrategy::Latency;
    for deployment in &mut model.deployments {
        deployment.priority = 0;
    }
}

#[tokio::test]
async fn the_fastest_deployment_gets_the_calls() {
    let stage = start(by_latency).await;
    // One of the two gets the first call, and keeps it.
    let gate = Gate::closed();
    for provider in [&stage.first, &stage.second] {
        provider.respond_with(Behaviour::json(200, ANSWER).gated_by(&gate));
    }
    let (person, held_question) = (&stage.customer.person, question("routed"));
    let held = chat(person, &held_question);
    tokio::pin!(held);
    let arrived = async {
        loop {
            match stage.received() {
                (0, 0) => tokio::task::yield_now().await,
                counts => break counts,
            }
        }
    };
    let slow = tokio::select! {
        answer = &mut held => panic!("the call was not held: {}", answer.text),
        counts = arrived => counts,
    };
    let (slow, fast) = if slow == (1, 0) { (&stage.first, &stage.second) } else { (&stage.second, &stage.first) };
    fast.respond_with(Behaviour::json(200, ANSWER));
    for _ in 0..5 {
        assert_eq!(stage.ask().await.status, "200 OK");
    }
    assert_eq!((slow.take_requests().len(), fast.take_requests().len()), (0, 5));
    // The held call took longer than all others together.
    gate.open();
    assert_eq!(held.await.status, "200 OK");
    for _ in 0..5 {
        assert_eq!(stage.ask().await.status, "200 OK");
    }
    assert_eq!((slow.take_requests().len(), fast.take_requests().len()), (0, 5));
    // Streams have a latency of their own: both deployments get one of the first two.
    for provider in [slow, fast] {
        provider.respond_with(Behaviour::events(STREAM));
    }
    for _ in 0..2 {
        let streamed = chat(person, &with(question("routed"), json!({"stream": true}))).await;
        assert!(streamed.text.contains("[DONE]"), "{}", streamed.text);
    }
    assert_eq!((slow.take_requests().len(), fast.take_requests().len()), (1, 1));
}

#[tokio::test]
async fn a_deployment_that_fails_at_once_is_not_the_fastest() {
    let stage = start(|model| {
        by_latency(model);
        // Nothing but the latency turns the calls away from the deployment that fails.
        (model.routing.attempts_per_deployment, model.routing.cooldown_seconds) = (1, 0);
    });
    let stage = stage.await;
    stage.first.respond_with(Behaviour::json(503, "{}"));
    for _ in 0..5 {
        assert_eq!(stage.ask().await.header("x-svc-deployment"), Some("routed-1/upstream-model"));
    }
    assert_eq!(stage.received(), (1, 5));
}

#[tokio::test]
async fn the_cheapest_deployment_gets_the_calls_until_it_fails() {
    let stage = start(|model| {
        model.routing.strategy = RoutingStrategy::Cost;
        // Input counts three times as much as output.
        for (deployment, (input, output)) in model.deployments.iter_mut().zip([(2, 1), (1, 3)]) {
            deployment.priority = 0;
            deployment.cost = Some(DeploymentCost { input_micro_usd: input, output_micro_usd: output });
        }
    });
    let stage = stage.await;
    for _ in 0..5 {
        assert_eq!(stage.ask().await.header("x-svc-deployment"), Some("routed-1/upstream-model"));
    }
    assert_eq!(stage.received(), (0, 5));
    stage.second.respond_with(Behaviour::json(503, "{}").header("Retry-After", "0"));
    assert_eq!(stage.ask().await.header("x-svc-deployment"), Some("routed-0/upstream-model"));
    assert_eq!(stage.received(), (1, 2));
}

#[tokio::test]
async fn a_model_has_its_own_number_of_attempts() {
    for (max_attempts, attempts_per_deployment, received) in [(1, 2, (1, 0)), (10, 3, (3, 3)), (4, 3, (3, 1))] {
        let policy = RoutingPolicy { max_attempts, attempts_per_deployment, ..RoutingPolicy::default() };
        let stage = start(|model| model.routing = policy).await;
        for provider in [&stage.first, &stage.second] {
            provider.respond_with(Behaviour::json(503, "{}").header("Retry-After", "0"));
        }
        assert_eq!(stage.ask().await.status, "502 Bad Gateway");
        assert_eq!(stage.received(), received);
    }
}

#[tokio::test]
async fn a_model_has_its_own_cooldown() {
    let once = RoutingPolicy { attempts_per_deployment: 1, ..RoutingPolicy::default() };
    let at_once = RoutingPolicy { cooldown_after: 1, cooldown_seconds: 3_600, ..once };
    let never = RoutingPolicy { cooldown_after: 1, cooldown_seconds: 0, ..once };
    // By default, the third failure in a row begins a cooldown.
    for (policy, received) in [(at_once, (1, 5)), (once, (3, 5)), (never, (5, 5))] {
        let stage = start(|model| model.routing = policy).await;
        stage.first.respond_with(Behaviour::json(503, "{}"));
        for _ in 0..5 {
            assert_eq!(stage.ask().await.header("x-svc-deployment"), Some("routed-1/upstream-model"));
        }
        assert_eq!(stage.received(), received, "{policy:?}");
    }
}
