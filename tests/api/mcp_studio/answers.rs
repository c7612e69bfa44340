//! The answers of tools: errors that teach, revisions, repeated calls, and sizes.

use serde_json::{Value, json};
use tests::TestApp;

use super::assistant::Studio;
use super::{NOWHERE, WORKFLOWS};

const MOST_BYTES: usize = 160_000;

#[tokio::test]
async fn an_older_revision_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let studio = Studio::connect(&ada).await;
    let created = studio.value("create_workflow", json!({"name": "First"})).await;
    let id = &created["workflowId"];
    let renamed = json!({"workflowId": id, "revision": created["revision"], "patch": {"name": "Second"}});
    let saved = studio.value("update_draft", renamed.clone()).await;
    assert_ne!(saved["revision"], created["revision"]);
    let stale = (412, "precondition_failed".to_owned());
    assert_eq!(studio.refusal("update_draft", renamed).await, stale);
    let edit = json!({"workflowId": id, "revision": created["revision"], "nodes": {"a": {"type": "input"}}});
    assert_eq!(studio.refusal("edit_draft", edit).await, stale);
    // An edit that does not fit the draft of today is refused for its revision, too.
    let edit = json!({"workflowId": id, "revision": created["revision"], "nodes": {"gone": null}});
    assert_eq!(studio.refusal("edit_draft", edit).await, stale);
    let stored = studio.value("get_workflow", json!({"workflowId": id})).await;
    assert_eq!((&stored["name"], &stored["revision"]), (&json!("Second"), &saved["revision"]));
}

#[tokio::test]
async fn a_repeated_call_creates_and_starts_once() {
    let app = TestApp::start().await;
    let studio = Studio::connect(&app.person("ada")).await;
    let graph = json!({
        "nodes": [{"id": "start", "type": "input"}, {"id": "end", "type": "send_result"}],
        "connections": [{"from": "start", "to": "end"}],
    });
    let new = json!({"graph": graph, "idempotencyKey": "0f0e7a4e-5d0b-4f7a-9a3e-1d2c3b4a5f60"});
    let id = studio.value("create_workflow", new.clone()).await["workflowId"].clone();
    assert_eq!(studio.value("create_workflow", new).await["workflowId"], id);
    let from_template = json!({"template": "expense-approval", "name": "Mine", "idempotencyKey": "0f0e7a4e-5d0b-4f7a-9a3e-1d2c3b4a5f61"});
    let instantiated = studio.value("create_workflow", from_template.clone()).await;
    assert_eq!(instantiated["name"], "Mine");
    assert_eq!(studio.value("create_workflow", from_template).await["workflowId"], instantiated["workflowId"]);
    assert_eq!(studio.value("list_workflows", json!({})).await["page"]["total"], 2);

    studio.value("publish_workflow", json!({"workflowId": id})).await;
    let again = studio.refusal("publish_workflow", json!({"workflowId": id})).await;
    assert_eq!(again, (409, "no_changes".to_owned()));
    let start = json!({"workflowId": id, "input": 1, "idempotencyKey": "run-1"});
    let run = studio.value("start_run", start.clone()).await["id"].clone();
    assert_eq!(studio.value("start_run", start.clone()).await["id"], run);
    let mut other = start;
    other["input"] = 2.into();
    assert_eq!(studio.refusal("start_run", other).await, (409, "idempotency_conflict".to_owned()));
}

