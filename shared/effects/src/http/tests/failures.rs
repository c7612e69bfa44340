//! Calls without an answer that can be used.

use domain::Error;
use tokio::net::TcpListener;

use super::super::MAX_BODY_BYTES;
use super::server::response;
use super::*;
use crate::credentials::closed_credential;

const NOW_OR_LATER: RetryHint = RetryHint::After(Duration::ZERO);

#[tokio::test]
async fn internal_addresses_are_refused() {
    for host in ["169.254.169.254", "10.0.0.1", "127.0.0.2", "[::1]", "[::ffff:169.254.169.254]"] {
        let config = json!({"url": format!("http://{host}/{SECRET}"), "query": {"key": SECRET}});
        let (code, message, retry) = error_of(config).await;
        assert_eq!((&*code, retry), ("destination_forbidden", RetryHint::Never), "{host}: {message}");
    }
    let server = Server::answering(response(302, &[("location", "http://169.254.169.254/latest")], "")).await;
    let (code, _, retry) = error_of(json!({"url": server.url("/")})).await;
    assert_eq!((&*code, retry), ("destination_forbidden", RetryHint::Never));
}

#[tokio::test]
async fn an_invalid_redirect_is_final() {
    for (location, code) in [("ftp://example.com/", "url_not_http"), ("/again", "too_many_redirects")] {
        let server = Server::answering(response(302, &[("location", location)], "")).await;
        let (found, message, retry) = error_of(json!({"url": server.url("/")})).await;
        assert_eq!((&*found, retry), (code, RetryHint::Never), "{message}");
    }
}

#[tokio::test]
async fn an_invalid_url_is_refused() {
    let long = format!("http://127.0.0.1/{}", "x".repeat(2_000));
    for url in [
        "",
        "s3cret",
        "ftp://example.com/",
        "file:///etc/passwd",
        "http://",
        "http://s3cret@example.com/",
        "http://example.com:99999/",
        "http://exa mple.com/s3cret",
        "http://example.com/a\nb",
        "http://example.com/niño",
        "http://example.com/#s3cret",
        &long,
    ] {
        let (code, message, retry) = error_of(json!({"url": url})).await;
        assert_eq!((&*code, retry), ("invalid_url", RetryHint::Never), "{url}: {message}");
        assert!(message.starts_with("config.url: "), "{message}");
    }
    let query = json!({"q": "s3cret".repeat(20_000)});
    let (code, message, _) = error_of(json!({"url": "http://127.0.0.1/", "query": query})).await;
    assert_eq!((&*code, &*message), ("invalid_url", "config.query: the URL is too long; send less in the query"));
}

#[tokio::test]
async fn a_header_cannot_contain_another_one() {
    let server = Server::answering(response(200, &[], "")).await;
    for (name, value) in [
        ("x-note", "s3cret\r\nx-admin: 1"),
        ("x-note", "s3cret\n"),
        ("x-note", "s3cret\0"),
        ("x-note", "s3cret\u{85}"),
        ("x note", "s3cret"),
        ("x-note:", "s3cret"),
        ("Host", "s3cret"),
        ("Content-Length", "0"),
        ("Transfer-Encoding", "chunked"),
        ("Idempotency-Key", "s3cret"),
    ] {
        let headers = json!({name: value});
        let (code, message, retry) = error_of(json!({"url": server.url("/"), "headers": headers})).await;
        assert_eq!((&*code, retry), ("invalid_header", RetryHint::Never), "{message}");
        assert!(message.starts_with(&format!("config.headers.{name}: ")), "{message}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_large_body_is_refused() {
    let server = Server::start(|request| match request.starts_with("GET /most") {
        true => response(200, &[], vec![b'a'; MAX_BODY_BYTES]),
        false => response(200, &[], vec![b'a'; MAX_BODY_BYTES + 1]),
    });
    let server = server.await;
    let most = value_of(json!({"url": server.url("/most")})).await;
    assert_eq!(most["body"].as_str().unwrap().len(), MAX_BODY_BYTES);
    let (code, message, retry) = error_of(json!({"url": server.url("/")})).await;
    assert_eq!((&*code, retry), ("response_too_large", RetryHint::Never));
    assert_eq!(message, "the response is larger than 1048576 bytes");

    let sent = server.requests().len();
    let form = json!({"type": "form", "fields": {"a": "ñ".repeat(MAX_BODY_BYTES / 4)}});
    for body in [json!({"type": "text", "text": "a".repeat(MAX_BODY_BYTES + 1)}), form] {
        let (code, _, retry) = error_of(json!({"method": "PUT", "url": server.url("/"), "body": body})).await;
        assert_eq!((&*code, retry), ("request_too_large", RetryHint::Never));
    }
    assert_eq!(server.requests().len(), sent);
}

#[tokio::test]
async fn a_failure_of_the_network_may_pass() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/{SECRET}", listener.local_addr().unwrap());
    // The connection waits in the backlog.
    let quick = Effect { timeout: Duration::from_millis(100), ..retried(json!({"url": url})) };
    let EffectError { error, retry } = perform(&quick, None).await.unwrap_err();
    assert_eq!((&*error.code, retry), ("destination_timeout", RetryHint::Uncertain));
    drop(listener);
    let (code, _, retry) = error_of(json!({"url": url})).await;
    assert_eq!((&*code, retry), ("destination_unreachable", NOW_OR_LATER));

    for answer in [&b""[..], b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"] {
        let server = Server::answering(answer.to_vec()).await;
        let (code, _, retry) = error_of(json!({"url": server.url("/")})).await;
        assert_eq!((&*code, retry), ("connection_cut", RetryHint::Uncertain));
    }
}

#[tokio::test]
async fn a_token_that_is_not_granted_is_an_error() {
    for (status, retry) in [(401, RetryHint::Never), (503, NOW_OR_LATER)] {
        let server = Server::answering(response(status, &[], r#"{"error": "s3cret, it is"}"#)).await;
        let credential = Credential::Oauth2ClientCredentials {
            token_url: server.url("/token"),
            client_id: "me".to_owned(),
            client_secret: SECRET.to_owned(),
            scope: None,
        };
        let error = perform(&effect(json!({"url": server.url("/")})), Some(&credential)).await.unwrap_err();
        let message = format!("token_refused: the token endpoint answered {status}");
        assert_eq!((error.error.to_string(), error.retry), (message, retry));
    }
}

#[test]
fn a_credential_that_was_deleted_is_an_error() {
    let gone = closed_credential(&Error::NotFound { kind: "credential" }, String::new);
    assert_eq!((&*gone.error.code, gone.retry), ("credential_gone", RetryHint::Never));
    for error in [Error::busy(SECRET), Error::internal(SECRET)] {
        let busy = closed_credential(&error, String::new);
        assert_eq!((&*busy.error.code, busy.retry), ("platform_busy", NOW_OR_LATER));
        assert!(!busy.error.message.contains(SECRET));
    }
}
