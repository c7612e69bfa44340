//! Dry previews: nothing is called, charged or asked.

use tests::provider::FakeProvider;

use super::*;

#[tokio::test]
async fn a_dry_preview_calls_nothing_and_asks_nobody() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    let agent = ada.post_json("/builder/v1/agents", json!({"name": "Scout", "config": {"model": "dev-chat"}})).await;
    let nodes = [
        start(),
        node("call", "http", json!({"url": format!("{}/{{{{ input.path }}}}", fake.base_url), "method": "POST"})),
        node("ask", "model", json!({"model": "dev-chat", "prompt": "Greet {{ input.status }}"})),
        node("scout", "agent", json!({"agentId": agent.id(), "message": "{{ input }}"})),
        node("keep", "table", json!({"table": "kept", "action": "add", "values": "{'text': input}"})),
        node("check", "review", json!({"title": "Sure?"})),
        end("input.decision"),
    ];
    let ports =
        ["start.out call", "call.out ask", "ask.out scout", "scout.out keep", "keep.out check", "check.approved end"];
    let workflow = create(&ada, graph(&nodes, &ports)).await;
    let body = json!({"input": {"path": "orders"}, "dry": true, "pinned": {"ask": {"output": "Hello"}}});
    let shown = ada.post_json(&preview_path(&workflow), body).await.json["data"].clone();
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!("approved")), "{shown}");
    assert_eq!(step(&shown, "call")["output"], json!({"status": 200, "headers": {}, "body": {}}));
    assert_eq!(step(&shown, "ask")["output"], "Hello");
    assert_eq!(step(&shown, "scout")["output"], "text");
    assert!(step(&shown, "keep")["output"]["id"].is_string(), "{shown}");
    assert_eq!(fake.take_requests().len(), 0);
    assert_eq!(charged_calls(&app).await, 0);
    let tables = ada.get(&format!("{WORKFLOWS}/{workflow}/tables")).await;
    assert_eq!(tables.json["data"], json!([]), "{}", tables.text);
}

#[tokio::test]
async fn a_dry_preview_shows_expressions_that_fail() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let call = node("call", "http", json!({"url": "https://example.com/{{ input.missing.id }}"}));
    let shown =
        preview(&ada, graph(&[start(), call, end("input")], &["start.out call", "call.out end"]), json!({"dry": true}));
    let shown = shown.await;
    assert_eq!((&shown["state"], &shown["error"]["nodeId"]), (&json!("failed"), &json!("call")), "{shown}");
}
