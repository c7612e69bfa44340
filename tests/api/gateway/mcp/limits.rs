//! The limits of requests, which calls of tools share with those of models.

use domain::limits::{Limits, PlanLimits};
use domain::money::Money;
use tests::gateway::CHAT;

use super::*;

async fn limited(limits: PlanLimits) -> (TestApp, Customer, ToolServer) {
    let app = TestApp::start().await;
    let customer = app.customer("tools", Money::from_usd(1)).await;
    let server = ToolServer::start(&["t0"]).await;
    register(&app, &customer, "crm", json!({"url": server.url, "access": [{"tools": ["*"]}]})).await;
    app.put_on_plan(&customer, limits).await;
    (app, customer, server)
}

fn rpd(limit: u64) -> Limits {
    Limits { rpd: Some(limit), ..Limits::NONE }
}

#[tokio::test]
async fn calls_of_tools_and_models_share_the_limit_of_requests() {
    let (_app, customer, server) = limited(PlanLimits { org: rpd(3), ..PlanLimits::default() }).await;
    let chat = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 8});
    let first = post(&customer.person, "crm", &call("t0")).await;
    assert_eq!(
        (
            first.status.as_str(),
            first.header("x-ratelimit-limit-requests"),
            first.header("x-ratelimit-remaining-requests")
        ),
        ("200 OK", Some("3"), Some("2"))
    );
    assert_eq!(customer.person.post_json(CHAT, chat.clone()).await.status, "200 OK");
    assert_eq!(post(&customer.person, "crm", &call("t0")).await.header("x-ratelimit-remaining-requests"), Some("0"));
    server.take_requests();
    let refused = post(&customer.person, "crm", &call("t0")).await;
    let same = customer.person.post_json(CHAT, chat).await;
    for answer in [&refused, &same] {
        assert_eq!(
            (answer.status.as_str(), answer.code()),
            ("429 Too Many Requests", "rate_limit_exceeded"),
            "{}",
            answer.text
        );
        assert_eq!(answer.json["error"]["details"]["dimension"], "rpd");
    }
    for header in
        ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", "x-should-retry"]
    {
        assert_eq!(refused.header(header), same.header(header), "{header}");
        assert!(refused.header(header).is_some(), "{header}");
    }
    assert!(refused.header("retry-after").is_some() && refused.header("retry-after-ms").is_some());
    assert!(server.take_requests().is_empty(), "a call over the limit never reaches the server");
    // What every client needs takes no request. Other methods do.
    let read = message("resources/read", json!({"uri": "file:///notes"}));
    assert_eq!(post(&customer.person, "crm", &read).await.status, "429 Too Many Requests");
    assert!(server.take_requests().is_empty());
    assert_eq!(post(&customer.person, "crm", &message("tools/list", json!({}))).await.status, "200 OK");
}

#[tokio::test]
async fn concurrent_calls_do_not_exceed_a_limit() {
    let (_app, customer, server) = limited(PlanLimits { key: rpd(5), ..PlanLimits::default() }).await;
    let body = call("t0");
    let answers = futures::future::join_all((0..12).map(|_| post(&customer.person, "crm", &body))).await;
    let served = answers.iter().filter(|answer| answer.status == "200 OK").count();
    assert_eq!(served, 5);
    assert_eq!(server.take_requests().len(), 5);
}

#[tokio::test]
async fn a_call_that_its_server_did_not_serve_takes_no_request() {
    let (_app, customer, server) = limited(PlanLimits { org: rpd(1), ..PlanLimits::default() }).await;
    server.respond_once(503, "text/html", "down");
    assert_eq!(post(&customer.person, "crm", &call("t0")).await.status, "502 Bad Gateway");
    // It may have carried out this one before it failed.
    server.respond_once(500, "text/html", "crashed");
    assert_eq!(post(&customer.person, "crm", &call("t0")).await.status, "502 Bad Gateway");
    assert_eq!(post(&customer.person, "crm", &call("t0")).await.status, "429 Too Many Requests");
}

#[tokio::test]
async fn a_revoked_key_calls_no_tool() {
    let (app, customer, server) = start(&["t0"]).await;
    let path = format!("/gateway/v1/admin/keys/{}", customer.key);
    assert_eq!(app.operator().delete(&path).await.status, "204 No Content");
    let refused = post(&customer.person, "crm", &call("t0")).await;
    assert_eq!(refused.status, "401 Unauthorized", "{}", refused.text);
    assert!(server.take_requests().is_empty());
}
