//! The private teams of a workflow.

use std::time::Duration;

use domain::id::AgentId;
use domain::time::Time;
use reqwest::Method;
use store::{Attention, Works};
use tests::TestApp;
use tests::client::send;
use uuid::Uuid;

use super::*;

const AGENTS: &str = "/builder/v1/agents";

/// Creates a workflow, and returns the path of its teams.
async fn create_teams_path(person: &Person) -> String {
    format!("{WORKFLOWS}/{}/teams", create_workflow(person, "Desk", echo()).await)
}

async fn create_team(person: &Person, teams: &str, body: Value) -> String {
    let created = person.post_json(teams, body).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    created.id().to_owned()
}

#[tokio::test]
async fn a_team_lives_in_its_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let teams = create_teams_path(&ada).await;
    let member = ada.post(AGENTS).await.id().to_owned();

    let empty = ada.post(&teams).await;
    assert_eq!((empty.status.as_str(), empty.header("etag")), ("201 Created", Some("\"1\"")), "{}", empty.text);
    let (workflow, data) = (teams.split('/').nth(4).unwrap(), &empty.json["data"]);
    assert_eq!(
        (&data["name"], &data["type"], &data["scope"]),
        (&json!("Nuevo equipo"), &json!("multiple"), &json!("workflow"))
    );
    assert_eq!((&data["workflowId"], &data["config"]["members"]), (&json!(workflow), &json!([])));

    let given = json!({"name": "Crew", "config": {"members": [member], "strategy": "router", "model": "dev-chat"}});
    let crew = format!("{teams}/{}", create_team(&ada, &teams, given).await);
    let read = ada.get(&crew).await;
    assert_eq!(read.header("etag"), Some("\"1\""));
    assert_eq!(read.json["data"]["config"]["strategy"], "router");

    let renamed =
        send(ada.request(Method::PATCH, &crew).header("if-match", "\"1\"").json(&json!({"name": "Crew 2"}))).await;
    assert_eq!((renamed.header("etag"), &renamed.json["data"]["name"]), (Some("\"2\""), &json!("Crew 2")));
    assert_eq!(renamed.json["data"]["config"], read.json["data"]["config"]);
    let stale =
        send(ada.request(Method::PATCH, &crew).header("if-match", "\"1\"").json(&json!({"name": "Crew 3"}))).await;
    assert_eq!((stale.status.as_str(), stale.code()), ("412 Precondition Failed", "precondition_failed"));
    let posted = ada.post_json(&crew, json!({"config": {"strategy": null}})).await;
    assert_eq!((posted.status.as_str(), &posted.json["data"]["config"]["strategy"]), ("200 OK", &Value::Null));
    let stale = send(ada.request(Method::POST, &crew).header("if-match", "\"1\"").json(&json!({}))).await;
    assert_eq!(stale.status, "412 Precondition Failed");

    assert_eq!(ada.delete(&crew).await.status, "204 No Content");
    for gone in [ada.get(&crew).await, ada.delete(&crew).await, ada.patch(&crew, json!({"name": "x"})).await] {
        assert_eq!((gone.status.as_str(), gone.code()), ("404 Not Found", "team_not_found"));
    }
    assert_eq!(ada.get(&teams).await.column("id"), [empty.id()]);
    app.platform.drain().await;
}