#[tokio::test]
async fn wrong_arguments_are_answered_with_the_problem_and_the_fix() {
    let app = TestApp::start().await;
    let studio = Studio::connect(&app.person("ada")).await;
    for (tool, arguments, expected) in [
        ("get_workflow", json!({}), "arguments.workflowId: is missing"),
        ("get_workflow", json!({"workflowID": "x"}), "did you mean `workflowId`?"),
        ("get_workflow", json!({"workflowId": 7}), "arguments.workflowId: must be a string"),
        ("list_node_types", json!({"category": "magic"}), "arguments.category: one of "),
        ("get_node_type", json!({"type": "conditon"}), "did you mean `condition`?"),
        ("get_template", json!({"template": "expense-approval", "part": "/nothing"}), "choose a JSON pointer"),
        ("update_draft", json!({"workflowId": NOWHERE, "revision": 0, "patch": {}}), "arguments.revision: at least 1"),
        ("create_workflow", json!({"template": "faq-chat", "graph": {}}), "give a template, or a graph"),
        ("evaluate_expression", json!({"expression": "input.a >"}), "the expression ends too early"),
        ("create_workflow", json!({"idempotencyKey": "first"}), "arguments.idempotencyKey: must match the pattern"),
    ] {
        let called = studio.call(tool, arguments.clone()).await;
        assert!(called.is_error && called.text.contains(expected), "{tool} {arguments}: {}", called.text);
        assert!(called.value["error"]["message"].is_string(), "{}", called.value);
    }
    for id in ["../agents", "..", "%2e%2e/x?y=1#z", "templates", ""] {
        let called = studio.call("get_workflow", json!({"workflowId": id})).await;
        assert!(called.is_error, "{id}: {}", called.text);
    }
    let unknown = studio.ask("tools/call", json!({"name": "drop_tables", "arguments": {}})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let value =
        studio.value("evaluate_expression", json!({"expression": "input.a * 2", "data": {"input": {"a": 4}}})).await;
    assert_eq!(value["result"], 8);
}

#[tokio::test]
async fn problems_come_in_the_language_of_the_caller() {
    let app = TestApp::start().await;
    let mut studio = Studio::connect(&app.person("ada")).await;
    studio.language = "es";
    let graph = json!({"nodes": [{"id": "start", "type": "imput"}]});
    let created = studio.call("create_workflow", json!({"graph": graph})).await;
    assert!(created.text.contains("tipo de nodo desconocido `imput`; ¿quiso decir `input`?"), "{}", created.text);
    let missing = studio.call("get_workflow", json!({})).await;
    assert!(missing.text.contains("falta"), "{}", missing.text);
}

#[tokio::test]
async fn a_refused_release_lists_every_problem() {
    let app = TestApp::start().await;
    let studio = Studio::connect(&app.person("ada")).await;
    let graph = json!({"nodes": [
        {"id": "start", "type": "input", "config": {"exampel": 1}},
        {"id": "check", "type": "condition", "config": {"expression": "input.a = 1"}},
    ]});
    let created = studio.value("create_workflow", json!({"graph": graph})).await;
    let refused = studio.call("publish_workflow", json!({"workflowId": created["workflowId"]})).await;
    assert!(refused.is_error, "{}", refused.text);
    for expected in ["did you mean `example`?", "missing_output", "unreachable", "invalid_expression"] {
        assert!(refused.text.contains(expected), "{expected}: {}", refused.text);
    }
    let details = refused.value["error"]["details"].as_array().unwrap();
    assert!(details.iter().any(|problem| problem["field"] == "config.exampel" && problem["nodeId"] == "start"));
}

#[tokio::test]
async fn an_answer_about_a_huge_graph_is_bounded_and_leads_to_the_rest() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let studio = Studio::connect(&ada).await;
    let text = "Lorem ipsum dolor sit amet. ".repeat(130);
    let say = |id: usize| json!({"id": format!("say{id}"), "type": "template", "config": {"template": text}});
    let nodes: Vec<Value> = (0..500).map(say).collect();
    let created = studio.value("create_workflow", json!({"graph": {"nodes": nodes}})).await;
    assert!(created.to_string().len() < MOST_BYTES);
    let id = &created["workflowId"];
    let shown = studio.call("get_workflow", json!({"workflowId": id})).await;
    assert!(shown.value.to_string().len() < MOST_BYTES, "{}", shown.value.to_string().len());
    assert!(shown.text.contains("leftOut") && shown.text.contains("`part`"), "{}", shown.text);
    let listed = shown.value["graph"]["nodes"].as_array().unwrap();
    let part = listed.last().unwrap()["leftOut"]["part"].as_str().expect("a marker");
    let rest = studio.value("get_workflow", json!({"workflowId": id, "part": part})).await;
    assert_eq!(rest["value"]["config"]["template"], text);
    let validated = studio.call("validate_workflow", json!({"workflowId": id})).await;
    assert!(validated.value.to_string().len() < MOST_BYTES && validated.text.len() < 10_000);

    // A small edit of a large draft.
    let edit =
        json!({"workflowId": id, "revision": created["revision"], "nodes": {"say7": {"config": {"template": "Hi"}}}});
    studio.value("edit_draft", edit).await;
    let stored = ada.get(&format!("{WORKFLOWS}/{}", id.as_str().unwrap())).await;
    assert_eq!(stored.json["data"]["graph"]["nodes"][7]["config"]["template"], "Hi");
    assert_eq!(stored.json["data"]["graph"]["nodes"].as_array().unwrap().len(), 500);

    let too_many: Vec<Value> = (0..501).map(|id| json!({"id": format!("n{id}"), "type": "template"})).collect();
    let refused = studio.call("create_workflow", json!({"graph": {"nodes": too_many}})).await;
    assert!(refused.is_error && refused.text.contains("at most 500"), "{}", refused.text);
    let too_large = studio
        .send("tools/call", json!({"name": "create_workflow", "arguments": {"name": "x".repeat(5_000_000)}}))
        .await;
    assert_eq!(too_large.status, "413 Payload Too Large");
}

#[tokio::test]
async fn credentials_are_listed_without_their_secrets() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let studio = Studio::connect(&ada).await;
    let id = studio.value("create_workflow", json!({})).await["workflowId"].as_str().unwrap().to_owned();
    let bearer = json!({"name": "CRM", "type": "bearer", "token": "very-secret-value"});
    let path = format!("{WORKFLOWS}/{id}/webhook-credentials/outbound");
    let created = ada.post_json(&path, bearer).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let listed = studio.value("list_credentials", json!({"workflowId": id})).await;
    assert_eq!((&listed["outbound"][0]["id"], &listed["outbound"][0]["name"]), (&json!(created.id()), &json!("CRM")));
    assert!(!listed.to_string().contains("very-secret"), "{listed}");
    let agent = ada.post_json("/builder/v1/agents", json!({"name": "Helper", "type": "dynamic"})).await;
    let agents = studio.value("list_agents", json!({})).await;
    assert_eq!(agents["agents"].as_array().map(Vec::len), Some(usize::from(agent.status.starts_with('2'))), "{agents}");
    let models = studio.value("list_models", json!({"search": "dev-chat"})).await;
    assert_eq!(models["models"][0]["name"], "dev-chat", "{models}");
}
