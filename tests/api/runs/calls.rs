//! Runs that steps of other runs start: their results, errors and stops.

use std::future::ready;

use aws_sdk_dynamodb::types::AttributeValue;
use platform::config::TABLE_ENTITIES;
use store::keys::{self, Key};
use store::runs::MAX_CAUSED_RUNS;

use super::*;

/// A workflow that runs another one. The output is the output of that run.
fn caller(workflow: &str, config: Value) -> Value {
    let mut config = config;
    config["workflowId"] = json!(workflow);
    let end = node("end", "send_result", json!({"output": "nodes.call.output"}));
    let ports = ["start.out call", "call.out end"];
    graph(&[node("start", "input", json!({})), node("call", "workflow", config), end], &ports)
}

/// The ids of a workflow's runs that a caller has started, in the order of their start.
async fn called_runs(app: &TestApp, path: &str) -> Vec<String> {
    let log = Runs::new(&app.platform.context()).unwrap().log(run_id(path)).await.unwrap();
    let called = log.into_iter().filter_map(|event| match event.kind {
        RunEventKind::StepCalled { run_id, .. } => Some(run_id.to_string()),
        _ => None,
    });
    called.collect()
}

#[tokio::test]
async fn a_step_gets_the_output_of_the_run_that_it_starts() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let double = publish(&ada, double()).await;
    let flow = publish(&ada, caller(&double, json!({"input": "{'n': input.n + 1}"}))).await;
    let path = start_run(&ada, &flow, json!({"n": 20})).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!({"doubled": 42})), "{run}");
    let [called] = &called_runs(&app, &path).await[..] else { panic!() };
    let called = read(&ada, &format!("{}/{called}", runs_path(&double))).await;
    assert_eq!((&called["input"], &called["origin"]), (&json!({"n": 21}), &json!("manual")));
}

#[tokio::test]
async fn a_run_waits_for_a_called_run_that_waits_for_a_person() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let refund = publish(&ada, refund()).await;
    let flow = publish(&ada, caller(&refund, json!({}))).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["state"], "paused");
    let called = format!("{}/{}", runs_path(&refund), called_runs(&app, &path).await[0]);
    assert_eq!(read(&ada, &called).await["waiting"]["title"], "Refund 5?");
    ada.post_json(&format!("{called}/resolve-wait"), json!({"decision": "approve"})).await;
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["output"]["decision"], "approved");
}

#[tokio::test]
async fn the_failure_of_a_called_run_fails_its_step() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let double = publish(&ada, double()).await;
    let flow = publish(&ada, caller(&double, json!({}))).await;
    let path = start_run(&ada, &flow, json!({"n": "two"})).await;
    app.platform.drain().await;
    let error = &read(&ada, &path).await["error"];
    let called = read(&ada, &format!("{}/{}", runs_path(&double), called_runs(&app, &path).await[0])).await;
    assert_eq!((&error["nodeId"], &error["code"]), (&json!("call"), &called["error"]["code"]));
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("the run of the workflow failed at the node `end`: "), "{message}");
}

#[tokio::test]
async fn a_workflow_that_cannot_run_is_named() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let double = publish(&ada, double()).await;
    let flow = publish(&ada, caller(&double, json!({}))).await;
    for (action, code) in [("pause", "workflow_paused"), ("archive", "invalid_state")] {
        ada.post(&format!("{WORKFLOWS}/{double}/{action}")).await;
        let path = start_run(&ada, &flow, json!({"n": 1})).await;
        app.platform.drain().await;
        let error = &read(&ada, &path).await["error"];
        assert_eq!((&error["nodeId"], &error["code"]), (&json!("call"), &json!(code)), "{error}");
    }
    ada.delete(&format!("{WORKFLOWS}/{double}")).await;
    let path = start_run(&ada, &flow, json!({"n": 1})).await;
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["error"]["code"], "workflow_not_found");
}

#[tokio::test]
async fn the_input_of_a_called_workflow_must_match_its_schema() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let schema = json!({"schema": {"type": "object", "required": ["n"]}});
    let nodes = [node("start", "input", schema), node("end", "send_result", json!({}))];
    let strict = publish(&ada, graph(&nodes, &["start.out end"])).await;
    let flow = publish(&ada, caller(&strict, json!({"input": "{}"}))).await;
    let path = start_run(&ada, &flow, json!(null)).await;
    app.platform.drain().await;
    let error = &read(&ada, &path).await["error"];
    assert_eq!((&error["nodeId"], &error["code"]), (&json!("call"), &json!("invalid_body")), "{error}");
}

