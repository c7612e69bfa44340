//! Who may use the server, and its sessions.

use reqwest::Method;

use super::*;
use crate::runs::double;
use tests::assistant::{LATEST_WITH_SESSIONS, SESSION_ID};
use tests::client::{refusal, send};

#[tokio::test]
async fn a_client_without_a_token_is_told_where_it_gets_one() {
    let app = TestApp::start().await;
    let refused = send(app.anonymous().request(Method::POST, MCP).json(&json!({}))).await;
    assert_eq!(refusal(&refused).0, "401");
    let base_url = &app.platform.base_url;
    let metadata = format!("{base_url}/.well-known/oauth-protected-resource/mcp/v1");
    assert_eq!(refused.header("www-authenticate"), Some(format!(r#"Bearer resource_metadata="{metadata}""#).as_str()));
    for (path, resource) in [("", "/mcp/v1"), ("/studio", "/mcp/v1/studio")] {
        let found = app.anonymous().get(&format!("/.well-known/oauth-protected-resource/mcp/v1{path}")).await;
        assert_eq!(found.json["resource"], format!("{base_url}{resource}"), "{}", found.text);
        assert_eq!(found.json["authorization_servers"].as_array().map(Vec::len), Some(1));
    }
    // Other areas keep their challenge.
    let builder = app.anonymous().get(WORKFLOWS).await;
    assert_eq!(builder.header("www-authenticate"), Some("Bearer"));
}

#[tokio::test]
async fn a_session_belongs_to_the_caller_who_opened_it() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    publish_tool(&ada, "double", double()).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let mut stolen = Assistant::connect(&ada, MCP).await;
    stolen.person = app.person("bob");
    for method in [Method::POST, Method::GET, Method::DELETE] {
        let request = stolen.request(method.clone());
        let request = if method == Method::POST {
            request.json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
        } else {
            request
        };
        assert_eq!(send(request).await.status, "404 Not Found", "{method}");
    }
    assert_eq!(assistant.tools().await.len(), 2);
    let without = assistant.person.request(Method::POST, MCP).header("Accept", "application/json, text/event-stream");
    let without = send(without.json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))).await;
    assert_eq!(without.status, "400 Bad Request", "{}", without.text);
    let closed = send(assistant.request(Method::DELETE)).await;
    assert_eq!(closed.status, "204 No Content", "{}", closed.text);
    let (_, request) = assistant.message("tools/list", json!({}));
    assert_eq!(send(request).await.status, "404 Not Found", "the session is closed");
    let malformed = assistant.person.request(Method::GET, MCP).header(SESSION_ID, "none");
    assert_eq!(send(malformed.header("Accept", "text/event-stream")).await.status, "404 Not Found");
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let assistant = Assistant::connect(&ada, MCP).await;
    let list = async |origin: &str| send(assistant.message("tools/list", json!({})).1.header("Origin", origin)).await;
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(refusal(&list(origin).await), ("403", "origin_not_allowed"), "{origin}");
    }
    assert_eq!(list(&app.platform.base_url).await.status, "200 OK");
}

#[tokio::test]
async fn wrong_messages_are_refused_by_the_rules_of_the_protocol() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let assistant = Assistant::connect(&ada, MCP).await;
    let post = || assistant.request(Method::POST);
    let json_type = "application/json";
    for (request, status) in [
        (post().header("Content-Type", json_type).body("{"), "400"),
        (post().header("Content-Type", json_type).body("[]"), "400"),
        (post().header("Content-Type", json_type).body("no json"), "400"),
        (post().header("Content-Type", "text/plain").body("{}"), "415"),
        (ada.request(Method::POST, MCP).json(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"})), "406"),
        (assistant.request(Method::GET), "405"),
        (assistant.request(Method::PUT), "405"),
    ] {
        let answer = send(request).await;
        assert!(answer.status.starts_with(status), "{status}: {} {}", answer.status, answer.text);
    }
    let ping = assistant.ask("ping", json!({})).await;
    assert_eq!(ping["result"], json!({}));
}

#[tokio::test]
async fn wrong_parameters_are_named_and_open_no_session() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let assistant = Assistant::connect(&ada, MCP).await;
    for (method, params, part) in [
        ("initialize", json!({}), "protocolVersion"),
        ("initialize", json!({"protocolVersion": LATEST_WITH_SESSIONS, "capabilities": {}}), "clientInfo"),
        ("tools/call", json!({"arguments": {}}), "name"),
        ("tools/call", json!({"name": "greet", "arguments": "Ada"}), "arguments"),
    ] {
        let (_, request) = assistant.message(method, params.clone());
        let answer = send(request).await;
        assert_eq!(answer.header(SESSION_ID), None, "{params}");
        assert!(answer.text.contains("-32602") && answer.text.contains(part), "{method} {params}: {}", answer.text);
    }
    let unknown = assistant.ask("tools/run", json!({})).await;
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.contains("no method tools/run"), "{message}");
}
