//! Runs that the function of webhooks carries out, because their callers wait.

use reqwest::Method;
use tests::polling::eventually;
use tests::provider::{Behaviour, FakeProvider, Gate};

use super::hooks::{Hook, publish_hook, publish_webhook, triggered, with_workers};
use super::*;

/// A workflow that orders something, and answers what the other system said.
fn order(server: &FakeProvider) -> Value {
    let order = node("order", "http", json!({"method": "POST", "url": server.base_url}));
    triggered(&[order], &["hook.out order", "order.out end"], "nodes.order.output.body")
}

/// The runs of a workflow.
async fn list_runs(owner: &Person, workflow: &str) -> Vec<Value> {
    owner.get(&runs_path(workflow)).await.json["data"].as_array().unwrap().clone()
}

/// A workflow whose effect waits until the test opens the gate.
struct Held {
    app: TestApp,
    ada: Person,
    server: FakeProvider,
    gate: Gate,
    hook: Hook,
}

impl Held {
    async fn start(timeout_ms: u32) -> Self {
        let app = TestApp::start().await;
        let ada = app.person("ada");
        let (server, gate) = (FakeProvider::start().await, Gate::closed());
        server.respond_with(Behaviour::json(200, json!("ok")).gated_by(&gate));
        let settings = json!({"mode": "sync", "timeoutMs": timeout_ms});
        let hook = publish_webhook(&app, &ada, order(&server), settings).await;
        Self { app, ada, server, gate, hook }
    }

    async fn started(&self) {
        eventually("the effect has begun", async || (!self.server.take_requests().is_empty()).then_some(())).await;
    }
}

#[tokio::test]
async fn a_run_with_calls_is_carried_out_where_it_arrives() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"state": "open"})));
    let hook = publish_hook(&app, &ada, order(&server), "sync").await;
    let answer = hook.call(json!({"n": 1})).await;
    assert_eq!((answer.status.as_str(), &answer.json["output"]), ("200 OK", &json!({"state": "open"})));
    assert_eq!(app.platform.drain().await, 0, "no worker is needed");
    let run = read(&ada, &format!("{}/{}", runs_path(&hook.workflow), answer.json["runId"].as_str().unwrap())).await;
    assert_eq!(
        (&run["state"], &run["input"], &run["output"]),
        (&json!("completed"), &json!({"n": 1}), &json!({"state": "open"}))
    );
    assert_eq!(hook.events(&ada).await, ["accepted 200"]);
}

#[tokio::test]
async fn workers_carry_out_what_the_function_of_webhooks_cannot() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!("ok")));
    let call = |id: &str| node(id, "http", json!({"method": "POST", "url": server.base_url}));
    let ask = node("ask", "model", json!({"model": "dev-chat", "prompt": "Hello"}));
    let nodes = [call("first"), ask, call("last")];
    let ports = ["hook.out first", "first.out ask", "ask.out last", "last.out end"];
    let hook = publish_hook(&app, &ada, triggered(&nodes, &ports, "nodes.ask.output"), "sync").await;
    let answer = with_workers(&app, hook.call(json!({"name": "Ada"}))).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(server.take_requests().len(), 2, "no call is repeated");
    assert_eq!(hook.events(&ada).await, ["accepted 200"]);
}

#[tokio::test]
async fn a_run_goes_on_after_its_caller_has_left() {
    let held = Held::start(20_000).await;
    let Held { app, ada, gate, hook, .. } = &held;
    tokio::select! {
        answer = hook.call(json!({})) => panic!("{}", answer.text),
        () = held.started() => {}
    }
    gate.admit(1);
    let ended = eventually("the run ends", async || {
        list_runs(ada, &hook.workflow).await.into_iter().find(|run| run["state"] == "completed")
    });
    ended.await;
    assert_eq!(app.platform.drain().await, 0, "no worker is needed");
}

#[tokio::test]
async fn a_caller_whose_time_is_over_gets_the_id_of_the_run() {
    let Held { ada, gate, hook, .. } = &Held::start(1_000).await;
    let answer = hook.call(json!({})).await;
    assert_eq!(answer.status, "202 Accepted", "{}", answer.text);
    let path = format!("{}/{}", runs_path(&hook.workflow), answer.json["runId"].as_str().unwrap());
    assert_eq!(read(ada, &path).await["state"], "running");
    gate.admit(1);
    eventually("the run ends", async || (read(ada, &path).await["state"] == "completed").then_some(())).await;
    assert_eq!(hook.events(ada).await, ["accepted 202"]);
}

#[tokio::test]
async fn a_run_that_is_stopped_answers_its_caller() {
    let held = Held::start(20_000).await;
    let Held { ada, gate, hook, .. } = &held;
    let stop = async {
        held.started().await;
        let run = list_runs(ada, &hook.workflow).await.remove(0);
        let stopped = ada.post(&format!("{}/{}/stop", runs_path(&hook.workflow), run["id"].as_str().unwrap())).await;
        assert_eq!(stopped.status, "200 OK", "{}", stopped.text);
        gate.admit(1);
    };
    let (answer, ()) = futures::join!(hook.call(json!({})), stop);
    assert_eq!(refusal(&answer), ("422", "run_cancelled"));
}

/// A Lambda is frozen after its answer. It begins an effect only if its timeout ends before.
#[tokio::test]
async fn a_function_that_is_frozen_leaves_long_effects_to_the_workers() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!("ok")));
    for (timeout_ms, messages) in [(30_000, 1), (2_000, 0)] {
        let config = json!({"method": "POST", "url": server.base_url, "timeoutMs": timeout_ms});
        let graph = triggered(&[node("order", "http", config)], &["hook.out order", "order.out end"], "1");
        let hook = publish_hook(&app, &ada, graph, "sync").await;
        let environment = app.another_environment();
        app.recorder.take();
        let body = json!({});
        let call = environment.ask(hook.caller.token.as_deref().unwrap(), Method::POST, &hook.url, Some(&body));
        let work = async {
            loop {
                app.platform.drain().await;
                tokio::task::yield_now().await;
            }
        };
        let (status, code) = tokio::select! {
            answer = call => answer,
            () = work => unreachable!(),
        };
        assert_eq!((status, code.as_str()), (200, ""), "{timeout_ms}");
        assert_eq!(server.take_requests().len(), 1, "{timeout_ms}");
        let calls = app.recorder.take();
        let sent = calls.iter().filter(|call| call.operation == "SendMessage").count();
        assert_eq!(sent, messages, "{timeout_ms}");
    }
}

/// Many calls with one key, at the same time, in the process that carries out their runs.
#[tokio::test]
async fn one_key_performs_an_effect_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"state": "open"})));
    let hook = publish_hook(&app, &ada, order(&server), "sync").await;
    let calls = (0..8).map(|_| hook.call_with_key("order 1", json!({"n": 1})));
    let answers = futures::future::join_all(calls).await;
    for answer in &answers {
        assert_eq!((answer.status.as_str(), &answer.text), ("200 OK", &answers[0].text));
    }
    assert_eq!(server.take_requests().len(), 1);
    assert_eq!(list_runs(&ada, &hook.workflow).await.len(), 1);
    assert_eq!(refusal(&hook.call_with_key("order 1", json!({"n": 2})).await), ("409", "idempotency_conflict"));
}
