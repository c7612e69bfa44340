//! What the gateway does not serve is refused by name.

use insta::assert_json_snapshot;
use reqwest::Method;
use tests::TestApp;
use tests::client::send;

#[tokio::test]
async fn what_the_gateway_does_not_serve_is_refused_by_name() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    for (method, path, name) in [
        (Method::GET, "realtime?model=gpt-realtime", "realtime sessions"),
        (Method::POST, "realtime/sessions", "realtime sessions"),
        (Method::POST, "realtime/client_secrets", "realtime sessions"),
        (Method::POST, "a2a/scout", "A2A"),
        (Method::POST, "a2a/scout/message/send", "A2A"),
        (Method::GET, ".well-known/agent-card.json", "A2A"),
        (Method::GET, "prompts", "prompts"),
        (Method::POST, "prompts/greeting/completions", "prompts"),
        (Method::DELETE, "cache/delete", "semantic cache"),
    ] {
        let answer = send(ada.request(method.clone(), &format!("/gateway/v1/{path}"))).await;
        let message = answer.json["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "not_supported"), "{method} {path}");
        assert!(message.contains(name) && message.contains("; "), "{method} {path}: {message}");
    }
}

#[tokio::test]
async fn a_socket_is_refused_in_the_envelope_of_the_gateway() {
    let app = TestApp::start().await;
    let handshake = app.anonymous().request(Method::GET, "/gateway/v1/realtime");
    let handshake = handshake.header("Connection", "Upgrade").header("Upgrade", "websocket");
    let answer = send(handshake.header("Sec-WebSocket-Version", "13").header("X-Request-Id", "r1")).await;
    assert_eq!(answer.status, "404 Not Found");
    assert_json_snapshot!(answer.json, @r#"
    {
      "error": {
        "type": "not_found_error",
        "code": "not_supported",
        "message": "the gateway has no realtime sessions; stream the answers of /gateway/v1/responses or /gateway/v1/chat/completions",
        "param": null,
        "request_id": "r1",
        "details": null
      }
    }
    "#);
}

#[tokio::test]
async fn other_unknown_paths_are_not_found() {
    let app = TestApp::start().await;
    for path in ["realtimes", "prompt", "nothing/prompts"] {
        let answer = app.key_client("ada").get(&format!("/gateway/v1/{path}")).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "not_found"), "{path}");
    }
}
