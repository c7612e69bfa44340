//! Revoked keys, suspended users and organizations, and demoted operators are refused by the next request of every
//! process, and by a request that was authenticated before and writes after.

use domain::identity::Role;
use domain::time::Time;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::gate::CallGate;

const ME: &str = "/gateway/v1/me";
const KEYS: &str = "/gateway/v1/me/api-keys";
const ADMIN: &str = "/gateway/v1/admin";
const CREDITS: &str = "/gateway/v1/billing/admin/credits";

const READS: [&str; 9] = [
    ME,
    "/gateway/v1/me/orgs",
    KEYS,
    "/gateway/v1/billing/balance",
    "/gateway/v1/billing/usage",
    "/gateway/v1/billing/transactions",
    "/gateway/v1/models",
    "/gateway/v1/models/aliases",
    "/gateway/v1/models/dev-chat",
];
const OPERATOR_READS: [&str; 11] = [
    "/gateway/v1/admin/models",
    "/gateway/v1/admin/models/dev-chat",
    "/gateway/v1/admin/aliases",
    "/gateway/v1/admin/providers",
    "/gateway/v1/admin/plans",
    "/gateway/v1/admin/orgs",
    "/gateway/v1/admin/users",
    "/gateway/v1/admin/maintenance",
    "/gateway/v1/admin/audit",
    "/gateway/v1/billing/admin/balances",
    ME,
];

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Creates another key of this user, and returns its id and its secret.
async fn key_of(person: &Person) -> (String, String) {
    let made = person.post_json(KEYS, json!({"name": "spare"})).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
    (text(&made.json["id"]), text(&made.json["secret"]))
}

/// Every change that an operator can make.
fn changes(org: &str, user: &str, key: &str) -> Vec<(Method, String, Option<Value>)> {
    let model = json!({
        "name": "tiny", "type": "Others", "capabilities": ["chat"], "max_output_tokens": 16,
        "pricing": {"input": 1, "output": 1}, "deployments": [{"provider": "dev", "model": "dev-chat"}],
    });
    let provider = json!({"name": "mock", "kind": "openai", "base_url": "https://mock.example/v1"});
    let credits = json!({"org": org, "kind": "credit", "amount": 1000, "reason": "mine"});
    let path = |rest: &str| format!("{ADMIN}/{rest}");
    let billing = |rest: &str| format!("/gateway/v1/billing/admin/{rest}");
    vec![
        (Method::POST, path("models"), Some(model)),
        (Method::PATCH, path("models/dev-chat"), Some(json!({"display_name": "Other"}))),
        (Method::DELETE, path("models/dev-embed"), None),
        (Method::PUT, path("aliases/fast"), Some(json!({"model": "dev-chat"}))),
        (Method::POST, path("providers"), Some(provider)),
        (Method::PATCH, path("providers/dev"), Some(json!({"timeouts": {"first_byte_ms": 20_000}}))),
        (Method::PUT, path("plans/other"), Some(json!({"name": "Other"}))),
        (Method::PUT, path("plans/default"), Some(json!({"name": "Other"}))),
        (Method::POST, path("orgs"), Some(json!({"name": "Mine"}))),
        (Method::PATCH, path(&format!("orgs/{org}")), Some(json!({"name": "Other"}))),
        (Method::POST, path("users"), Some(json!({"name": "Me", "org": org, "role": "operator"}))),
        (Method::PATCH, path(&format!("users/{user}")), Some(json!({"suspended": true}))),
        (Method::POST, path("keys"), Some(json!({"name": "mine", "org": org, "user": user}))),
        (Method::PATCH, path(&format!("keys/{key}")), Some(json!({"name": "other"}))),
        (Method::DELETE, path(&format!("keys/{key}")), None),
        (Method::PUT, path(&format!("limits?org={org}")), Some(json!({"rpm": 1}))),
        (Method::DELETE, path(&format!("limits?org={org}")), None),
        (Method::PUT, path("maintenance"), Some(json!({"on": true}))),
        (Method::POST, CREDITS.to_owned(), Some(credits)),
        (Method::PUT, billing(&format!("caps?org={org}")), Some(json!({"limit": 1}))),
        (Method::DELETE, billing(&format!("caps?org={org}")), None),
    ]
}

