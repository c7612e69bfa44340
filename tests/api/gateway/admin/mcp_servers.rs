//! The registry of MCP servers: who may change it, what it accepts, and that its secrets are never returned.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::TestApp;

use super::{ADMIN, assert_refused, last_audit_entry};

fn servers() -> String {
    format!("{ADMIN}/mcp-servers")
}

fn path(server: &Value) -> String {
    format!("{}/{}", servers(), server["id"].as_str().unwrap())
}

async fn new_org(app: &TestApp, name: &str) -> Value {
    let created = app.operator().post_json(&format!("{ADMIN}/orgs"), json!({"name": name})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    created.json["id"].clone()
}

fn crm(org: &Value) -> Value {
    json!({
        "org": org, "name": "crm", "url": "https://crm.example/mcp",
        "auth": {"type": "header", "header": "X-Api-Key", "value": "first-secret"},
        "access": [{"plans": ["default"], "tools": ["search"]}],
    })
}

fn with(mut server: Value, field: &str, value: Value) -> Value {
    server[field] = value;
    server
}

#[tokio::test]
async fn a_server_is_added_changed_and_deleted_with_entries_in_the_audit_log() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), new_org(&app, "Acme").await);
    let created = operator.post_json(&servers(), crm(&org)).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    assert_eq!(created.json["auth"]["has_secret"], true);
    assert_eq!(created.json["enabled"], true);
    let entry = last_audit_entry(&app).await;
    assert_eq!((&entry["action"], &entry["target"]), (&json!("mcp_server.create"), &created.json["id"]));
    assert_eq!((&entry["before"], &entry["after"]), (&Value::Null, &created.json));

    let path = path(&created.json);
    let read = operator.get(&path).await;
    assert_eq!(read.json, created.json);
    let version = read.header("etag").unwrap().to_owned();
    let patch = json!({"enabled": false, "access": [{"tools": ["*"]}]});
    let patched = operator.patch(&path, patch).await;
    assert_eq!((&patched.json["enabled"], &patched.json["access"]), (&json!(false), &json!([{"tools": ["*"]}])));
    assert_eq!(patched.json["auth"], created.json["auth"], "what is not in the patch stays");
    assert_eq!(last_audit_entry(&app).await["before"], created.json);
    let stale = operator.request(reqwest::Method::PATCH, &path).header("if-match", version);
    assert_refused(
        &tests::client::send(stale.json(&json!({"enabled": true}))).await,
        "412 Precondition Failed",
        "precondition_failed",
    );

    let listed = operator.get(&format!("{}?org={}", servers(), org.as_str().unwrap())).await;
    assert_eq!(listed.json["data"], json!([patched.json]));
    assert_eq!(operator.delete(&path).await.status, "204 No Content");
    assert_refused(&operator.get(&path).await, "404 Not Found", "mcp_server_not_found");
    assert_refused(&operator.delete(&path).await, "404 Not Found", "mcp_server_not_found");
    let entry = last_audit_entry(&app).await;
    assert_eq!((&entry["action"], &entry["before"]), (&json!("mcp_server.delete"), &patched.json));
    let again = operator.post_json(&servers(), crm(&org)).await;
    assert_eq!(again.status, "201 Created", "the name is free again: {}", again.text);
}

#[tokio::test]
async fn secrets_are_never_returned_and_stay_with_their_server() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), new_org(&app, "Acme").await);
    let created = operator.post_json(&servers(), crm(&org)).await;
    let path = path(&created.json);
    let mut texts = vec![created.text];
    for (patch, refused) in [
        (json!({"url": "https://crm.example/v2/mcp"}), None),
        // The secret would reach another origin, or the header of another credential.
        (json!({"url": "https://evil.example/mcp"}), Some("auth.value")),
        (json!({"auth": {"type": "header", "header": "X-Other"}}), Some("auth.value")),
        (json!({"auth": {"type": "bearer"}}), Some("auth.token")),
        (json!({"auth": {"type": "header", "header": "X-Api-Key"}}), None),
        (json!({"auth": {"type": "bearer", "token": "second-secret"}, "url": "https://crm2.example/mcp"}), None),
        (
            json!({"auth": {"type": "oauth2_client_credentials", "token_url": "https://as.example/token", "client_id": "c"}}),
            Some("auth.client_secret"),
        ),
        (json!({"auth": {"type": "oauth2_user", "client_secret": "third-secret"}}), Some("auth.client_id")),
        (
            json!({"auth": {"type": "oauth2_user", "client_id": "c", "client_secret": "third-secret"}}),
            Some("auth.authorization_server"),
        ),
        (
            json!({"auth": {"type": "oauth2_user", "client_id": "c", "client_secret": "third-secret",
                "authorization_server": "https://as.example"}}),
            None,
        ),
        (json!({"auth": null}), None),
    ] {
        let answer = operator.patch(&path, patch.clone()).await;
        match refused {
            None => assert_eq!(answer.status, "200 OK", "{patch}: {}", answer.text),
            Some(field) => {
                assert_refused(&answer, "400 Bad Request", "invalid_body");
                assert_eq!(answer.json["error"]["param"], field, "{patch}");
            }
        }
        texts.push(answer.text);
    }
    let last = operator.get(&path).await;
    assert_eq!((&last.json["auth"]["type"], &last.json["auth"]["has_secret"]), (&json!("none"), &json!(false)));
    texts.push(operator.get(&format!("{ADMIN}/audit?limit=100")).await.text);
    assert!(texts.iter().all(|text| !text.contains("-secret")), "{texts:?}");
}

