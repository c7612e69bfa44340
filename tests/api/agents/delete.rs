//! `DELETE /builder/v1/agents/{id}`, and its effect on teams with the agent as a member.

use std::time::Duration;

use domain::time::Time;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Person;

const AGENTS: &str = "/builder/v1/agents";

async fn team(ada: &Person) -> (String, String) {
    let member = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let team = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let id = member.rsplit('/').next().unwrap_or_default();
    let formed = ada.patch(&team, json!({"type": "multiple", "config": {"members": [id], "strategy": "router"}})).await;
    assert_eq!(
        (formed.status.as_str(), &formed.json["data"]["status"]),
        ("200 OK", &json!("published")),
        "{}",
        formed.text
    );
    (team, member)
}

#[tokio::test]
async fn a_deleted_agent_is_in_no_list() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let kept = ada.post(AGENTS).await;
    let gone = ada.post(AGENTS).await;
    let path = format!("{AGENTS}/{}", gone.id());
    let deleted = ada.delete(&path).await;
    assert_eq!((deleted.status.as_str(), deleted.text.as_str()), ("204 No Content", ""));
    assert_eq!(ada.delete(&path).await.status, "404 Not Found");
    for query in ["", "?sort=name", "?sort=createdAt", "?sort=requests", "?search=nuevo"] {
        let list = ada.get(&format!("{AGENTS}{query}")).await;
        assert_eq!((list.column("id"), &list.json["meta"]["total"]), (vec![kept.id()], &json!(1)), "{query}");
    }
    app.platform.drain().await;
}

#[tokio::test]
async fn a_team_with_a_deleted_member_needs_attention_until_it_is_fixed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (team, member) = team(&ada).await;
    let before = ada.get(&team).await;
    assert_eq!(ada.delete(&member).await.status, "204 No Content");
    assert_eq!(app.platform.drain().await, 1);

    let hurt = ada.get(&team).await;
    assert_eq!(hurt.json["data"]["status"], "needs_attention");
    assert_eq!(hurt.json["data"]["problems"][0]["code"], "reference_gone");
    assert_eq!(
        hurt.json["data"]["updatedAt"], before.json["data"]["updatedAt"],
        "the status is not a change by the owner"
    );
    let listed = ada.get(&format!("{AGENTS}?status=needs_attention")).await;
    assert_eq!(listed.json["meta"]["total"], 1);

    let unrelated = ada.patch(&team, json!({"name": "Still hurt"})).await;
    assert_eq!(unrelated.json["data"]["status"], "needs_attention");
    let fixed = ada.patch(&team, json!({"config": {"members": []}})).await;
    assert_eq!((&fixed.json["data"]["status"], &fixed.json["data"]["problems"]), (&json!("published"), &json!([])));
}

#[tokio::test]
async fn the_ticker_resends_a_lost_message() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (team, member) = team(&ada).await;
    ada.delete(&member).await;
    let queue = app.platform.context().config.required("QUEUE_ATTENTION").unwrap().to_owned();
    app.platform.context().aws.sqs().purge_queue().queue_url(queue).send().await.unwrap();
    assert_eq!(app.platform.drain().await, 0);

    assert_eq!(app.platform.tick(Time::now()).await.unwrap(), 0, "its message may still be in flight");
    let later = Time::now().plus(Duration::from_secs(61));
    assert_eq!(app.platform.tick(later).await.unwrap(), 1);
    assert_eq!(app.platform.tick(later).await.unwrap(), 0, "it is not sent again at every tick");
    app.platform.drain().await;
    assert_eq!(ada.get(&team).await.json["data"]["status"], "needs_attention");
    let much_later = Time::now().plus(Duration::from_secs(3600));
    assert_eq!(app.platform.tick(much_later).await.unwrap(), 0, "finished work is not repeated");
}

#[tokio::test]
async fn a_deleted_agent_cannot_join_a_team() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (_, member) = team(&ada).await;
    ada.delete(&member).await;
    let id = member.rsplit('/').next().unwrap_or_default();
    let team = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let late = ada.patch(&team, json!({"type": "multiple", "config": {"members": [id]}})).await;
    assert_eq!(
        (late.status.as_str(), &late.json["error"]["message"]),
        ("400 Bad Request", &Value::from("config.members[0]: no such agent"))
    );
    app.platform.drain().await;
}

#[tokio::test]
async fn a_deleted_team_is_not_updated() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (team, member) = team(&ada).await;
    ada.delete(&team).await;
    app.platform.drain().await;
    ada.delete(&member).await;
    app.recorder.take();
    app.platform.drain().await;
    let reads = app.recorder.take().into_iter().filter(|call| call.operation == "GetItem").count();
    assert_eq!(reads, 3, "the work is read, and the member twice, and the team is not");
}
