//! What runs cost: the requests of a run in warm processes, and their price.

use local::cost::prices::Prices;
use local::recorder::Call;
use tests::budgets::{FIVE_CALLS_BY_WORKER_USD, FIVE_CALLS_USD};
use tests::provider::{Behaviour, FakeProvider};

use super::hooks::{Hook, publish_hook};
use super::*;

/// A message is sent, received and deleted.
const REQUESTS_PER_MESSAGE: f64 = 3.0;

#[derive(Debug, Default, PartialEq)]
struct RunCost {
    write_units: f64,
    read_units: f64,
    messages: f64,
    invocations: f64,
}

impl RunCost {
    /// The cost of a request and of the worker for each message.
    fn of(calls: &[Call]) -> Self {
        let units =
            |is_write: bool| calls.iter().filter(move |call| is_write != call.writes.is_empty()).map(|call| call.units);
        let messages = calls.iter().filter(|call| call.operation == "SendMessage").count() as f64;
        Self { write_units: units(true).sum(), read_units: units(false).sum(), messages, invocations: 1.0 + messages }
    }

    /// The price of a million runs in USD. The time of functions and the storage are not counted.
    fn price(&self) -> f64 {
        let Self { write_units, read_units, messages, invocations } = self;
        let price = Prices::read().per_million;
        write_units * price.write_unit
            + read_units * price.read_unit
            + messages * REQUESTS_PER_MESSAGE * price.queue_request
            + invocations * price.lambda_request
    }

    /// Checks the price in cents, and shows it.
    #[track_caller]
    fn assert_price(&self, name: &str, price: &str) {
        eprintln!("{name}: {:.2} USD per million runs, {self:?}", self.price());
        assert_eq!(format!("{:.2}", self.price()), price, "{name}: {self:?}");
    }
}

/// A workflow with this number of HTTP calls, one after the other.
fn chain(url: &str, calls: usize) -> Value {
    let mut nodes = vec![node("hook", "webhook", json!({}))];
    let mut ports = Vec::new();
    for call in 0..calls {
        let from = nodes.last().unwrap()["id"].as_str().unwrap().to_owned();
        ports.push(format!("{from}.out call{call}"));
        nodes.push(node(&format!("call{call}"), "http", json!({"method": "POST", "url": url})));
    }
    ports.push(format!("call{}.out end", calls - 1));
    nodes.push(node("end", "send_result", json!({"output": "input.body"})));
    graph(&nodes, &ports.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The calls of the second run of a workflow, from the request to the end of the run.
async fn second_run(app: &TestApp, hook: &Hook) -> Vec<Call> {
    let worker = worker(&app.platform.context());
    for _ in 0..2 {
        app.recorder.take();
        let answer = hook.call(json!({"n": 21})).await;
        assert!(answer.status.starts_with('2'), "{}", answer.text);
        if answer.status == "202 Accepted" {
            let hint = RunHint { run_id: answer.json["runId"].as_str().unwrap().parse().unwrap() };
            worker.handle(hint, Time::now().plus(minutes(15))).await.unwrap();
        }
    }
    app.recorder.take()
}

#[tokio::test]
async fn a_run_without_effects_costs_one_write() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let end = node("end", "send_result", json!({"output": "{'doubled': input.n * 2}"}));
    let double = graph(&[node("hook", "webhook", json!({})), end], &["hook.out end"]);
    let hook = publish_hook(&app, &ada, double, "sync").await;
    let cost = RunCost::of(&second_run(&app, &hook).await);
    assert_eq!(cost, RunCost { write_units: 14.0, read_units: 6.0, messages: 0.0, invocations: 1.0 });
    cost.assert_price("a run without effects", "9.70");
}

/// The function of webhooks carries out the run of a caller who waits: one transaction for each call, and one for the end.
#[tokio::test]
async fn a_run_with_five_calls_whose_caller_waits_costs_at_most_41_write_units() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"state": "open"})));
    let hook = publish_hook(&app, &ada, chain(&server.base_url, 5), "sync").await;
    let calls = second_run(&app, &hook).await;
    let cost = RunCost::of(&calls);
    assert_eq!(server.take_requests().len(), 10);
    assert_eq!(calls.iter().filter(|call| call.operation == "TransactWriteItems").count(), 6, "{calls:?}");
    assert_eq!(cost, RunCost { write_units: 41.0, read_units: 6.0, messages: 0.0, invocations: 1.0 });
    cost.assert_price("a run with five HTTP calls whose caller waits", FIVE_CALLS_USD);
}

/// AWS Step Functions (standard workflows) takes 25 USD for a million state transitions: about 175 USD for the same.
#[tokio::test]
async fn a_run_with_five_calls_costs_at_most_75_write_units() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"state": "open"})));
    let hook = publish_hook(&app, &ada, chain(&server.base_url, 5), "async").await;
    let cost = RunCost::of(&second_run(&app, &hook).await);
    assert_eq!(server.take_requests().len(), 10);
    assert!(cost.write_units <= 75.0, "{cost:?}");
    cost.assert_price("a run with five HTTP calls", FIVE_CALLS_BY_WORKER_USD);
}
