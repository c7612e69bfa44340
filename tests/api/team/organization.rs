//! What an administrator of an organization does with the workflows and agents of its members.

use super::*;

async fn administrator(app: &TestApp, org: &str) -> Person {
    let boss = app.person_of("boss", org, Role::Admin);
    boss.get(WORKFLOWS).await;
    boss
}

async fn suspend(app: &TestApp, user: &str, is_suspended: bool) {
    let patched =
        app.operator().patch(&format!("/gateway/v1/admin/users/{user}"), json!({"suspended": is_suspended})).await;
    assert_eq!(patched.status, "200 OK", "{}", patched.text);
}

#[tokio::test]
async fn an_administrator_lists_everything_of_the_organization() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let eve = app.person_of("eve", "globex", Role::Admin);
    let boss = administrator(&app, "acme").await;
    create_workflow(&eve, "Foreign").await;
    create_agent(&eve, "Foreign").await;
    for kind in ["workflows", "agents"] {
        let create = async |person: &Person, name: &str| match kind {
            "workflows" => create_workflow(person, name).await,
            _ => create_agent(person, name).await,
        };
        let list = format!("/builder/v1/organization/{kind}");
        create(&ada, "One").await;
        let two = create(&ada, "Two").await;
        create(&bob, "Three").await;
        must_share(&ada, &two, &bob_id, "viewer").await;
        ada.post_json(&format!("{two}/transfer"), json!({"userId": bob_id})).await;
        let mut names = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = boss.get(&format!("{list}?limit=2{cursor}")).await;
            assert_eq!(page.status, "200 OK", "{}", page.text);
            for item in page.json["data"].as_array().unwrap() {
                names.push((item["name"].as_str().unwrap().to_owned(), item["owner"].as_str().unwrap().to_owned()));
            }
            match page.json["meta"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        names.sort();
        let expected = [("One", &ada_id), ("Three", &bob_id), ("Two", &bob_id)];
        assert_eq!(names, expected.map(|(name, owner)| (name.to_owned(), owner.clone())));
        assert_eq!(refusal(&ada.get(&list).await), ("403", "administrator_only"));
        assert_eq!(refusal(&app.anonymous().get(&list).await), ("401", "unauthorized"));
    }
}

#[tokio::test]
async fn an_administrator_takes_over_from_a_user_who_is_gone() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let boss = administrator(&app, "acme").await;
    let eve = administrator(&app, "globex").await;
    for (kind, path) in
        [("workflows", create_workflow(&ada, "Flow").await), ("agents", create_agent(&ada, "Bot").await)]
    {
        let id = path.rsplit('/').next().unwrap();
        let take = format!("/builder/v1/organization/{kind}/{id}/take-over");
        let take_over = async |person: &Person, body: Value| person.post_json(&take, body).await;
        let body = || json!({"owner": ada_id, "userId": bob_id});
        assert_eq!(refusal(&take_over(&boss, body()).await), ("409", "invalid_state"), "she can act");
        assert_eq!(refusal(&take_over(&bob, body()).await), ("403", "administrator_only"));
        let gone = if kind == "workflows" { "workflow_not_found" } else { "agent_not_found" };
        assert_eq!(refusal(&take_over(&eve, body()).await), ("404", gone));
        assert_eq!(refusal(&take_over(&boss, json!({"owner": bob_id})).await), ("404", gone));

        suspend(&app, &ada_id, true).await;
        assert_eq!(
            refusal(&take_over(&boss, json!({"owner": ada_id, "userId": ada_id})).await).1,
            "member_not_in_organization"
        );
        let taken = take_over(&boss, body()).await;
        assert_eq!(taken.status, "200 OK", "{}", taken.text);
        assert_eq!(taken.json["data"], json!({"owner": bob_id, "members": []}));
        assert_eq!(bob.get(&path).await.json["data"]["access"], json!({"owner": bob_id, "role": "owner"}));
        assert_eq!(refusal(&take_over(&boss, body()).await), ("404", gone), "it is taken already");
        suspend(&app, &ada_id, false).await;
        assert_eq!(ada.get(&path).await.status, "404 Not Found");
    }
    for action in ["workflow.take_over", "agent.take_over"] {
        let audit = app.operator().get(&format!("/gateway/v1/admin/audit?action={action}")).await;
        let entry = &audit.json["data"][0];
        let owners = (&entry["before"]["owner"], &entry["after"]["owner"]);
        assert_eq!(owners, (&json!(ada_id), &json!(bob_id)), "{}", audit.text);
    }
}

/// The runs of a suspended owner wait. After the take-over they go on.
#[tokio::test]
async fn waiting_runs_go_on_with_the_new_owner() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let boss = administrator(&app, "acme").await;
    let path = format!("{WORKFLOWS}/{}", publish(&ada, crate::runs::refund()).await);
    let started = ada.post_json(&format!("{path}/runs"), json!({"input": {"amount": 3}})).await;
    let run = format!("{path}/runs/{}", started.id());
    let state = async |person: &Person, wanted: &str| {
        app.platform.drain().await;
        assert_eq!(person.get(&run).await.json["data"]["state"], wanted);
    };
    state(&ada, "paused").await;
    suspend(&app, &ada_id, true).await;
    let id = path.rsplit('/').next().unwrap();
    let take = format!("/builder/v1/organization/workflows/{id}/take-over");
    let taken = boss.post_json(&take, json!({"owner": ada_id, "userId": bob_id})).await;
    assert_eq!(taken.status, "200 OK", "{}", taken.text);
    let resolved = bob.post_json(&format!("{run}/resolve-wait"), json!({"decision": "approve"})).await;
    assert_eq!(resolved.status, "200 OK", "{}", resolved.text);
    state(&bob, "completed").await;
}
