//! `GET /builder/v1/agents`: sorting, filters, search and pages.

use domain::agent::{AgentScope, AgentType, PrivateAgentKind, RequestedStatus};
use domain::id::WorkflowId;
use insta::assert_json_snapshot;
use tests::{AgentBuilder, TestApp};
use uuid::Uuid;

const AGENTS: &str = "/builder/v1/agents";

async fn names(app: &TestApp, query: &str) -> Vec<String> {
    let answer = app.person("ada").get(&format!("{AGENTS}?{query}")).await;
    assert_eq!(answer.status, "200 OK", "{query}: {}", answer.text);
    answer.column("name").into_iter().map(str::to_owned).collect()
}

/// Creates four agents whose orders by name, creation, update and requests all differ.
async fn four(app: &TestApp) {
    let account = app.account("ada");
    let agents = app.agents();
    let mut made = Vec::new();
    for name in ["Zoe", "alba", "Álvaro", "Mia"] {
        made.push(AgentBuilder::new(account, name).insert(app).await);
    }
    for (agent, requests) in [(&made[0], 5), (&made[1], 100), (&made[3], 20)] {
        agents.count_requests(account, agent.id, requests, Uuid::now_v7()).await.unwrap();
    }
    let ada = app.person("ada");
    ada.patch(&format!("{AGENTS}/{}", made[1].id), serde_json::json!({"description": "changed last"})).await;
}

#[tokio::test]
async fn an_empty_list_has_its_meta() {
    let app = TestApp::start().await;
    let answer = app.person("ada").get(AGENTS).await;
    assert_json_snapshot!(answer.json, @r#"
    {
      "data": [],
      "meta": {
        "page": 1,
        "perPage": 20,
        "total": 0,
        "totalPages": 0
      }
    }
    "#);
}

#[tokio::test]
async fn every_sort_works_in_both_orders() {
    let app = TestApp::start().await;
    four(&app).await;
    let orders = [
        ("name", ["alba", "Álvaro", "Mia", "Zoe"]),
        ("createdAt", ["Zoe", "alba", "Álvaro", "Mia"]),
        ("updatedAt", ["Zoe", "Álvaro", "Mia", "alba"]),
        ("requests", ["Álvaro", "Zoe", "Mia", "alba"]),
    ];
    for (sort, mut expected) in orders {
        assert_eq!(names(&app, &format!("sort={sort}&order=asc")).await, expected, "{sort} asc");
        expected.reverse();
        assert_eq!(names(&app, &format!("sort={sort}&order=desc")).await, expected, "{sort} desc");
        assert_eq!(names(&app, &format!("sort={sort}")).await, expected, "desc is the default");
    }
    assert_eq!(names(&app, "").await, names(&app, "sort=updatedAt&order=desc").await);
}

#[tokio::test]
async fn counting_requests_changes_neither_the_version_nor_updated_at() {
    let app = TestApp::start().await;
    let (ada, account) = (app.person("ada"), app.account("ada"));
    let before = ada.post(AGENTS).await;
    app.agents().count_requests(account, before.id().parse().unwrap(), 3, Uuid::now_v7()).await.unwrap();
    let after = ada.get(&format!("{AGENTS}/{}", before.id())).await;
    assert_eq!(after.json["data"]["requests"], 3);
    assert!(before.json["data"]["updatedAt"].is_string());
    assert_eq!(after.json["data"]["updatedAt"], before.json["data"]["updatedAt"]);
    assert_eq!([&after, &before].map(|answer| answer.header("etag")), [Some("\"1\""); 2]);
    ada.patch(&format!("{AGENTS}/{}", before.id()), serde_json::json!({"name": "Scout"})).await;
    let patched = ada.get(AGENTS).await;
    assert_eq!(patched.json["data"][0]["requests"], 3, "a patch does not change the count");
}

#[tokio::test]
async fn ties_have_a_stable_order_across_pages() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for _ in 0..25 {
        AgentBuilder::new(app.account("ada"), "same name").insert(&app).await;
    }
    for sort in ["name", "createdAt", "updatedAt", "requests"] {
        let whole = ada.get(&format!("{AGENTS}?sort={sort}&perPage=100")).await;
        let whole: Vec<String> = whole.column("id").into_iter().map(str::to_owned).collect();
        let mut paged = Vec::new();
        for page in 1..=4 {
            let part = ada.get(&format!("{AGENTS}?sort={sort}&perPage=7&page={page}")).await;
            assert_eq!(part.json["meta"]["totalPages"], 4);
            paged.extend(part.column("id").into_iter().map(str::to_owned));
        }
        assert_eq!(paged, whole, "{sort}");
        let mut upwards = ada.get(&format!("{AGENTS}?sort={sort}&perPage=100&order=asc")).await.column("id").join(" ");
        upwards = upwards.split(' ').rev().collect::<Vec<_>>().join(" ");
        assert_eq!(upwards, whole.join(" "), "{sort}: ascending is the reverse order");
    }
    let past = ada.get(&format!("{AGENTS}?page=9")).await;
    assert_eq!((past.json["data"].to_string().as_str(), &past.json["meta"]["total"]), ("[]", &25.into()));
    let far_past = ada.get(&format!("{AGENTS}?page=2147483647&perPage=100")).await;
    assert_eq!((far_past.status.as_str(), far_past.json["data"].to_string().as_str()), ("200 OK", "[]"));
}

