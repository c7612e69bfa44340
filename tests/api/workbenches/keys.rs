//! The API keys of workbenches: what the programs of a lab can do with theirs, who pays, and when it ends.

use domain::identity::Role;
use domain::money::Money;
use serde_json::json;
use tests::client::refusal;
use tests::gateway::CHAT;
use tests::polling::eventually;

use super::labs::{Browser, lab_plan, ready, start, until};
use super::*;

const KEYS: &str = "/gateway/v1/me/api-keys";
const OF_WORKBENCH: (&str, &str) = ("403", "api_key_of_workbench");
/// As for each key that is revoked, or whose owner is suspended.
const REFUSED: (&str, &str) = ("401", "identity.unauthorized");

/// A platform whose new labs get a key with this cap.
async fn start_with_cap(cap: &str) -> Lab {
    let lab = start(true).await;
    let mut plan = lab_plan(true);
    plan["workbenches"]["key_spending_cap"] = cap.into();
    put_plan(&lab.app, plan).await;
    lab
}

/// A variable of the program that runs in a lab.
async fn variable(lab: &Lab, owner: &Person, id: &str, name: &str) -> String {
    Browser::open(lab, owner, id).await.get(lab, &format!("/variable?name={name}")).await.text
}

async fn key_of(lab: &Lab, owner: &Person, id: &str) -> String {
    let key = variable(lab, owner, id, "ATELIER_API_KEY").await;
    assert!(key.starts_with("sk-svc-"), "{key}");
    key
}

async fn chat(lab: &Lab, key: &str) -> Answer {
    let body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "hello"}]});
    lab.app.client_with_key(key).post_json(CHAT, body).await
}

async fn stop(lab: &Lab, owner: &Person, id: &str) {
    owner.post(&format!("{}/stop", path(id))).await;
    until(lab, owner, id, "runState", "stopped").await;
}

async fn start_again(lab: &Lab, owner: &Person, id: &str) {
    owner.post(&format!("{}/start", path(id))).await;
    until(lab, owner, id, "runState", "running").await;
}

/// The keys of a lab in the list of its owner, newest first.
async fn listed(owner: &Person, id: &str) -> Vec<Value> {
    let keys = owner.get(&format!("{KEYS}?limit=100")).await.json["data"].as_array().unwrap().clone();
    keys.into_iter().filter(|key| key["workbench_id"] == id).collect()
}

#[tokio::test]
async fn the_programs_of_a_lab_call_models_with_a_key_of_its_owner_until_the_lab_ends() {
    let lab = start_with_cap("0.5").await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let gateway = format!("{}/gateway/v1", lab.app.platform.base_url);
    let key = key_of(&lab, &ada, &id).await;
    for (name, expected) in [("ATELIER_GATEWAY_URL", &gateway), ("OPENAI_BASE_URL", &gateway), ("OPENAI_API_KEY", &key)]
    {
        assert_eq!(variable(&lab, &ada, &id, name).await, *expected);
    }
    let answer = chat(&lab, &key).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let [shown] = <[Value; 1]>::try_from(listed(&ada, &id).await).unwrap();
    assert_eq!((&shown["name"], &shown["spending_cap"]), (&json!("workbench lab"), &json!(0.5)));
    let owner = lab.app.account("ada");
    let charges = lab.app.charges(owner.org).await;
    let [charge] = charges.as_slice() else { panic!("{charges:?}") };
    assert_eq!((charge.user, charge.key.unwrap().to_string()), (owner.user, shown["id"].as_str().unwrap().to_owned()));
    assert!(charge.charged > Money::ZERO);

    stop(&lab, &ada, &id).await;
    assert_eq!(refusal(&chat(&lab, &key).await), REFUSED);
    assert!(listed(&ada, &id).await[0]["revoked_at"].is_string());
    start_again(&lab, &ada, &id).await;
    let next = key_of(&lab, &ada, &id).await;
    assert_ne!(next, key);
    assert_eq!(refusal(&chat(&lab, &key).await), REFUSED);
    assert_eq!(chat(&lab, &next).await.status, "200 OK");
    let valid = listed(&ada, &id).await.iter().filter(|key| key["revoked_at"].is_null()).count();
    assert_eq!(valid, 1);

    ada.delete(&path(&id)).await;
    eventually("the deletion", async || {
        lab.wait(&id).await;
        (refusal(&ada.get(&path(&id)).await) == ("404", "LAB_NOT_FOUND")).then_some(())
    })
    .await;
    assert_eq!(refusal(&chat(&lab, &next).await), REFUSED);
    assert!(listed(&ada, &id).await.iter().all(|key| key["revoked_at"].is_string()));
}

