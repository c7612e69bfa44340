//! The budget of each route and of a run in a warm process: AWS calls and table units.

use reqwest::Method;
use tests::budgets::{PARK_RUN, READ_COMPLETED_RUN, RESOLVE_REVIEW, START_RUN, WORK_ON_RUN};
use tests::client::send;

use super::*;

/// Each request reads its caller's identity with one `BatchGetItem` of five units. The rest is the route's own.
#[tokio::test]
async fn every_route_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = runs_path(&flow);
    let input = json!({"amount": 5});
    let completed = start_run(&ada, &flow, input.clone()).await;
    app.platform.drain().await;
    ada.post_json(&format!("{completed}/resolve-wait"), json!({"decision": "approve"})).await;
    let paused = start_run(&ada, &flow, input.clone()).await;
    let stopped = start_run(&ada, &flow, input.clone()).await;
    app.platform.drain().await;
    let queued = start_run(&ada, &flow, input.clone()).await;
    let keyed = json!({"input": input, "idempotencyKey": "one"});
    let start = |body: &Value| ada.request(Method::POST, &path).json(body);
    let post = |path: &str, action: &str| ada.request(Method::POST, &format!("{path}/{action}"));
    let requests = [
        ("start", start(&json!({"input": input})), START_RUN),
        (
            "start with a key",
            start(&keyed),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:TransactWriteItems (13 units), 1 sqs:SendMessage",
        ),
        (
            "start again",
            start(&keyed),
            "1 dynamodb:BatchGetItem (5 units), 3 dynamodb:GetItem (3 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "read queued",
            ada.request(Method::GET, &queued),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "read paused",
            ada.request(Method::GET, &paused),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 3 dynamodb:Query (3 units)",
        ),
        ("read completed", ada.request(Method::GET, &completed), READ_COMPLETED_RUN),
        (
            "cancel",
            post(&queued, "cancel"),
            "1 dynamodb:BatchGetItem (5 units), 4 dynamodb:GetItem (4 units), 1 dynamodb:Query (1 units), 1 dynamodb:TransactWriteItems (11 units)",
        ),
        ("resolve", post(&paused, "resolve-wait").json(&json!({"decision": "approve"})), RESOLVE_REVIEW),
        (
            "stop",
            post(&stopped, "stop"),
            "1 dynamodb:BatchGetItem (5 units), 4 dynamodb:GetItem (4 units), 3 dynamodb:Query (3 units), 1 dynamodb:TransactWriteItems (12 units), 2 dynamodb:UpdateItem (5 units)",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, request, budget) in requests {
        let costs = app.costs(send(request)).await.to_string();
        if costs != budget {
            wrong.push(format!("{name}: {costs}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_worker_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let worker = worker(&app.platform.context());
    let mut costs = Vec::new();
    for (graph, input) in [(double(), json!({"n": 1})), (refund(), json!({"amount": 1}))] {
        let flow = publish(&ada, graph).await;
        for _ in ["cold", "warm"] {
            let path = start_run(&ada, &flow, input.clone()).await;
            app.recorder.take();
            let hint = RunHint { run_id: run_id(&path) };
            worker.handle(hint, Time::now().plus(minutes(15))).await.unwrap();
            costs.push(app.recorder.take_costs().to_string());
        }
    }
    let expected = [
        // The owner and the workflow are read before the claim. Without the plan of its release, a process also reads the release and its manifest.
        "1 dynamodb:BatchGetItem (4 units), 3 dynamodb:GetItem (3 units), 1 dynamodb:Query (1 units), 1 dynamodb:TransactWriteItems (11 units), 1 dynamodb:UpdateItem (5 units), 1 s3:GetObject",
        WORK_ON_RUN,
        // A run that parks for a review.
        "1 dynamodb:BatchGetItem (4 units), 4 dynamodb:GetItem (4 units), 2 dynamodb:Query (2 units), 1 dynamodb:TransactWriteItems (7 units), 2 dynamodb:UpdateItem (11 units), 1 s3:GetObject",
        PARK_RUN,
    ];
    assert_eq!(costs, expected);
}

/// The first call of a process takes a lease and closes it. The charge, the stored answer and the usage of the step are one
/// transaction.
#[tokio::test]
async fn a_model_call_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let worker = worker(&app.platform.context());
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "dev-chat", "prompt": "{{ input }}"})),
        node("end", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    let path = start_run(&ada, &flow, json!("Hello")).await;
    app.recorder.take();
    worker.handle(RunHint { run_id: run_id(&path) }, Time::now().plus(minutes(15))).await.unwrap();
    assert_eq!(
        app.recorder.take_costs().to_string(),
        "3 dynamodb:BatchGetItem (10 units), 3 dynamodb:GetItem (3 units), 1 dynamodb:PutItem (1 units), 2 dynamodb:Query (3 units), 5 dynamodb:TransactWriteItems (60 units), 1 dynamodb:UpdateItem (5 units), 1 s3:GetObject"
    );
}
