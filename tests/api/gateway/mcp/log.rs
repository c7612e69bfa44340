//! Calls of tools in the log of calls, beside those of models.

use domain::money::Money;
use tests::gateway::CHAT;

use super::*;
use crate::gateway::calls::{close_leases, list};

const CALLS: &str = "/gateway/v1/billing/calls";

#[tokio::test]
async fn calls_of_tools_are_beside_those_of_models() {
    let app = TestApp::start().await;
    let customer = app.customer("tools", Money::from_usd(1)).await;
    let server = ToolServer::start(&["t0", "fail", "steps"]).await;
    register(
        &app,
        &customer,
        "crm",
        json!({"url": server.url, "access": [{"tools": ["t0", "fail", "steps", "gone"]}]}),
    )
    .await;
    let chat = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 8});
    assert_eq!(customer.person.post_json(CHAT, chat).await.status, "200 OK");
    let tagged = post_with(&customer.person, "crm", &call("t0"), &[("x-svc-tags", "team=search")]).await;
    assert_eq!(tagged.status, "200 OK", "{}", tagged.text);
    post(&customer.person, "crm", &call("fail")).await;
    post(&customer.person, "crm", &call("steps")).await;
    server.respond_once(200, "application/json", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#);
    post(&customer.person, "crm", &call("gone")).await;
    server.respond_once(503, "text/html", "down");
    assert_eq!(post(&customer.person, "crm", &call("t0")).await.status, "502 Bad Gateway");
    // Refused calls, and lists of tools, are not in the log.
    post(&customer.person, "crm", &call("forbidden")).await;
    post(&customer.person, "crm", &message("tools/list", json!({}))).await;

    let calls = list(&customer.person, CALLS, 100).await;
    let shown: Vec<_> = calls
        .iter()
        .map(|call| {
            (
                call["kind"].as_str().unwrap(),
                call["mcp"]["tool"].as_str().unwrap_or_default(),
                call["status"].as_str().unwrap(),
                call["error_code"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    let expected = [
        ("mcp", "t0", "failed", "mcp_server_failed"),
        ("mcp", "gone", "failed", "mcp_error"),
        ("mcp", "steps", "completed", ""),
        ("mcp", "fail", "failed", "mcp_tool_error"),
        ("mcp", "t0", "completed", ""),
        ("model", "", "completed", ""),
    ];
    assert_eq!(shown, expected);
    let first = &calls[4];
    assert_eq!(
        (&first["model"], &first["provider"], &first["deployment"]),
        (&json!("mcp/crm"), &json!("mcp"), &json!("mcp/crm/t0"))
    );
    assert_eq!(first["mcp"], json!({"server": "crm", "tool": "t0"}));
    assert_eq!(
        (&first["api_key"], &first["tags"], &first["request_id"]),
        (&json!(customer.key.to_string()), &json!(["team=search"]), &json!(tagged.header("x-request-id").unwrap()))
    );
    assert_eq!((&first["cost"], &first["streamed"]), (&calls[3]["charged"], &json!(false)));
    assert!(first["duration_ms"].is_u64() && first["first_output_ms"].is_u64());
    assert_eq!(calls[2]["streamed"], true);
    assert_eq!(calls[5]["mcp"], Value::Null);

    close_leases(&app).await;
    for (filter, count) in [
        ("provider=mcp", 5),
        ("model=mcp/crm", 5),
        ("deployment=mcp/crm/t0", 2),
        ("tag=team%3Dsearch", 1),
        ("status=failed", 3),
        ("error_code=mcp_tool_error", 1),
        ("model=dev-chat", 1),
    ] {
        assert_eq!(list(&customer.person, &format!("{CALLS}?{filter}"), 100).await.len(), count, "{filter}");
    }
    let key = format!("{CALLS}?api_key={}", customer.key);
    assert_eq!(list(&customer.person, &key, 100).await.len(), 6);
    let operator =
        app.operator().get(&format!("/gateway/v1/admin/calls?org={}&provider=mcp", customer.account.org)).await;
    assert_eq!(operator.json["data"].as_array().unwrap().len(), 5, "{}", operator.text);
}

#[tokio::test]
async fn a_call_whose_client_disconnects_is_recorded() {
    let (app, customer, server) = start(&["steps"]).await;
    let gate = tests::provider::Gate::closed();
    server.hold_events(&gate);
    let request = customer.person.request(Method::POST, &format!("{MCP}/crm")).json(&call("steps"));
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    drop(response);
    let recorded =
        tests::polling::eventually("the call in the log", async || list(&customer.person, CALLS, 10).await.pop()).await;
    assert_eq!((&recorded["status"], &recorded["mcp"]["tool"]), (&json!("cancelled"), &json!("steps")));
    drop(app);
}

#[tokio::test]
async fn other_methods_are_in_the_log_by_their_name() {
    let (_app, customer, _server) = start(&["t0"]).await;
    let read = message("resources/read", json!({"uri": "file:///notes"}));
    let answer = post(&customer.person, "crm", &read).await;
    assert_eq!(answer.json["result"], json!({"contents": []}), "{}", answer.text);
    let calls = list(&customer.person, CALLS, 100).await;
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0]["mcp"], json!({"server": "crm", "tool": "resources/read"}));
    assert_eq!((&calls[0]["kind"], &calls[0]["status"]), (&json!("mcp"), &json!("completed")));
}
