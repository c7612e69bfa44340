//! The budget of each route in a warm process: AWS calls and table units.

use insta::assert_snapshot;
use serde_json::json;
use tests::budgets::{CREATE_WORKBENCH, WORKBENCH_STEP};

use super::*;

/// Each request reads its caller's identity with one `BatchGetItem` of four units. The rest is the route's own.
#[tokio::test]
async fn every_route_keeps_its_budget() {
    let lab = Lab::start().await;
    let (app, ada) = (&lab.app, lab.app.person("ada"));
    lab.app.person("bob").get(WORKBENCHES).await;
    let bob = app.account("bob").user.to_string();
    let id = lab.ready(&ada, "warm").await;
    let own = path(&id);
    assert_eq!(cost(app, ada.post_json(WORKBENCHES, json!({"name": "lab"}))).await, CREATE_WORKBENCH);
    let costs = [
        ("plan", cost(app, ada.get("/workbenches/v1/plan")).await),
        ("read", cost(app, ada.get(&own)).await),
        ("list", cost(app, ada.get(WORKBENCHES)).await),
        ("events", cost(app, ada.get(&format!("{own}/events"))).await),
        ("share", cost(app, share(&ada, &id, &bob)).await),
        ("variables", cost(app, ada.get(&format!("{own}/variables"))).await),
        ("change variables", cost(app, ada.patch(&format!("{own}/variables"), json!({"env": {"A": "1"}}))).await),
        ("stop", cost(app, ada.post(&format!("{own}/stop"))).await),
        ("delete", cost(app, ada.delete(&own)).await),
    ];
    let lines = costs.map(|(name, cost)| format!("{name}: {cost}")).join("\n");
    assert_snapshot!(lines, @r"
    plan: 1 dynamodb:BatchGetItem (4 units)
    read: 1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units)
    list: 2 dynamodb:BatchGetItem (6 units), 1 dynamodb:Query (1 units)
    events: 1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (1 units)
    share: 2 dynamodb:BatchGetItem (7 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:TransactWriteItems (6 units)
    variables: 1 dynamodb:BatchGetItem (4 units), 2 dynamodb:GetItem (2 units)
    change variables: 1 dynamodb:BatchGetItem (4 units), 3 dynamodb:GetItem (3 units), 1 dynamodb:TransactWriteItems (6 units)
    stop: 1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (6 units), 1 sqs:SendMessage
    delete: 1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (6 units), 1 sqs:SendMessage
    ");
}

async fn cost(app: &TestApp, request: impl Future<Output = Answer>) -> String {
    app.costs(request).await.to_string()
}

/// A ready workbench costs one step each minute.
#[tokio::test]
async fn a_step_keeps_its_budget() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    lab.pass(Duration::from_secs(60));
    lab.app.recorder.take();
    lab.worker.advance(lab.hint(&id)).await.unwrap().unwrap();
    assert_eq!(lab.app.recorder.take_costs().to_string(), WORKBENCH_STEP);
}
