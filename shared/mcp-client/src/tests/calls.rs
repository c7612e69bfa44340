//! Calls of tools, and what is known of a call that fails.

use outbound::{CallError, OutboundError};

use super::*;

#[tokio::test]
async fn a_call_opens_a_session_and_ends_it() {
    for streams in [false, true] {
        let server = McpServer::with_tools(&["echo"]).await;
        server.change(|manner| manner.streams = streams);
        let result = call(&server.url(), "echo").await.unwrap();
        assert_eq!(result.text, r#"{"query":"shoes"}"#);
        assert_eq!(result.structured, json!({"arguments": {"query": "shoes"}}));
        assert_eq!(server.methods(), ["initialize", "notifications/initialized", "tools/call", "DELETE"]);
        assert_eq!(server.open_sessions(), 0);
        assert_eq!(server.calls()[0].idempotency_key.as_deref(), Some(KEY));
    }
}

#[tokio::test]
async fn servers_without_sessions_and_without_a_beginning_are_called() {
    let server = McpServer::with_tools(&["echo"]).await;
    server.change(|manner| manner.is_sessionless = true);
    call(&server.url(), "echo").await.unwrap();
    assert_eq!(server.methods(), ["initialize", "notifications/initialized", "tools/call"]);

    let server = McpServer::with_tools(&["echo"]).await;
    server.change(|manner| manner.is_stateless = true);
    call(&server.url(), "echo").await.unwrap();
    assert_eq!(server.methods(), ["initialize", "server/discover", "tools/call"]);
}

#[tokio::test]
async fn images_and_resources_are_parts_of_the_result() {
    let server = McpServer::with_tools(&["picture"]).await;
    let result = call(&server.url(), "picture").await.unwrap();
    assert_eq!(result.text, "A pixel.\nA note.");
    let kinds: Vec<_> = result.content.iter().map(|part| part["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image", "resource"]);
}

#[tokio::test]
async fn the_server_is_answered_while_it_works() {
    let server = McpServer::with_tools(&["busy"]).await;
    assert_eq!(call(&server.url(), "busy").await.unwrap().text, "Done.");
    let replies = server.replies();
    assert_eq!(replies[0], json!({"jsonrpc": "2.0", "id": "s1", "result": {}}));
    assert_eq!((&replies[1]["id"], &replies[1]["error"]["code"]), (&json!("s2"), &json!(-32601)));
}

#[tokio::test]
async fn a_stream_that_breaks_is_resumed_after_its_last_event() {
    let server = McpServer::with_tools(&["break"]).await;
    assert_eq!(call(&server.url(), "break").await.unwrap().text, "Resumed.");
    assert_eq!(server.calls().len(), 1, "the call is not repeated");
    assert!(server.methods().contains(&"GET".to_owned()));
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_opened_again_once() {
    let server = McpServer::with_tools(&["echo"]).await;
    server.change(|manner| manner.forgotten = 1);
    call(&server.url(), "echo").await.unwrap();
    assert_eq!(server.calls().len(), 1, "the refused call did not take place");
    server.change(|manner| manner.forgotten = 2);
    let failed = call(&server.url(), "echo").await.unwrap_err();
    assert_eq!((failed.error, failed.outcome), (McpError::SessionEnded, CallOutcome::NotMade));
}

#[tokio::test]
async fn a_failed_call_says_whether_it_took_place() {
    let server = McpServer::with_tools(&["die", "huge", "refuse", "ask", "echo"]).await;
    let outcome = async |tool: &str| {
        let FailedCall { error, outcome } = call(&server.url(), tool).await.unwrap_err();
        (error.code(), outcome)
    };
    assert_eq!(outcome("die").await, ("connection_cut", CallOutcome::Unknown));
    assert_eq!(outcome("huge").await, ("response_too_large", CallOutcome::Made));
    assert_eq!(outcome("ask").await, ("mcp_input_required", CallOutcome::Made));
    assert_eq!(outcome("refuse").await, ("mcp_refused", CallOutcome::NotMade));
    assert_eq!(outcome("gone").await, ("mcp_refused", CallOutcome::NotMade));
    for (status, expected) in [(500, CallOutcome::Unknown), (502, CallOutcome::Unknown), (503, CallOutcome::NotMade)] {
        server.change(|manner| manner.call_status = Some(status));
        assert_eq!(outcome("echo").await, ("mcp_status", expected), "{status}");
    }
    let nobody = call("http://127.0.0.1:1/mcp", "echo").await.unwrap_err();
    assert_eq!((nobody.error.code(), nobody.outcome), ("destination_unreachable", CallOutcome::NotMade));
    let forbidden = call("http://10.0.0.1/mcp", "echo").await.unwrap_err();
    assert_eq!((forbidden.error.code(), forbidden.outcome), ("destination_forbidden", CallOutcome::NotMade));
}

/// The clock stands still, except where the test advances it.
#[tokio::test]
async fn a_server_that_does_not_answer_is_asked_to_cancel() {
    let server = McpServer::with_tools(&["silent"]).await;
    tokio::time::pause();
    // An idle runtime would advance a stopped clock by itself.
    let busy = tokio::spawn(async {
        loop {
            tokio::task::yield_now().await;
        }
    });
    let url = server.url();
    let calling = tokio::spawn(async move { call(&url, "silent").await });
    server.wait_for("tools/call").await;
    // Timers have a resolution of a millisecond.
    tokio::time::advance(LIMIT - CLOSING_TIME + Duration::from_millis(10)).await;
    let failed = calling.await.unwrap().unwrap_err();
    busy.abort();
    let timeout = McpError::Call(CallError::Outbound(OutboundError::Timeout { sent: true }));
    assert_eq!((failed.error, failed.outcome), (timeout, CallOutcome::Unknown));
    let methods = server.methods();
    assert_eq!(methods[methods.len() - 2..], ["notifications/cancelled", "DELETE"]);
}

/// Neither a token nor the arguments reach another server than the one of the URL.
#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let (server, other) = (McpServer::with_tools(&["echo"]).await, McpServer::with_tools(&["echo"]).await);
        server.change(|manner| manner.redirect = Some((status, other.url())));
        let failed = call_with(&server.url(), "echo", Some(&bearer("s3cret"))).await.unwrap_err();
        assert_eq!(failed.outcome, CallOutcome::NotMade);
        assert_eq!(failed.error.code(), "mcp_status");
        assert!(failed.to_string().ends_with("use that one as the URL"), "{failed}");
        assert!(other.methods().is_empty(), "{status}");
    }
}