#[tokio::test]
async fn teams_are_listed_in_pages_and_never_with_agents() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (teams, others) = (create_teams_path(&ada).await, create_teams_path(&ada).await);
    for name in ["Beta", "alfa", "Gamma"] {
        create_team(&ada, &teams, json!({"name": name})).await;
    }
    create_team(&ada, &others, json!({"name": "Other"})).await;
    let cases = [
        ("", vec!["Gamma", "alfa", "Beta"]),
        ("?sort=name&order=asc", vec!["alfa", "Beta", "Gamma"]),
        ("?sort=createdAt&order=asc", vec!["Beta", "alfa", "Gamma"]),
        ("?search=ALF", vec!["alfa"]),
        ("?sort=name&order=asc&perPage=2&page=2", vec!["Gamma"]),
        ("?page=9", vec![]),
    ];
    for (query, expected) in cases {
        assert_eq!(ada.get(&format!("{teams}{query}")).await.column("name"), expected, "{query}");
    }
    let page = ada.get(&format!("{teams}?perPage=2")).await;
    assert_eq!(page.json["meta"], json!({"page": 1, "perPage": 2, "total": 3, "totalPages": 2}));
    for (query, parameter) in
        [("page=0", "page"), ("sort=age", "sort"), ("order=up", "order"), ("status=paused", "status")]
    {
        let refused = ada.get(&format!("{teams}?{query}")).await;
        assert_eq!(refused.code(), "invalid_query");
        assert!(refused.json["error"]["message"].as_str().unwrap().contains(parameter), "{}", refused.text);
    }
    for query in ["", "?search=a", "?type=multiple", "?sort=requests"] {
        let list = ada.get(&format!("{AGENTS}{query}")).await;
        assert_eq!((list.column("id").len(), &list.json["meta"]["total"]), (0, &json!(0)), "{query}");
    }
}

#[tokio::test]
async fn wrong_bodies_name_the_field() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (teams, others) = (create_teams_path(&ada).await, create_teams_path(&ada).await);
    let team = create_team(&ada, &teams, json!({})).await;
    let (path, foreign) = (format!("{teams}/{team}"), create_team(&ada, &others, json!({})).await);
    let stranger = app.person("bob").post(AGENTS).await.id().to_owned();
    let members = |ids: &[&str]| json!({"config": {"members": ids}});
    let cases = [
        (json!({"name": ""}), "name: "),
        (json!({"type": "single"}), "type: a team is always of type multiple; remove the field"),
        (json!({"type": null}), "type: "),
        (json!({"scope": "global"}), "scope: "),
        (json!({"config": {"strategy": "magic"}}), "config.strategy: "),
        (json!({"config": {"model": "gpt-x"}}), "config.model: no such model"),
        (members(&["x"]), "config.members[0]: "),
        (members(&[&Uuid::now_v7().to_string()]), "config.members[0]: no such agent"),
        (members(&[&stranger]), "config.members[0]: no such agent"),
        // A team of another workflow is as unknown as an agent of another user.
        (members(&[&foreign]), "config.members[0]: no such agent"),
        (json!({"config": {"tools": [{"type": "agent", "agentId": foreign}]}}), "config.tools[0]: no such agent"),
    ];
    for (body, message) in cases {
        for refused in [ada.post_json(&teams, body.clone()).await, ada.patch(&path, body.clone()).await] {
            assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"), "{body}");
            assert!(refused.json["error"]["message"].as_str().unwrap().starts_with(message), "{}", refused.text);
        }
    }
    assert_eq!(ada.post_json(&teams, json!([])).await.code(), "invalid_body");
    assert_eq!(ada.patch(&path, members(&[&team])).await.code(), "invalid_body", "a team is not its own member");
    // An agent of the account cannot use a team either, and the team itself can be changed as an agent, within its rules.
    let agent = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let refused = ada.patch(&agent, json!({"type": "multiple", "config": {"members": [team]}})).await;
    assert_eq!(refused.json["error"]["message"], "config.members[0]: no such agent");
    let as_agent = format!("{AGENTS}/{team}");
    assert_eq!(ada.patch(&as_agent, json!({"type": "single"})).await.code(), "invalid_body");
    let inner = create_team(&ada, &teams, json!({})).await;
    assert_eq!(ada.patch(&as_agent, members(&[&inner])).await.status, "200 OK");
    assert_eq!(ada.get(&path).await.json["data"]["config"]["members"], json!([inner]));
}

