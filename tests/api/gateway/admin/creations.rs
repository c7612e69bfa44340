//! Organizations, users and API keys that an operator creates without the identity provider.

use domain::identity::Role;
use domain::time::Time;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use uuid::Uuid;

use super::{ADMIN, BILLING, assert_refused, last_audit_entry};
use crate::gateway::chat;

const ME: &str = "/gateway/v1/me";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

async fn create(operator: &Person, kind: &str, body: Value) -> Value {
    let answer = operator.post_json(&format!("{ADMIN}/{kind}"), body).await;
    assert_eq!(answer.status, "201 Created", "{}", answer.text);
    answer.json
}

/// Creates an organization with a user and a key. Returns their ids and the secret.
async fn customer(operator: &Person) -> [String; 4] {
    let org = text(&create(operator, "orgs", json!({"name": "Initech"})).await["id"]);
    let user = text(&create(operator, "users", json!({"name": "Milton", "org": org})).await["id"]);
    let key = create(operator, "keys", json!({"name": "stapler", "org": org, "user": user})).await;
    [org, user, text(&key["id"]), text(&key["secret"])]
}

async fn post_with_key(person: &Person, kind: &str, key: Uuid, body: &Value) -> Answer {
    let request = person.request(Method::POST, &format!("{ADMIN}/{kind}"));
    send(request.header("Idempotency-Key", key.to_string()).json(body)).await
}

#[tokio::test]
async fn an_operator_creates_a_customer_who_calls_models() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, user, key, secret] = customer(&operator).await;
    let entry = last_audit_entry(&app).await;
    assert_eq!(
        (&entry["action"], &entry["target"], &entry["before"]),
        (&json!("key.create"), &json!(key), &Value::Null)
    );
    assert_eq!((&entry["after"]["id"], &entry["after"]["secret"]), (&json!(key), &Value::Null));
    assert!(!entry.to_string().contains(&secret), "{entry}");

    let milton = app.client_with_key(&secret);
    let me = milton.get(ME).await;
    assert_eq!((&me.json["org"]["id"], &me.json["user"]["id"]), (&json!(org), &json!(user)));
    assert_eq!((&me.json["org"]["name"], &me.json["user"]["name"]), (&json!("Initech"), &json!("Milton")));
    assert_eq!((&me.json["membership"]["role"], &me.json["plan"]["id"]), (&json!("member"), &json!("default")));
    assert_refused(&chat(&milton, "dev-chat").await, "402 Payment Required", "insufficient_credits");
    let credits = json!({"org": org, "kind": "credit", "amount": 5, "reason": "first"});
    assert_eq!(operator.post_json(&format!("{BILLING}/credits"), credits).await.status, "201 Created");
    assert_eq!(chat(&milton, "dev-chat").await.status, "200 OK");
    for (path, id) in [("orgs", &org), ("users", &user)] {
        assert_eq!(operator.get(&format!("{ADMIN}/{path}/{id}")).await.json["id"], json!(id));
        let listed = operator.get(&format!("{ADMIN}/{path}?limit=100")).await;
        assert!(listed.column("id").contains(&id.as_str()), "{}", listed.text);
    }
    let listed = operator.get(&format!("{ADMIN}/keys?org={org}")).await;
    assert_eq!(listed.column("id"), [key.as_str()]);
    assert!(!listed.text.contains("secret"));
}

#[tokio::test]
async fn the_first_token_matches_the_user_that_an_operator_created() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let org = text(&create(&operator, "orgs", json!({"name": "Initech Inc.", "external_id": "initech"})).await["id"]);
    let body = json!({"name": "Milton W.", "email": "milton@initech.example", "org": org, "external_id": "milton"});
    let user = create(&operator, "users", body).await;
    assert_eq!((&user["role"], &user["org"], &user["suspended"]), (&json!("member"), &json!(org), &json!(false)));
    let me = app.person_of("milton", "initech", Role::Admin).get(ME).await;
    assert_eq!((&me.json["org"]["id"], &me.json["org"]["name"]), (&json!(org), &json!("Initech Inc.")));
    assert_eq!((&me.json["user"]["id"], &me.json["user"]["name"]), (&user["id"], &json!("Milton W.")));
    assert_eq!(me.json["user"]["email"], "milton@initech.example");
    assert_eq!(me.json["membership"]["role"], "admin", "the issuer decides roles");

    // The other way round: what the first token created exists already.
    app.person_of("bill", "globex-2", Role::Member).get(ME).await;
    let org = operator.post_json(&format!("{ADMIN}/orgs"), json!({"name": "x", "external_id": "globex-2"})).await;
    assert_refused(&org, "409 Conflict", "organization_exists");
    let bill = json!({"name": "x", "org": me.json["org"]["id"], "external_id": "bill"});
    assert_refused(&operator.post_json(&format!("{ADMIN}/users"), bill).await, "409 Conflict", "user_exists");
}

