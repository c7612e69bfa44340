//! Rate limits and spending caps that operators set for organizations, users and keys.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::TestApp;

use super::{ADMIN, BILLING, assert_refused, last_audit_entry};
use crate::gateway::chat;

/// The ids of the organization, the user and the API key of a demo user.
async fn ids(app: &TestApp, name: &str) -> [String; 3] {
    let me = app.key_client(name).get("/gateway/v1/me").await.json;
    ["org", "user", "api_key"].map(|what| me[what]["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn limits_apply_at_each_level_until_they_are_removed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, user, key] = ids(&app, "ada").await;
    let queries = [format!("org={org}"), format!("org={org}&user={user}"), format!("key={key}")];
    for (query, scope) in queries.iter().zip(["org", "user", "key"]) {
        let path = format!("{ADMIN}/limits?{query}");
        assert_eq!(operator.get(&path).await.json.get("limits"), Some(&Value::Null));
        let put = operator.put(&path, json!({"rpm": 0})).await;
        assert_eq!((put.status.as_str(), &put.json["scope"]), ("200 OK", &json!(scope)), "{}", put.text);
        assert_eq!(operator.get(&path).await.json, put.json);
        let entry = last_audit_entry(&app).await;
        assert_eq!((&entry["before"]["limits"], &entry["after"]), (&Value::Null, &put.json));
        let refused = chat(&app.key_client("ada"), "dev-chat").await;
        assert_refused(&refused, "429 Too Many Requests", "rate_limit_exceeded");
        assert_eq!(refused.json["error"]["details"]["scope"], scope);
        assert_eq!(operator.delete(&path).await.status, "204 No Content");
    }
    assert_eq!(chat(&app.key_client("ada"), "dev-chat").await.status, "200 OK");
}

#[tokio::test]
async fn a_cap_applies_is_shown_and_can_be_removed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, user, key] = ids(&app, "ada").await;
    let ada = app.key_client("ada");
    chat(&ada, "dev-chat").await;
    let queries = [format!("org={org}"), format!("org={org}&user={user}"), format!("key={key}")];
    for (query, scope) in queries.iter().zip(["org", "user", "key"]) {
        let path = format!("{BILLING}/caps?{query}");
        assert_refused(&operator.get(&path).await, "404 Not Found", "spending_cap_not_found");
        let put = operator.put(&path, json!({"limit": "0.000001"})).await;
        assert_eq!(put.status, "200 OK", "{}", put.text);
        let shown = ada.get("/gateway/v1/billing/balance").await;
        assert_eq!(shown.json["spending_caps"], json!([put.json]));
        assert_eq!((&put.json["scope"], &put.json["period"]), (&json!(scope), &json!("month")));
        assert!(put.text.contains(r#""limit":0.000001,"#) && put.json["used"].as_f64() > Some(0.0), "{}", put.text);
        let refused = chat(&ada, "dev-chat").await;
        assert_refused(&refused, "402 Payment Required", "spending_cap_reached");
        assert_eq!(refused.json["error"]["details"]["scope"], scope);
        assert_eq!(operator.delete(&path).await.status, "204 No Content");
        let entry = last_audit_entry(&app).await;
        assert_eq!((&entry["action"], &entry["after"]), (&json!("cap.delete"), &Value::Null));
    }
    assert_eq!(chat(&ada, "dev-chat").await.status, "200 OK");
}

/// Changes caps, limits, plans and organizations concurrently. Each change has its entry in the audit log.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_concurrent_changes_all_succeed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, _, _] = ids(&app, "ada").await;
    operator.put(&format!("{ADMIN}/plans/other"), json!({"name": "Other"})).await;
    let (caps, limits) = (format!("{BILLING}/caps?org={org}"), format!("{ADMIN}/limits?org={org}"));
    let (plan, path) = (format!("{ADMIN}/plans/default"), format!("{ADMIN}/orgs/{org}"));
    let changes = (0..25).map(async |number| {
        let plan_of_org = if number % 2 == 0 { "default" } else { "other" };
        [
            operator.put(&caps, json!({"limit": 1_000 + number})).await,
            operator.put(&limits, json!({"rpm": 1_000 + number})).await,
            operator.put(&plan, json!({"name": format!("Plan {number}")})).await,
            operator.patch(&path, json!({"plan": plan_of_org})).await,
        ]
    });
    for answer in join_all(changes).await.concat() {
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
    }
    let actions = operator.get(&format!("{ADMIN}/audit?limit=100")).await;
    let actions = actions.column("action");
    let kinds: std::collections::BTreeSet<_> = actions.iter().collect();
    assert_eq!((actions.len(), kinds.len()), (100, 4), "{kinds:?}");
}

#[tokio::test]
async fn limits_and_caps_of_unknown_targets_are_404() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, _, key] = ids(&app, "ada").await;
    let [_, eve, _] = ids(&app, "eve").await;
    let nobody = "019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c";
    let cases = [
        (format!("org=org_{nobody}"), "organization_not_found"),
        ("org=x".to_owned(), "organization_not_found"),
        (format!("org={org}&user={eve}"), "user_not_found"),
        (format!("key=key_{nobody}"), "api_key_not_found"),
    ];
    for (query, code) in cases {
        for (path, body) in [(format!("{ADMIN}/limits"), json!({})), (format!("{BILLING}/caps"), json!({"limit": 1}))] {
            let path = format!("{path}?{query}");
            for answer in [operator.get(&path).await, operator.put(&path, body).await, operator.delete(&path).await] {
                assert_refused(&answer, "404 Not Found", code);
            }
        }
    }
    for query in ["", "?user=x", &format!("?org={org}&key={key}"), "?colour=red"] {
        assert_refused(&operator.get(&format!("{ADMIN}/limits{query}")).await, "400 Bad Request", "invalid_query");
    }
    let wrong = operator.put(&format!("{ADMIN}/limits?org={org}"), json!({"rps": 1})).await;
    assert_eq!((wrong.code(), &wrong.json["error"]["param"]), ("invalid_body", &json!("rps")));
}
