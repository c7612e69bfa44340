//! The inbox: what happened in all workflows, in pages and as a live stream.

use domain::messaging::MessagingProvider;
use domain::page::{Order, SliceRequest};
use domain::sharing::TeamRole;
use reqwest::Method;
use store::{ConsoleInbox, Shares};
use uuid::Uuid;

use super::*;
use crate::conversations::{Stage, echo};
use crate::runs::follow::Stream;
use crate::runs::{refund, start_run};

const INBOX: &str = "/builder/v1/inbox";

/// The types of the events, and the operator.
fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

async fn page(person: &Person) -> Vec<Value> {
    let answer = person.get(INBOX).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].as_array().unwrap().clone()
}

/// Follows the inbox, from now on or after an event.
async fn follow(person: &Person, last: Option<&Value>) -> Stream {
    let request = person.request(Method::GET, &format!("{INBOX}?follow=true"));
    Stream::of(match last {
        Some(event) => request.header("Last-Event-ID", event["id"].as_str().unwrap()),
        None => request,
    })
    .await
}

async fn next(stream: &mut Stream) -> Value {
    stream.next().await.unwrap().data
}

#[tokio::test]
async fn a_page_shows_what_happened_last() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    let (bob, bob_id) = known(&stage.app, "bob").await;
    let (stranger, _) = known(&stage.app, "stranger").await;
    let asking = publish(&stage.ada, refund()).await;
    stage.say(1, "Hello").await;
    let run = start_run(&stage.ada, &asking, json!({"amount": 7})).await;
    stage.app.platform.drain().await;
    let failing = publish(&stage.ada, double()).await;
    start_run(&stage.ada, &failing, json!({"n": "x"})).await;
    stage.app.platform.drain().await;
    let events = page(&stage.ada).await;
    assert_eq!(types(&events), ["failure", "review", "message"]);
    assert_eq!(events[0]["workflow"], json!({"id": failing, "name": "Flow"}));
    assert!(events[0]["error"]["message"].is_string());
    assert_eq!(events[1]["runId"], run.rsplit('/').next().unwrap());
    assert_eq!(events[1]["review"]["title"], "Refund 7?");
    assert_eq!((&events[2]["operator"], &events[2]["waitingForOperator"]), (&Value::Null, &json!(false)));

    let state = format!("{}/operator-state", stage.thread().await);
    assert_eq!(stage.ada.post_json(&state, json!({"operator": "Bo"})).await.status, "200 OK");
    let events = page(&stage.ada).await;
    assert_eq!((types(&events), &events[0]["operator"]), (vec!["operator", "failure", "review"], &json!("Bo")));
    stage.deliver(1, 2, "Again").await;
    let events = page(&stage.ada).await;
    assert_eq!((&events[0]["type"], &events[0]["waitingForOperator"]), (&json!("message"), &json!(true)));

    // One by one, each event comes once.
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = stage.ada.get(&format!("{INBOX}?limit=1{cursor}")).await;
        found.extend(answer.json["data"].as_array().unwrap().clone());
        let Some(next) = answer.json["meta"]["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(found, events);

    // A viewer sees no reviews, because they may not resolve them.
    assert!(page(&bob).await.is_empty() && page(&stranger).await.is_empty());
    must_share(&stage.ada, &format!("{WORKFLOWS}/{asking}"), &bob_id, "viewer").await;
    assert!(page(&bob).await.is_empty());
    must_share(&stage.ada, &stage.workflow, &bob_id, "viewer").await;
    assert_eq!(types(&page(&bob).await), ["message"]);
    share(&stage.ada, &format!("{WORKFLOWS}/{asking}"), &bob_id, "operator").await;
    assert_eq!(types(&page(&bob).await), ["message", "review"]);
}

#[tokio::test]
async fn a_stream_shows_each_event_and_resumes_after_the_last_one() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    let asking = publish(&stage.ada, refund()).await;
    stage.say(1, "Before").await;
    let state = format!("{}/operator-state", stage.thread().await);
    let mut stream = follow(&stage.ada, None).await;
    assert_eq!(stage.ada.post_json(&state, json!({"operator": "Bo"})).await.status, "200 OK");
    let taken = next(&mut stream).await;
    assert_eq!((&taken["type"], &taken["operator"]), (&json!("operator"), &json!("Bo")));
    start_run(&stage.ada, &asking, json!({"amount": 7})).await;
    stage.app.platform.drain().await;
    let opened = next(&mut stream).await;
    assert_eq!(opened["type"], "review");
    stage.deliver(1, 2, "Is anybody there?").await;
    let written = next(&mut stream).await;
    assert_eq!((&written["type"], &written["waitingForOperator"]), (&json!("message"), &json!(true)));
    assert_eq!(stage.ada.post_json(&format!("{state}/release"), json!({"operator": "Bo"})).await.status, "200 OK");
    let released = next(&mut stream).await;
    assert_eq!((&released["type"], &released["operator"]), (&json!("operator"), &Value::Null));

    // What the thread did since is one event, and the one that the client has does not come again.
    let mut resumed = follow(&stage.ada, Some(&opened)).await;
    assert_eq!(next(&mut resumed).await, released);
    let bad = stage.ada.request(Method::GET, &format!("{INBOX}?follow=true")).header("Last-Event-ID", "newest");
    assert_eq!(refusal(&tests::client::send(bad).await), ("400", "invalid_query"));
}

#[tokio::test]
async fn a_stream_shows_nothing_more_to_a_removed_member() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let flows = [publish(&ada, double()).await, publish(&ada, double()).await];
    for flow in &flows {
        must_share(&ada, &format!("{WORKFLOWS}/{flow}"), &bob_id, "viewer").await;
    }
    let (mut own, mut shared) = (follow(&ada, None).await, follow(&bob, None).await);
    let fail = async |flow: &str| {
        let run = start_run(&ada, flow, json!({"n": "x"})).await;
        app.platform.drain().await;
        json!(run.rsplit('/').next().unwrap())
    };
    let first = fail(&flows[0]).await;
    assert_eq!((&next(&mut own).await["runId"], &next(&mut shared).await["runId"]), (&first, &first));
    let removed = ada.delete(&format!("{WORKFLOWS}/{}/members/{bob_id}", flows[0])).await;
    assert_eq!(removed.status, "204 No Content");
    let hidden = fail(&flows[0]).await;
    assert_eq!(next(&mut own).await["runId"], hidden);
    let seen = fail(&flows[1]).await;
    assert_eq!((&next(&mut own).await["runId"], &next(&mut shared).await["runId"]), (&seen, &seen));
}

#[tokio::test]
async fn an_idle_stream_costs_few_units() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    for _ in 0..3 {
        start_run(&ada, &flow, json!({"n": "x"})).await;
    }
    app.platform.drain().await;
    let context = app.platform.context();
    let workflows = Shares::new(&context).unwrap().seen_by(app.account("ada"), TeamRole::Viewer).await.unwrap();
    let inbox = ConsoleInbox::new(&context).unwrap();
    app.recorder.take();
    let request = SliceRequest { order: Order::Asc, limit: 100, after: Some(Uuid::now_v7().to_string()) };
    let page = inbox.list(&workflows, request).await.unwrap();
    assert_eq!((page.items.len(), page.next), (0, None));
    assert_eq!(app.recorder.take_costs().to_string(), "12 dynamodb:Query (6 units)");
}