#[tokio::test]
async fn only_operators_see_the_registry() {
    let app = TestApp::start().await;
    let org = new_org(&app, "Acme").await;
    let created = app.operator().post_json(&servers(), crm(&org)).await;
    let customer = app.customer("other", "1".parse().unwrap()).await;
    for answer in [
        customer.person.get(&format!("{}?org={}", servers(), org.as_str().unwrap())).await,
        customer.person.post_json(&servers(), crm(&org)).await,
        customer.person.get(&path(&created.json)).await,
        customer.person.patch(&path(&created.json), json!({"enabled": false})).await,
        customer.person.delete(&path(&created.json)).await,
    ] {
        assert_refused(&answer, "403 Forbidden", "operator_only");
    }
}

#[tokio::test]
async fn names_are_unique_in_an_organization_also_for_concurrent_requests() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), new_org(&app, "Acme").await);
    let path = servers();
    let creations = join_all((0..4).map(|_| operator.post_json(&path, crm(&org)))).await;
    let mut statuses: Vec<_> = creations.iter().map(|answer| answer.status.as_str()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["201 Created", "409 Conflict", "409 Conflict", "409 Conflict"]);
    assert!(
        creations
            .iter()
            .filter(|answer| answer.status != "201 Created")
            .all(|answer| answer.code() == "mcp_server_exists")
    );
    let elsewhere = operator.post_json(&path, crm(&new_org(&app, "Other").await)).await;
    assert_eq!(elsewhere.status, "201 Created", "{}", elsewhere.text);
    let nowhere = crm(&json!(domain::id::OrgId::new().to_string()));
    assert_refused(&operator.post_json(&path, nowhere).await, "404 Not Found", "organization_not_found");
}

#[tokio::test]
async fn invalid_servers_are_refused_with_the_field() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), new_org(&app, "Acme").await);
    let rules = |rule: Value| json!([rule]);
    for (field, value, param) in [
        ("name", json!("CRM"), "name"),
        ("name", json!("-crm"), "name"),
        ("name", json!("callback"), "name"),
        ("name", json!("x".repeat(64)), "name"),
        ("url", json!("ftp://crm.example"), "url"),
        ("url", json!("https://user:password@crm.example"), "url"),
        ("url", json!("http://169.254.169.254/mcp"), "url"),
        ("auth", json!({"type": "header", "header": "Host", "value": "x"}), "auth.header"),
        ("auth", json!({"type": "header", "header": "Mcp-Session-Id", "value": "x"}), "auth.header"),
        (
            "auth",
            json!({"type": "oauth2_user", "authorization_server": "http://169.254.169.254"}),
            "auth.authorization_server",
        ),
        ("access", rules(json!({"tools": []})), "access[0].tools"),
        ("access", rules(json!({"tools": ["a"], "keys": []})), "access[0].keys"),
        ("access", rules(json!({"tools": ["a"], "keys": ["sk-svc-x"]})), "access[0].keys[0]"),
        ("access", json!(vec![json!({"tools": ["a"]}); 51]), "access"),
        ("access", rules(json!({"tools": vec!["a"; 201]})), "access[0].tools"),
    ] {
        let answer = operator.post_json(&servers(), with(crm(&org), field, value.clone())).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        assert_eq!(answer.json["error"]["param"], param, "{value}: {}", answer.text);
    }
    let created = operator.post_json(&servers(), crm(&org)).await;
    let renamed = operator.patch(&path(&created.json), json!({"name": "erp"})).await;
    assert_refused(&renamed, "400 Bad Request", "invalid_body");
}

#[tokio::test]
async fn an_organization_has_at_most_100_servers() {
    let app = TestApp::start().await;
    let (operator, org) = (app.operator(), new_org(&app, "Acme").await);
    for number in 0..100 {
        let created = operator.post_json(&servers(), with(crm(&org), "name", json!(format!("s{number}")))).await;
        assert_eq!(created.status, "201 Created", "{}", created.text);
    }
    let more = operator.post_json(&servers(), with(crm(&org), "name", json!("more"))).await;
    assert_refused(&more, "409 Conflict", "too_many_mcp_servers");
    let listed = operator.get(&format!("{}?org={}", servers(), org.as_str().unwrap())).await;
    assert_eq!(operator.delete(&path(&listed.json["data"][0])).await.status, "204 No Content");
    let more = operator.post_json(&servers(), with(crm(&org), "name", json!("more"))).await;
    assert_eq!(more.status, "201 Created", "{}", more.text);
}
