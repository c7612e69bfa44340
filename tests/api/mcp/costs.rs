//! What the server of tools costs in AWS calls.

use reqwest::Method;

use super::calls::greet;
use super::*;
use tests::budgets::LIST_TOOLS;
use tests::client::send;

#[tokio::test]
async fn requests_cost_few_calls() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    publish_tool(&ada, "greet", greet()).await;
    let assistant = Assistant::stateless(&ada, MCP);
    let list = || send(assistant.message("tools/list", json!({})).1);
    let one = app.costs(list()).await.to_string();
    for number in 0..10 {
        publish_tool(&ada, &format!("greet_{number}"), greet()).await;
    }
    let eleven = app.costs(list()).await.to_string();
    let again = app.costs(list()).await.to_string();
    let client = json!({"name": "test-client", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let initialize =
        send(ada.request(Method::POST, MCP).header("Accept", "application/json, text/event-stream").json(&message));
    let session = app.costs(initialize).await.to_string();
    // The release of each tool is read once in a process.
    let expected = [
        "2 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 4 dynamodb:Query (4 units), 1 s3:GetObject",
        "2 dynamodb:BatchGetItem (15 units), 10 dynamodb:GetItem (10 units), 4 dynamodb:Query (5 units), 10 s3:GetObject",
        LIST_TOOLS,
        "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:PutItem (1 units)",
    ];
    assert_eq!([one, eleven, again, session], expected);
}

/// The writes of a call: its run is started, and a worker carries it out. How often the stream reads depends on the time.
#[tokio::test]
async fn a_call_writes_what_its_run_writes() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    publish_tool(&ada, "greet", greet()).await;
    let assistant = Assistant::stateless(&ada, MCP);
    app.recorder.take();
    call(&app, &assistant, "greet", json!({"name": "Ada"})).await;
    let calls = app.recorder.take();
    let units: f64 = calls.iter().flat_map(|call| &call.writes).map(|write| write.units).sum();
    assert!(units <= 15.0, "{units}");
}
