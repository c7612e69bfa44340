//! Previews: a draft is carried out within a request, and nothing is recorded.

mod budgets;
mod dry;
mod effects;
mod limits;
mod pins;
mod refusals;
mod reviews;
mod traces;

use super::*;

async fn create(person: &Person, graph: Value) -> String {
    let created = person.post_json(WORKFLOWS, json!({"name": "Draft", "graph": graph})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    created.id().to_owned()
}

fn preview_path(workflow: &str) -> String {
    format!("{WORKFLOWS}/{workflow}/preview")
}

/// Creates a draft, and previews it.
async fn preview(person: &Person, graph: Value, body: Value) -> Value {
    let workflow = create(person, graph).await;
    let answer = person.post_json(&preview_path(&workflow), body).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

/// Step, state and output of each node.
fn steps(preview: &Value) -> Vec<(&str, &str, &Value)> {
    let nodes = preview["nodes"].as_array().unwrap().iter();
    nodes.map(|node| (node["step"].as_str().unwrap(), node["state"].as_str().unwrap(), &node["output"])).collect()
}

/// The entry of a step.
fn step<'a>(preview: &'a Value, step: &str) -> &'a Value {
    let found = preview["nodes"].as_array().unwrap().iter().find(|node| node["step"] == step);
    found.unwrap_or_else(|| panic!("{step} is not in {preview}"))
}

fn start() -> Value {
    node("start", "input", json!({}))
}

fn end(output: &str) -> Value {
    node("end", "send_result", json!({"output": output}))
}

/// A workflow that asks a model.
fn ask() -> Value {
    let ask = node("ask", "model", json!({"model": "dev-chat", "prompt": "Greet {{ input.name }}"}));
    graph(&[start(), ask, end("{'text': nodes.ask.output}")], &["start.out ask", "ask.out end"])
}

/// The number of calls of models that `ada`'s organization was charged for.
async fn charged_calls(app: &TestApp) -> Value {
    let usage = app.key_client("ada").get("/gateway/v1/billing/usage").await;
    assert_eq!(usage.status, "200 OK", "{}", usage.text);
    usage.json["total_requests"].clone()
}