#[tokio::test]
async fn invalid_creations_are_refused_by_field() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, user, ..] = customer(&operator).await;
    let never = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c";
    let stranger = text(&app.key_client("ada").get(ME).await.json["user"]["id"]);
    let before = last_audit_entry(&app).await;
    let wrong = [
        ("orgs", json!({}), "name"),
        ("orgs", json!({"name": " "}), "name"),
        ("orgs", json!({"name": "x", "plan": "no-such"}), "plan"),
        ("orgs", json!({"name": "x", "external_id": ""}), "external_id"),
        ("orgs", json!({"name": "x", "external_id": "x".repeat(256)}), "external_id"),
        ("orgs", json!({"name": "x", "id": never}), "id"),
        ("users", json!({"name": "x"}), "org"),
        ("users", json!({"name": "", "org": org}), "name"),
        ("users", json!({"name": "x", "org": org, "email": "x"}), "email"),
        ("users", json!({"name": "x", "org": org, "role": "root"}), "role"),
        ("keys", json!({"org": org, "user": user}), "name"),
        ("keys", json!({"org": org, "user": user, "name": ""}), "name"),
        ("keys", json!({"org": org, "user": user, "name": "x", "models": ["gpt-x"]}), "models[0]"),
        ("keys", json!({"org": org, "user": user, "name": "x", "limits": {"rpm": -1}}), "limits.rpm"),
        ("keys", json!({"org": org, "user": user, "name": "x", "expires_at": "2020-01-01T00:00:00Z"}), "expires_at"),
    ];
    for (kind, body, field) in wrong {
        let answer = operator.post_json(&format!("{ADMIN}/{kind}"), body.clone()).await;
        assert_refused(&answer, "400 Bad Request", "invalid_body");
        let message = answer.json["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(field), "{body}: {message}");
    }
    let unknown = [
        ("users", json!({"name": "x", "org": never}), "organization_not_found"),
        ("users", json!({"name": "x", "org": "x"}), "organization_not_found"),
        ("keys", json!({"name": "x", "org": never, "user": user}), "organization_not_found"),
        ("keys", json!({"name": "x", "org": org, "user": "x"}), "user_not_found"),
        ("keys", json!({"name": "x", "org": org, "user": stranger}), "user_not_found"),
    ];
    for (kind, body, code) in unknown {
        let answer = operator.post_json(&format!("{ADMIN}/{kind}"), body).await;
        assert_refused(&answer, "404 Not Found", code);
    }
    let key = "key_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c";
    for id in [key, "x"] {
        let answer = operator.patch(&format!("{ADMIN}/keys/{id}"), json!({"name": "x"})).await;
        assert_refused(&answer, "404 Not Found", "api_key_not_found");
    }
    assert_eq!(last_audit_entry(&app).await, before, "nothing was changed");
}

#[tokio::test]
async fn a_repeated_creation_is_replayed_without_the_secret() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, user, ..] = customer(&operator).await;
    let bodies = [
        ("orgs", json!({"name": "Twice", "external_id": "twice"})),
        ("users", json!({"name": "Twice", "org": org, "external_id": "twice"})),
        ("keys", json!({"name": "twice", "org": org, "user": user})),
    ];
    for (kind, body) in bodies {
        let key = Uuid::now_v7();
        let first = post_with_key(&operator, kind, key, &body).await;
        assert_eq!(first.status, "201 Created", "{}", first.text);
        let entry = last_audit_entry(&app).await;
        let again = post_with_key(&operator, kind, key, &body).await;
        assert_eq!((again.status.as_str(), again.header("idempotent-replayed")), ("201 Created", Some("true")));
        let mut expected = first.json.clone();
        if kind == "keys" {
            assert!(first.json["secret"].is_string());
            expected["secret"] = Value::Null;
        }
        assert_eq!(again.json, expected, "{kind}");
        let other = post_with_key(&operator, kind, key, &json!({"name": "other", "org": org, "user": user})).await;
        if kind == "keys" {
            assert_refused(&other, "409 Conflict", "idempotency_conflict");
        }
        let mut changed = body.clone();
        changed["name"] = json!("Other");
        assert_refused(&post_with_key(&operator, kind, key, &changed).await, "409 Conflict", "idempotency_conflict");
        assert_eq!(last_audit_entry(&app).await, entry, "{kind}: nothing more was changed");
    }
    let wrong = operator.request(Method::POST, &format!("{ADMIN}/orgs")).header("Idempotency-Key", "x");
    assert_refused(&send(wrong.json(&json!({"name": "x"}))).await, "400 Bad Request", "invalid_query");
}

