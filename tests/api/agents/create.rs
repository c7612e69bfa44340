//! `POST /builder/v1/agents`: the defaults and the idempotency key.

use std::time::Duration;

use domain::agent::{Agent, AgentScope};
use futures::future::join_all;
use insta::{assert_json_snapshot, assert_snapshot};
use reqwest::Method;
use serde_json::json;
use store::idempotency::{CreateOutcome, IdempotencyKey};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use uuid::Uuid;

const AGENTS: &str = "/builder/v1/agents";

async fn post_with_key(person: &Person, key: &str) -> Answer {
    send(person.request(Method::POST, AGENTS).header("Idempotency-Key", key)).await
}

#[tokio::test]
async fn created_agent_has_the_defaults_and_can_be_read_back() {
    let app = TestApp::start().await;
    let ada = app.person("ada");

    let created = ada.post(AGENTS).await;
    assert_snapshot!(created.status, @"201 Created");
    assert_json_snapshot!(created.json, { ".data.id" => "[id]", ".data.createdAt" => "[time]", ".data.updatedAt" => "[time]" }, @r#"
    {
      "data": {
        "id": "[id]",
        "name": "Nuevo agente",
        "description": null,
        "type": "single",
        "status": "published",
        "requests": 0,
        "scope": "global",
        "workflowId": null,
        "createdAt": "[time]",
        "updatedAt": "[time]",
        "access": {
          "owner": "usr_c54c4509a171892d95886baa9bca7627",
          "role": "owner"
        },
        "config": {
          "model": null,
          "instructions": "",
          "temperature": null,
          "maxTokens": null,
          "tools": [],
          "sources": [],
          "members": [],
          "strategy": null
        },
        "credentials": [],
        "problems": []
      }
    }
    "#);
    assert_eq!(created.header("etag"), Some("\"1\""));

    let shown = ada.get(&format!("{AGENTS}/{}", created.id())).await;
    assert_eq!((shown.text.as_str(), shown.header("etag")), (created.text.as_str(), Some("\"1\"")));
}

#[tokio::test]
async fn a_body_has_the_fields_of_a_patch() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let member = ada.post(AGENTS).await.id().to_owned();
    let fields = json!({
        "name": "Scouts", "type": "multiple", "status": "paused",
        "config": {"model": "dev-chat", "members": [member], "strategy": "router"},
    });
    let key = Uuid::now_v7().to_string();
    let post = async |fields: &serde_json::Value| {
        send(ada.request(Method::POST, AGENTS).header("Idempotency-Key", &key).json(fields)).await
    };
    let created = post(&fields).await;
    assert_eq!((created.status.as_str(), created.header("etag")), ("201 Created", Some("\"1\"")), "{}", created.text);
    let data = &created.json["data"];
    assert_eq!(
        (&data["name"], &data["type"], &data["status"]),
        (&json!("Scouts"), &json!("multiple"), &json!("paused"))
    );
    assert_eq!((&data["config"]["members"], &data["createdAt"]), (&json!([member]), &data["updatedAt"]));
    assert_eq!(ada.get(&format!("{AGENTS}/{}", created.id())).await.text, created.text);
    // The references of a new agent are registered, as those of a patch.
    ada.patch(&format!("{AGENTS}/{}", created.id()), json!({"status": "published"})).await;
    ada.delete(&format!("{AGENTS}/{member}")).await;
    app.platform.drain().await;
    let hurt = ada.get(&format!("{AGENTS}/{}", created.id())).await;
    assert_eq!(hurt.json["data"]["status"], "needs_attention");

    // A replay needs no reference of the body, and another body is a conflict.
    let again = post(&fields).await;
    assert_eq!((again.header("idempotent-replayed"), again.text.as_str()), (Some("true"), created.text.as_str()));
    assert_eq!(post(&json!({"name": "Other"})).await.code(), "idempotency_conflict");
    assert_eq!(post(&json!({})).await.code(), "idempotency_conflict");
}

