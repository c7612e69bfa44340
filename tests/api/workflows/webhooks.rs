//! Webhooks and their events.

use domain::id::WebhookEventId;
use domain::time::Time;
use domain::webhook::{WebhookEvent, WebhookOutcome};
use serde_json::{Value, json};
use store::{WebhookEvents, Webhooks};
use tests::TestApp;
use tests::client::send;

use super::channels::channel_graph;
use super::*;

#[tokio::test]
async fn a_webhook_shows_its_token_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Hooked", channel_graph()).await;
    let path = format!("{WORKFLOWS}/{id}/webhooks");
    let made = ada.post_json(&path, json!({"name": "Help desk", "mode": "async", "timeoutMs": 5000})).await;
    assert_eq!(made.status, "201 Created");
    let data = &made.json["data"];
    let token = data["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("whk_") && token.ends_with(data["tokenLast4"].as_str().unwrap()));
    assert!(data["url"].as_str().unwrap().ends_with(&format!("/hooks/v1/{}", made.id())));
    assert!(data["url"].as_str().unwrap().starts_with(&app.platform.base_url));

    let one = format!("{path}/{}", made.id());
    // The URL does not depend on the request's Host header.
    let astray = ada.request(reqwest::Method::GET, &one).header("host", "attacker.example");
    let astray = send(astray.header("x-forwarded-proto", "https")).await;
    assert_eq!(astray.json["data"]["url"], data["url"]);
    let read = ada.get(&one).await;
    assert_eq!(read.json["data"]["mode"], "async");
    assert!(read.json["data"].get("token").is_none() && !read.text.contains(&token));
    let listed = ada.get(&path).await;
    assert_eq!(listed.column("id"), [made.id()]);
    assert!(!listed.text.contains(&token));
    let renewed = ada.post(&format!("{one}/regenerate-token")).await;
    let second = renewed.json["data"]["token"].as_str().unwrap().to_owned();
    assert_ne!(second, token);
    assert_eq!(ada.get(&one).await.json["data"]["tokenLast4"], renewed.json["data"]["tokenLast4"]);

    ada.post(&path).await;
    let credentials = format!("{WORKFLOWS}/{id}/webhook-credentials");
    let all = ada.post(&format!("{credentials}/inbound/regenerate")).await;
    let tokens: Vec<_> =
        all.json["data"].as_array().unwrap().iter().map(|one| one["token"].as_str().unwrap().to_owned()).collect();
    assert_eq!(tokens.len(), 2);
    assert!(!tokens.contains(&second));
    let only = ada.post_json(&format!("{credentials}/inbound/regenerate"), json!({"webhookId": made.id()})).await;
    assert_eq!(only.json["data"].as_array().unwrap().len(), 1);
    let listed = ada.get(&credentials).await;
    assert_eq!(listed.json["data"]["inbound"].as_array().unwrap().len(), 2);
    assert!(tokens.iter().all(|token| !listed.text.contains(token.as_str())));

    assert_eq!(ada.delete(&one).await.status, "204 No Content");
    assert_eq!(ada.get(&one).await.code(), "webhook_not_found");
    for wrong in [
        json!({"name": ""}),
        json!({"timeoutMs": 999}),
        json!({"timeoutMs": 25001}),
        json!({"mode": "later"}),
        json!({"color": 1}),
    ] {
        assert_eq!(ada.post_json(&path, wrong).await.code(), "invalid_body");
    }
}

#[tokio::test]
async fn webhook_events_are_listed_filtered_and_read() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Hooked", channel_graph()).await;
    let webhook = ada.post(&format!("{WORKFLOWS}/{id}/webhooks")).await.id().to_owned();
    let store = WebhookEvents::new(&app.platform.context()).unwrap();
    let mut ids = Vec::new();
    for index in 0..25 {
        let event = WebhookEvent {
            id: WebhookEventId::new(),
            outcome: if index % 5 == 0 { WebhookOutcome::Refused } else { WebhookOutcome::Accepted },
            status: 202,
            run: None,
            error_code: None,
            content_type: Some("application/json".to_owned()),
            headers: [("user-agent".to_owned(), "curl".to_owned())].into(),
            body: "x".repeat(index * 3_000),
            body_bytes: index as u64 * 3_000,
        };
        ids.push(event.id.to_string());
        store.record(webhook.parse().unwrap(), event).await.unwrap();
    }
    ids.reverse();
    let path = format!("{WORKFLOWS}/{id}/webhooks/{webhook}/events");
    let walk = async |query: &str| {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let part = ada.get(&format!("{path}?{query}{cursor}")).await;
            assert_eq!(part.status, "200 OK", "{}", part.text);
            found.extend(part.column("id").into_iter().map(str::to_owned));
            match part.json["meta"]["nextCursor"].as_str() {
                None => return found,
                Some(next) => cursor = format!("&cursor={next}"),
            }
        }
    };
    assert_eq!(walk("limit=10").await, ids);
    assert_eq!(walk("limit=3").await, ids);
    let refused = walk("limit=2&outcome=refused").await;
    assert_eq!(refused, ids.iter().rev().step_by(5).rev().cloned().collect::<Vec<_>>());
    assert_eq!(walk("outcome=refused,accepted").await, ids);
    assert_eq!(ada.get(&format!("{path}?cursor=x")).await.code(), "invalid_query");
    assert_eq!(ada.get(&format!("{path}?outcome=lost")).await.code(), "invalid_query");

    // The receiver of webhook calls records when a token was used, at most once per minute.
    let inbound = async || {
        let listed = ada.get(&format!("{WORKFLOWS}/{id}/webhook-credentials")).await;
        listed.json["data"]["inbound"][0]["lastUsedAt"].clone()
    };
    assert_eq!(inbound().await, Value::Null);
    let webhooks = Webhooks::new(&app.platform.context()).unwrap();
    let webhook_id = webhook.parse().unwrap();
    let workflow = id.parse().unwrap();
    let read = async || webhooks.get(app.account("ada"), workflow, webhook_id).await.unwrap();
    let at = |millis: i64| Time::from_millis(1_790_000_000_000 + millis);
    for (millis, noted) in [(0_i64, 0), (59_999, 0), (60_000, 60_000)] {
        webhooks.record_use(&read().await, at(millis)).await.unwrap();
        assert_eq!(inbound().await, json!(at(noted).to_string()));
    }
    // A new token has not been used yet, and a call with the old one does not change that.
    let before = read().await;
    ada.post(&format!("{WORKFLOWS}/{id}/webhooks/{webhook}/regenerate-token")).await;
    webhooks.record_use(&before, at(600_000)).await.unwrap();
    assert_eq!(inbound().await, Value::Null);

    let newest = ada.get(&format!("{path}/{}", ids[0])).await;
    assert_eq!(newest.json["data"]["bodyBytes"], 72_000);
    assert_eq!(newest.json["data"]["body"].as_str().unwrap().len(), 65_536);
    let oldest = ada.get(&format!("{path}/{}", ids[24])).await;
    assert_eq!(oldest.json["data"]["headers"], json!({"user-agent": "curl"}));
    assert_eq!(
        ada.get(&format!("{path}/019cb8e2-3f4a-7c21-9b6d-000000000000")).await.code(),
        "webhook_event_not_found"
    );
    let stranger = app.person("bob").get(&path).await;
    assert_eq!(stranger.code(), "workflow_not_found");
}