#[tokio::test]
async fn a_creation_is_repeated_with_its_idempotency_key() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (teams, others) = (create_teams_path(&ada).await, create_teams_path(&ada).await);
    let member = ada.post(AGENTS).await.id().to_owned();
    let key = Uuid::now_v7().to_string();
    let create = async |teams: &str, body: Value| {
        send(ada.request(Method::POST, teams).header("idempotency-key", &key).json(&body)).await
    };
    let body = || json!({"config": {"members": [member]}});
    let (one, two) = futures::join!(create(&teams, body()), create(&teams, body()));
    assert_eq!((one.status.as_str(), &one.text), ("201 Created", &two.text), "{}", one.text);
    // The first answer is repeated even if it could not be created any more.
    ada.delete(&format!("{AGENTS}/{member}")).await;
    let again = create(&teams, body()).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&one.text, Some("true")));
    assert_eq!(create(&teams, json!({})).await.code(), "idempotency_conflict");
    assert_ne!(create(&others, json!({})).await.id(), one.id(), "the key of another workflow is another key");
    assert_eq!(ada.get(&teams).await.json["meta"]["total"], 1);
    app.platform.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creations_stop_at_twenty_teams() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let teams = create_teams_path(&ada).await;
    let made = futures::future::join_all((0..30).map(|_| ada.post(&teams))).await;
    let refused = made.iter().filter(|answer| answer.status == "409 Conflict" && answer.code() == "too_many_teams");
    assert_eq!((refused.count(), ada.get(&format!("{teams}?perPage=100")).await.column("id").len()), (10, 20));
    let ids: Vec<String> = ada.get(&teams).await.column("id").into_iter().map(str::to_owned).collect();
    // A deletion makes room for another one, by either path.
    for path in [format!("{teams}/{}", ids[0]), format!("{AGENTS}/{}", ids[1])] {
        assert_eq!(ada.delete(&path).await.status, "204 No Content");
        assert_eq!(ada.delete(&path).await.status, "404 Not Found");
        assert_eq!(ada.post(&teams).await.status, "201 Created");
        let message = "a workflow has at most 20 teams; delete one first";
        assert_eq!(ada.post(&teams).await.json["error"]["message"], message);
    }
    app.platform.drain().await;
}

#[tokio::test]
async fn dependents_of_a_deleted_team_need_attention() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let teams = create_teams_path(&ada).await;
    let inner = create_team(&ada, &teams, json!({})).await;
    let outer = format!("{teams}/{}", create_team(&ada, &teams, json!({"config": {"members": [inner]}})).await);
    assert_eq!(ada.delete(&format!("{teams}/{inner}")).await.status, "204 No Content");
    app.platform.drain().await;
    let hurt = ada.get(&outer).await;
    assert_eq!(hurt.json["data"]["status"], "needs_attention", "{}", hurt.text);
    assert_eq!(hurt.json["data"]["problems"][0]["code"], "reference_gone");
}

#[tokio::test]
async fn teams_are_deleted_with_their_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let teams = create_teams_path(&ada).await;
    let workflow = teams.trim_end_matches("/teams").to_owned();
    let member = ada.post(AGENTS).await.id().to_owned();
    let tool = json!({"type": "http", "name": "crm", "method": "GET", "url": "https://example.com", "auth": "bearer"});
    let own = json!({"type": "workflow", "workflowId": workflow.rsplit('/').next()});
    let body = json!({"config": {"members": [member], "tools": [tool, own]}});
    let team = create_team(&ada, &teams, body).await;
    let credential = format!("{AGENTS}/{team}/tools/crm/credential");
    assert_eq!(ada.put(&credential, json!({"type": "bearer", "token": "x"})).await.status, "200 OK");
    let impact = ada.get(&format!("{workflow}/delete-impact")).await;
    assert_eq!(impact.json["data"]["agents"], json!([]), "the team is part of the workflow");

    assert_eq!(ada.delete(&workflow).await.status, "204 No Content");
    for path in [teams.clone(), format!("{teams}/{team}")] {
        assert_eq!(ada.get(&path).await.code(), "workflow_not_found");
    }
    assert_eq!(ada.post(&teams).await.code(), "workflow_not_found");
    app.platform.drain().await;
    let gone = ada.get(&format!("{AGENTS}/{team}")).await;
    let missing = ada.get(&format!("{AGENTS}/{}", AgentId::new())).await;
    assert_eq!((gone.code(), &gone.text), ("agent_not_found", &missing.text));
    assert_eq!(ada.get(&format!("{AGENTS}/{member}")).await.json["data"]["status"], "published");
}

