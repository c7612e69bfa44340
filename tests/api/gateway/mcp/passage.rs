//! What passes the door, and what does not.

use tests::provider::Gate;

use super::*;

/// Registers another server with one credential.
async fn with_auth(app: &TestApp, customer: &Customer, server: &ToolServer, auth: Value) {
    register(app, customer, "own", json!({"url": server.url, "auth": auth, "access": [{"tools": ["t0"]}]})).await;
}

#[tokio::test]
async fn only_headers_of_the_protocol_pass_the_door() {
    let (app, customer, server) = start(&["t0"]).await;
    with_auth(&app, &customer, &server, json!({"type": "header", "header": "X-Crm-Key", "value": "crm-secret"})).await;
    let headers = [
        ("cookie", "svc_session=abc"),
        ("x-api-key", customer.person.token.as_deref().unwrap()),
        ("x-forwarded-for", "203.0.113.7"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "t0"),
        ("mcp-param-region", "eu"),
    ];
    let answer = post_with(&customer.person, "own", &call("t0"), &headers).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let received = server.take_requests().remove(0);
    assert_eq!(received.body, call("t0"));
    let mut passed = names(&received.headers);
    passed.sort_unstable();
    let expected = [
        "accept",
        "content-length",
        "content-type",
        "host",
        "mcp-method",
        "mcp-name",
        "mcp-param-region",
        "mcp-protocol-version",
        "user-agent",
        "x-crm-key",
    ];
    assert_eq!(passed, expected);
    assert_eq!(received.headers["x-crm-key"], "crm-secret");
    assert!(!format!("{:?}{}", answer.headers, answer.text).contains("crm-secret"));
}

#[tokio::test]
async fn a_token_of_a_client_is_renewed_once_when_the_server_refuses_it() {
    let (app, customer, server) = start(&["t0"]).await;
    let issuer = tests::provider::FakeProvider::start().await;
    let token = |token: &str| {
        tests::provider::Behaviour::json(
            200,
            json!({"access_token": token, "token_type": "Bearer", "expires_in": 3600}),
        )
    };
    issuer.then_respond(token("first")).then_respond(token("second"));
    let auth = json!({
        "type": "oauth2_client_credentials", "token_url": format!("{}/token", issuer.base_url), "client_id": "atelier",
        "client_secret": "client-secret",
    });
    with_auth(&app, &customer, &server, auth).await;
    server.accept_tokens(&["first"]);
    for _ in 0..2 {
        assert_eq!(post(&customer.person, "own", &call("t0")).await.status, "200 OK");
    }
    assert_eq!(issuer.take_requests().len(), 1, "the token is cached");
    server.accept_tokens(&["second"]);
    assert_eq!(post(&customer.person, "own", &call("t0")).await.status, "200 OK");
    assert_eq!(issuer.take_requests().len(), 1);
    server.accept_tokens(&[]);
    let refused = post(&customer.person, "own", &call("t0")).await;
    assert_eq!(
        (refused.status.as_str(), refused.code()),
        ("502 Bad Gateway", "mcp_credentials_refused"),
        "{}",
        refused.text
    );
    assert!(refused.header("www-authenticate").is_none(), "the server's challenge is not for the client");
}

#[tokio::test]
async fn a_stream_passes_event_by_event() {
    let (_app, customer, server) = start(&["steps"]).await;
    let gate = Gate::closed();
    server.hold_events(&gate);
    let request = customer.person.request(Method::POST, &format!("{MCP}/crm")).json(&call("steps"));
    let mut response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    for number in 1..=3 {
        gate.admit(1);
        // The next event arrives although the server holds back those after it.
        while text.matches("\n\n").count() < number {
            text.push_str(str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap());
        }
    }
    assert_eq!(response.chunk().await.unwrap(), None);
    let expected: Vec<&str> = text.lines().filter(|line| line.starts_with("id: ")).collect();
    assert_eq!(expected, ["id: 1/1", "id: 1/2", "id: 1/3"]);
    assert!(text.contains("notifications/progress") && text.contains("structuredContent"), "{text}");
}

