//! Statuses that are retried while attempts are left.

use super::server::response;
use super::*;

#[tokio::test]
async fn a_temporary_status_is_retried_and_then_a_value() {
    for status in [408, 425, 429, 500, 502, 503, 504] {
        let server = Server::answering(response(status, &[], SECRET)).await;
        let first = retried(json!({"url": server.url("/")}));
        let EffectError { error, retry } = perform(&first, None).await.unwrap_err();
        assert_eq!(error.code, "http_status");
        assert_eq!(error.message, format!("the destination answered with status {status}"));
        assert_eq!(retry, RetryHint::After(Duration::ZERO));
        let outcome = perform(&Effect { attempt: 2, is_last_attempt: true, ..first }, None).await.unwrap();
        assert_eq!((&outcome.value["status"], &outcome.value["body"]), (&json!(status), &json!(SECRET)));
    }
}

#[tokio::test]
async fn another_status_is_a_value_at_once() {
    for status in [200, 304, 400, 401, 404, 409, 410, 422, 501, 505] {
        let server = Server::answering(response(status, &[], "")).await;
        let effect = retried(json!({"url": server.url("/")}));
        assert_eq!(perform(&effect, None).await.unwrap().value["status"], status);
    }
}

#[tokio::test]
async fn the_next_attempt_may_succeed() {
    let server = Server::start(|request| match request.contains("key-2") {
        true => response(200, &[], "done"),
        false => response(503, &[("retry-after", "7")], ""),
    });
    let url = server.await.url("/");
    let first = retried(json!({"method": "POST", "url": url}));
    let error = perform(&first, None).await.unwrap_err();
    assert_eq!(error.retry, RetryHint::After(Duration::from_secs(7)));
    let second = Effect { attempt: 2, idempotency_key: "key-2".to_owned(), ..first };
    assert_eq!(perform(&second, None).await.unwrap().value["body"], "done");
}

#[tokio::test]
async fn the_wait_that_the_destination_asks_for_is_read() {
    for (retry_after, wait) in [
        ("30", Duration::from_secs(30)),
        ("Thu, 01 Jan 1970 00:02:00 GMT", Duration::from_secs(120)),
        ("Wed, 31 Dec 1969 00:00:00 GMT", Duration::ZERO),
        ("Fri, 01 Jan 1971 00:00:00 GMT", Duration::from_secs(24 * 60 * 60)),
        ("soon", Duration::ZERO),
    ] {
        let server = Server::answering(response(429, &[("retry-after", retry_after)], "")).await;
        let effect = retried(json!({"url": server.url("/")}));
        let error = perform(&effect, None).await.unwrap_err();
        assert_eq!(error.retry, RetryHint::After(wait), "{retry_after}");
    }
}
