//! Workflows of n8n, published and run. The suite `imports` compares what each node gives with n8n.

use super::*;

/// Split Out gives an item for each element of the field, and the body of the loop sends an email for each.
#[tokio::test]
async fn loop_over_items() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let rows = json!([
        {"first_name": "Ada", "email": "ada@example.com"}, {"first_name": "Bob", "email": "bob@example.com"},
    ]);
    let answers =
        [("/api.example.com/customers", json!({"data": {"rows": rows}})), ("/mail.example.com", json!({"n": 4}))];
    let server = Server::start(&answers).await;
    let mut import = import(&ada, "n8n/loop-over-items.json").await;
    let nodes = [node("start", "input", json!({})), node("end", "send_result", json!({}))];
    let called = publish(&ada, graph(&nodes, &["start.out end"])).await;
    import.reconnect(&ada, &server.url, &called).await;
    import.publish(&ada).await;
    let run = import.run(&app, &ada, json!({"segment": "all"})).await;
    assert_eq!(run["state"], "completed", "{run}");
    let recipients: Vec<Value> =
        server.bodies("/mail.example.com/send").iter().map(|mail| mail["to"].clone()).collect();
    assert_eq!(recipients, ["ada@example.com", "bob@example.com"]);
}