#[tokio::test]
async fn concurrent_creations_with_one_idempotency_key_create_one_key() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, user, ..] = customer(&operator).await;
    let (key, body) = (Uuid::now_v7(), json!({"name": "one", "org": org, "user": user}));
    let answers = futures::future::join_all((0..8).map(|_| post_with_key(&operator, "keys", key, &body))).await;
    assert!(answers.iter().all(|answer| answer.status == "201 Created"), "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| answer.json["secret"].is_string()).count(), 1);
    assert!(answers[0].json["id"].is_string());
    assert!(answers.iter().all(|answer| answer.json["id"] == answers[0].json["id"]));
    assert_eq!(operator.get(&format!("{ADMIN}/keys?org={org}")).await.column("name"), ["one", "stapler"]);
}

#[tokio::test]
async fn an_operator_changes_a_key() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [org, _, key, secret] = customer(&operator).await;
    let path = format!("{ADMIN}/keys/{key}");
    let patch = json!({
        "name": "red stapler", "models": ["dev-chat"], "limits": {"rpm": 7}, "spending_cap": "2.5",
        "expires_at": "2096-10-02T07:06:40Z",
    });
    let changed = operator.patch(&path, patch).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    assert_eq!((&changed.json["name"], &changed.json["models"]), (&json!("red stapler"), &json!(["dev-chat"])));
    assert_eq!((&changed.json["limits"]["rpm"], &changed.json["spending_cap"]), (&json!(7), &json!(2.5)));
    assert_eq!(changed.json["expires_at"], "2096-10-02T07:06:40.000Z");
    let entry = last_audit_entry(&app).await;
    assert_eq!((&entry["action"], &entry["before"]["name"]), (&json!("key.update"), &json!("stapler")));
    assert_eq!(entry["after"], changed.json);
    // The holder of the key and the operator's list see the same.
    let milton = app.client_with_key(&secret);
    let mut own = milton.get(ME).await.json["api_key"].clone();
    own["org"] = json!(org);
    own["user"] = changed.json["user"].clone();
    assert_eq!(own, changed.json);
    assert_eq!(operator.get(&format!("{ADMIN}/keys?org={org}")).await.json["data"][0], changed.json);
    assert_eq!(milton.get("/gateway/v1/models").await.column("id"), ["dev-chat"]);

    let etag = changed.header("etag").unwrap().to_owned();
    let if_match = |body: Value| operator.request(Method::PATCH, &path).header("If-Match", &etag).json(&body);
    let wider = send(if_match(json!({"models": null, "limits": {"rpd": 9}, "spending_cap": null}))).await;
    assert_eq!(wider.status, "200 OK", "{}", wider.text);
    assert_eq!((&wider.json["models"], &wider.json["spending_cap"]), (&Value::Null, &Value::Null));
    assert_eq!((&wider.json["limits"]["rpm"], &wider.json["limits"]["rpd"]), (&json!(7), &json!(9)), "merged");
    assert_eq!(wider.json["name"], "red stapler", "omitted fields stay");
    assert_refused(&send(if_match(json!({"name": "x"}))).await, "412 Precondition Failed", "precondition_failed");
    for body in [
        json!({"name": null}),
        json!({"nickname": "x"}),
        json!({"models": []}),
        json!({"models": ["gpt-x"]}),
        json!([]),
    ] {
        assert_refused(&operator.patch(&path, body).await, "400 Bad Request", "invalid_body");
    }
    let bare = operator.patch(&path, json!({"limits": null, "expires_at": null})).await;
    assert_eq!(bare.status, "200 OK", "{}", bare.text);
    assert_eq!((&bare.json["limits"], &bare.json["expires_at"]), (&Value::Null, &Value::Null));
    operator.delete(&path).await;
    assert_refused(&operator.patch(&path, json!({"name": "x"})).await, "409 Conflict", "api_key_not_valid");
}

