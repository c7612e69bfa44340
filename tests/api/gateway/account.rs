//! The account and its API keys: `/gateway/v1/me…`.

use domain::id::ApiKeyId;
use domain::identity::Role;
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use futures::future::join_all;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use store::ApiKeys;
use store::api_keys::ApiKey;
use tests::TestApp;

use super::chat;

const ME: &str = "/gateway/v1/me";
const KEYS: &str = "/gateway/v1/me/api-keys";

#[tokio::test]
async fn the_caller_is_described_by_key_and_by_token() {
    let app = TestApp::start().await;
    let by_key = app.key_client("ada").get(ME).await;
    assert_eq!(by_key.status, "200 OK", "{}", by_key.text);
    assert_json_snapshot!(by_key.json, {
        ".**.id" => "[id]", ".**.created_at" => "[time]", ".**.last4" => "[last4]",
    });
    let by_token = app.person_of("ada", "acme", Role::Admin).get(ME).await;
    assert_eq!(by_token.json["api_key"], Value::Null);
    assert_eq!(by_token.json["user"], by_key.json["user"]);
    assert_eq!(app.anonymous().get(ME).await.code(), "identity.invalid_token");
    assert_eq!(app.client_with_key("sk-svc-wrong").get(ME).await.code(), "identity.unauthorized");
}

#[tokio::test]
async fn a_user_sees_their_organizations() {
    let app = TestApp::start().await;
    app.person_of("ada", "initech", Role::Member).get(ME).await;
    let orgs = app.key_client("ada").get("/gateway/v1/me/orgs").await;
    let mut seen: Vec<_> = orgs.column("name").into_iter().zip(orgs.column("role")).collect();
    seen.sort_unstable();
    assert_eq!(seen, [("acme", "admin"), ("initech", "member")]);
    assert_eq!((&orgs.json["object"], &orgs.json["data"][0]["plan"]), (&json!("list"), &json!("default")));
}

#[tokio::test]
async fn a_key_is_created_shown_once_used_and_listed() {
    let app = TestApp::start().await;
    let ada = app.person_of("ada", "acme", Role::Admin);
    let body = json!({
        "name": "ci", "models": ["dev-chat"], "limits": {"rpm": 5}, "spending_cap": "12.000000000001",
        "expires_at": "2096-10-02T07:06:40Z",
    });
    let made = ada.post_json(KEYS, body).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
    assert_json_snapshot!(made.json, {
        ".id" => "[id]", ".created_at" => "[time]", ".last4" => "[last4]", ".secret" => "[secret]",
    });
    assert!(made.text.contains(r#""spending_cap":12.000000000001"#), "to the last digit: {}", made.text);
    let secret = made.json["secret"].as_str().unwrap();

    let program = app.client_with_key(secret);
    assert_eq!(chat(&program, "dev-chat").await.status, "200 OK");
    assert_eq!(chat(&program, "dev-embed").await.code(), "model_access_denied");
    let listed = ada.get(KEYS).await;
    assert_eq!(listed.column("name"), ["ci", "first key"], "newest first");
    assert!(listed.json["data"][0]["last_used_at"].is_string(), "{}", listed.text);
    assert!(!listed.text.contains(secret) && !listed.text.contains("secret"));
    let me = program.get(ME).await;
    assert_eq!(me.json["api_key"], listed.json["data"][0]);
}

#[tokio::test]
async fn invalid_key_settings_are_refused_by_field() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let wrong = [
        (json!({}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "x".repeat(201)}), "name"),
        (json!({"name": 7}), "name"),
        (json!({"name": "x", "scope": "all"}), "scope"),
        (json!({"name": "x", "models": []}), "models"),
        (json!({"name": "x", "models": ["dev-chat", "gpt-x"]}), "models[1]"),
        (json!({"name": "x", "limits": {"rpm": -1}}), "limits.rpm"),
        (json!({"name": "x", "limits": {"rpm": 2_000_000_000_000_u64}}), "limits.rpm"),
        (json!({"name": "x", "limits": {"rps": 1}}), "limits.rps"),
        (json!({"name": "x", "spending_cap": -1}), "spending_cap"),
        (json!({"name": "x", "spending_cap": "a lot"}), "spending_cap"),
        (json!({"name": "x", "expires_at": "2020-01-01T00:00:00Z"}), "expires_at"),
        (json!({"name": "x", "expires_at": "tomorrow"}), "expires_at"),
    ];
    for (body, field) in wrong {
        let answer = ada.post_json(KEYS, body.clone()).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_body"), "{body}");
        let message = answer.json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(field), "{body}: {message}");
    }
    assert_eq!(ada.get(KEYS).await.column("name").len(), 1, "no key was created");
    for query in ["?limit=0", "?limit=101", "?cursor=x", "?page=1"] {
        assert_eq!(ada.get(&format!("{KEYS}{query}")).await.code(), "invalid_query", "{query}");
    }
    assert_eq!(app.anonymous().post_json(KEYS, json!({"name": "x"})).await.status, "401 Unauthorized");
}