/// The worker crashes after each of its calls in turn. At last, nothing of the teams is left but their history.
#[tokio::test]
async fn a_crash_leaves_no_team_of_a_deleted_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let teams = create_teams_path(&ada).await;
    let member = ada.post(AGENTS).await.id().to_owned();
    let mut created = Vec::new();
    for _ in 0..2 {
        let tool =
            json!({"type": "http", "name": "crm", "method": "GET", "url": "https://example.com", "auth": "bearer"});
        let body = json!({"config": {"members": [member], "model": "dev-chat", "tools": [tool]}});
        let team = create_team(&ada, &teams, body).await;
        let credential = format!("{AGENTS}/{team}/tools/crm/credential");
        assert_eq!(ada.put(&credential, json!({"type": "bearer", "token": "x"})).await.status, "200 OK");
        created.push(team);
    }
    assert_eq!(ada.delete(teams.trim_end_matches("/teams")).await.status, "204 No Content");

    let context = app.platform.context_of("attention-worker");
    let (works, attention) = (Works::new(&app.platform.context()).unwrap(), Attention::new(&context).unwrap());
    let due = works.due(Time::now().plus(Duration::from_secs(3600)), 10).await.unwrap();
    for crash_after in 1.. {
        app.recorder.take();
        let mut calls = 0;
        let crash = async {
            while calls < crash_after {
                calls += app.recorder.take().len();
                tokio::task::yield_now().await;
            }
        };
        let work = works.find(due[0]).await.unwrap().unwrap();
        tokio::select! {
            biased;
            done = attention.process(work) => {
                done.unwrap();
                assert!(crash_after > 10, "{crash_after} calls cannot delete two teams");
                break;
            }
            () = crash => {}
        }
    }
    for team in &created {
        assert_eq!(ada.get(&format!("{AGENTS}/{team}")).await.code(), "agent_not_found");
    }
    let table = app.platform.context().config.required("TABLE_ENTITIES").unwrap().to_owned();
    let items = app.platform.context().aws.dynamodb().scan().table_name(table).send().await.unwrap().items.unwrap();
    let keys = items.iter().map(|item| format!("{} {}", item["pk"].as_s().unwrap(), item["sk"].as_s().unwrap()));
    let left: Vec<_> = keys.filter(|key| created.iter().any(|team| key.contains(team))).collect();
    assert!(left.len() == 2 && left.iter().all(|key| key.starts_with("AGENTS#")), "only tombstones: {left:?}");
    app.platform.drain().await;
}

#[tokio::test]
async fn a_copy_of_a_workflow_has_no_teams() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let teams = create_teams_path(&ada).await;
    let workflow = teams.trim_end_matches("/teams").to_owned();
    let team = create_team(&ada, &teams, json!({})).await;
    let mut graph = template_graph("x");
    graph["nodes"][2] = json!({"id": "say", "type": "agent", "config": {"agentId": team, "message": "Hi"}});
    ada.patch(&workflow, json!({"graph": graph})).await;
    let valid = ada.post(&format!("{workflow}/validate")).await;
    assert_eq!(valid.json["data"], json!({"valid": true, "problems": []}));
    let copied = ada.post(&format!("{workflow}/clone")).await.id().to_owned();
    let file = ada.get(&format!("{workflow}/export")).await.json;
    let imported = ada.post_json(&format!("{WORKFLOWS}/import"), file).await.id().to_owned();
    for copy in [copied, imported] {
        assert_eq!(ada.get(&format!("{WORKFLOWS}/{copy}/teams")).await.json["meta"]["total"], 0);
        let problems = ada.post(&format!("{WORKFLOWS}/{copy}/validate")).await.json["data"]["problems"].clone();
        let problem = (&problems[0]["nodeId"], &problems[0]["field"]);
        assert_eq!(problem, (&json!("say"), &json!("config.agentId")), "{problems}");
    }
}
