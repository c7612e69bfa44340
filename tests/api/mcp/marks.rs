//! What is a tool: nothing that its owner did not mark, and nothing that the caller may not run.

use super::*;
use crate::runs::{double, graph, node};
use tests::client::refusal;

#[tokio::test]
async fn only_what_its_owner_marked_is_a_tool() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    publish(&ada, double()).await;
    assert!(tool_names(&ada).await.is_empty(), "nothing is marked");
    let path = publish_tool(&ada, "double_it", double()).await;
    assert_eq!(tool_names(&ada).await, ["double_it"]);
    let read = ada.get(&path).await;
    assert_eq!(read.json["data"]["tool"], json!({"name": "double_it", "description": null}));
    let unmarked = ada.delete(&format!("{path}/tool")).await;
    assert_eq!((unmarked.status.as_str(), &unmarked.json["data"]["tool"]), ("200 OK", &Value::Null));
    assert!(tool_names(&ada).await.is_empty());
    let refused = Assistant::connect(&ada, MCP).await.ask("tools/call", json!({"name": "double_it"})).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[tokio::test]
async fn a_name_is_made_from_that_of_the_workflow_and_is_unique() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for _ in 0..2 {
        let id = publish(&ada, double()).await;
        let path = format!("{WORKFLOWS}/{id}");
        ada.patch(&path, json!({"name": "¿Doble o nada?"})).await;
        assert_eq!(ada.put(&format!("{path}/tool"), json!({})).await.status, "200 OK");
    }
    publish_tool(&ada, "get_run", double()).await;
    assert_eq!(tool_names(&ada).await, ["Doble_o_nada", "Doble_o_nada_2", "get_run_2"]);
    let path = publish_tool(&ada, "x", double()).await;
    for (body, problem) in [
        (json!({"name": "with space"}), "name"),
        (json!({"name": "x".repeat(65)}), "name"),
        (json!({"description": "x".repeat(1001)}), "description"),
        (json!({"unknown": 1}), "unknown"),
    ] {
        let refused = ada.put(&format!("{path}/tool"), body).await;
        assert_eq!(refused.status, "400 Bad Request", "{}", refused.text);
        assert!(refused.text.contains(problem), "{}", refused.text);
    }
}

#[tokio::test]
async fn a_tool_is_what_runs_now_and_begins_with_an_input_or_a_message() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = publish_tool(&ada, "paused", double()).await;
    assert_eq!(tool_names(&ada).await, ["paused"]);
    ada.post(&format!("{path}/pause")).await;
    assert!(tool_names(&ada).await.is_empty());
    let assistant = Assistant::connect(&ada, MCP).await;
    let refused = assistant.call("paused", json!({"input": {"n": 1}})).await;
    assert_eq!(refused["isError"], true);
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("workflow_paused") && text.contains("resume it"), "{text}");
    let draft = ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": double()})).await;
    ada.put(&format!("{WORKFLOWS}/{}/tool", draft.id()), json!({"name": "draft"})).await;
    let hook = graph(&[node("hook", "webhook", json!({})), node("end", "send_result", json!({}))], &["hook.out end"]);
    let hook = ada.post_json(WORKFLOWS, json!({"name": "Hook", "graph": hook})).await;
    ada.put(&format!("{WORKFLOWS}/{}/tool", hook.id()), json!({"name": "hook"})).await;
    ada.post(&format!("{WORKFLOWS}/{}/publish", hook.id())).await;
    assert!(tool_names(&ada).await.is_empty());
}

#[tokio::test]
async fn members_who_may_run_a_workflow_have_its_tool_and_nobody_else() {
    let app = TestApp::start().await;
    let (ada, bob, eve) =
        (app.person("ada"), app.person("bob"), app.person_of("eve", "globex", domain::identity::Role::Member));
    for person in [&bob, &eve] {
        assert!(tool_names(person).await.is_empty());
    }
    let path = publish_tool(&ada, "shared", double()).await;
    let share = async |role: &str| {
        let member = json!({"userId": app.account("bob").user.to_string(), "role": role});
        let shared = ada.post_json(&format!("{path}/members"), member).await;
        assert!(shared.status.starts_with("20"), "{}", shared.text);
        app.platform.drain().await;
    };
    share("viewer").await;
    assert!(tool_names(&bob).await.is_empty(), "a viewer may not run it");
    share("operator").await;
    assert_eq!(tool_names(&bob).await, ["shared"]);
    let result = call(&app, &Assistant::connect(&bob, MCP).await, "shared", json!({"input": {"n": 4}})).await;
    assert_eq!(result["structuredContent"]["output"]["doubled"], 8, "{result}");
    let run = ada.get(&format!("{path}/runs/{}", result["structuredContent"]["runId"].as_str().unwrap())).await;
    assert_eq!(run.json["data"]["startedBy"]["userId"], app.account("bob").user.to_string(), "{}", run.text);
    assert!(tool_names(&eve).await.is_empty());
    for person in [&bob, &eve] {
        let refused = person.put(&format!("{path}/tool"), json!({"name": "mine"})).await;
        assert!(matches!(refusal(&refused), ("403", "not_owner") | ("404", "workflow_not_found")), "{}", refused.text);
    }
    let removed = ada.delete(&format!("{path}/members/{}", app.account("bob").user)).await;
    assert!(removed.status.starts_with("20"), "{}", removed.text);
    app.platform.drain().await;
    assert!(tool_names(&bob).await.is_empty());
}

#[tokio::test]
async fn agents_are_tools_if_they_are_marked() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let created = ada.post("/builder/v1/agents").await;
    let path = format!("/builder/v1/agents/{}", created.id());
    ada.patch(&path, json!({"name": "Helper", "description": "Helps with everything."})).await;
    assert!(tool_names(&ada).await.is_empty());
    let marked = ada.put(&format!("{path}/tool"), json!({"name": "ask_helper"})).await;
    assert_eq!(marked.json["data"]["tool"]["name"], "ask_helper", "{}", marked.text);
    let assistant = Assistant::connect(&ada, MCP).await;
    let tools = assistant.tools().await;
    assert_eq!((&tools[0]["name"], &tools[0]["description"]), (&json!("ask_helper"), &json!("Helps with everything.")));
    let (id, mut stream) = assistant.begin_call("ask_helper", json!({"message": "Hello"})).await;
    let mut progress = Vec::new();
    let result = loop {
        let message = stream.next().await.unwrap().data;
        if message["id"] == id {
            break message["result"].clone();
        }
        progress.extend(message["params"]["progress"].as_f64());
    };
    assert!(!progress.is_empty() && progress.is_sorted(), "{progress:?}");
    let output = result["structuredContent"]["output"].as_str().unwrap();
    assert!(output.contains("Hello"), "{result}");
    assert_eq!(result["content"][0]["text"], output);
    let invocations = ada.get(&format!("{path}/invocations")).await;
    assert_eq!(invocations.column("id"), [result["structuredContent"]["invocationId"].as_str().unwrap()]);
    ada.delete(&format!("{path}/tool")).await;
    assert!(tool_names(&ada).await.is_empty());
}
