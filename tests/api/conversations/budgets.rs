//! The budget of each route in a warm process: AWS calls and table units.

use reqwest::Method;
use tests::client::send;

use super::*;

/// Each request reads its caller's identity with one `BatchGetItem` of four units. The rest is the route's own.
#[tokio::test]
async fn every_route_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    carry_out(&app, &ada, &path).await;
    let eve = ParticipantId::new();
    let new = new_run(&app, &flow, RunOrigin::Channel, Some(thread(MessagingProvider::Slack, eve)));
    store_ended(&app, new, false).await;
    let (list, record) = (records_path(&flow), record_path(&path));
    // The plan of the release is compiled once.
    ada.get(&format!("{record}/exchanges")).await;
    let paths = [
        list.clone(),
        format!("{list}?participant={eve}"),
        format!("{list}?channel=slack"),
        format!("{list}/filters"),
        record.clone(),
        format!("{record}/exchanges"),
    ];
    let mut costs = Vec::new();
    for path in paths {
        costs.push(app.costs(send(ada.request(Method::GET, &path))).await.to_string());
    }
    let expected = [
        // The second batch reads the runs, the third one the names of their participants.
        "3 dynamodb:BatchGetItem (8 units), 1 dynamodb:GetItem (1 units), 8 dynamodb:Query (4 units)",
        "3 dynamodb:BatchGetItem (7 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (0.5 units)",
        "3 dynamodb:BatchGetItem (7 units), 1 dynamodb:GetItem (1 units), 8 dynamodb:Query (4 units)",
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)",
        "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units)",
        // Without the plan of the release, a process also reads the release and its manifest.
        "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:Query (1 units)",
    ];
    assert_eq!(costs, expected);
}