#[tokio::test]
async fn filters_search_and_count_what_they_find() {
    let app = TestApp::start().await;
    let account = app.account("ada");
    let agents = [
        ("STRASSE", RequestedStatus::Published, AgentType::Single),
        ("Straße", RequestedStatus::Paused, AgentType::Multiple),
        ("ΣΊΣΥΦΟΣ", RequestedStatus::Archived, AgentType::Single),
        ("100% sure", RequestedStatus::Published, AgentType::Multiple),
    ];
    for (name, intent, r#type) in agents {
        let set = |agent: &mut domain::agent::Agent| (agent.intent, agent.r#type) = (intent, r#type);
        AgentBuilder::new(account, name).with(set).insert(&app).await;
    }
    let cases = [
        ("search=straSSe", vec!["STRASSE", "Straße"]),
        ("search=%CF%83%CE%AF%CF%83%CF%85%CF%86%CE%BF%CF%82", vec!["ΣΊΣΥΦΟΣ"]),
        ("search=100%25", vec!["100% sure"]),
        ("search=", vec!["100% sure", "STRASSE", "Straße", "ΣΊΣΥΦΟΣ"]),
        ("search=nothing", vec![]),
        ("status=paused,archived", vec!["Straße", "ΣΊΣΥΦΟΣ"]),
        ("type=single", vec!["STRASSE", "ΣΊΣΥΦΟΣ"]),
        ("type=single,multiple&status=published", vec!["100% sure", "STRASSE"]),
        ("search=strasse&status=paused&type=multiple", vec!["Straße"]),
        ("status=needs_attention", vec![]),
    ];
    for (query, expected) in cases {
        assert_eq!(names(&app, &format!("{query}&sort=name&order=asc")).await, expected, "{query}");
    }
    let page = app.person("ada").get(&format!("{AGENTS}?search=s&perPage=2&page=2")).await;
    assert_eq!(page.json["meta"], serde_json::json!({"page": 2, "perPage": 2, "total": 3, "totalPages": 2}));
    assert_eq!(page.json["data"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn agents_private_to_a_workflow_are_readable_but_not_listed() {
    let app = TestApp::start().await;
    let (ada, account) = (app.person("ada"), app.account("ada"));
    let workflow: WorkflowId = ada.post("/builder/v1/workflows").await.id().parse().unwrap();
    let private = AgentBuilder::new(account, "private").with(|agent| {
        agent.scope = AgentScope::Workflow(workflow, PrivateAgentKind::Team);
        agent.r#type = AgentType::Multiple;
    });
    let private = private.insert(&app).await;
    app.agents().count_requests(account, private.id, 2, Uuid::now_v7()).await.unwrap();

    for query in ["", "?search=private", "?sort=requests"] {
        let list = ada.get(&format!("{AGENTS}{query}")).await;
        assert_eq!((list.json["data"].to_string().as_str(), &list.json["meta"]["total"]), ("[]", &0.into()));
    }
    let path = format!("{AGENTS}/{}", private.id);
    let shown = ada.get(&path).await;
    assert_eq!(shown.json["data"]["scope"], "workflow");
    assert_eq!(shown.json["data"]["workflowId"], workflow.to_string());
    assert_eq!(shown.json["data"]["requests"], 2);
    assert_eq!(ada.patch(&path, serde_json::json!({"name": "renamed"})).await.json["data"]["name"], "renamed");
    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    let list = ada.get(AGENTS).await;
    assert_eq!(list.json["meta"]["total"], 0, "a private agent is not part of the total");
    app.platform.drain().await;
}

#[tokio::test]
async fn invalid_parameters_are_refused_by_name() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let wrong = [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=x", "page"),
        ("page=%2B1", "page"),
        ("page=1&page=2", "page"),
        ("page=2147483648", "page"),
        ("perPage=0", "perPage"),
        ("perPage=101", "perPage"),
        ("sort=age", "sort"),
        ("order=up", "order"),
        ("status=published,happy", "status"),
        ("status=", "status"),
        ("status=published,", "status"),
        ("type=team", "type"),
        ("per_page=3", "per_page"),
        ("%00=1", "\0"),
    ];
    for (query, parameter) in wrong {
        let answer = ada.get(&format!("{AGENTS}?{query}")).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_query"), "{query}");
        let message = answer.json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(parameter), "{query}: {message}");
    }
    let long = ada.get(&format!("{AGENTS}?search={}", "x".repeat(201))).await;
    assert_eq!(long.code(), "invalid_query");
}