#[tokio::test]
async fn a_restricted_key_cannot_create_a_wider_one() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let made = ada.post_json(KEYS, json!({"name": "narrow", "models": ["dev-chat"]})).await;
    let narrow = app.client_with_key(made.json["secret"].as_str().unwrap());
    let refused = narrow.post_json(KEYS, json!({"name": "wide"})).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("403 Forbidden", "api_key_restricted"));
    let wide = ada.get(ME).await.json["api_key"]["id"].as_str().unwrap().to_owned();
    assert_eq!(narrow.post(&format!("{KEYS}/{wide}/rotate")).await.code(), "api_key_restricted");
    assert_eq!(narrow.delete(&format!("{KEYS}/{wide}")).await.code(), "api_key_restricted");
    // It may rotate its own secret, because that grants nothing more.
    let own = made.json["id"].as_str().unwrap();
    let renewed = narrow.post(&format!("{KEYS}/{own}/rotate")).await;
    assert_eq!((renewed.status.as_str(), &renewed.json["models"]), ("201 Created", &json!(["dev-chat"])));
}

#[tokio::test]
async fn one_of_two_concurrent_rotations_wins_and_the_old_secret_is_revoked() {
    let app = TestApp::start().await;
    let ada = app.person_of("ada", "acme", Role::Admin);
    let made = ada.post_json(KEYS, json!({"name": "ci", "spending_cap": 1, "limits": {"rpd": 9}})).await;
    let old = app.client_with_key(made.json["secret"].as_str().unwrap());
    assert_eq!(chat(&old, "dev-chat").await.status, "200 OK");

    let path = format!("{KEYS}/{}/rotate", made.json["id"].as_str().unwrap());
    let answers = join_all((0..2).map(|_| ada.post(&path))).await;
    let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status.as_str()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["201 Created", "409 Conflict"]);
    let renewed = answers.iter().find(|answer| answer.status == "201 Created").unwrap();
    assert_ne!(renewed.json["id"], made.json["id"]);
    for field in ["name", "models", "limits", "spending_cap", "expires_at"] {
        assert_eq!(renewed.json[field], made.json[field], "{field}");
    }
    // Inference may have cached the old key, but the key's meter records the revocation.
    assert_eq!(chat(&old, "dev-chat").await.code(), "identity.unauthorized");
    assert_eq!(chat(&app.client_with_key(renewed.json["secret"].as_str().unwrap()), "dev-chat").await.status, "200 OK");
    assert_eq!(ada.get(KEYS).await.column("name"), ["ci", "ci", "first key"]);
}

#[tokio::test]
async fn a_revoked_key_is_refused_at_once() {
    let app = TestApp::start().await;
    let ada = app.person_of("ada", "acme", Role::Admin);
    let made = ada.post_json(KEYS, json!({"name": "ci"})).await;
    let program = app.client_with_key(made.json["secret"].as_str().unwrap());
    assert_eq!(program.get(ME).await.status, "200 OK");
    assert_eq!(chat(&program, "dev-chat").await.status, "200 OK");
    let path = format!("{KEYS}/{}", made.json["id"].as_str().unwrap());
    let revoked = ada.delete(&path).await;
    assert_eq!((revoked.status.as_str(), revoked.text.as_str()), ("204 No Content", ""));
    assert_eq!(chat(&program, "dev-chat").await.code(), "identity.unauthorized");
    assert_eq!(program.get(ME).await.code(), "identity.unauthorized");
    assert_eq!(ada.delete(&path).await.status, "204 No Content", "revoking twice succeeds");
    assert_eq!(ada.post(&format!("{path}/rotate")).await.code(), "api_key_not_valid");
    assert!(ada.get(KEYS).await.json["data"][0]["revoked_at"].is_string());
}

