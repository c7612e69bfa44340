//! Service accounts: their tokens, scopes and ends.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use auth::{Auth, NeededScope};
use domain::Error;
use domain::identity::Role;
use domain::scope::ScopeArea;
use domain::service_token::MAX_SERVICE_TOKENS;
use domain::time::{Clock, Time};
use platform::Context;
use serde_json::json;
use store::Identities;
use tests::client::refusal;

use super::*;

const TOKENS: &str = "/builder/v1/service-tokens";
const SOME_ID: &str = "01890000-0000-7000-8000-000000000000";

fn administrator(app: &TestApp) -> Person {
    app.person_of("ada", "acme", Role::Admin)
}

fn in_days(days: u64) -> String {
    Time::now().plus(Duration::from_secs(days * 24 * 60 * 60)).to_string()
}

fn new_token(name: &str, scopes: &[&str]) -> Value {
    json!({"name": name, "scopes": scopes, "expiresAt": in_days(30)})
}

/// Creates a token, and returns a program that has it.
pub async fn program(app: &TestApp, name: &str, scopes: &[&str]) -> (Person, String) {
    let created = administrator(app).post_json(TOKENS, new_token(name, scopes)).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let token = created.json["data"]["token"].as_str().unwrap();
    assert!(token.starts_with("svt_"), "{token}");
    (app.anonymous().with_token(token), created.id().to_owned())
}

#[tokio::test]
async fn a_token_is_shown_once_and_its_creation_and_deletion_are_in_the_audit_log() {
    let app = TestApp::start().await;
    let ada = administrator(&app);
    let (program, id) = program(&app, "Deployment", &["agents:write", "agents:write", "runs:read"]).await;
    let secret = program.token.clone().unwrap();
    let listed = ada.get(TOKENS).await;
    assert!(!listed.text.contains(&secret), "{}", listed.text);
    let token = &listed.json["data"][0];
    assert_eq!((token["id"].as_str(), token["name"].as_str()), (Some(&*id), Some("Deployment")));
    assert_eq!(token["scopes"], json!(["agents:write", "runs:read"]));
    assert_eq!((token["last4"].as_str(), &token["lastUsedOn"]), (Some(&secret[secret.len() - 4..]), &Value::Null));
    assert!(token["userId"].as_str().unwrap().starts_with("usr_"));
    assert!(!app.contents("").contains(&secret));

    assert_eq!(program.get(AGENTS).await.status, "200 OK");
    let used = ada.get(TOKENS).await.json["data"][0]["lastUsedOn"].clone();
    assert_eq!(used.as_str().map(str::len), Some(10), "a day");
    assert_eq!(ada.delete(&format!("{TOKENS}/{id}")).await.status, "204 No Content");
    assert_eq!(refusal(&program.get(AGENTS).await), ("401", "unauthorized"));
    assert_eq!(ada.get(TOKENS).await.json, json!({"data": []}));
    assert_eq!(refusal(&ada.delete(&format!("{TOKENS}/{id}")).await), ("404", "service_token_not_found"));

    let log = app.operator().get("/gateway/v1/admin/audit?action=service_token").await;
    let actions: Vec<_> = log.json["data"].as_array().unwrap().iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["service_token.delete", "service_token.create"], "{}", log.text);
    assert!(!log.text.contains(&secret) && log.text.contains("agents:write"), "{}", log.text);
}

