//! Sessions and streams that clients resume.

use super::*;

/// Begins a session, and returns its id.
async fn begin(person: &Person, server: &str) -> String {
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let answer = post(person, server, &message("initialize", params)).await;
    assert_eq!(answer.json["result"]["protocolVersion"], "2025-11-25", "{}", answer.text);
    answer.header("mcp-session-id").expect("a session").to_owned()
}

async fn get(person: &Person, headers: &[(&str, &str)]) -> Answer {
    let mut request = person.request(Method::GET, &format!("{MCP}/crm")).header("accept", "text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(request).await
}

#[tokio::test]
async fn a_session_belongs_to_its_key_and_server() {
    let (app, customer, server) = start(&["t0"]).await;
    register(&app, &customer, "twin", json!({"url": server.url, "access": [{"tools": ["*"]}]})).await;
    let session = begin(&customer.person, "crm").await;
    assert!(!session.contains("session-0"), "the server's id is sealed");
    let own = post_with(&customer.person, "crm", &call("t0"), &[("mcp-session-id", &session)]).await;
    assert_eq!(own.status, "200 OK", "{}", own.text);
    assert_eq!(server.take_requests().pop().unwrap().headers["mcp-session-id"], "session-0");

    let colleague = app.customer("tools", domain::money::Money::ZERO).await;
    assert_eq!(
        (colleague.account, colleague.key == customer.key),
        (customer.account, false),
        "another key of the same user"
    );
    let others = [
        post_with(&colleague.person, "crm", &call("t0"), &[("mcp-session-id", &session)]).await,
        post_with(&customer.person, "twin", &call("t0"), &[("mcp-session-id", &session)]).await,
        post_with(&customer.person, "crm", &call("t0"), &[("mcp-session-id", "session-0")]).await,
        post_with(&customer.person, "crm", &call("t0"), &[("mcp-session-id", &session[1..])]).await,
        get(&colleague.person, &[("mcp-session-id", &session), ("last-event-id", "1/1")]).await,
    ];
    for answer in others {
        assert_eq!(
            (answer.status.as_str(), answer.code()),
            ("404 Not Found", "mcp_session_not_found"),
            "{}",
            answer.text
        );
    }
    assert!(server.take_requests().is_empty());

    let path = format!("{MCP}/crm");
    let end = |person: &Person| send(person.request(Method::DELETE, &path).header("mcp-session-id", &session));
    assert_eq!(end(&colleague.person).await.status, "404 Not Found");
    assert_eq!(end(&customer.person).await.status, "204 No Content");
    let ended = post_with(&customer.person, "crm", &call("t0"), &[("mcp-session-id", &session)]).await;
    assert_eq!((ended.status.as_str(), ended.code()), ("404 Not Found", "mcp_session_not_found"), "{}", ended.text);
}

#[tokio::test]
async fn a_broken_stream_is_resumed_within_its_session() {
    let (_app, customer, server) = start(&["steps"]).await;
    server.break_streams();
    let session = begin(&customer.person, "crm").await;
    let first = post_with(&customer.person, "crm", &call("steps"), &[("mcp-session-id", &session)]).await;
    assert_eq!(messages(&first).len(), 1, "{}", first.text);
    let rest = get(&customer.person, &[("mcp-session-id", &session), ("last-event-id", "1/1")]).await;
    let rest = messages(&rest);
    assert_eq!(rest.len(), 2);
    assert_eq!(
        (&rest[0]["params"]["progress"], &rest[1]["result"]["structuredContent"]),
        (&json!(2), &json!({"done": true}))
    );
    let without = get(&customer.person, &[("last-event-id", "1/1")]).await;
    assert_eq!((without.status.as_str(), &without.json["error"]["code"]), ("400 Bad Request", &json!(-32600)));
    let standalone = get(&customer.person, &[("mcp-session-id", &session)]).await;
    assert_eq!(standalone.status, "405 Method Not Allowed", "this server has no streams of its own");
}
