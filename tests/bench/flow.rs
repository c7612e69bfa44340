//! The workflow of five steps without effects: a webhook, a transformation, a condition, a template, and the answer. And
//! a workflow that makes one HTTP call.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::call::Expected;

const ANSWER: &str = "Ada owes 42";

/// The body of a call.
pub fn request() -> Bytes {
    json!({"name": "Ada", "lines": [40, 2]}).to_string().into()
}

pub fn expected() -> Expected {
    Expected { in_order: vec![ANSWER.to_owned()], anywhere: None }
}

const ANSWER_AFTER_CALL: &str = "The call answered 200";

pub fn expected_after_call() -> Expected {
    Expected { in_order: vec![ANSWER_AFTER_CALL.to_owned()], anywhere: None }
}

/// The graph of Atelier. The webhook is the node `hook`.
pub fn graph() -> Value {
    let fields = json!({"name": "input.name", "total": "sum(input.lines)"});
    let nodes = [
        node("hook", "webhook", json!({})),
        node("total", "transform", json!({"fields": fields})),
        node("check", "condition", json!({"expression": "input.total > 10"})),
        node("text", "template", json!({"template": "{{ input.name }} owes {{ input.total }}"})),
        node("end", "send_result", json!({})),
    ];
    let ports =
        [("hook", "out", "total"), ("total", "out", "check"), ("check", "true", "text"), ("text", "out", "end")];
    connect(&nodes, &ports)
}

/// A graph that calls the mock.
pub fn graph_with_call(mock_port: u16) -> Value {
    let url = format!("http://127.0.0.1:{mock_port}/v1/chat/completions");
    let call = json!({"method": "POST", "url": url, "body": {"type": "json", "value": "{'total': sum(input.lines)}"}});
    let nodes = [
        node("hook", "webhook", json!({})),
        node("call", "http", call),
        node("text", "template", json!({"template": "The call answered {{ input.status }}"})),
        node("end", "send_result", json!({})),
    ];
    connect(&nodes, &[("hook", "out", "call"), ("call", "out", "text"), ("text", "out", "end")])
}

fn node(id: &str, kind: &str, config: Value) -> Value {
    json!({"id": id, "type": kind, "name": "", "config": config})
}

fn connect(nodes: &[Value], ports: &[(&str, &str, &str)]) -> Value {
    let connections = ports
        .iter()
        .map(|(from, port, to)| json!({"from": {"node": from, "port": port}, "to": {"node": to, "port": "in"}}));
    json!({"nodes": nodes, "connections": connections.collect::<Vec<_>>()})
}

/// The flow of Node-RED, whose webhook is at this path.
pub fn node_red_flow(path: &str) -> Value {
    let total = "const { name, lines } = msg.payload; \
                 msg.payload = { name, total: lines.reduce((sum, line) => sum + line, 0) }; return msg;";
    let rules = json!([{"t": "gt", "v": "10", "vt": "num"}]);
    json!([
        {"id": "tab", "type": "tab", "label": "bench"},
        {"id": "hook", "z": "tab", "type": "http in", "url": path, "method": "post", "wires": [["total"]]},
        {"id": "total", "z": "tab", "type": "function", "func": total, "outputs": 1, "wires": [["check"]]},
        {"id": "check", "z": "tab", "type": "switch", "property": "payload.total", "propertyType": "msg",
         "rules": rules, "outputs": 1, "wires": [["text"]]},
        {"id": "text", "z": "tab", "type": "template", "field": "payload", "fieldType": "msg", "syntax": "mustache",
         "template": "{{payload.name}} owes {{payload.total}}", "output": "str", "wires": [["end"]]},
        {"id": "end", "z": "tab", "type": "http response", "statusCode": "200", "wires": []},
    ])
}
