//! Retries of runs that have ended: `POST …/runs/{run_id}/retry`.

use tests::provider::{Behaviour, FakeProvider};

use super::*;

/// A workflow that calls two servers, one after the other.
fn two_calls(first: &str, second: &str) -> Value {
    let once = json!({"maxAttempts": 1});
    let call =
        |url: &str| json!({"method": "POST", "url": url, "retry": once, "body": {"type": "json", "value": "input"}});
    let fails = node("check", "condition", json!({"expression": "input.status < 400"}));
    let nodes = [
        node("start", "input", json!({})),
        node("first", "http", call(first)),
        node("second", "http", call(second)),
        fails,
        node("refuse", "fail", json!({"message": "refused"})),
        node(
            "end",
            "send_result",
            json!({"output": "{'first': nodes.first.output.body, 'second': nodes.second.output.body}"}),
        ),
    ];
    graph(&nodes, &["start.out first", "first.out second", "second.out check", "check.false refuse", "check.true end"])
}

async fn retry(person: &Person, path: &str, body: Value) -> Answer {
    person.post_json(&format!("{path}/retry"), body).await
}

#[tokio::test]
async fn a_retry_takes_over_what_is_recorded() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (first, second) = (FakeProvider::start().await, FakeProvider::start().await);
    first.respond_with(Behaviour::json(200, json!({"paid": true, "padding": "x".repeat(40_000)})));
    second.respond_with(Behaviour::json(503, json!({})));
    let flow = publish(&ada, two_calls(&first.base_url, &second.base_url)).await;
    let path = start_run(&ada, &flow, json!({"order": 7})).await;
    let failed = carry_out(&app, &ada, &path).await;
    assert_eq!((&failed["state"], &failed["error"]["nodeId"]), (&json!("failed"), &json!("refuse")));

    second.respond_with(Behaviour::json(200, json!({"sent": true})));
    // The node that failed only reports the answer of the one before, which is recorded.
    let same = retry(&ada, &path, json!({})).await;
    assert_eq!(same.status, "202 Accepted", "{}", same.text);
    let same = carry_out(&app, &ada, &format!("{}/{}", runs_path(&flow), same.id())).await;
    assert_eq!((&same["state"], &same["retryOf"]), (&json!("failed"), &json!(run_id(&path).to_string())));

    let again = retry(&ada, &path, json!({"fromNode": "second"})).await;
    assert_eq!(again.json["data"]["input"], json!({"order": 7}), "{}", again.text);
    let again = carry_out(&app, &ada, &format!("{}/{}", runs_path(&flow), again.id())).await;
    assert_eq!((&again["state"], &again["output"]["second"]), (&json!("completed"), &json!({"sent": true})), "{again}");
    assert_eq!(again["output"]["first"]["paid"], true);
    assert_eq!((first.take_requests().len(), second.take_requests().len()), (1, 2));
}

#[tokio::test]
async fn a_repeated_key_starts_one_retry() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 2})).await;
    app.platform.drain().await;
    let body = json!({"fromNode": "end", "idempotencyKey": "once"});
    let (one, two) = (retry(&ada, &path, body.clone()).await, retry(&ada, &path, body.clone()).await);
    assert_eq!((one.id(), one.id().is_empty()), (two.id(), false), "{}", two.text);
    let other = retry(&ada, &path, json!({"fromNode": "start", "idempotencyKey": "once"})).await;
    assert_eq!(refusal(&other), ("409", "idempotency_conflict"));
    app.platform.drain().await;
    let run = read(&ada, &format!("{}/{}", runs_path(&flow), one.id())).await;
    assert_eq!(run["output"], json!({"doubled": 4}));
    ada.post(&format!("{WORKFLOWS}/{flow}/pause")).await;
    assert_eq!(retry(&ada, &path, body).await.id(), one.id(), "the workflow was paused after the first request");
}

#[tokio::test]
async fn a_stopped_run_goes_on_where_it_was() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    assert_eq!(ada.post(&format!("{path}/stop")).await.status, "200 OK");
    let again = retry(&ada, &path, json!({})).await;
    let again = carry_out(&app, &ada, &format!("{}/{}", runs_path(&flow), again.id())).await;
    assert_eq!(again["state"], "completed", "{again}");
}

#[tokio::test]
async fn what_cannot_be_repeated_is_refused() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.person("ada"), app.person("eve"));
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 2})).await;
    assert_eq!(refusal(&retry(&ada, &path, json!({})).await), ("409", "invalid_state"), "in progress");
    app.platform.drain().await;
    assert_eq!(refusal(&retry(&ada, &path, json!({})).await), ("409", "invalid_state"), "completed");
    assert_eq!(refusal(&retry(&ada, &path, json!({"fromNode": "none"})).await), ("400", "invalid_body"));
    assert_eq!(refusal(&retry(&eve, &path, json!({"fromNode": "end"})).await).0, "404");
    ada.post(&format!("{WORKFLOWS}/{flow}/pause")).await;
    assert_eq!(refusal(&retry(&ada, &path, json!({"fromNode": "end"})).await), ("409", "workflow_paused"));
}