#[tokio::test]
async fn a_revoked_key_is_refused_by_the_next_request_of_another_process() {
    let app = TestApp::start().await;
    let other = app.another_environment();
    let ada = app.person_of("ada", "acme", Role::Admin);
    let (id, secret) = key_of(&ada).await;
    let (spare, _) = key_of(&ada).await;
    for path in READS {
        assert_eq!(other.ask(&secret, Method::GET, path, None).await.0, 200, "{path}");
    }
    let before = ada.get(KEYS).await.column("id").len();
    assert_eq!(ada.delete(&format!("{KEYS}/{id}")).await.status, "204 No Content");

    let refused = (401, "identity.unauthorized".to_owned());
    for path in READS {
        assert_eq!(other.ask(&secret, Method::GET, path, None).await, refused, "{path}");
    }
    let new = json!({"name": "child"});
    assert_eq!(other.ask(&secret, Method::POST, KEYS, Some(&new)).await, refused);
    for path in [format!("{KEYS}/{id}/rotate"), format!("{KEYS}/{spare}/rotate")] {
        assert_eq!(other.ask(&secret, Method::POST, &path, None).await, refused, "{path}");
    }
    assert_eq!(other.ask(&secret, Method::DELETE, &format!("{KEYS}/{spare}"), None).await, refused);
    assert_eq!(ada.get(KEYS).await.column("id").len(), before, "no key was created");
}

#[tokio::test]
async fn a_revoked_operator_key_can_neither_read_nor_change() {
    let app = TestApp::start().await;
    let other = app.another_environment();
    let root = app.person_of("operator", "platform", Role::Operator);
    let (id, secret) = key_of(&root).await;
    for path in OPERATOR_READS {
        assert_eq!(other.ask(&secret, Method::GET, path, None).await.0, 200, "{path}");
    }
    assert_eq!(root.delete(&format!("{KEYS}/{id}")).await.status, "204 No Content");
    let refused = (401, "identity.unauthorized".to_owned());
    for path in OPERATOR_READS {
        assert_eq!(other.ask(&secret, Method::GET, path, None).await, refused, "{path}");
    }
    let account = app.account("ada");
    for (method, path, body) in changes(&account.org.to_string(), &account.user.to_string(), &id) {
        assert_eq!(other.ask(&secret, method.clone(), &path, body.as_ref()).await, refused, "{method} {path}");
    }
    assert_eq!(root.get(&format!("{ADMIN}/audit")).await.json["data"], json!([]), "nothing was changed");
}

#[tokio::test]
async fn a_demoted_operator_is_refused_at_once_by_key_and_by_older_token() {
    let app = TestApp::start().await;
    let other = app.another_environment();
    let (_, secret) = key_of(&app.person_of("operator", "platform", Role::Operator)).await;
    let now = Time::now().as_seconds();
    let older = app.platform.issuer.sign(&json!({
        "iss": local::issuer::ISSUER, "aud": local::issuer::AUDIENCE, "sub": "operator", "org_id": "platform",
        "roles": ["operator"], "iat": now - 100, "exp": now + 600,
    }));
    let audit = format!("{ADMIN}/audit");
    for token in [&secret, &older] {
        assert_eq!(other.ask(token, Method::GET, &audit, None).await.0, 200);
    }
    // The identity provider gives the operator another role, and the first token with that role demotes them.
    assert_eq!(app.person_of("operator", "platform", Role::Member).get(ME).await.status, "200 OK");
    let refused = (403, "operator_only".to_owned());
    for token in [&secret, &older] {
        assert_eq!(other.ask(token, Method::GET, &audit, None).await, refused);
        let credits = json!({"org": app.account("ada").org, "kind": "credit", "amount": 1, "reason": "mine"});
        assert_eq!(other.ask(token, Method::POST, CREDITS, Some(&credits)).await, refused);
        assert_eq!(other.ask(token, Method::GET, ME, None).await.0, 200, "they are still a member");
    }
}

