//! The editors of a workbench.

use domain::identity::Role;
use serde_json::json;
use tests::client::refusal;

use super::*;

#[tokio::test]
async fn members_are_added_listed_and_removed() {
    let lab = Lab::start().await;
    let (ada, bob) = (lab.app.person("ada"), lab.app.person("bob"));
    bob.get(WORKBENCHES).await;
    let bob_id = lab.app.account("bob").user.to_string();
    let id = create(&ada, json!({"name": "lab"})).await;
    let members = format!("{}/members", path(&id));
    let added = share(&ada, &id, &bob_id).await;
    assert_eq!((added.status.as_str(), &added.json), ("201 Created", &json!({"userId": bob_id, "role": "editor"})));
    assert_eq!(share(&ada, &id, &bob_id).await.status, "200 OK", "a repetition changes nothing");
    assert_eq!(ada.get(&members).await.json, json!({"items": [{"userId": bob_id, "role": "editor"}], "total": 1}));
    assert_eq!(bob.get(WORKBENCHES).await.json["total"], 1);
    assert_eq!(ada.delete(&format!("{members}?userId={bob_id}")).await.status, "204 No Content");
    assert_eq!(refusal(&ada.delete(&format!("{members}/{bob_id}")).await), ("404", "LAB_NOT_FOUND"));
    assert_eq!(bob.get(WORKBENCHES).await.json["total"], 0);
    assert_eq!(event_types(&ada, &id).await, ["created", "member_added", "member_removed"]);
}

#[tokio::test]
async fn only_editors_of_the_same_organization_can_be_added() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    let members = format!("{}/members", path(&id));
    let eve = lab.app.person_of("eve", "globex", Role::Admin).get("/gateway/v1/me").await.json["user"]["id"].clone();
    let owner = lab.app.account("ada").user.to_string();
    for (body, expected) in [
        (json!({"userId": eve, "role": "editor"}), ("404", "LAB_MEMBER_NOT_IN_ORGANIZATION")),
        (json!({"userId": owner, "role": "editor"}), ("403", "LAB_MEMBER_IS_OWNER")),
        (json!({"userId": owner, "role": "admin"}), ("403", "LAB_INVALID_ROLE")),
        (json!({"userId": "ada"}), ("400", "LAB_INVALID_BODY")),
        (json!({"role": "editor"}), ("400", "LAB_INVALID_BODY")),
        (json!({"userId": owner}), ("400", "LAB_INVALID_BODY")),
        (json!({"userId": owner, "role": null}), ("400", "LAB_INVALID_BODY")),
    ] {
        let answer = ada.post_json(&members, body).await;
        assert_eq!(refusal(&answer), expected, "{}", answer.text);
    }
}

/// Both changes are made: neither overwrites the other one.
#[tokio::test]
async fn concurrent_changes_of_members_are_all_kept() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    let names: Vec<String> = (0..8).map(|number| format!("user-{number}")).collect();
    for name in &names {
        lab.app.person(name).get(WORKBENCHES).await;
    }
    let ids: Vec<String> = names.iter().map(|name| lab.app.account(name).user.to_string()).collect();
    let added = futures::future::join_all(ids.iter().map(|user| share(&ada, &id, user))).await;
    assert!(added.iter().all(|answer| answer.status == "201 Created"));
    assert_eq!(ada.get(&format!("{}/members", path(&id))).await.json["total"], 8);
    assert_eq!(event_types(&ada, &id).await.len(), 9);
}