#[tokio::test]
async fn each_scope_allows_the_requests_of_its_area_and_no_others() {
    let app = TestApp::start().await;
    let workflow = format!("/builder/v1/workflows/{SOME_ID}");
    let routes = [
        ("agents", AGENTS.to_owned(), AGENTS.to_owned()),
        ("agents", "/builder/v1/models".to_owned(), format!("{AGENTS}/{SOME_ID}/invoke")),
        ("workflows", "/builder/v1/workflows".to_owned(), "/builder/v1/workflows".to_owned()),
        ("workflows", format!("{workflow}/webhooks"), format!("{workflow}/preview")),
        ("runs", format!("{workflow}/runs"), format!("{workflow}/runs")),
        ("runs", format!("{workflow}/records"), format!("{workflow}/records/threads/{SOME_ID}/nudge")),
        ("runs", format!("{workflow}/runs/{SOME_ID}/events"), format!("{workflow}/runs/{SOME_ID}/cancel")),
        ("runs", "/builder/v1/workflows/runs/summaries".to_owned(), format!("{workflow}/releases/{SOME_ID}/rehearse")),
        ("threads", format!("{workflow}/threads"), "/builder/v1/workflows/threads/batch".to_owned()),
        ("workbenches", "/workbenches/v1".to_owned(), "/workbenches/v1".to_owned()),
    ];
    let areas = ["agents", "workflows", "runs", "threads", "workbenches"];
    for scope in areas.iter().flat_map(|area| [format!("{area}:read"), format!("{area}:write")]) {
        let (program, _) = program(&app, "program", &[&scope]).await;
        for (area, read, change) in &routes {
            let (read, change) = (program.get(read).await, program.post_json(change, json!({})).await);
            let may_write = scope == format!("{area}:write");
            let may_read = may_write || scope == format!("{area}:read");
            for (answer, is_allowed, needed) in [(read, may_read, "read"), (change, may_write, "write")] {
                assert_ne!(answer.code(), "unauthorized", "{}", answer.text);
                let is_refused = answer.code() == "missing_scope";
                assert_eq!(is_refused, !is_allowed, "{scope} for {needed} of {area}: {}", answer.text);
                assert!(is_allowed || answer.text.contains(&format!("{area}:{needed}")), "{}", answer.text);
                assert!(is_allowed || answer.status == "403 Forbidden", "{}", answer.text);
            }
        }
    }
}

#[tokio::test]
async fn a_program_owns_what_it_creates_and_a_later_token_of_its_name_can_reach_it() {
    let app = TestApp::start().await;
    let (first, id) = program(&app, "Deployment", &["agents:write"]).await;
    let (other, _) = program(&app, "Reports", &["agents:write"]).await;
    let agent = first.post_json(AGENTS, json!({"name": "Scout"})).await;
    let path = format!("{AGENTS}/{}", agent.id());
    assert_eq!(refusal(&other.get(&path).await), ("404", "agent_not_found"));
    assert_eq!(refusal(&administrator(&app).get(&path).await), ("404", "agent_not_found"));
    let (second, _) = program(&app, " Deployment ", &["agents:read"]).await;
    assert_eq!(second.get(&path).await.json["data"]["name"], "Scout");
    assert_eq!(administrator(&app).delete(&format!("{TOKENS}/{id}")).await.status, "204 No Content");
    assert_eq!(first.get(&path).await.status, "401 Unauthorized");
    assert_eq!(second.get(&path).await.status, "200 OK");
}

#[tokio::test]
async fn only_administrators_manage_the_tokens_of_their_organization() {
    let app = TestApp::start().await;
    let everything = ["agents:write", "workflows:write", "runs:write", "threads:write", "workbenches:write"];
    let (program, id) = program(&app, "Deployment", &everything).await;
    let path = format!("{TOKENS}/{id}");
    for (person, status, code) in [
        (app.person("bob"), "403", "administrator_only"),
        (program.clone(), "403", "service_account_not_allowed"),
        (app.anonymous(), "401", "unauthorized"),
        (app.key_client("ada"), "401", "unauthorized"),
    ] {
        assert_eq!(refusal(&person.get(TOKENS).await), (status, code));
        assert_eq!(refusal(&person.post_json(TOKENS, new_token("x", &["agents:read"])).await), (status, code));
        assert_eq!(refusal(&person.delete(&path).await), (status, code));
    }
    let eve = app.person_of("eve", "globex", Role::Admin);
    assert_eq!(eve.get(TOKENS).await.json, json!({"data": []}));
    assert_eq!(refusal(&eve.delete(&path).await), ("404", "service_token_not_found"));
    assert_eq!(program.get(AGENTS).await.status, "200 OK");
    // By a session, an administrator can do it too.
    let mut browser = Browser::signed_in(&app, "ada").await;
    assert_eq!(browser.change(Method::DELETE, &path, json!({})).await.status, "204 No Content");
}

#[tokio::test]
async fn a_program_is_refused_by_the_gateway() {
    let app = TestApp::start().await;
    let (program, _) = program(&app, "Deployment", &["agents:write"]).await;
    for path in ["/gateway/v1/me", "/gateway/v1/me/api-keys", "/gateway/v1/admin/models", "/gateway/v1/models"] {
        let answer = program.get(path).await;
        assert_eq!(refusal(&answer), ("401", "identity.unauthorized"), "{path}");
        assert!(answer.text.contains("service tokens are accepted by the builder and workbenches APIs only"));
    }
    let key = program.post_json("/gateway/v1/me/api-keys", json!({"name": "mine"})).await;
    assert_eq!(key.status, "401 Unauthorized");
    let chat = program.post_json("/gateway/v1/chat/completions", json!({"model": "dev-chat", "messages": []})).await;
    assert_eq!(chat.status, "401 Unauthorized");
}

