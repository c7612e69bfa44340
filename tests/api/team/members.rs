//! Sharing of workflows and agents.

use super::*;

#[tokio::test]
async fn members_are_added_listed_and_removed() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    for path in [create_workflow(&ada, "Flow").await, create_agent(&ada, "Bot").await] {
        let members = format!("{path}/members");
        assert_eq!(ada.get(&members).await.json, json!({"data": []}));
        assert_eq!(bob.get(&path).await.status, "404 Not Found");

        let added = share(&ada, &path, &bob_id, "viewer").await;
        assert_eq!(added.status, "201 Created", "{}", added.text);
        assert_eq!(added.json, json!({"data": {"userId": bob_id, "role": "viewer"}}));
        let seen = bob.get(&path).await;
        assert_eq!(seen.status, "200 OK");
        assert_eq!(
            seen.json["data"]["access"],
            json!({"owner": app.account("ada").user.to_string(), "role": "viewer"})
        );
        assert_eq!(bob.get(&members).await.json, ada.get(&members).await.json);

        let changed = share(&ada, &path, &bob_id, "editor").await;
        assert_eq!(changed.status, "200 OK", "a member gets another role");
        assert_eq!(ada.get(&members).await.json, json!({"data": [{"userId": bob_id, "role": "editor"}]}));
        let renamed = bob.patch(&path, json!({"name": "By Bob"})).await;
        assert_eq!(renamed.json["data"]["name"], "By Bob", "{}", renamed.text);
        assert_eq!(ada.get(&path).await.json["data"]["name"], "By Bob");

        assert_eq!(ada.delete(&format!("{members}/{bob_id}")).await.status, "204 No Content");
        assert_eq!(bob.get(&path).await.status, "404 Not Found");
        assert_eq!(refusal(&ada.delete(&format!("{members}/{bob_id}")).await), ("404", "member_not_found"));
        must_share(&ada, &path, &bob_id, "operator").await;
        assert_eq!(ada.delete(&format!("{members}?userId={bob_id}")).await.status, "204 No Content");
        must_share(&ada, &path, &bob_id, "viewer").await;
        assert_eq!(bob.delete(&format!("{members}/{bob_id}")).await.status, "204 No Content", "a member can leave");
        assert_eq!(bob.get(&path).await.status, "404 Not Found");
    }
}

#[tokio::test]
async fn wrong_members_are_refused() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let eve = app.person_of("eve", "globex", Role::Admin).get("/gateway/v1/me").await.json["user"]["id"].clone();
    for path in [create_workflow(&ada, "Flow").await, create_agent(&ada, "Bot").await] {
        let members = format!("{path}/members");
        for (body, expected) in [
            (json!({"userId": eve, "role": "editor"}), ("404", "member_not_in_organization")),
            (json!({"userId": ada_id, "role": "editor"}), ("403", "member_is_owner")),
            (json!({"userId": eve, "role": "owner"}), ("403", "invalid_role")),
            (json!({"userId": ada_id, "role": "admin"}), ("403", "invalid_role")),
            (json!({"userId": "ada", "role": "viewer"}), ("400", "invalid_body")),
            (json!({"userId": ada_id}), ("400", "invalid_body")),
            (json!({"role": "viewer"}), ("400", "invalid_body")),
        ] {
            let answer = ada.post_json(&members, body).await;
            assert_eq!(refusal(&answer), expected, "{}", answer.text);
        }
        let transfer = ada.post_json(&format!("{path}/transfer"), json!({"userId": eve})).await;
        assert_eq!(refusal(&transfer), ("404", "member_not_in_organization"));
        let transfer = ada.post_json(&format!("{path}/transfer"), json!({"userId": ada_id})).await;
        assert_eq!(refusal(&transfer), ("403", "member_is_owner"));
    }
}

#[tokio::test]
async fn an_agent_of_a_workflow_is_shared_with_its_workflow() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let flow = create_workflow(&ada, "Flow").await;
    let team = ada.post(&format!("{flow}/teams")).await.id().to_owned();
    let refused = share(&ada, &format!("{AGENTS}/{team}"), &bob_id, "viewer").await;
    assert_eq!(refusal(&refused), ("409", "invalid_state"), "{}", refused.text);
    must_share(&ada, &flow, &bob_id, "editor").await;
    let renamed = bob.patch(&format!("{flow}/teams/{team}"), json!({"name": "By Bob"})).await;
    assert_eq!(renamed.status, "200 OK", "{}", renamed.text);
    assert_eq!(renamed.json["data"]["access"]["role"], "editor");
    assert_eq!(bob.get(&format!("{flow}/teams")).await.column("name"), ["By Bob"]);
}

/// Both changes are made: neither overwrites the other one.
#[tokio::test]
async fn concurrent_changes_are_all_kept() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let path = create_workflow(&ada, "Flow").await;
    let names: Vec<String> = (0..6).map(|number| format!("user-{number}")).collect();
    let mut ids = Vec::new();
    for name in &names {
        ids.push(known(&app, name).await.1);
    }
    let shares = ids.iter().map(|user| share(&ada, &path, user, "editor"));
    let edits = (0..4).map(|number| ada.patch(&path, json!({"description": number.to_string()})));
    let edits = edits.collect::<Vec<_>>();
    let (shared, edited) =
        futures::future::join(futures::future::join_all(shares), async { futures::future::join_all(edits).await })
            .await;
    assert!(shared.iter().all(|answer| answer.status == "201 Created"));
    assert!(edited.iter().all(|answer| answer.status == "200 OK"));
    assert_eq!(ada.get(&format!("{path}/members")).await.json["data"].as_array().unwrap().len(), 6);
    for name in &names {
        assert_eq!(app.person(name).get(&format!("{WORKFLOWS}?ownership=shared")).await.json["meta"]["total"], 1);
    }
}

/// An editor uses the credentials of a shared workflow, and changes them, but no answer has their secrets.
#[tokio::test]
async fn an_editor_uses_credentials_and_never_reads_them() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let path = create_workflow(&ada, "Flow").await;
    let outbound = format!("{path}/webhook-credentials/outbound");
    let secret = json!({"name": "Bot", "type": "bearer", "token": "s3cr3t-t0ken"});
    let credential = ada.post_json(&outbound, secret).await.id().to_owned();
    must_share(&ada, &path, &bob_id, "editor").await;
    for place in [outbound.clone(), format!("{outbound}/{credential}"), format!("{path}/webhook-credentials")] {
        let answer = bob.get(&place).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        assert!(answer.text.contains(&credential) && !answer.text.contains("s3cr3t"), "{}", answer.text);
    }
    let config = json!({"method": "GET", "url": "https://example.com/", "credentialId": credential});
    let mut graph = double();
    graph["nodes"].as_array_mut().unwrap().push(json!({"id": "call", "type": "http", "name": "", "config": config}));
    graph["connections"] =
        json!([{"from": "start", "to": "call"}, {"from": {"node": "call", "port": "out"}, "to": "end"}]);
    let changed = bob.patch(&path, json!({"graph": graph})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    let published = bob.post(&format!("{path}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    assert_eq!(published.json["data"]["release"]["createdBy"], bob_id);
}
