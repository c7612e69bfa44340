//! Builds graphs for tests.

use domain::graph::Graph;
use serde_json::{Value, json};

/// Builds a graph. Nodes are `(id, type, config)`, connections are `from.port>to.port`; the ports `out` and `in` may be
/// omitted.
pub fn graph(nodes: &[(&str, &str, Value)], connections: &str) -> Graph {
    let nodes: Vec<Value> =
        nodes.iter().map(|(id, kind, config)| json!({"id": id, "type": kind, "name": "", "config": config})).collect();
    let end = |text: &str, port: &str| match text.split_once('.') {
        Some((node, port)) => json!({"node": node, "port": port}),
        None => json!({"node": text, "port": port}),
    };
    let connections: Vec<Value> = connections
        .split_whitespace()
        .map(|text| text.split_once('>').unwrap())
        .map(|(from, to)| json!({"from": end(from, "out"), "to": end(to, "in")}))
        .collect();
    serde_json::from_value(json!({"nodes": nodes, "connections": connections})).unwrap()
}
