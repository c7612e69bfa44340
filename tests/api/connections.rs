//! Connection limits: excess connections are refused at once with a Retry-After, and no provider is blamed for them.

use std::io::ErrorKind;
use std::time::Duration;

use local::server::BodyPace;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::provider::{Behaviour, FakeProvider};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const HALF_A_HEAD: &[u8] = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n";

async fn connect(app: &TestApp) -> TcpStream {
    TcpStream::connect(app.platform.base_url.trim_start_matches("http://")).await.unwrap()
}

/// Everything that the server sends until it closes the connection.
async fn read_to_end(socket: &mut TcpStream) -> String {
    let mut text = Vec::new();
    match socket.read_to_end(&mut text).await {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}"),
    }
    String::from_utf8(text).unwrap()
}

/// A model whose answers begin and never end.
async fn add_endless_model(app: &TestApp) -> FakeProvider {
    let fake = FakeProvider::start().await;
    let operator = app.operator();
    let provider = json!({"name": "slow", "kind": "openai", "base_url": format!("{}/v1", fake.base_url)});
    assert_eq!(operator.post_json("/gateway/v1/admin/providers", provider).await.status, "201 Created");
    let model = json!({
        "name": "slow-chat", "display_name": "Slow", "type": "Others", "capabilities": ["chat", "streaming"],
        "context_window": 8192, "max_output_tokens": 64, "pricing": {"input": "0.10", "output": "0.40"},
        "deployments": [{"provider": "slow", "model": "m"}],
    });
    assert_eq!(operator.post_json("/gateway/v1/admin/models", model).await.status, "201 Created");
    let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": null}]});
    fake.respond_with(Behaviour::events(&format!("data: {chunk}\n\n")).silent_after(1));
    fake
}

fn question(stream: bool) -> Value {
    json!({"model": "slow-chat", "stream": stream, "messages": [{"role": "user", "content": "Hello"}]})
}

#[tokio::test]
async fn excess_connections_get_retry_after_while_all_others_are_served() {
    let app = TestApp::start_with_options(|options| options.limits.connections = 2).await;
    let _fake = add_endless_model(&app).await;
    let mut streams = Vec::new();
    for _ in 0..2 {
        // Each client has connections of its own.
        let ask = app.key_client("ada").request(Method::POST, "/gateway/v1/chat/completions").json(&question(true));
        let mut stream = ask.send().await.unwrap();
        assert!(stream.chunk().await.unwrap().is_some());
        streams.push(stream);
    }
    for (path, form) in [("/builder/v1/agents", json!(null)), ("/gateway/v1/models", json!("internal_error"))] {
        let refused = app.anonymous().get(path).await;
        assert_eq!(refused.status, "503 Service Unavailable", "{path}");
        assert_eq!((refused.code(), &refused.json["error"]["type"]), ("unavailable", &form));
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert!(refused.header("x-request-id").is_some_and(|id| id.starts_with("req_")));
    }
    assert_eq!(app.anonymous().get("/health").await.status, "200 OK");

    // One stream ends: its place is free as soon as the platform notices.
    drop(streams.pop());
    let mut tries = 0;
    while app.anonymous().get("/builder/v1/models").await.status == "503 Service Unavailable" {
        tries += 1;
        assert!(tries < 1_000, "the place of a closed connection is never freed");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn requests_that_never_become_whole_lock_nobody_out() {
    let app = TestApp::start_with_options(|options| options.limits.connections = 4).await;
    let half_a_body = format!(
        "POST /builder/v1/agents HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {}\r\ncontent-type: \
         application/json\r\ncontent-length: 100000\r\n\r\n{{\"name\": ",
        app.platform.credentials.users["ada"].access_token
    );
    let mut open = Vec::new();
    for round in 0..20 {
        let mut socket = connect(&app).await;
        // A connection that gave its place to another one may be closed already.
        let _ = socket.write_all(if round % 2 == 0 { half_a_body.as_bytes() } else { HALF_A_HEAD }).await;
        open.push(socket);
        let answer = app.person("ada").get("/builder/v1/agents").await;
        assert_eq!(answer.status, "200 OK", "round {round}: {}", answer.text);
        assert_eq!(app.anonymous().get("/health").await.status, "200 OK", "round {round}");
    }
}

#[tokio::test]
async fn a_body_that_stops_arriving_is_answered_and_the_connection_closed() {
    let app = TestApp::start_with_options(|options| {
        options.limits.body_pace = BodyPace { patience: Duration::from_millis(50), bytes_per_second: 1 << 20 };
    })
    .await;
    let mut socket = connect(&app).await;
    let head = format!(
        "POST /builder/v1/workflows HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {}\r\ncontent-type: \
         application/json\r\ncontent-length: 1000\r\n\r\n{{\"name\": ",
        app.platform.credentials.users["ada"].access_token
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    let response = read_to_end(&mut socket).await;
    assert!(response.starts_with("HTTP/1.1 400") && response.contains("is incomplete"), "{response}");
}

#[tokio::test]
async fn callers_of_hooks_are_identified_before_their_body_is_read() {
    let app = TestApp::start().await;
    let id = "0199a2c4-7b1e-7c52-9d3f-000000000000";
    for path in [format!("/hooks/v1/messages/{id}"), format!("/hooks/v1/{id}")] {
        let mut socket = connect(&app).await;
        let head = format!("POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100000\r\n\r\n{{");
        socket.write_all(head.as_bytes()).await.unwrap();
        let response = read_to_end(&mut socket).await;
        assert!(response.starts_with("HTTP/1.1 404"), "{path}: {response}");
    }
}

#[tokio::test]
async fn an_incomplete_request_head_times_out() {
    let app = TestApp::start_with_options(|options| {
        options.limits.connections = 2;
        options.limits.head_timeout = Duration::from_millis(50);
    })
    .await;
    let mut sockets = [connect(&app).await, connect(&app).await];
    for socket in &mut sockets {
        socket.write_all(HALF_A_HEAD).await.unwrap();
    }
    for socket in &mut sockets {
        // The platform closes the connection: the test sends nothing more, and waits without a timeout.
        let response = read_to_end(socket).await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 408"), "{response}");
    }
}

#[tokio::test]
async fn exhausted_outbound_connections_are_not_a_provider_failure() {
    let settings = vec![("OUTBOUND_MAX_CONNECTIONS".to_owned(), "1".to_owned())];
    let app = TestApp::start_with_options(|options| options.settings = settings).await;
    let fake = add_endless_model(&app).await;
    let ada = app.key_client("ada");
    let mut streaming =
        ada.request(Method::POST, "/gateway/v1/chat/completions").json(&question(true)).send().await.unwrap();
    assert_eq!(streaming.status(), 200);
    assert!(streaming.chunk().await.unwrap().is_some());

    // The one outbound connection is in use. The platform refuses further calls itself, and never blames the provider.
    for _ in 0..5 {
        let refused = ada.post_json("/gateway/v1/chat/completions", question(false)).await;
        assert_eq!(refused.status, "503 Service Unavailable", "{}", refused.text);
        assert_eq!((refused.code(), &refused.json["error"]["type"]), ("unavailable", &json!("internal_error")));
        assert!(refused.header("retry-after").is_some());
    }
    assert_eq!(fake.take_requests().len(), 1);
}