#[tokio::test]
async fn a_repeated_idempotency_key_replays_the_first_response() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let key = Uuid::now_v7().to_string();

    let first = post_with_key(&ada, &key).await;
    assert_eq!((first.status.as_str(), first.header("idempotent-replayed")), ("201 Created", None));
    ada.patch(&format!("{AGENTS}/{}", first.id()), json!({"name": "Scout"})).await;

    let again = post_with_key(&ada, &key.to_uppercase()).await;
    assert_eq!((again.status.as_str(), again.header("idempotent-replayed")), ("201 Created", Some("true")));
    assert_eq!(again.text, first.text);

    let neighbour = post_with_key(&bob, &key).await;
    assert_ne!(neighbour.id(), first.id(), "a key is scoped to its user");
    let other_key = post_with_key(&ada, &Uuid::now_v7().to_string()).await;
    assert_ne!(other_key.id(), first.id());
}

#[tokio::test]
async fn an_idempotency_key_expires_after_a_day() {
    let app = TestApp::start().await;
    let account = app.account("ada");
    let idempotency_key = IdempotencyKey { key: Uuid::now_v7(), request: String::new() };
    let made = |hours_ago: u64| {
        let moment = std::time::SystemTime::now() - Duration::from_secs(hours_ago * 3600);
        let seconds = moment.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, 0));
        Agent::new(id.into(), account, AgentScope::Global)
    };
    let agents = app.agents();
    let yesterday = agents.create(&made(25), Some(&idempotency_key), "yesterday's answer").await.unwrap();
    assert!(matches!(yesterday, CreateOutcome::Now));
    let today = agents.create(&made(0), Some(&idempotency_key), "today's answer").await.unwrap();
    assert!(matches!(today, CreateOutcome::Now));
    let repeated = agents.create(&made(0), Some(&idempotency_key), "no answer").await.unwrap();
    assert!(matches!(repeated, CreateOutcome::Before(answer) if answer == "today's answer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_creations_with_one_idempotency_key_create_one_agent() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let key = Uuid::now_v7().to_string();

    let answers = join_all((0..1_000).map(|_| post_with_key(&ada, &key))).await;
    let first = answers.iter().find(|answer| answer.header("idempotent-replayed").is_none()).unwrap();
    for answer in &answers {
        assert_eq!((answer.status.as_str(), answer.text.as_str()), ("201 Created", first.text.as_str()));
    }
    let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed").is_some());
    assert_eq!(replayed.count(), 999);
    assert_eq!(ada.get(AGENTS).await.json["meta"]["total"], 1);
}

#[tokio::test]
async fn invalid_agent_creations_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");

    let not_a_uuid = post_with_key(&ada, "again").await;
    assert_snapshot!(not_a_uuid.text, @r#"{"error":{"code":"invalid_query","message":"Idempotency-Key: must be a UUID"}}"#);
    assert_snapshot!(not_a_uuid.status, @"400 Bad Request");

    let refused = async |body| send(ada.request(Method::POST, AGENTS).json(&body)).await.text;
    assert_snapshot!(refused(json!({"name": ""})).await, @r#"{"error":{"code":"invalid_body","message":"name: 1 to 200 characters"}}"#);
    assert_snapshot!(refused(json!({"config": {"model": "none"}})).await, @r#"{"error":{"code":"invalid_body","message":"config.model: no such model"}}"#);
    assert!(refused(json!({"color": 1})).await.contains("unknown field `color`"));
    assert!(refused(json!([])).await.contains("must be an object"));
    assert_eq!(ada.get(AGENTS).await.json["meta"]["total"], 0);
    let with_empty_body = send(ada.request(Method::POST, AGENTS).json(&json!({}))).await;
    assert_snapshot!(with_empty_body.status, @"201 Created");

    let anonymous = app.anonymous().post(AGENTS).await;
    assert_snapshot!(anonymous.text, @r#"{"error":{"code":"unauthorized","message":"send a token in the header Authorization: Bearer <token>"}}"#);
    assert_eq!(anonymous.status, "401 Unauthorized");
}