#[tokio::test]
async fn workflows_that_run_each_other_end() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let other = publish(&ada, caller(&flow, json!({}))).await;
    let patched = ada.patch(&format!("{WORKFLOWS}/{flow}"), json!({"graph": caller(&other, json!({}))})).await;
    assert_eq!(patched.status, "200 OK", "{}", patched.text);
    let published = ada.post(&format!("{WORKFLOWS}/{flow}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    let path = start_run(&ada, &flow, json!({"n": 1})).await;
    app.platform.drain().await;
    let error = &read(&ada, &path).await["error"];
    assert_eq!(error["code"], "too_deep", "{error}");
}

#[tokio::test]
async fn a_stop_stops_the_called_runs_as_well() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let refund = publish(&ada, refund()).await;
    let middle = publish(&ada, caller(&refund, json!({}))).await;
    let flow = publish(&ada, caller(&middle, json!({}))).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    let inner = format!("{}/{}", runs_path(&middle), called_runs(&app, &path).await[0]);
    let innermost = format!("{}/{}", runs_path(&refund), called_runs(&app, &inner).await[0]);
    assert_eq!(read(&ada, &innermost).await["state"], "paused");
    assert_eq!(ada.post(&format!("{path}/stop")).await.status, "200 OK");
    for run in [&path, &inner, &innermost] {
        assert_eq!(read(&ada, run).await["state"], "cancelled");
    }
    app.platform.drain().await;
    // Nothing is left for the ticker.
    assert_eq!(app.platform.tick(Time::now().plus(minutes(60))).await.unwrap(), 0);
}

#[tokio::test]
async fn a_called_run_that_is_stopped_fails_its_step() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let refund = publish(&ada, refund()).await;
    let flow = publish(&ada, caller(&refund, json!({"onError": "continue"}))).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    let called = format!("{}/{}", runs_path(&refund), called_runs(&app, &path).await[0]);
    assert_eq!(ada.post(&format!("{called}/stop")).await.status, "200 OK");
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &Value::Null), "{run}");
}

#[tokio::test]
async fn a_run_that_fails_stops_the_runs_that_it_has_started() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let refund = publish(&ada, refund()).await;
    let call = node("call", "workflow", json!({"workflowId": refund}));
    let nodes = [
        node("start", "input", json!({})),
        call,
        node("wait", "delay", json!({"seconds": 3600})),
        node("end", "send_result", json!({})),
    ];
    let flow =
        publish(&ada, graph(&nodes, &["start.out call", "start.out wait", "call.out end", "wait.out end"])).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    let called = format!("{}/{}", runs_path(&refund), called_runs(&app, &path).await[0]);
    assert_eq!(read(&ada, &called).await["state"], "paused");
    // The next holder cannot carry out the run, and ends it.
    let later = Time::now().plus(minutes(61));
    let runs = Runs::new(&context_at(&app, later)).unwrap();
    let Claim::Claimed(mut claimed) =
        runs.claim(run_id(&path), later.plus(minutes(1)), |_| ready(Ok(true))).await.unwrap()
    else {
        panic!("the run is not claimed");
    };
    let end = RunEnd::Failed(RunError { code: "crashed".to_owned(), message: String::new(), node_id: None });
    let events = [RunEvent { at: later, kind: end.event() }];
    assert_eq!(runs.end(&mut claimed.hold, &events, &end).await.unwrap(), Hold::Held);
    assert_eq!(read(&ada, &called).await["state"], "cancelled");
    app.platform.drain().await;
    assert_eq!(app.platform.tick(later.plus(minutes(60))).await.unwrap(), 0);
}

/// A run starts a second one, which starts a third one. The count of the first run allows only one more.
#[tokio::test]
async fn a_run_causes_a_limited_number_of_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let third = publish(&ada, double()).await;
    let second = publish(&ada, caller(&third, json!({}))).await;
    let first = publish(&ada, caller(&second, json!({}))).await;
    let path = start_run(&ada, &first, json!({"n": 1})).await;
    let context = app.platform.context();
    let Key { pk, sk } = keys::run_tree(run_id(&path));
    let count = context.aws.dynamodb().put_item().table_name(context.config.required(TABLE_ENTITIES).unwrap());
    let count = count.item("pk", AttributeValue::S(pk)).item("sk", AttributeValue::S(sk));
    let caused = AttributeValue::N((MAX_CAUSED_RUNS - 1).to_string());
    count.item("caused_runs", caused).send().await.unwrap();
    app.platform.drain().await;
    let error = &read(&ada, &path).await["error"];
    assert_eq!((&error["code"], &error["nodeId"]), (&json!("too_many_runs"), &json!("call")), "{error}");
    let called = called_runs(&app, &path).await;
    let called = read(&ada, &format!("{}/{}", runs_path(&second), called[0])).await;
    assert_eq!((&called["error"]["code"], &called["state"]), (&json!("too_many_runs"), &json!("failed")));
}
