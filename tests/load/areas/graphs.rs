//! The workflows of the visits.

pub use local::cost::graphs::node;
use serde_json::{Value, json};
use tests::process::Result;

use crate::visitor::Visitor;

pub const WORKFLOW: &str = "/builder/v1/workflows/{id}";
const WORKFLOWS: &str = "/builder/v1/workflows";
const PUBLISH: &str = "/builder/v1/workflows/{id}/publish";

/// A graph whose nodes follow each other.
pub fn chain(nodes: &[Value]) -> Value {
    let connections = nodes.windows(2).map(|pair| {
        let port = if pair[0]["type"] == "review" { "approved" } else { "out" };
        json!({"from": {"node": pair[0]["id"], "port": port}, "to": {"node": pair[1]["id"], "port": "in"}})
    });
    json!({"connections": connections.collect::<Vec<_>>(), "nodes": nodes})
}

/// Computes the total of an order, and sends it to another system.
pub fn order(trigger: &str, visitor: &Visitor) -> Value {
    let body = json!({"type": "json", "value": "{'total': input.total}"});
    let url = &visitor.platform.receiver;
    chain(&[
        node("start", trigger, json!({})),
        node("total", "transform", json!({"fields": {"name": "input.name", "total": "sum(input.lines)"}})),
        node("send", "http", json!({"method": "POST", "url": url, "body": body})),
        node("text", "template", json!({"template": "The total is {{ nodes.total.output.total }}"})),
        node("end", "send_result", json!({})),
    ])
}

pub fn input() -> Value {
    json!({"name": "Ada", "lines": [40, 2]})
}

/// Creates a workflow, which the next calls are about.
pub async fn create(visitor: &mut Visitor, graph: &Value) -> Result<()> {
    let body = json!({"name": format!("Of {}", visitor.name), "graph": graph});
    let created = visitor.post(WORKFLOWS, body).await?;
    visitor.set("id", &created["data"]["id"])
}

pub async fn publish(visitor: &Visitor) -> Result<()> {
    visitor.post(PUBLISH, json!({})).await.map(drop)
}

pub async fn create_published(visitor: &mut Visitor, graph: &Value) -> Result<()> {
    create(visitor, graph).await?;
    publish(visitor).await
}

pub async fn delete(visitor: &Visitor) -> Result<()> {
    visitor.delete(WORKFLOW).await.map(drop)
}
