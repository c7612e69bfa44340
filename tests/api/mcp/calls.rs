//! Calls of workflows, which are runs.

use super::*;
use crate::conversations::stage::Stage;
use crate::runs::{double, graph, node, refund};
use domain::messaging::MessagingProvider;

pub fn greet() -> Value {
    let schema = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}});
    let start = node("start", "input", json!({"schema": schema}));
    let text = node("text", "template", json!({"template": "Hello {{ input.name }}"}));
    graph(&[start, text, node("end", "send_result", json!({}))], &["start.out text", "text.out end"])
}

#[tokio::test]
async fn a_call_is_a_run_whose_starter_is_known() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = publish_tool(&ada, "greet", greet()).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let tools = assistant.tools().await;
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["name"]), "the input of the workflow");
    let output = &tools[0]["outputSchema"]["properties"]["output"];
    assert_eq!(output, &json!({"anyOf": [{"type": "null"}, {"type": "string"}]}));
    let result = call(&app, &assistant, "greet", json!({"name": "Ada"})).await;
    let content = &result["structuredContent"];
    assert_eq!((&content["state"], &content["output"]), (&json!("completed"), &json!("Hello Ada")));
    assert_eq!(result["content"], json!([{"type": "text", "text": "Hello Ada"}]));
    let run = ada.get(&format!("{path}/runs/{}", content["runId"].as_str().unwrap())).await;
    let run = &run.json["data"];
    assert_eq!(run["origin"], "mcp");
    let client = json!({"name": "test-client", "version": "1.2.3"});
    assert_eq!(run["startedBy"], json!({"userId": app.account("ada").user.to_string(), "client": client}));
    let listed = ada.get(&format!("{path}/runs?origin=mcp")).await;
    assert_eq!(listed.column("id"), [content["runId"].as_str().unwrap()]);
    assert_eq!(ada.get(&format!("{path}/runs?origin=manual")).await.json["data"], json!([]));
}

#[tokio::test]
async fn a_masked_input_is_used_and_not_stored() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let start = node("start", "input", json!({"redact": ["output.card"]}));
    let end = node("end", "send_result", json!({"output": "input.card.endsWith('1111')"}));
    publish_tool(&ada, "pay", graph(&[start, end], &["start.out end"])).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let result = call(&app, &assistant, "pay", json!({"input": {"card": "4111 1111 1111 1111"}})).await;
    assert_eq!(result["structuredContent"]["output"], true, "{result}");
    assert!(!crate::runs::masks::stored(&app).await.contains("4111 1111"));
}

#[tokio::test]
async fn the_version_without_sessions_calls_tools_too() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = publish_tool(&ada, "greet", greet()).await;
    let assistant = Assistant::stateless(&ada, MCP);
    let discovered = assistant.ask("server/discover", json!({})).await;
    assert!(discovered["result"]["capabilities"]["tools"].is_object(), "{discovered}");
    assert_eq!(assistant.tools().await[0]["name"], "greet");
    let result = call(&app, &assistant, "greet", json!({"name": "Bob"})).await;
    assert_eq!(result["structuredContent"]["output"], "Hello Bob", "{result}");
    let run = ada.get(&format!("{path}/runs/{}", result["structuredContent"]["runId"].as_str().unwrap())).await;
    assert_eq!(run.json["data"]["startedBy"]["client"]["version"], "4.5.6", "{}", run.text);
}

#[tokio::test]
async fn wrong_arguments_are_explained_to_the_assistant() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    publish_tool(&ada, "greet", greet()).await;
    publish_tool(&ada, "double", double()).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    for (tool, arguments, part) in [
        ("greet", json!({}), "name"),
        ("greet", json!({"name": 5}), "name"),
        ("double", json!({"n": 5}), "input"),
        ("get_run", json!({"runId": "none"}), "runId"),
        ("get_run", json!({"runId": crate::runs::NOWHERE}), "run"),
    ] {
        let result = assistant.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(part), "{text}");
    }
    let unknown = assistant.ask("tools/call", json!({"name": "nothing"})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let method = assistant.ask("resources/list", json!({})).await;
    assert_eq!(method["error"]["code"], -32601, "{method}");
}

#[tokio::test]
async fn a_failed_run_is_an_error_that_names_the_node() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fail = node("stop", "fail", json!({"message": "no stock left"}));
    let nodes = [node("start", "input", json!({})), fail, node("end", "send_result", json!({}))];
    let fails = graph(&nodes, &["start.out stop", "start.out end"]);
    publish_tool(&ada, "fails", fails).await;
    let result = call(&app, &Assistant::connect(&ada, MCP).await, "fails", json!({})).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(result["isError"] == true && text.contains("no stock left") && text.contains("node stop"), "{result}");
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_is_reported_and_its_result_is_read_later() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let path = publish_tool(&ada, "refund", refund()).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let result = call(&app, &assistant, "refund", json!({"input": {"amount": 5}})).await;
    assert_eq!(result["structuredContent"]["state"], "paused", "{result}");
    let run = result["structuredContent"]["runId"].clone();
    let run_path = format!("{path}/runs/{}", run.as_str().unwrap());
    let waiting = assistant.call("get_run", json!({"runId": run})).await;
    assert_eq!(waiting["structuredContent"]["state"], "paused");
    ada.post_json(&format!("{run_path}/resolve-wait"), json!({"decision": "approve"})).await;
    app.platform.drain().await;
    let ended = assistant.call("get_run", json!({"runId": run})).await;
    assert_eq!(ended["structuredContent"]["output"]["decision"], "approved", "{ended}");
    let foreign = Assistant::connect(&bob, MCP).await.call("get_run", json!({"runId": run})).await;
    assert!(foreign["isError"] == true && !foreign.to_string().contains("approved"), "{foreign}");
}

#[tokio::test]
async fn a_message_starts_a_workflow_of_a_channel() {
    let echo = graph(
        &[node("ask", "message", json!({})), node("end", "send_result", json!({"output": "input.text"}))],
        &["ask.out end"],
    );
    let stage = Stage::start(MessagingProvider::Http, echo).await;
    let marked = stage.ada.put(&format!("{}/tool", stage.workflow), json!({"name": "chat"})).await;
    assert_eq!(marked.status, "200 OK", "{}", marked.text);
    let assistant = Assistant::connect(&stage.ada, MCP).await;
    assert_eq!(assistant.tools().await[0]["inputSchema"]["required"], json!(["message"]));
    let result = call(&stage.app, &assistant, "chat", json!({"message": "Hi"})).await;
    assert_eq!(result["structuredContent"]["output"], "Hi", "{result}");
    let refused = assistant.call("chat", json!({"message": ""})).await;
    assert_eq!(refused["isError"], true, "{refused}");
}
