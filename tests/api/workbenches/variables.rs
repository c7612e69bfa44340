//! The environment variables of workbenches: who may read and change them, what is refused, and that no answer contains the
//! value of a secret.

use domain::identity::Role;
use serde_json::json;
use tests::client::refusal;

use super::*;

const SECRET: &str = "hf_planted_0123456789";

fn variables(id: &str) -> String {
    format!("{}/variables", path(id))
}

#[tokio::test]
async fn variables_are_created_changed_and_read_without_their_secrets() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let created = ada
        .post_json(WORKBENCHES, json!({"name": "lab", "env": {"A": "1", "B": "2"}, "secrets": {"TOKEN": SECRET}}))
        .await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let id = created.json["id"].as_str().unwrap().to_owned();
    let found = ada.get(&variables(&id)).await;
    assert_eq!(found.json, json!({"env": {"A": "1", "B": "2"}, "secrets": ["TOKEN"]}));

    let patch = json!({"env": {"A": null, "C": "3", "NEVER_SET": null}, "secrets": {"OTHER": SECRET}});
    let changed = ada.patch(&variables(&id), patch).await;
    assert_eq!(changed.json, json!({"env": {"B": "2", "C": "3"}, "secrets": ["OTHER", "TOKEN"]}), "{}", changed.text);
    let moved = ada.patch(&variables(&id), json!({"secrets": {"TOKEN": null}, "env": {"TOKEN": "plain"}})).await;
    assert_eq!(moved.json["secrets"], json!(["OTHER"]), "{}", moved.text);
    let unchanged = ada.patch(&variables(&id), json!({"env": {"C": "3"}})).await;
    assert_eq!(unchanged.json, moved.json);
    let types = event_types(&ada, &id).await;
    assert_eq!(types, ["created", "variables_changed", "variables_changed"], "a change without effect is no event");

    let none = create(&ada, json!({"name": "none"})).await;
    assert_eq!(ada.get(&variables(&none)).await.json, json!({"env": {}, "secrets": []}));
    for answer in [created, found, changed, ada.get(&path(&id)).await, ada.get(WORKBENCHES).await] {
        assert!(!answer.text.contains(SECRET), "{}", answer.text);
    }
    assert!(!ada.get(&format!("{}/events", path(&id))).await.text.contains(SECRET));
}

#[tokio::test]
async fn only_the_owner_changes_variables_and_only_members_read_them() {
    let lab = Lab::start().await;
    let (ada, bob) = (lab.app.person("ada"), lab.app.person("bob"));
    let id = lab.ready(&ada, "lab").await;
    bob.get(WORKBENCHES).await;
    share(&ada, &id, &lab.app.account("bob").user.to_string()).await;
    assert_eq!(bob.get(&variables(&id)).await.status, "200 OK");
    let patch = json!({"env": {"A": "1"}});
    assert_eq!(refusal(&bob.patch(&variables(&id), patch.clone()).await), ("403", "LAB_NOT_OWNER"));
    let missing = "wb_00000000000000000000000000000000";
    for stranger in [lab.app.person_of("eve", "globex", Role::Admin), lab.app.person("cleo")] {
        let there = [stranger.get(&variables(&id)).await, stranger.patch(&variables(&id), patch.clone()).await];
        let nowhere =
            [stranger.get(&variables(missing)).await, stranger.patch(&variables(missing), patch.clone()).await];
        for (there, nowhere) in there.iter().zip(&nowhere) {
            assert_eq!(refusal(there), ("404", "LAB_NOT_FOUND"));
            assert_eq!(there.text, nowhere.text);
        }
    }
    assert_eq!(refusal(&lab.app.anonymous().get(&variables(&id)).await), ("401", "LAB_UNAUTHENTICATED"));
    ada.delete(&path(&id)).await;
    assert_eq!(refusal(&ada.patch(&variables(&id), patch).await), ("409", "LAB_DELETION_IN_PROGRESS"));
}

#[tokio::test]
async fn variables_that_are_not_allowed_name_their_field() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab", "env": {"PLAIN": "1"}})).await;
    let many: Value =
        (0..41).map(|number| (format!("N{number}"), json!("x"))).collect::<serde_json::Map<_, _>>().into();
    for (body, problem) in [
        (json!({"env": {"1A": "x"}}), "env.1A: the name must have"),
        (json!({"secrets": {"A-B": "x"}}), "secrets.A-B: the name must have"),
        (json!({"env": {"": "x"}}), "the name must have"),
        (json!({"env": {"PATH": "/bin"}}), "env.PATH: the platform sets"),
        (json!({"secrets": {"ATELIER_TOKEN": "x"}}), "secrets.ATELIER_TOKEN: the platform sets"),
        (json!({"secrets": {"A": SECRET.repeat(300)}}), "secrets.A: must have at most 4096 bytes"),
        (json!({"env": {"A": "a\0b"}}), "null character"),
        (json!({"env": {"A": 1}}), "env.A"),
        (json!({"env": many}), "the maximum is 40"),
        (json!({"colour": {}}), "colour"),
    ] {
        for answer in [
            ada.patch(&variables(&id), body.clone()).await,
            ada.post_json(WORKBENCHES, merged(json!({"name": "other"}), &body)).await,
        ] {
            assert_eq!(refusal(&answer), ("400", "LAB_INVALID_BODY"), "{}", answer.text);
            assert!(answer.text.contains(problem) && !answer.text.contains(SECRET), "{problem}: {}", answer.text);
        }
    }
    let both = ada.patch(&variables(&id), json!({"secrets": {"PLAIN": "x"}})).await;
    assert_eq!(refusal(&both), ("400", "LAB_INVALID_BODY"));
    assert!(both.text.contains("secrets.PLAIN: is a plain variable too"), "{}", both.text);
    assert_eq!(ada.get(&variables(&id)).await.json, json!({"env": {"PLAIN": "1"}, "secrets": []}));
}

fn merged(mut body: Value, other: &Value) -> Value {
    body.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
    body
}

/// Both changes are made: neither overwrites the other one.
#[tokio::test]
async fn concurrent_changes_of_variables_are_all_kept() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    let patches = (0..8).map(|number| {
        let (ada, id) = (&ada, &id);
        async move { ada.patch(&variables(id), json!({"env": {format!("N{number}"): "x"}})).await }
    });
    let changed = futures::future::join_all(patches).await;
    assert!(changed.iter().all(|answer| answer.status == "200 OK"));
    assert_eq!(ada.get(&variables(&id)).await.json["env"].as_object().unwrap().len(), 8);
    assert_eq!(event_types(&ada, &id).await.len(), 9);
}