#[tokio::test]
async fn the_key_of_a_lab_only_calls_models() {
    let lab = start_with_cap("0.5").await;
    // Even if its owner is an operator.
    let root = lab.app.person_of("root", "acme", Role::Operator);
    let id = ready(&lab, &root).await;
    let program = lab.app.client_with_key(&key_of(&lab, &root, &id).await);
    for path in ["/gateway/v1/models", "/gateway/v1/models/aliases", "/gateway/v1/models/dev-chat"] {
        assert_eq!(program.get(path).await.status, "200 OK", "{path}");
    }
    for path in [
        "/gateway/v1/me",
        "/gateway/v1/me/orgs",
        KEYS,
        "/gateway/v1/billing/balance",
        "/gateway/v1/billing/usage",
        "/gateway/v1/billing/transactions",
        "/gateway/v1/guard/events",
        "/gateway/v1/admin/plans",
        "/gateway/v1/admin/audit",
    ] {
        assert_eq!(refusal(&program.get(path).await), OF_WORKBENCH, "{path}");
    }
    assert_eq!(refusal(&program.post_json(KEYS, json!({"name": "more"})).await), OF_WORKBENCH);
    let own = listed(&root, &id).await[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(refusal(&program.delete(&format!("{KEYS}/{own}")).await), OF_WORKBENCH);
    assert_eq!(refusal(&program.post(&format!("{KEYS}/{own}/rotate")).await), OF_WORKBENCH);
    for path in ["/builder/v1/agents", "/builder/v1/workflows", WORKBENCHES] {
        assert!(program.get(path).await.status.starts_with("401"), "{path}");
    }
    let rotated = root.post(&format!("{KEYS}/{own}/rotate")).await;
    assert_eq!(refusal(&rotated), ("409", "api_key_of_workbench"), "{}", rotated.text);

    // It reads the results of its own calls.
    let image = json!({"preset": "dev-image", "prompt": "a red fox", "size": "64x32"});
    let job = async |person: &Person| {
        let request = person.request(reqwest::Method::POST, "/gateway/v1/images/generations");
        let started = tests::client::send(request.header("Prefer", "respond-async").json(&image)).await;
        started.header("location").unwrap_or_else(|| panic!("{}", started.text)).to_owned()
    };
    let created = root.post_json(KEYS, json!({"name": "other"})).await;
    let other = lab.app.client_with_key(created.json["secret"].as_str().unwrap());
    let (own, foreign) = (job(&program).await, job(&other).await);
    assert_eq!(program.get(&own).await.status, "200 OK");
    assert_eq!(refusal(&program.get(&foreign).await).0, "404");
    assert_eq!((other.get(&own).await.status, other.get(&foreign).await.status), ("200 OK".into(), "200 OK".into()));
}

#[tokio::test]
async fn a_restart_does_not_renew_the_cap_and_keeps_what_an_operator_has_changed() {
    let lab = start_with_cap("0.5").await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    assert_eq!(chat(&lab, &key_of(&lab, &ada, &id).await).await.status, "200 OK");
    let key = listed(&ada, &id).await[0]["id"].as_str().unwrap().to_owned();
    let patch = json!({"spending_cap": "0.000001", "models": ["dev-chat"]});
    let changed = lab.app.operator().patch(&format!("/gateway/v1/admin/keys/{key}"), patch).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    for restarts in 0..2 {
        let refused = chat(&lab, &key_of(&lab, &ada, &id).await).await;
        assert_eq!(refusal(&refused), ("402", "spending_cap_reached"), "after {restarts} restarts: {}", refused.text);
        assert_eq!(refused.json["error"]["details"]["scope"], "key");
        stop(&lab, &ada, &id).await;
        start_again(&lab, &ada, &id).await;
    }
    assert_eq!(listed(&ada, &id).await[0]["models"], json!(["dev-chat"]));
    let audit = lab.app.operator().get(&format!("/gateway/v1/admin/audit?target={key}")).await;
    assert_eq!(audit.json["data"][0]["after"]["workbench_id"], id, "{}", audit.text);
}

#[tokio::test]
async fn a_key_that_its_owner_has_revoked_is_replaced_at_the_next_start() {
    let lab = start_with_cap("0.5").await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let key = key_of(&lab, &ada, &id).await;
    let revoked = ada.delete(&format!("{KEYS}/{}", listed(&ada, &id).await[0]["id"].as_str().unwrap())).await;
    assert_eq!(revoked.status, "204 No Content");
    assert_eq!(refusal(&chat(&lab, &key).await), REFUSED);
    assert_eq!(key_of(&lab, &ada, &id).await, key, "the program runs on");
    stop(&lab, &ada, &id).await;
    start_again(&lab, &ada, &id).await;
    assert_eq!(chat(&lab, &key_of(&lab, &ada, &id).await).await.status, "200 OK");
}

#[tokio::test]
async fn the_key_of_a_suspended_owner_is_refused() {
    let lab = start_with_cap("0.5").await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let key = key_of(&lab, &ada, &id).await;
    assert_eq!(chat(&lab, &key).await.status, "200 OK");
    let user = format!("/gateway/v1/admin/users/{}", lab.app.account("ada").user);
    for (is_suspended, status) in [(true, "401 Unauthorized"), (false, "200 OK")] {
        lab.app.operator().patch(&user, json!({"suspended": is_suspended})).await;
        assert_eq!(chat(&lab, &key).await.status, status);
    }
}

#[tokio::test]
async fn a_lab_that_uses_another_provider_gets_no_variables_of_openai() {
    let lab = start_with_cap("0.5").await;
    let ada = lab.app.person("ada");
    let new = json!({"name": "lab", "secrets": {"OPENAI_API_KEY": "sk-other"}});
    let id = create(&ada, new).await;
    until(&lab, &ada, &id, "status", "ready").await;
    assert_eq!(variable(&lab, &ada, &id, "OPENAI_API_KEY").await, "sk-other");
    assert_eq!(variable(&lab, &ada, &id, "OPENAI_BASE_URL").await, "not set");
    key_of(&lab, &ada, &id).await;
}

#[tokio::test]
async fn a_lab_of_a_plan_without_a_cap_gets_no_key() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    for name in ["ATELIER_GATEWAY_URL", "ATELIER_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"] {
        assert_eq!(variable(&lab, &ada, &id, name).await, "not set", "{name}");
    }
    assert_eq!(listed(&ada, &id).await, [] as [Value; 0]);
}

/// The tables have the hash of a key and its encrypted secret.
#[tokio::test]
async fn no_table_and_no_answer_contains_the_secret_of_a_key() {
    let lab = start_with_cap("0.5").await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let key = key_of(&lab, &ada, &id).await;
    let database = lab.app.platform.context().aws.dynamodb();
    for table in ["EntitiesTable", "CountersTable", "JournalTable"] {
        let found = database.scan().table_name(table).send().await.unwrap();
        let items = format!("{:?}", found.items());
        assert!(found.last_evaluated_key().is_none() && !items.contains(&key[7..]), "{table}");
    }
    for path in [path(&id), format!("{}/variables", path(&id)), format!("{}/events", path(&id)), KEYS.to_owned()] {
        assert!(!ada.get(&path).await.text.contains(&key[7..]), "{path}");
    }
}
