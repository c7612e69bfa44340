//! Transfers: another user becomes the owner.

use super::*;
use crate::runs::{graph, node};

#[tokio::test]
async fn a_transfer_makes_another_user_the_owner() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let (cleo, cleo_id) = known(&app, "cleo").await;
    for (list, path) in [(WORKFLOWS, create_workflow(&ada, "Flow").await), (AGENTS, create_agent(&ada, "Bot").await)] {
        let total = async |person: &Person, ownership: &str| {
            person.get(&format!("{list}?ownership={ownership}")).await.json["meta"]["total"].as_u64().unwrap()
        };
        must_share(&ada, &path, &bob_id, "editor").await;
        must_share(&ada, &path, &cleo_id, "viewer").await;
        let transfer = async |person: &Person, to: &str| {
            person.post_json(&format!("{path}/transfer"), json!({"userId": to})).await
        };
        assert_eq!(refusal(&transfer(&bob, &cleo_id).await), ("403", "not_owner"));

        let moved = transfer(&ada, &bob_id).await;
        assert_eq!(moved.status, "200 OK", "{}", moved.text);
        assert_eq!(moved.json["data"]["owner"], bob_id);
        let access = async |person: &Person| person.get(&path).await.json["data"]["access"].clone();
        assert_eq!(access(&bob).await, json!({"owner": bob_id, "role": "owner"}));
        assert_eq!(access(&ada).await, json!({"owner": bob_id, "role": "editor"}));
        assert_eq!(access(&cleo).await, json!({"owner": bob_id, "role": "viewer"}));
        assert_eq!((total(&ada, "mine").await, total(&ada, "shared").await, total(&ada, "all").await), (0, 1, 1));
        assert_eq!((total(&bob, "mine").await, total(&bob, "shared").await), (1, 0));
        let of_cleo = cleo.get(&format!("{list}?ownership=shared")).await.json;
        assert_eq!(of_cleo["data"][0]["access"]["owner"], bob_id);

        // The new owner does what only the owner can do, and lists show changes.
        assert_eq!(refusal(&transfer(&ada, &cleo_id).await), ("403", "not_owner"));
        assert_eq!(ada.patch(&path, json!({"name": "Renamed"})).await.status, "200 OK");
        assert_eq!(bob.get(list).await.column("name"), ["Renamed"]);
        assert_eq!(ada.get(&format!("{list}?ownership=all")).await.column("name"), ["Renamed"]);
        assert_eq!(bob.delete(&format!("{path}/members/{ada_id}")).await.status, "204 No Content");
        assert_eq!(
            ada.get(&path).await.text,
            ada.get(&format!("{list}/{NOWHERE}")).await.text,
            "as if it did not exist"
        );
        assert_eq!(total(&ada, "all").await, 0);

        // It can come back.
        assert_eq!(transfer(&bob, &ada_id).await.status, "200 OK");
        assert_eq!((total(&ada, "mine").await, total(&bob, "mine").await, total(&bob, "shared").await), (1, 0, 1));
        assert_eq!(access(&ada).await, json!({"owner": ada_id, "role": "owner"}));
        assert_eq!(transfer(&ada, &cleo_id).await.status, "200 OK");
        assert_eq!(refusal(&ada.delete(&path).await), ("403", "not_owner"));
        assert_eq!(cleo.delete(&path).await.status, "204 No Content");
        assert_eq!((total(&cleo, "mine").await, cleo.get(&path).await.status.as_str()), (0, "404 Not Found"));
        assert_eq!(cleo.get(list).await.json["data"], json!([]));
    }
}

fn asks_a_model() -> Value {
    let end = node("end", "send_result", json!({"output": "1"}));
    let ask = node("ask", "model", json!({"model": "dev-chat", "prompt": "Hello"}));
    graph(&[node("start", "input", json!({})), ask, end], &["start.out ask", "ask.out end"])
}

/// The number of calls that a user has paid for.
async fn paid_calls(administrator: &Person, user: &str) -> u64 {
    let usage = administrator.get("/gateway/v1/billing/usage").await.json;
    let rows = usage["by_user"].as_array().unwrap().iter();
    rows.filter(|row| row["user"] == user).filter_map(|row| row["requests"].as_u64()).sum()
}

