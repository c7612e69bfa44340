//! The graphs of workflows that scenarios carry out. Tests use them too, so they measure the same workflows.

use serde_json::{Value, json};

pub fn node(id: &str, r#type: &str, config: Value) -> Value {
    json!({"id": id, "type": r#type, "name": "", "config": config})
}

/// A connection such as `start.out end`.
pub fn connection(text: &str) -> Value {
    let (from, to) = text.split_once(' ').expect("a connection has two ends");
    let (node, port) = from.split_once('.').expect("a connection begins at a port");
    json!({"from": {"node": node, "port": port}, "to": {"node": to, "port": "in"}})
}

pub fn graph(nodes: &[Value], connections: &[&str]) -> Value {
    let connections: Vec<Value> = connections.iter().map(|text| connection(text)).collect();
    json!({"nodes": nodes, "connections": connections})
}

/// A workflow that asks a person. Its output is what the review gave.
pub fn refund() -> Value {
    let fields = json!([
        {"name": "amount", "label": "Amount", "type": "number", "value": "input.amount", "required": true},
        {"name": "note", "type": "text"},
    ]);
    let config = json!({"title": "Refund {{ input.amount }}?", "message": "For Ada", "fields": fields});
    let end = node("end", "send_result", json!({"output": "nodes.check.output"}));
    let ports = ["start.out check", "check.approved end", "check.rejected end", "check.expired end"];
    graph(&[node("start", "input", json!({})), node("check", "review", config), end], &ports)
}