#[tokio::test]
async fn what_is_no_message_is_refused_before_the_server() {
    let (_app, customer, server) = start(&["t0"]).await;
    for (body, code) in [
        (json!([call("t0")]), -32600),
        (json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "t0"}}), -32600),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "Method": "tools/call"}), -32700),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t0", "NAME": "t1"}}), -32602),
        (json!({"hello": 1}), -32700),
    ] {
        let answer = post(&customer.person, "crm", &body).await;
        assert_eq!(answer.json["error"]["code"], code, "{body}: {}", answer.text);
        assert_eq!(answer.json["jsonrpc"], "2.0");
    }
    let mismatch = post_with(&customer.person, "crm", &call("t0"), &[("mcp-name", "t1")]).await;
    assert_eq!((mismatch.status.as_str(), &mismatch.json["error"]["code"]), ("400 Bad Request", &json!(-32020)));
    assert!(server.take_requests().is_empty());
}

#[tokio::test]
async fn a_key_with_some_tools_uses_no_other_methods() {
    let (app, customer, server) = start(&["t0"]).await;
    with_auth(&app, &customer, &server, json!({"type": "none"})).await;
    for (method, is_allowed) in [
        ("ping", true),
        ("initialize", true),
        ("resources/read", false),
        ("prompts/get", false),
        ("completion/complete", false),
    ] {
        let answer = post(&customer.person, "own", &message(method, json!({}))).await;
        assert_eq!(answer.json.get("result").is_some(), is_allowed, "{method}: {}", answer.text);
        assert_eq!(server.take_requests().len(), usize::from(is_allowed), "{method}");
        let unlimited = post(&customer.person, "crm", &message(method, json!({}))).await;
        assert!(unlimited.json.get("result").is_some(), "{method}: {}", unlimited.text);
        server.take_requests();
    }
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&customer.person, "own", &notification).await.status, "202 Accepted");
    let response = json!({"jsonrpc": "2.0", "id": 5, "result": {}});
    assert_eq!(post(&customer.person, "own", &response).await.status, "202 Accepted");
}

#[tokio::test]
async fn answers_that_are_no_messages_stay_outside() {
    let (_app, customer, server) = start(&["t0"]).await;
    let rpc_error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}"#;
    for (status, kind, body, expected) in [
        (301, "text/html", "moved", ("502 Bad Gateway", "mcp_server_failed")),
        (307, "text/html", "moved", ("502 Bad Gateway", "mcp_server_failed")),
        (401, "application/json", rpc_error, ("502 Bad Gateway", "mcp_credentials_refused")),
        (429, "text/plain", "slow down", ("429 Too Many Requests", "mcp_server_busy")),
        (500, "text/html", "<h1>stack trace</h1>", ("502 Bad Gateway", "mcp_server_failed")),
        (400, "text/html", "<h1>stack trace</h1>", ("502 Bad Gateway", "mcp_server_failed")),
        (200, "text/html", "<h1>welcome</h1>", ("502 Bad Gateway", "mcp_answer_invalid")),
        (200, "application/json", "{\"hello\":1}", ("502 Bad Gateway", "mcp_answer_invalid")),
    ] {
        server.respond_once(status, kind, body);
        let answer = post(&customer.person, "crm", &message("tools/list", json!({}))).await;
        assert_eq!((answer.status.as_str(), answer.code()), expected, "{status} {kind}: {}", answer.text);
        assert!(!answer.text.contains("stack trace"), "{}", answer.text);
        assert_eq!(server.take_requests().len(), 1, "no redirect is followed, and nothing is sent twice");
    }
    server.respond_once(400, "application/json", rpc_error);
    let passed = post(&customer.person, "crm", &message("tools/list", json!({}))).await;
    assert_eq!((passed.status.as_str(), passed.text.as_str()), ("400 Bad Request", rpc_error));
}

#[tokio::test]
async fn pages_of_other_origins_and_keys_of_workbenches_are_refused() {
    let (app, customer, server) = start(&["t0"]).await;
    let foreign = post_with(&customer.person, "crm", &call("t0"), &[("origin", "https://evil.example")]).await;
    assert_eq!((foreign.status.as_str(), foreign.code()), ("403 Forbidden", "origin_not_allowed"));
    let own = app.platform.base_url.clone();
    assert_eq!(post_with(&customer.person, "crm", &call("t0"), &[("origin", &own)]).await.status, "200 OK");
    server.take_requests();
    let lab = app
        .customer_with_key("tools", domain::money::Money::ZERO, |key| {
            key.workbench = Some(domain::id::WorkbenchId::new())
        })
        .await;
    let refused = post(&lab.person, "crm", &call("t0")).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("403 Forbidden", "api_key_of_workbench"));
    assert!(server.take_requests().is_empty());
}