#[tokio::test]
async fn another_users_key_is_not_found() {
    let app = TestApp::start().await;
    let eves = app.key_client("eve").get(ME).await.json["api_key"]["id"].as_str().unwrap().to_owned();
    let bobs = app.key_client("bob").get(ME).await.json["api_key"]["id"].as_str().unwrap().to_owned();
    let never = "key_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c".to_owned();
    for id in [eves, bobs, never, "x".to_owned()] {
        let ada = app.key_client("ada");
        for answer in [ada.delete(&format!("{KEYS}/{id}")).await, ada.post(&format!("{KEYS}/{id}/rotate")).await] {
            assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "api_key_not_found"), "{id}");
            assert_eq!(answer.json["error"]["message"], "no such API key");
        }
    }
}

/// Stores an expired key, which the API cannot create.
async fn insert_expired_key(app: &TestApp, user: &str) {
    let key = ApiKey {
        id: ApiKeyId::new(),
        account: app.account(user),
        name: "expired".to_owned(),
        last4: "0000".to_owned(),
        created_at: Time::now(),
        expires_at: Some(Time::from_millis(1)),
        revoked_at: None,
        models: None,
        workbench: None,
    };
    let secret = SecretToken::generate(TokenKind::ApiKey);
    ApiKeys::new(&app.platform.context()).unwrap().create(&key, &secret.hash()).await.unwrap();
}

#[tokio::test]
async fn keys_are_paged_newest_first_and_limited_per_user() {
    let app = TestApp::start().await;
    let ada = app.person_of("ada", "acme", Role::Admin);
    for i in 2..=100 {
        assert_eq!(ada.post_json(KEYS, json!({"name": format!("key {i:03}")})).await.status, "201 Created");
    }
    let refused = ada.post_json(KEYS, json!({"name": "one too many"})).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("409 Conflict", "too_many_api_keys"));

    let mut names = Vec::new();
    let mut query = "?limit=40".to_owned();
    loop {
        let page = ada.get(&format!("{KEYS}{query}")).await;
        names.extend(page.column("name").into_iter().map(str::to_owned));
        assert_eq!(page.json["has_more"], page.json["next_cursor"].is_string());
        let Some(cursor) = page.json["next_cursor"].as_str() else { break };
        query = format!("?limit=40&cursor={cursor}");
    }
    assert_eq!((names.len(), names[0].as_str(), names[99].as_str()), (100, "key 100", "first key"));

    let id = ada.get(KEYS).await.json["data"][0]["id"].as_str().unwrap().to_owned();
    ada.delete(&format!("{KEYS}/{id}")).await;
    let room = ada.post_json(KEYS, json!({"name": "room again"})).await;
    assert_eq!(room.status, "201 Created", "{}", room.text);
    assert_eq!(ada.post_json(KEYS, json!({"name": "one too many"})).await.code(), "too_many_api_keys");
    ada.delete(&format!("{KEYS}/{}", room.json["id"].as_str().unwrap())).await;
    // The key that takes this place has expired, so it does not count against the limit.
    insert_expired_key(&app, "ada").await;
    let after = ada.post_json(KEYS, json!({"name": "in place of what expired"})).await;
    assert_eq!(after.status, "201 Created", "{}", after.text);
    assert_eq!(ada.post_json(KEYS, json!({"name": "one too many"})).await.code(), "too_many_api_keys");
}

#[tokio::test]
async fn the_caller_is_identified_with_few_reads() {
    let app = TestApp::start().await;
    let (ada, person) = (app.key_client("ada"), app.person_of("ada", "acme", Role::Admin));
    ada.get(ME).await;
    person.get(ME).await;
    app.recorder.take();
    ada.get(ME).await;
    assert_eq!(app.recorder.take_costs().to_string(), "2 dynamodb:BatchGetItem (6 units)");
    person.get(ME).await;
    assert_eq!(app.recorder.take_costs().to_string(), "1 dynamodb:BatchGetItem (4 units)");
    ada.get(KEYS).await;
    assert_eq!(app.recorder.take_costs().calls(), 3);
}
