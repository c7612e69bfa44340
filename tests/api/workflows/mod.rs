//! The workflows API: `/builder/v1/workflows…`.

mod budgets;
mod channels;
mod credentials;
mod definition;
mod exchange;
mod expressions;
mod isolation;
mod offload;
mod publish;
mod random_graphs;
mod services;
mod states;
mod teams;
mod templates;
mod test_call;
mod validate;
mod versions;
mod webhooks;

use serde_json::{Value, json};
use tests::client::{Answer, Person};

const WORKFLOWS: &str = "/builder/v1/workflows";

/// The smallest valid graph: an input and a result.
fn echo() -> Value {
    json!({
        "nodes": [
            {"id": "start", "type": "input", "name": "Start", "config": {}},
            {"id": "end", "type": "send_result", "name": "", "config": {"output": "input"}},
        ],
        "connections": [{"from": {"node": "start", "port": "out"}, "to": {"node": "end", "port": "in"}}],
    })
}

/// The same graph with a template step in between.
fn template_graph(text: &str) -> Value {
    let mut graph = echo();
    let step = json!({"id": "say", "type": "template", "name": "Say", "config": {"template": text}});
    graph["nodes"].as_array_mut().unwrap().push(step);
    graph["connections"] = json!([
        {"from": {"node": "start", "port": "out"}, "to": {"node": "say", "port": "in"}},
        {"from": {"node": "say", "port": "out"}, "to": {"node": "end", "port": "in"}},
    ]);
    graph
}

async fn create_workflow(person: &Person, name: &str, graph: Value) -> String {
    let created = person.post_json(WORKFLOWS, json!({"name": name, "graph": graph})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    created.id().to_owned()
}

/// A credential for channels of Slack.
fn slack_app(name: &str) -> Value {
    json!({"name": name, "type": "slack", "botToken": "xoxb-1", "signingSecret": "s"})
}

/// `POST /workflows/{id}/{what}`
async fn post_action(person: &Person, id: &str, what: &str) -> Answer {
    person.post(&format!("{WORKFLOWS}/{id}/{what}")).await
}

async fn publish_workflow(person: &Person, name: &str) -> String {
    let id = create_workflow(person, name, echo()).await;
    let published = post_action(person, &id, "publish").await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    id
}