#[tokio::test]
async fn a_suspended_organization_or_user_is_refused_at_once_everywhere() {
    let app = TestApp::start().await;
    let other = app.another_environment();
    let (key, token) = (app.key_client("ada").token.unwrap(), app.person_of("ada", "acme", Role::Admin).token.unwrap());
    let account = app.account("ada");
    const AGENTS: &str = "/builder/v1/agents";
    let by_token = ["/gateway/v1/me", KEYS, "/gateway/v1/billing/balance", AGENTS];
    let is_let_in = async || {
        for path in READS {
            assert_eq!(other.ask(&key, Method::GET, path, None).await.0, 200, "{path}");
        }
        for path in by_token {
            assert_eq!(other.ask(&token, Method::GET, path, None).await.0, 200, "{path}");
        }
    };
    is_let_in().await;
    for (thing, code) in [
        (format!("orgs/{}", account.org), "identity.org_suspended"),
        (format!("users/{}", account.user), "identity.unauthorized"),
    ] {
        let path = format!("{ADMIN}/{thing}");
        app.operator().patch(&path, json!({"suspended": true})).await;
        for path in READS {
            assert_eq!(other.ask(&key, Method::GET, path, None).await, (401, code.to_owned()), "{path}");
        }
        for path in by_token {
            let expected = if path == AGENTS { "unauthorized" } else { code };
            assert_eq!(other.ask(&token, Method::GET, path, None).await, (401, expected.to_owned()), "{path}");
        }
        app.operator().patch(&path, json!({"suspended": false})).await;
        is_let_in().await;
    }
}

