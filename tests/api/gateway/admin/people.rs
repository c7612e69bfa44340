//! Administration of organizations, users and their keys, and the audit log.

use domain::identity::Role;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::send;

use super::{ADMIN, assert_refused, last_audit_entry};
use crate::gateway::chat;

async fn me(app: &TestApp, name: &str) -> serde_json::Value {
    app.key_client(name).get("/gateway/v1/me").await.json
}

#[tokio::test]
async fn a_suspended_organization_is_refused_at_once_and_can_be_restored() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let bob = app.key_client("bob");
    assert_eq!(chat(&bob, "dev-chat").await.status, "200 OK");
    let org = me(&app, "ada").await["org"]["id"].as_str().unwrap().to_owned();
    let path = format!("{ADMIN}/orgs/{org}");
    let suspended = operator.patch(&path, json!({"suspended": true})).await;
    assert_eq!(suspended.status, "200 OK", "{}", suspended.text);
    assert_json_snapshot!(suspended.json, { ".id" => "[id]", ".created_at" => "[time]" });
    // Inference may still have bob's identity cached.
    assert_refused(&chat(&bob, "dev-chat").await, "401 Unauthorized", "identity.org_suspended");
    assert_refused(&bob.get("/gateway/v1/models").await, "401 Unauthorized", "identity.org_suspended");
    let token = app.person_of("ada", "acme", Role::Admin).get("/builder/v1/agents").await;
    assert_refused(&token, "401 Unauthorized", "unauthorized");
    let entry = last_audit_entry(&app).await;
    assert_eq!((&entry["before"]["suspended"], &entry["after"]), (&json!(false), &suspended.json));

    let etag = suspended.header("etag").unwrap();
    let back = operator.request(Method::PATCH, &path).header("If-Match", etag).json(&json!({"suspended": false}));
    let back = send(back).await;
    assert_eq!(back.json["suspended"], false);
    assert_eq!(chat(&bob, "dev-chat").await.status, "200 OK");
    let stale = operator.request(Method::PATCH, &path).header("If-Match", etag).json(&json!({"name": "Acme"}));
    assert_refused(&send(stale).await, "412 Precondition Failed", "precondition_failed");
}

#[tokio::test]
async fn a_suspended_user_is_refused_in_every_organization() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let elsewhere = app.person_of("ada", "globex", Role::Admin);
    let made = elsewhere.post_json("/gateway/v1/me/api-keys", json!({"name": "other"})).await;
    let other = app.client_with_key(made.json["secret"].as_str().unwrap());
    for program in [&app.key_client("ada"), &other] {
        assert_eq!(chat(program, "dev-chat").await.status, "200 OK");
    }
    let path = format!("{ADMIN}/users/{}", me(&app, "ada").await["user"]["id"].as_str().unwrap());
    assert_eq!(operator.patch(&path, json!({"suspended": true})).await.json["suspended"], true);
    for program in [&app.key_client("ada"), &other] {
        assert_refused(&chat(program, "dev-chat").await, "401 Unauthorized", "identity.unauthorized");
    }
    assert_eq!(
        chat(&app.key_client("bob"), "dev-chat").await.status,
        "200 OK",
        "other users of the organization are served"
    );
    assert_eq!(operator.get(&path).await.json["suspended"], true);
    operator.patch(&path, json!({"suspended": false})).await;
    for program in [&app.key_client("ada"), &other] {
        assert_eq!(chat(program, "dev-chat").await.status, "200 OK");
    }
    for body in [json!({"suspended": 1}), json!({"name": "x"}), json!({"nickname": null}), json!([])] {
        assert_refused(&operator.patch(&path, body).await, "400 Bad Request", "invalid_body");
    }
}

#[tokio::test]
async fn organizations_and_users_are_listed_without_a_scan() {
    let app = TestApp::start().await;
    let operator = app.operator();
    app.person_of("newcomer", "initech", Role::Member).get("/gateway/v1/me").await;
    for (path, expected) in [
        ("orgs", vec!["acme", "globex", "initech", "platform"]),
        ("users", vec!["ada", "bob", "eve", "newcomer", "operator"]),
    ] {
        let (mut names, mut cursor) = (Vec::new(), String::new());
        loop {
            app.recorder.take();
            let page = operator.get(&format!("{ADMIN}/{path}?limit=2{cursor}")).await;
            let calls = app.recorder.take();
            assert!(!calls.is_empty() && calls.iter().all(|call| call.operation != "Scan"));
            names.extend(page.column("name").into_iter().map(str::to_owned));
            let Some(next) = page.json["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        names.sort_unstable();
        assert_eq!(names, expected);
        let unknown = operator.get(&format!("{ADMIN}/{path}/x")).await;
        assert_eq!(unknown.status, "404 Not Found");
        assert_refused(&operator.get(&format!("{ADMIN}/{path}?cursor=x")).await, "400 Bad Request", "invalid_query");
    }
}

#[tokio::test]
async fn an_operator_lists_and_revokes_any_key() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let bob = me(&app, "bob").await;
    let (org, user) = (bob["org"]["id"].as_str().unwrap(), bob["user"]["id"].as_str().unwrap());
    assert_eq!(operator.get(&format!("{ADMIN}/keys?org={org}")).await.column("name").len(), 2);
    let bobs = operator.get(&format!("{ADMIN}/keys?org={org}&user={user}")).await;
    assert_eq!((bobs.column("id"), bobs.column("user")), (vec![bob["api_key"]["id"].as_str().unwrap()], vec![user]));
    let program = app.key_client("bob");
    assert_eq!(chat(&program, "dev-chat").await.status, "200 OK");
    let path = format!("{ADMIN}/keys/{}", bob["api_key"]["id"].as_str().unwrap());
    assert_eq!(operator.delete(&path).await.status, "204 No Content");
    assert_refused(&chat(&program, "dev-chat").await, "401 Unauthorized", "identity.unauthorized");
    let entry = last_audit_entry(&app).await;
    assert_eq!(entry["action"], "key.revoke");
    assert_eq!(entry["before"].get("revoked_at"), Some(&Value::Null), "{entry}");
    assert!(entry["after"]["revoked_at"].is_string(), "{entry}");
    assert_eq!(operator.delete(&path).await.status, "204 No Content");
    assert_eq!(last_audit_entry(&app).await, entry, "the second time changes nothing");
    let never = operator.delete(&format!("{ADMIN}/keys/key_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")).await;
    assert_refused(&never, "404 Not Found", "api_key_not_found");
}

#[tokio::test]
async fn the_audit_log_is_paged_newest_first() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for i in 0..5 {
        operator.put(&format!("{ADMIN}/plans/plan-{i}"), json!({"name": "Plan"})).await;
    }
    let (mut targets, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = operator.get(&format!("{ADMIN}/audit?limit=2{cursor}")).await;
        targets.extend(page.column("target").into_iter().map(str::to_owned));
        let Some(next) = page.json["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(targets, ["plan-4", "plan-3", "plan-2", "plan-1", "plan-0"]);
    assert_eq!(operator.get(&format!("{ADMIN}/audit?period=2020-01")).await.json["data"], json!([]));
    assert_refused(&operator.get(&format!("{ADMIN}/audit?period=x")).await, "400 Bad Request", "invalid_query");
}