#[tokio::test]
async fn a_program_is_refused_while_its_organization_is_suspended() {
    let app = TestApp::start().await;
    let (program, _) = program(&app, "Deployment", &["agents:read"]).await;
    let identities = Identities::new(&app.platform.context()).unwrap();
    let mut org = identities.org(app.account("ada").org).await.unwrap();
    org.suspended = true;
    identities.put_org(&org).await.unwrap();
    assert_eq!(refusal(&program.get(AGENTS).await), ("401", "unauthorized"));
    org.suspended = false;
    identities.put_org(&org).await.unwrap();
    assert_eq!(program.get(AGENTS).await.status, "200 OK");
}

#[tokio::test]
async fn an_expired_token_is_refused() {
    let app = TestApp::start().await;
    let (program, _) = program(&app, "Deployment", &["agents:read"]).await;
    let now = Arc::new(Mutex::new(Time::now()));
    let read = now.clone();
    let clock = Clock::new(move || *read.lock().unwrap());
    let auth = Auth::new(&Context { clock, ..app.platform.context_of("agents") }).unwrap();
    let needed = Some(NeededScope::Of { area: ScopeArea::Agents, is_safe: true });
    let secret = program.token.unwrap();
    assert!(auth.service_caller(&secret, needed, None).await.is_ok());
    *now.lock().unwrap() = Time::now().plus(Duration::from_secs(31 * 24 * 60 * 60));
    assert!(matches!(auth.service_caller(&secret, needed, None).await, Err(Error::Unauthenticated(_))));
}

#[tokio::test]
async fn a_wrong_body_names_the_field() {
    let app = TestApp::start().await;
    let ada = administrator(&app);
    let with = |name: &str, value: Value| {
        let mut body = new_token("Deployment", &["agents:read"]);
        body[name] = value;
        body
    };
    for (body, field) in [
        (with("name", json!("")), "name"),
        (with("name", json!("a\nb")), "name"),
        (with("name", json!("x".repeat(201))), "name"),
        (with("scopes", json!([])), "scopes"),
        (with("scopes", json!(["everything"])), "scopes"),
        (with("expiresAt", json!(in_days(0))), "expiresAt"),
        (with("expiresAt", json!(in_days(367))), "expiresAt"),
        (with("expiresAt", json!("tomorrow")), "expiresAt"),
        (with("expiresAt", Value::Null), "expiresAt"),
        (with("admin", json!(true)), "admin"),
    ] {
        let answer = ada.post_json(TOKENS, body).await;
        assert_eq!(refusal(&answer), ("400", "invalid_body"), "{field}: {}", answer.text);
        assert!(answer.text.contains(field), "{field}: {}", answer.text);
    }
    for wrong in ["svt_", "svt_short", &format!("svt_{}", "0".repeat(49))] {
        assert_eq!(refusal(&app.anonymous().with_token(wrong).get(AGENTS).await), ("401", "unauthorized"));
    }
}

#[tokio::test]
async fn an_organization_has_a_maximum_of_tokens() {
    let app = TestApp::start().await;
    let ada = administrator(&app);
    let mut last = String::new();
    for _ in 0..MAX_SERVICE_TOKENS {
        last = program(&app, "Deployment", &["agents:read"]).await.1;
    }
    let refused = ada.post_json(TOKENS, new_token("Deployment", &["agents:read"])).await;
    assert_eq!(refusal(&refused), ("409", "too_many_service_tokens"));
    assert_eq!(ada.get(TOKENS).await.json["data"].as_array().unwrap().len(), MAX_SERVICE_TOKENS);
    ada.delete(&format!("{TOKENS}/{last}")).await;
    program(&app, "Deployment", &["agents:read"]).await;
}

#[tokio::test]
async fn each_request_reads_its_token_with_its_caller() {
    let app = TestApp::start().await;
    let (program, _) = program(&app, "Deployment", &["agents:read"]).await;
    let models = "/builder/v1/models";
    program.get(models).await;
    let costs = app.costs(program.get(models)).await.to_string();
    assert_eq!(costs, "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:Query (2 units)", "the day is recorded once");
}
