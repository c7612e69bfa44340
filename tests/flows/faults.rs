//! The agents API over a DynamoDB that conflicts, throttles and loses answers. Each fault is retried or verified, and
//! none reaches the caller as an error.

use std::time::Duration;

use futures::future::join_all;
use futures::stream::{self, StreamExt};
use serde_json::json;
use tests::TestApp;
use tests::faults::Faults;

const AGENTS: &str = "/builder/v1/agents";

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creations_are_all_counted() {
    let app = TestApp::start_with_faults(Some(Faults { held: Duration::from_millis(4), ..Faults::default() })).await;
    let ada = app.person("ada");
    ada.get(AGENTS).await;
    let creates = stream::iter((0..60).map(|_| ada.post(AGENTS))).buffer_unordered(4);
    let answers: Vec<_> = creates.collect().await;
    for answer in &answers {
        assert_eq!(answer.status, "201 Created", "{}", answer.text);
    }
    let list = ada.get(&format!("{AGENTS}?perPage=100")).await;
    assert_eq!((list.column("id").len(), &list.json["meta"]["total"]), (60, &json!(60)));
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answers_and_throttling_change_nothing_for_the_caller() {
    for seed in 0..4 {
        let faults = Faults { throttled: 100, lost: 150, held: Duration::from_millis(1), seed, ..Faults::default() };
        let app = TestApp::start_with_faults(Some(faults)).await;
        let ada = app.person("ada");
        for i in 1..=6 {
            let created = ada.post(AGENTS).await;
            assert_eq!(created.status, "201 Created", "{}", created.text);
            let path = format!("{AGENTS}/{}", created.id());
            for revision in 2..=4 {
                let patched = ada.patch(&path, json!({"name": format!("Agent {revision}")})).await;
                assert_eq!(patched.status, "200 OK", "{}", patched.text);
                let etag = format!("\"{revision}\"");
                assert_eq!(patched.header("etag"), Some(etag.as_str()), "a change is applied once");
            }
            if i % 2 == 0 {
                assert_eq!(ada.delete(&path).await.status, "204 No Content");
            }
        }
        let list = ada.get(AGENTS).await;
        assert_eq!((list.column("name"), &list.json["meta"]["total"]), (vec!["Agent 4"; 3], &json!(3)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_idempotency_key_creates_one_agent_when_answers_are_lost() {
    let faults = Faults { lost: 300, held: Duration::from_millis(2), seed: 7, ..Faults::default() };
    let app = TestApp::start_with_faults(Some(faults)).await;
    let ada = app.person("ada");
    ada.get(AGENTS).await;
    let key = uuid::Uuid::now_v7().to_string();
    let create = || tests::client::send(ada.request(reqwest::Method::POST, AGENTS).header("Idempotency-Key", &key));
    let answers = join_all((0..40).map(|_| create())).await;
    for answer in &answers {
        assert_eq!((answer.status.as_str(), answer.id()), ("201 Created", answers[0].id()), "{}", answer.text);
    }
    assert_eq!(ada.get(AGENTS).await.json["meta"]["total"], 1);
}

#[tokio::test]
async fn an_unavailable_table_is_a_503_with_retry_after() {
    let app = TestApp::start_with_faults(Some(Faults { throttled: 1000, ..Faults::default() })).await;
    let answer = app.person("ada").get(AGENTS).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("503 Service Unavailable", "unavailable"));
    assert_eq!(answer.header("retry-after"), Some("1"));
    let health = app.anonymous().get("/health").await;
    assert_eq!(health.status, "503 Service Unavailable");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_failures_of_one_platform_leave_the_retries_of_another() {
    let failing = TestApp::start_with_faults(Some(Faults { throttled: 1000, ..Faults::default() })).await;
    let ada = failing.person("ada");
    let answers = join_all((0..40).map(|_| ada.get(AGENTS))).await;
    assert!(answers.iter().all(|answer| answer.status == "503 Service Unavailable"));

    let other = TestApp::start_with_faults(Some(Faults { lost: 400, ..Faults::default() })).await;
    let ada = other.person("ada");
    for round in 0..20 {
        let created = ada.post(AGENTS).await;
        assert_eq!(created.status, "201 Created", "{round}: {}", created.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_draft_survives_lost_answers() {
    const WORKFLOWS: &str = "/builder/v1/workflows";
    for seed in 0..4 {
        let faults = Faults { lost: 300, held: Duration::from_millis(1), seed, ..Faults::default() };
        let app = TestApp::start_with_faults(Some(faults)).await;
        let ada = app.person("ada");
        // Too large for an item, so the graph is stored in the bucket.
        let graph = |round: usize| {
            let config = json!({"expression": "true", "note": "x".repeat(20_000), "round": round});
            json!({"nodes": [{"id": "a", "type": "condition", "name": "a", "config": config}], "connections": []})
        };
        let path = format!("{WORKFLOWS}/{}", ada.post_json(WORKFLOWS, json!({"graph": graph(0)})).await.id());
        let channels = format!("{path}/connections");
        let edits = async {
            for round in 1..=12 {
                let patched = ada.patch(&path, json!({"graph": graph(round)})).await;
                assert_eq!(patched.status, "200 OK", "{}", patched.text);
            }
        };
        // Changes other fields of the workflow at the same time.
        let neighbours = async {
            for round in 0..40 {
                let put = ada.put(&channels, json!({"inputs": [], "outputs": []})).await;
                assert_eq!(put.status, "200 OK", "{round}: {}", put.text);
                let named = ada.patch(&path, json!({"name": format!("Name {round}")})).await;
                assert_eq!(named.status, "200 OK", "{round}: {}", named.text);
            }
        };
        tokio::join!(edits, neighbours);
        let left = ada.get(&path).await;
        assert_eq!(left.json["data"]["graph"]["nodes"][0]["config"]["round"], 12, "{}", left.status);
    }
}