#[tokio::test]
async fn concurrent_patches_are_all_applied() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let [_, _, key, _] = customer(&operator).await;
    let path = format!("{ADMIN}/keys/{key}");
    let patches = [
        json!({"name": "n"}),
        json!({"models": ["dev-chat"]}),
        json!({"limits": {"rpm": 1}}),
        json!({"spending_cap": 1}),
    ];
    let answers = futures::future::join_all(patches.map(|patch| operator.patch(&path, patch))).await;
    assert!(answers.iter().all(|answer| answer.status == "200 OK"), "{answers:?}");
    let now = operator.patch(&path, json!({})).await.json;
    assert_eq!((&now["name"], &now["models"]), (&json!("n"), &json!(["dev-chat"])));
    assert_eq!((&now["limits"]["rpm"], &now["spending_cap"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn a_restricted_operator_key_cannot_lift_restrictions() {
    let app = TestApp::start().await;
    let root = app.person_of("operator", "platform", Role::Operator);
    let me = root.get(ME).await.json;
    let (org, user) = (text(&me["org"]["id"]), text(&me["user"]["id"]));
    for restriction in [json!({"spending_cap": 1}), json!({"limits": {"rpm": 5}}), json!({"models": ["dev-chat"]})] {
        let mut body = json!({"name": "narrow"});
        body.as_object_mut().unwrap().extend(restriction.as_object().unwrap().clone());
        let narrow = root.post_json("/gateway/v1/me/api-keys", body).await;
        let (id, narrow) = (text(&narrow.json["id"]), app.client_with_key(narrow.json["secret"].as_str().unwrap()));
        assert_eq!(narrow.get(&format!("{ADMIN}/keys?org={org}")).await.status, "200 OK", "it may read");
        let answers = [
            narrow.delete(&format!("{BILLING}/caps?key={id}")).await,
            narrow.put(&format!("{BILLING}/caps?key={id}"), json!({"limit": 1000})).await,
            narrow.delete(&format!("{ADMIN}/limits?key={id}")).await,
            narrow.put(&format!("{ADMIN}/limits?key={id}"), json!({"rpm": 1000})).await,
            narrow.patch(&format!("{ADMIN}/keys/{id}"), json!({"spending_cap": null, "limits": null})).await,
            narrow.post_json(&format!("{ADMIN}/keys"), json!({"name": "wide", "org": org, "user": user})).await,
            // An exempt plan has no caps at all.
            narrow.put(&format!("{ADMIN}/plans/default"), json!({"name": "x", "is_billing_exempt": true})).await,
            narrow.patch(&format!("{ADMIN}/orgs/{org}"), json!({"plan": "default"})).await,
        ];
        for answer in answers {
            assert_refused(&answer, "403 Forbidden", "api_key_restricted");
        }
    }
    // A key that expires in a day cannot create one that lasts longer.
    let day = Time::now().plus(std::time::Duration::from_secs(86_400)).to_string();
    let lent = root.post_json("/gateway/v1/me/api-keys", json!({"name": "lent", "expires_at": day})).await;
    let (id, lent) = (text(&lent.json["id"]), app.client_with_key(lent.json["secret"].as_str().unwrap()));
    let mut child = json!({"name": "child", "org": org, "user": user});
    assert_refused(
        &lent.post_json(&format!("{ADMIN}/keys"), child.clone()).await,
        "403 Forbidden",
        "api_key_restricted",
    );
    let longer = lent.patch(&format!("{ADMIN}/keys/{id}"), json!({"expires_at": null})).await;
    assert_refused(&longer, "403 Forbidden", "api_key_restricted");
    child["expires_at"] = json!(day);
    assert_eq!(lent.post_json(&format!("{ADMIN}/keys"), child).await.status, "201 Created");
}

#[tokio::test]
async fn names_with_path_traversal_are_refused() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for name in ["..", ".", "a/..", "../a", "a/./b", "a//b", "/a", "a/"] {
        let model = super::small_model(name);
        assert_refused(&operator.post_json(&format!("{ADMIN}/models"), model).await, "400 Bad Request", "invalid_body");
        let mut provider = super::provider();
        provider["name"] = json!(name);
        let refused = operator.post_json(&format!("{ADMIN}/providers"), provider).await;
        assert_refused(&refused, "400 Bad Request", "invalid_body");
    }
    // Clients resolve the segment `..` before they send it, unless its dots are encoded.
    let environment = app.another_environment();
    let token = operator.token.as_deref().unwrap();
    for (path, body) in [("plans", json!({"name": "x"})), ("aliases", json!({"model": "dev-chat"}))] {
        for name in ["%2e%2e", "%2e"] {
            let path = format!("{ADMIN}/{path}/{name}");
            let answer = environment.ask(token, Method::PUT, &path, Some(&body)).await;
            assert_eq!(answer, (400, "invalid_body".to_owned()), "{path}");
        }
    }
}