/// One transaction cannot change all meters of a user in so many organizations. A crash during the change must not leave
/// a user who is not suspended with a marked meter, because nothing would unmark it.
#[tokio::test]
async fn a_user_in_many_organizations_is_restored_in_all_of_them_or_stays_suspended() {
    const ORGANIZATIONS: usize = 92;
    let (app, gate) = TestApp::start_gated().await;
    let in_org = |number: usize| app.person_of("many", &format!("organization-{number}"), Role::Member);
    let mut user = String::new();
    for number in 0..ORGANIZATIONS {
        user = text(&in_org(number).get(ME).await.json["user"]["id"]);
    }
    let user = format!("{ADMIN}/users/{user}");
    let operator = app.operator();
    assert_eq!(operator.patch(&user, json!({"suspended": true})).await.status, "200 OK");

    let held = gate.hold("UpdateItem");
    let restoring = operator.request(Method::PATCH, &user).json(&json!({"suspended": false}));
    let restoring = tokio::spawn(send(restoring));
    let release = held.arrived().await;
    assert_eq!(operator.get(&user).await.json["suspended"], true, "the last meters are unmarked before the user");
    release.send(()).unwrap();
    assert_eq!(restoring.await.unwrap().status, "200 OK");
    for number in 0..ORGANIZATIONS {
        let call = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hi"}]});
        let key = in_org(number).post_json(KEYS, json!({"name": "key"})).await;
        let answer =
            app.client_with_key(&text(&key.json["secret"])).post_json("/gateway/v1/chat/completions", call).await;
        assert_eq!(answer.code(), "insufficient_credits", "organization {number}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_new_plan_applies_to_the_next_request() {
    let app = TestApp::start().await;
    let other = app.another_environment();
    let key = app.key_client("ada").token.unwrap();
    assert_eq!(other.ask(&key, Method::GET, "/gateway/v1/models/dev-embed", None).await.0, 200);
    let operator = app.operator();
    operator.put(&format!("{ADMIN}/plans/small"), json!({"name": "Small", "models": ["dev-chat"]})).await;
    operator.patch(&format!("{ADMIN}/orgs/{}", app.account("ada").org), json!({"plan": "small"})).await;
    let refused = other.ask(&key, Method::GET, "/gateway/v1/models/dev-embed", None).await;
    assert_eq!(refused, (404, "model_not_found".to_owned()));
    operator.put(&format!("{ADMIN}/plans/small"), json!({"name": "Small"})).await;
    assert_eq!(other.ask(&key, Method::GET, "/gateway/v1/models/dev-embed", None).await.0, 200);
}

/// Sends a request, makes another change once the request is authenticated and about to write, and returns its answer.
async fn send_overtaken(
    gate: &CallGate,
    request: reqwest::RequestBuilder,
    change: impl Future<Output = bool>,
) -> Answer {
    let held = gate.hold("TransactWriteItems");
    let mut sent = tokio::spawn(send(request));
    let release = tokio::select! {
        release = held.arrived() => release,
        answer = &mut sent => panic!("answered before it wrote: {}", answer.unwrap().text),
    };
    assert!(change.await, "the competing change was refused");
    release.send(()).unwrap();
    sent.await.unwrap()
}

async fn succeeds(request: impl Future<Output = Answer>) -> bool {
    request.await.status.starts_with('2')
}

#[tokio::test]
async fn a_key_revoked_during_a_creation_creates_nothing() {
    let (app, gate) = TestApp::start_gated().await;
    let ada = app.person_of("ada", "acme", Role::Admin);
    let (spare, _) = key_of(&ada).await;
    let requests = [
        (Method::POST, KEYS.to_owned(), Some(json!({"name": "child"}))),
        (Method::POST, format!("{KEYS}/{spare}/rotate"), None),
        (Method::DELETE, format!("{KEYS}/{spare}"), None),
        (Method::POST, format!("{KEYS}/own/rotate"), None),
    ];
    for (method, path, body) in requests {
        let (id, secret) = key_of(&ada).await;
        let live = live_keys(&ada).await;
        let is_own = path.contains("/own/");
        let request = app.client_with_key(&secret).request(method.clone(), &path.replace("own", &id));
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = send_overtaken(&gate, request, succeeds(ada.delete(&format!("{KEYS}/{id}")))).await;
        let expected = match is_own {
            // The request changes the revoked key itself.
            true => ("409 Conflict", "api_key_not_valid"),
            false => ("401 Unauthorized", "identity.unauthorized"),
        };
        assert_eq!((answer.status.as_str(), answer.code()), expected, "{method} {path}: {}", answer.text);
        let expected: Vec<_> = live.into_iter().filter(|key| *key != id).collect();
        assert_eq!(live_keys(&ada).await, expected, "{method} {path}");
    }
}

async fn live_keys(person: &Person) -> Vec<String> {
    let keys = person.get(KEYS).await;
    let keys = keys.json["data"].as_array().unwrap().iter().filter(|key| key["revoked_at"].is_null());
    keys.map(|key| text(&key["id"])).collect()
}

#[tokio::test]
async fn a_key_restricted_during_its_rotation_stays_restricted() {
    let (app, gate) = TestApp::start_gated().await;
    let ada = app.person_of("ada", "acme", Role::Admin);
    let operator = app.operator();
    let (id, _) = key_of(&ada).await;
    let rotate = ada.request(Method::POST, &format!("{KEYS}/{id}/rotate"));
    let narrow = json!({"models": ["dev-chat"], "spending_cap": 1, "limits": {"rpm": 3}});
    let rotated = send_overtaken(&gate, rotate, succeeds(operator.patch(&format!("{ADMIN}/keys/{id}"), narrow))).await;
    assert_eq!(rotated.status, "201 Created", "{}", rotated.text);
    assert_eq!(rotated.json["models"], json!(["dev-chat"]));
    assert_eq!((&rotated.json["spending_cap"], &rotated.json["limits"]["rpm"]), (&json!(1), &json!(3)));
}

const WAYS: [&str; 4] = ["revoked", "demoted", "user suspended", "organization suspended"];

#[tokio::test]
async fn no_change_of_an_operator_outlives_their_authority() {
    let (app, gate) = TestApp::start_gated().await;
    let root = app.operator();
    let ops = root.post_json(&format!("{ADMIN}/orgs"), json!({"name": "Ops", "external_id": "ops"})).await;
    let ops = text(&ops.json["id"]);
    let second = json!({"name": "Second", "org": ops, "role": "operator", "external_id": "second"});
    let second = text(&root.post_json(&format!("{ADMIN}/users"), second).await.json["id"]);
    let with_role = |role| app.person_of("second", "ops", role);
    let audit = format!("{ADMIN}/audit?limit=1");
    // Changes within one process are serialized, so the competing change comes from another process.
    let (elsewhere, root_key) = (app.another_environment(), root.token.clone().unwrap());
    let suspended_elsewhere = async |path: &str| {
        elsewhere.ask(&root_key, Method::PATCH, path, Some(&json!({"suspended": true}))).await.0 == 200
    };
    let account = app.account("ada");
    let target = text(&app.key_client("ada").get(ME).await.json["api_key"]["id"]);

    // Changes of other accounts and of the operator's own records, which the transaction itself asserts.
    let of_others = changes(&account.org.to_string(), &account.user.to_string(), &target).into_iter();
    let of_others = of_others.map(|change| (change, &WAYS[..1]));
    // The catalog and the plans do not contain the operator's own records.
    let is_own =
        |path: &str| !["models", "aliases", "providers", "plans", "maintenance"].iter().any(|it| path.contains(it));
    let own = changes(&ops, &second, "own").into_iter().filter(|(_, path, _)| is_own(path));
    let all = of_others.chain(own.map(|change| (change, &WAYS[..])));
    for ((method, path, body), ways) in all {
        for way in ways.iter().copied() {
            let key = json!({"name": "second's", "org": ops, "user": second});
            let key = root.post_json(&format!("{ADMIN}/keys"), key).await;
            let (id, secret) = (text(&key.json["id"]), text(&key.json["secret"]));
            let request = app.client_with_key(&secret).request(method.clone(), &path.replace("own", &id));
            let request = match &body {
                Some(body) => request.json(body),
                None => request,
            };
            let (user, org) = (format!("{ADMIN}/users/{second}"), format!("{ADMIN}/orgs/{ops}"));
            let own_key = format!("{ADMIN}/keys/{id}");
            let (answer, expected) = match way {
                "revoked" => {
                    let revoke = root.delete(&own_key);
                    (send_overtaken(&gate, request, succeeds(revoke)).await, "identity.unauthorized")
                }
                "demoted" => {
                    let demote = with_role(Role::Member);
                    (send_overtaken(&gate, request, succeeds(demote.get(ME))).await, "operator_only")
                }
                "user suspended" => {
                    (send_overtaken(&gate, request, suspended_elsewhere(&user)).await, "identity.unauthorized")
                }
                _ => (send_overtaken(&gate, request, suspended_elsewhere(&org)).await, "identity.org_suspended"),
            };
            // A change of the key itself finds it revoked.
            let is_refused =
                answer.code() == expected || (path.ends_with("own") && answer.code() == "api_key_not_valid");
            assert!(
                is_refused || (answer.status == "204 No Content" && way == "revoked" && path.ends_with("own")),
                "{way}: {method} {path}: {} {}",
                answer.status,
                answer.text
            );
            let last = root.get(&audit).await.json["data"][0].clone();
            assert_ne!(last["actor"]["user"], json!(second), "{way}: {method} {path}: {last}");
            root.patch(&user, json!({"suspended": false})).await;
            root.patch(&org, json!({"suspended": false})).await;
            root.delete(&format!("{ADMIN}/keys/{id}")).await;
            assert_eq!(with_role(Role::Operator).get(ME).await.json["membership"]["role"], "operator");
        }
    }
    assert_eq!(root.get(&format!("{ADMIN}/orgs/{}", account.org)).await.json["name"], "acme");
}
