//! Workflows of n8n, published and run. The suite `imports` compares what each node gives with n8n.

use super::*;

/// Merge with "Append" gives the items of its first input, then those of its second.
#[tokio::test]
async fn merge_sources() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let news = json!({"headlines": [{"title": "One"}, {"title": "Two"}]});
    let answers = [("/weather.example.com/Madrid", json!({"summary": "Sunny"})), ("/news.example.com/Madrid", news)];
    let server = Server::start(&answers).await;
    let import = publish_import(&ada, "n8n/merge-sources.json", &server).await;
    let run = import.run(&app, &ada, json!({"city": "Madrid", "count": 2})).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(run["output"].to_string().contains("Sunny: One / Two"), "{run}");
    assert_eq!(server.bodies("/news.example.com/Madrid?n=2").len(), 1);
}

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
    let import = publish_import(&ada, "n8n/loop-over-items.json", &server).await;
    let run = import.run(&app, &ada, json!({"segment": "all"})).await;
    assert_eq!(run["state"], "completed", "{run}");
    let recipients: Vec<Value> =
        server.bodies("/mail.example.com/send").iter().map(|mail| mail["to"].clone()).collect();
    assert_eq!(recipients, ["ada@example.com", "bob@example.com"]);
}