/// Who owns the workflow when a run begins pays for it.
#[tokio::test]
async fn the_owner_pays_for_runs() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let path = format!("{WORKFLOWS}/{}", publish(&ada, asks_a_model()).await);
    let boss = app.person_of("boss", "acme", Role::Admin);
    let paid = async |user: &str| paid_calls(&boss, user).await;
    let run = async |person: &Person| {
        let started = person.post_json(&format!("{path}/runs"), json!({})).await;
        assert_eq!(started.status, "202 Accepted", "{}", started.text);
        let run = format!("{path}/runs/{}", started.id());
        app.platform.drain().await;
        assert_eq!(person.get(&run).await.json["data"]["state"], "completed");
    };
    let (ada_before, bob_before) = (paid(&ada_id).await, paid(&bob_id).await);
    must_share(&ada, &path, &bob_id, "operator").await;
    run(&bob).await;
    assert_eq!(
        (paid(&ada_id).await, paid(&bob_id).await),
        (ada_before + 1, bob_before),
        "the owner pays, not who starts"
    );
    ada.post_json(&format!("{path}/transfer"), json!({"userId": bob_id})).await;
    run(&ada).await;
    assert_eq!((paid(&ada_id).await, paid(&bob_id).await), (ada_before + 1, bob_before + 1));
}

/// The caller of a shared agent pays, and so does who previews a shared workflow, even if its creator is suspended.
#[tokio::test]
async fn the_caller_pays_for_invocations_and_previews() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let boss = app.person_of("boss", "acme", Role::Admin);
    let agent = create_agent(&ada, "Bot").await;
    let workflow = format!("{WORKFLOWS}/{}", publish(&ada, asks_a_model()).await);
    must_share(&ada, &agent, &bob_id, "operator").await;
    must_share(&ada, &workflow, &bob_id, "editor").await;
    let suspended = json!({"suspended": true});
    let changed = app.operator().patch(&format!("/gateway/v1/admin/users/{ada_id}"), suspended).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);

    let answer = bob.post_json(&format!("{agent}/invoke"), json!({"input": "Hello"})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let rows = bob.get(&format!("{agent}/invocations")).await;
    assert_eq!(rows.column("invokedBy"), [bob_id.as_str()], "{}", rows.text);
    let preview = bob.post_json(&format!("{workflow}/preview"), json!({})).await;
    assert_eq!(preview.json["data"]["state"], "completed", "{}", preview.text);
    assert_eq!((paid_calls(&boss, &ada_id).await, paid_calls(&boss, &bob_id).await), (0, 2));
}

/// The private agents of a workflow go with it: the user who created them does not reach them past it.
#[tokio::test]
async fn private_agents_go_with_their_workflow() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let path = create_workflow(&ada, "Flow").await;
    let before = ada.post(&format!("{path}/teams")).await.id().to_owned();
    let transfer = async |person: &Person, to: &str| {
        let moved = person.post_json(&format!("{path}/transfer"), json!({"userId": to})).await;
        assert_eq!(moved.status, "200 OK", "{}", moved.text);
    };
    transfer(&ada, &bob_id).await;
    bob.delete(&format!("{path}/members/{ada_id}")).await;
    let after = bob.post(&format!("{path}/teams")).await;
    assert_eq!(after.status, "201 Created", "{}", after.text);
    for team in [&before, after.id()] {
        let direct = format!("{AGENTS}/{team}");
        assert_eq!(ada.get(&direct).await.code(), "agent_not_found");
        assert_eq!(ada.patch(&direct, json!({"name": "Mine"})).await.code(), "agent_not_found");
        assert_eq!(ada.delete(&direct).await.code(), "agent_not_found");
        assert_eq!(bob.get(&format!("{path}/teams/{team}")).await.status, "200 OK");
    }
    transfer(&bob, &ada_id).await;
    assert_eq!(ada.get(&format!("{AGENTS}/{before}")).await.status, "200 OK");
}
