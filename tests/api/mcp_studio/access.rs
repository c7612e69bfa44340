//! Who may do what with the studio: exactly what they may do with the API.

use domain::identity::Role;
use serde_json::{Value, json};
use tests::TestApp;
use tests::assistant::Assistant;
use tests::client::{Person, send};

use super::assistant::Studio;
use super::{NOWHERE, STUDIO, WORKFLOWS};
use crate::signin::{Browser, program};

fn echo() -> Value {
    json!({
        "nodes": [{"id": "start", "type": "input"}, {"id": "end", "type": "send_result"}],
        "connections": [{"from": "start", "to": "end"}],
    })
}

/// A published workflow and a run of it.
async fn publish(person: &Person) -> (String, String) {
    let studio = Studio::connect(person).await;
    let created = studio.value("create_workflow", json!({"name": "Secret", "graph": echo()})).await;
    let id = created["workflowId"].as_str().unwrap().to_owned();
    studio.value("publish_workflow", json!({"workflowId": id})).await;
    let run = studio.value("start_run", json!({"workflowId": id, "input": "hidden"})).await;
    (id, run["id"].as_str().unwrap().to_owned())
}

/// The arguments of each tool that names a workflow.
fn calls(id: &str, run: &str) -> Vec<(&'static str, Value)> {
    let of_workflow = |more: Value| {
        let mut arguments = json!({"workflowId": id});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    vec![
        ("get_workflow", of_workflow(json!({}))),
        ("update_draft", of_workflow(json!({"revision": 2, "patch": {"name": "Mine"}}))),
        ("edit_draft", of_workflow(json!({"revision": 2, "nodes": {"end": null}}))),
        ("validate_workflow", of_workflow(json!({}))),
        ("preview_workflow", of_workflow(json!({}))),
        ("diff_workflow", of_workflow(json!({"from": NOWHERE}))),
        ("publish_workflow", of_workflow(json!({}))),
        ("start_run", of_workflow(json!({}))),
        ("get_run", of_workflow(json!({"runId": run}))),
        ("get_trace", of_workflow(json!({"runId": run}))),
        ("list_runs", of_workflow(json!({}))),
        ("list_credentials", of_workflow(json!({}))),
    ]
}

#[tokio::test]
async fn another_tenant_sees_nothing() {
    let app = TestApp::start().await;
    let (id, run) = publish(&app.person("ada")).await;
    for stranger in [app.person("bob"), app.person_of("eve", "globex", Role::Admin)] {
        let studio = Studio::connect(&stranger).await;
        let known: Vec<_> = calls(&id, &run);
        let named: Vec<_> = known.iter().map(|(tool, _)| *tool).collect();
        let with_workflow =
            studio.tools.iter().filter(|(_, tool)| !tool["inputSchema"]["properties"]["workflowId"].is_null());
        for (tool, _) in with_workflow {
            assert!(named.contains(&tool.as_str()), "this test does not call {tool}");
        }
        for (tool, arguments) in known {
            assert_eq!(studio.refusal(tool, arguments).await, (404, "workflow_not_found".to_owned()), "{tool}");
        }
        let listed = studio.value("list_workflows", json!({})).await;
        assert_eq!(listed["workflows"], json!([]));
    }
    let stored = app.person("ada").get(&format!("{WORKFLOWS}/{id}")).await;
    assert_eq!((stored.json["data"]["name"].as_str(), &stored.json["data"]["revision"]), (Some("Secret"), &json!(2)));
}

#[tokio::test]
async fn a_viewer_reads_and_changes_nothing() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let (id, run) = publish(&ada).await;
    let studio = Studio::connect(&bob).await;
    let share = json!({"userId": app.account("bob").user.to_string(), "role": "viewer"});
    let shared = ada.post_json(&format!("{WORKFLOWS}/{id}/members"), share).await;
    assert!(shared.status.starts_with('2'), "{}", shared.text);
    let before = ada.get(&format!("{WORKFLOWS}/{id}")).await;
    let of_editors =
        ["update_draft", "edit_draft", "preview_workflow", "publish_workflow", "start_run", "list_credentials"];
    for (tool, arguments) in calls(&id, &run) {
        match tool {
            tool if of_editors.contains(&tool) => {
                let (status, _) = studio.refusal(tool, arguments).await;
                assert_eq!(status, 403, "{tool}");
            }
            "diff_workflow" => {
                assert_eq!(studio.refusal(tool, arguments).await.0, 404, "the workflow has no such release");
            }
            tool => drop(studio.value(tool, arguments).await),
        }
    }
    let stored = ada.get(&format!("{WORKFLOWS}/{id}")).await;
    assert_eq!(stored.json, before.json);
}

#[tokio::test]
async fn the_scopes_of_a_service_token_hold_for_each_tool() {
    let app = TestApp::start().await;
    let missing = |status| (status, "missing_scope".to_owned());
    let (reader, _) = program(&app, "Reader", &["workflows:read"]).await;
    let studio = Studio::connect(&reader).await;
    assert_eq!(studio.value("list_workflows", json!({})).await["workflows"], json!([]));
    studio.value("list_node_types", json!({})).await;
    assert_eq!(studio.refusal("create_workflow", json!({"graph": echo()})).await, missing(403));
    assert_eq!(studio.refusal("list_models", json!({})).await, missing(403));

    let (builder, _) = program(&app, "Builder", &["workflows:write"]).await;
    let studio = Studio::connect(&builder).await;
    let created = studio.value("create_workflow", json!({"graph": echo()})).await;
    let id = &created["workflowId"];
    studio.value("publish_workflow", json!({"workflowId": id})).await;
    assert_eq!(studio.refusal("start_run", json!({"workflowId": id})).await, missing(403));
    assert_eq!(studio.refusal("list_runs", json!({"workflowId": id})).await, missing(403));

    let (runner, _) = program(&app, "Builder", &["runs:write"]).await;
    let studio = Studio::connect(&runner).await;
    assert_eq!(studio.value("start_run", json!({"workflowId": id})).await["state"], "queued");
    assert_eq!(studio.refusal("get_workflow", json!({"workflowId": id})).await, missing(403));
    // Both tokens act as one account, and a session belongs to the account.
    let (lab, _) = program(&app, "Lab", &["workbenches:read"]).await;
    let studio = Studio::connect(&lab).await;
    assert_eq!(studio.refusal("list_workflows", json!({})).await, missing(403));
}

#[tokio::test]
async fn only_tokens_open_the_studio() {
    let app = TestApp::start().await;
    let list = |person: &Person| Assistant::stateless(person, STUDIO).message("tools/list", json!({})).1;
    let refused = send(list(&app.anonymous())).await;
    let challenge =
        format!("Bearer resource_metadata=\"{}/.well-known/oauth-protected-resource{STUDIO}\"", app.platform.base_url);
    assert_eq!((refused.status.as_str(), refused.header("www-authenticate")), ("401 Unauthorized", Some(&*challenge)));
    let browser = Browser::signed_in(&app, "ada").await;
    let session = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
    let with_cookie = list(&app.anonymous()).header("cookie", session).header("origin", &app.platform.base_url);
    assert_eq!(send(with_cookie).await.status, "401 Unauthorized");
    let of_other_site = list(&app.person("ada")).header("origin", "https://evil.example");
    assert_eq!(send(of_other_site).await.status, "403 Forbidden");

    // A session belongs to the caller who opened it.
    let opened = Studio::connect(&app.person("ada")).await;
    let of_bob = opened.of(&app.person("bob")).send("tools/list", json!({})).await;
    assert_eq!(of_bob.status, "404 Not Found", "{}", of_bob.text);
}
