//! The value of a node.

use super::server::response;
use super::*;

async fn body_of(response: Vec<u8>, mut config: Value) -> Value {
    let server = Server::answering(response).await;
    config["url"] = server.url("/").into();
    value_of(config).await["body"].take()
}

fn typed(media_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    response(200, &[("content-type", media_type)], body)
}

#[tokio::test]
async fn the_value_has_the_status_the_headers_and_the_body() {
    let headers = [
        ("Content-Type", "application/json; charset=utf-8"),
        ("Set-Cookie", "a=1"),
        ("X-One", "1"),
        ("set-cookie", "b=2"),
    ];
    let server = Server::answering(response(201, &headers, r#"{"id":7}"#)).await;
    let expected = json!({
        "status": 201,
        "headers": {
            "content-type": "application/json; charset=utf-8",
            "set-cookie": "a=1, b=2",
            "x-one": "1",
            "connection": "close",
            "content-length": "8",
        },
        "body": {"id": 7},
    });
    assert_eq!(value_of(json!({"url": server.url("/")})).await, expected);
}

#[tokio::test]
async fn the_media_type_decides_how_the_body_is_read() {
    let object = r#" {"a": [1]} "#;
    for media_type in ["application/json", "Application/JSON;charset=utf-8", "application/problem+json"] {
        assert_eq!(body_of(typed(media_type, object), json!({})).await, json!({"a": [1]}), "{media_type}");
    }
    for media_type in
        ["text/plain", "text/html; charset=utf-8", "application/xml", "image/svg+xml", "application/jsonp", ""]
    {
        assert_eq!(body_of(typed(media_type, object), json!({})).await, object, "{media_type}");
    }
    assert_eq!(body_of(response(200, &[], "plain"), json!({})).await, "plain");
    assert_eq!(body_of(typed("text/csv", "\u{feff}a;b"), json!({})).await, "a;b");
    assert_eq!(body_of(typed("application/json", "\u{feff}[]"), json!({})).await, json!([]));
}

#[tokio::test]
async fn a_binary_body_is_base64() {
    for (media_type, body, value) in [
        ("image/PNG", &b"\x89PNG"[..], json!({"base64": "iVBORw==", "contentType": "image/png"})),
        ("application/pdf; x=y", b"%PDF", json!({"base64": "JVBERg==", "contentType": "application/pdf"})),
        ("text/plain; charset=latin1", b"ni\xf1o", json!({"base64": "bmnxbw==", "contentType": "text/plain"})),
        ("", b"\xff", json!({"base64": "/w==", "contentType": "application/octet-stream"})),
    ] {
        assert_eq!(body_of(typed(media_type, body), json!({})).await, value, "{media_type}");
    }
}

#[tokio::test]
async fn an_empty_body_is_null() {
    for media_type in ["application/json", "text/plain", "image/png", ""] {
        assert_eq!(body_of(typed(media_type, ""), json!({})).await, Value::Null, "{media_type}");
    }
    assert_eq!(body_of(typed("application/json", "\n"), json!({})).await, Value::Null);
    assert_eq!(body_of(response(200, &[], ""), json!({"response": "json"})).await, Value::Null);
    assert_eq!(body_of(response(200, &[], ""), json!({"response": "text"})).await, "");
    let none = b"HTTP/1.1 204 No Content\r\ncontent-type: application/json\r\n\r\n".to_vec();
    assert_eq!(body_of(none, json!({"method": "DELETE"})).await, Value::Null);
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n".to_vec();
    assert_eq!(body_of(head, json!({"method": "HEAD"})).await, Value::Null);
}

#[tokio::test]
async fn the_format_of_the_node_overrides_the_media_type() {
    assert_eq!(body_of(typed("text/html", "[1]"), json!({"response": "json"})).await, json!([1]));
    assert_eq!(body_of(typed("application/json", "[1]"), json!({"response": "text"})).await, "[1]");
    assert_eq!(body_of(typed("image/png", b"\x89PNG"), json!({"response": "text"})).await, "\u{fffd}PNG");
}

#[tokio::test]
async fn invalid_json_is_an_error_only_of_a_successful_response() {
    let page = [("content-type", "text/html")];
    for (answer, config) in [
        (typed("application/json", "{\"a\": s3cret"), json!({})),
        (typed("application/json", b"\"\xff\""), json!({})),
        (typed("text/html", "<p>s3cret"), json!({"response": "json"})),
    ] {
        let server = Server::answering(answer).await;
        let mut config = config;
        config["url"] = server.url("/").into();
        let (code, message, retry) = error_of(config).await;
        assert_eq!((&*code, retry), ("invalid_response", RetryHint::Never), "{message}");
    }
    assert_eq!(body_of(response(404, &page, "<p>gone"), json!({"response": "json"})).await, "<p>gone");
    let proxy = [("content-type", "application/json")];
    assert_eq!(body_of(response(502, &proxy, "Bad Gateway"), json!({})).await, "Bad Gateway");
}

#[tokio::test]
async fn an_error_status_is_a_value() {
    for status in [400, 401, 404, 409, 429, 500, 503] {
        let server = Server::answering(response(status, &[("content-type", "application/json")], r#"{"e":1}"#)).await;
        let value = value_of(json!({"url": server.url("/")})).await;
        assert_eq!((&value["status"], &value["body"]), (&json!(status), &json!({"e": 1})));
    }
}

#[tokio::test]
async fn redirects_are_followed() {
    let server = Server::start(|request| match request.split(' ').nth(1) {
        Some("/a") => response(303, &[("location", "/b")], ""),
        Some("/b") => response(307, &[("location", "/c?x=1")], ""),
        _ => response(200, &[], request.lines().next().unwrap()),
    });
    let server = server.await;
    for text in ["hello", ""] {
        let config = json!({"method": "POST", "url": server.url("/a"), "body": {"type": "text", "text": text}});
        assert_eq!(value_of(config).await["body"], "GET /c?x=1 HTTP/1.1");
        assert!(!server.last_request().contains("content-"));
    }
}
