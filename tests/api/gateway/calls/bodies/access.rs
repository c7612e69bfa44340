//! Who may keep, read and delete bodies, and what the audit log says about it.

use domain::identity::Role;

use super::*;

#[tokio::test]
async fn only_administrators_of_the_organization_read_and_delete_bodies() {
    let app = TestApp::start().await;
    // Ada is an administrator of Acme, and Bob is a member.
    let (ada, bob) = (app.key_client("ada"), app.key_client("bob"));
    keep_bodies(&ada, 7).await;
    keep_bodies(&app.person_of("other", "globex", Role::Admin), 7).await;
    let called = ask(&bob, "Hello").await;
    let path = path_of(request_of(&called));
    app.platform.context().tasks.ended().await;

    let operator = app.operator();
    for (person, status, code) in [
        (&bob, "403 Forbidden", "administrator_only"),
        (&operator, "403 Forbidden", "administrator_only"),
        (&app.person_of("other", "globex", Role::Admin), "404 Not Found", "call_not_found"),
        (&app.anonymous(), "401 Unauthorized", "identity.invalid_token"),
    ] {
        for refused in [person.get(&path).await, person.delete(&path).await] {
            assert_eq!((refused.status.as_str(), refused.code()), (status, code), "{}", refused.text);
        }
    }
    for person in [&ada, &app.person_of("second", "acme", Role::Admin)] {
        assert_eq!(person.get(&path).await.json["request"], question("Hello"));
    }
    assert_eq!(app.operator().get(&format!("{ADMIN_CALLS}/x/body")).await.status, "404 Not Found");

    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    assert_eq!(count_objects(&app).await, 0);
    let gone = ada.get(&path).await;
    assert_eq!((gone.status.as_str(), gone.code()), ("404 Not Found", "call_body_not_found"));
    assert_eq!(ada.get(&format!("{CALLS}/{}", request_of(&called))).await.status, "200 OK", "the call stays");
}

#[tokio::test]
async fn only_administrators_change_the_retention() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.key_client("ada"), app.key_client("bob"));
    for refused in [bob.get(RETENTION).await, bob.put(RETENTION, json!({"days": 7})).await] {
        assert_eq!((refused.status.as_str(), refused.code()), ("403 Forbidden", "administrator_only"));
    }
    for refused in [app.anonymous().get(RETENTION).await, app.anonymous().put(RETENTION, json!({"days": 7})).await] {
        assert_eq!(refused.status, "401 Unauthorized", "{}", refused.text);
    }
    keep_bodies(&ada, 7).await;
    let eve = app.person_of("other", "globex", Role::Admin);
    assert_eq!(eve.get(RETENTION).await.json["days"], 0, "another organization has its own");
    let second = app.person_of("second", "acme", Role::Admin);
    assert_eq!(second.get(RETENTION).await.json["days"], 7);
    // A change by an operator keeps it.
    let org = format!("/gateway/v1/admin/orgs/{}", app.account("ada").org);
    let renamed = app.operator().patch(&org, json!({"name": "Acme"})).await;
    assert_eq!(renamed.status, "200 OK", "{}", renamed.text);
    assert_eq!(ada.get(RETENTION).await.json["days"], 7);
    let text = send(ada.request(Method::PUT, RETENTION).header("content-type", "text/plain").body("{}")).await;
    assert_eq!(text.status, "415 Unsupported Media Type");
}

#[tokio::test]
async fn changes_reads_and_deletions_are_in_the_audit_log() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "audited", 7).await;
    let called = ask(&customer.person, "a secret sentence").await;
    let body = read(&app, &customer.person, request_of(&called)).await;
    assert_eq!(body.status, "200 OK", "{}", body.text);
    customer.person.delete(&path_of(request_of(&called))).await;
    customer.person.get(&path_of(request_of(&called))).await;

    let audit = app.operator().get("/gateway/v1/admin/audit").await;
    assert!(!audit.text.contains("a secret sentence"), "{}", audit.text);
    let call = customer.person.get(&format!("{CALLS}/{}", request_of(&called))).await.json["id"].clone();
    let entries = audit.json["data"].as_array().unwrap().iter().rev();
    let entries: Vec<_> = entries.filter(|entry| entry["action"].as_str().unwrap().starts_with("call_")).collect();
    let shown = |entry: &&Value| ["action", "target", "before", "after"].map(|field| entry[field].clone());
    let org = json!(customer.account.org.to_string());
    assert_eq!(
        entries.iter().map(shown).collect::<Vec<_>>(),
        [
            [json!("call_retention.put"), org, json!({"days": 0}), json!({"days": 7})],
            [json!("call_body.read"), call.clone(), Value::Null, Value::Null],
            [json!("call_body.delete"), call, Value::Null, Value::Null],
        ]
    );
    let user = json!(customer.account.user.to_string());
    assert!(entries.iter().all(|entry| entry["actor"]["user"] == user), "{}", audit.text);
}
