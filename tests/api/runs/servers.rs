//! `mcp` nodes and the MCP tools of agents in runs: their values, and what follows if a call is not answered.

use testing::mcp::{McpServer, PNG};

use super::*;

/// A workflow that calls a tool. If it fails, the output is the error.
fn call(server: &McpServer, tool: &str, fields: Value) -> Value {
    let mut config = json!({"url": server.url(), "tool": tool, "arguments": "input", "onError": "branch"});
    config.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let nodes = [
        node("start", "input", json!({})),
        node("call", "mcp", config),
        node("end", "send_result", json!({})),
        node("failed", "send_result", json!({})),
    ];
    graph(&nodes, &["start.out call", "call.out end", "call.error failed"])
}

async fn run(app: &TestApp, person: &Person, graph: Value) -> Value {
    let workflow = publish(person, graph).await;
    let path = start_run(person, &workflow, json!({"id": 7})).await;
    app.platform.drain().await;
    read(person, &path).await
}

#[tokio::test]
async fn a_node_returns_the_result_or_takes_the_error_port() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = McpServer::with_tools(&["echo", "picture", "fail"]).await;
    let ended = run(&app, &ada, call(&server, "echo", json!({}))).await;
    assert_eq!(ended["output"]["structuredContent"], json!({"arguments": {"id": 7}}), "{ended}");
    let ended = run(&app, &ada, call(&server, "picture", json!({}))).await;
    assert_eq!(ended["output"]["content"][1], json!({"type": "image", "base64": PNG, "contentType": "image/png"}));
    for (tool, fields, code) in [
        ("fail", json!({}), "mcp_tool_error"),
        ("gone", json!({}), "mcp_unknown_tool"),
        ("echo", json!({"schemaHash": "a".repeat(64)}), "mcp_schema_changed"),
        ("echo", json!({"arguments": "'text'"}), "invalid_value"),
        ("echo", json!({"url": "http://10.0.0.1/mcp"}), "destination_forbidden"),
    ] {
        let ended = run(&app, &ada, call(&server, tool, fields)).await;
        assert_eq!((&ended["state"], &ended["output"]["code"]), (&json!("completed"), &json!(code)), "{ended}");
    }
}

/// The server does the work and dies before it answers.
#[tokio::test]
async fn a_call_without_an_answer_is_repeated_only_if_the_node_says_so() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = McpServer::with_tools(&["die"]).await;
    let ended = run(&app, &ada, call(&server, "die", json!({"onUncertain": "fail"}))).await;
    assert_eq!((&ended["output"]["code"], server.calls().len()), (&json!("connection_cut"), 1), "{ended}");

    // By default a person decides, because the server would not recognize a repeated call.
    let waits = run(&app, &ada, call(&server, "die", json!({}))).await;
    assert_eq!((&waits["state"], server.calls().len()), (&json!("paused"), 2), "{waits}");

    let retry = json!({"onUncertain": "retry", "retry": {"maxAttempts": 3, "backoffMs": 0}});
    run(&app, &ada, call(&server, "die", retry)).await;
    assert_eq!(server.calls().len(), 5);
}

#[tokio::test]
async fn the_tool_of_an_agent_has_its_own_policy() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = McpServer::with_tools(&["die"]).await;
    let path = format!("/builder/v1/agents/{}", ada.post("/builder/v1/agents").await.id());
    let tool = |fields: Value| {
        let mut tool = json!({"type": "mcp", "name": "crm", "url": server.url()});
        tool.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"config": {"tools": [tool]}})
    };
    ada.patch(&path, tool(json!({}))).await;
    let listed = ada.get(&format!("{path}/tools/crm/server")).await;
    let pin = json!({"name": "die", "schemaHash": listed.json["data"]["tools"][0]["schemaHash"]});
    let ask = async |policy: &str| {
        let set = ada.patch(&path, tool(json!({"tools": [pin.clone()], "onUncertain": policy}))).await;
        assert_eq!(set.status, "200 OK", "{}", set.text);
        let agent = path.rsplit('/').next().unwrap();
        // The policy of the node is for its other calls.
        let config = json!({"agentId": agent, "message": "Please crm_die it", "onUncertain": "retry"});
        let nodes =
            [node("start", "input", json!({})), node("ask", "agent", config), node("end", "send_result", json!({}))];
        run(&app, &ada, graph(&nodes, &["start.out ask", "ask.out end"])).await
    };
    let ended = ask("fail").await;
    assert!(ended["output"].as_str().unwrap().contains("the call may have taken place"), "{ended}");
    assert_eq!(server.calls().len(), 1);
    let waits = ask("ask").await;
    assert_eq!((&waits["state"], server.calls().len()), (&json!("paused"), 2), "{waits}");
}

/// The credential of one workflow is not used by another.
#[tokio::test]
async fn a_node_sends_the_credential_of_its_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = McpServer::with_tools(&["echo"]).await;
    server.change(|manner| manner.token = Some("tok-4711".to_owned()));
    let created = ada.post_json(WORKFLOWS, json!({"name": "Flow"})).await;
    let path = format!("{WORKFLOWS}/{}", created.id());
    let secret = json!({"name": "CRM", "type": "bearer", "token": "tok-4711"});
    let credential = ada.post_json(&format!("{path}/webhook-credentials/outbound"), secret).await;
    assert_eq!(credential.status, "201 Created", "{}", credential.text);
    let with_credential = call(&server, "echo", json!({"credentialId": credential.id()}));
    publish_again(&ada, created.id(), with_credential).await;
    let started = start_run(&ada, created.id(), json!({"id": 7})).await;
    app.platform.drain().await;
    let ended = read(&ada, &started).await;
    assert_eq!(ended["output"]["structuredContent"], json!({"arguments": {"id": 7}}), "{ended}");
    assert_eq!(server.calls()[0].authorization.as_deref(), Some("Bearer tok-4711"));
    let without = run(&app, &ada, call(&server, "echo", json!({}))).await;
    assert_eq!(without["output"]["code"], "mcp_unauthorized");
}
