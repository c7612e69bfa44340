//! Tests of a workflow in a conversation, `/builder/v1/workflows/{id}/test-agent`.

mod agent;
mod budgets;
mod goals;
mod refusals;
mod sandbox;
mod scripts;

use super::stage::{Stage, echo};
use super::*;

/// Creates a draft, and returns its path.
async fn create(person: &Person, graph: Value) -> String {
    let created = person.post_json(WORKFLOWS, json!({"name": "Draft", "graph": graph})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    format!("{WORKFLOWS}/{}", created.id())
}

fn test_path(workflow: &str) -> String {
    format!("{workflow}/test-agent")
}

/// Runs a test, and returns its report.
async fn run_test(person: &Person, workflow: &str, body: Value) -> Value {
    let answer = person.post_json(&test_path(workflow), body).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

/// A field of each turn.
fn column<'a>(report: &'a Value, field: &str) -> Vec<&'a Value> {
    report["turns"].as_array().unwrap().iter().map(|turn| &turn[field]).collect()
}

/// A graph that begins with a `message` node, followed by these nodes in their order.
fn chain(nodes: &[Value]) -> Value {
    let all: Vec<Value> = [node("ask", "message", json!({}))].into_iter().chain(nodes.iter().cloned()).collect();
    let id = |node: &Value| node["id"].as_str().unwrap().to_owned();
    let connections: Vec<String> =
        all.windows(2).map(|pair| format!("{}.out {}", id(&pair[0]), id(&pair[1]))).collect();
    graph(&all, &connections.iter().map(String::as_str).collect::<Vec<_>>())
}

fn reply(id: &str, text: &str) -> Value {
    node(id, "send_message", json!({"text": text}))
}
