//! The workflows that are measured: five steps without effects, and five HTTP calls one after another.

use bytes::Bytes;
use clap::ValueEnum;
pub use local::cost::graphs::node;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::mock;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub enum Flow {
    /// A webhook, a transformation, a condition, a template, and the answer
    Pure,
    /// Five HTTP calls: each sends the value that the one before answered
    Calls,
}

/// What starts a workflow: the type of its first node.
#[derive(Clone, Copy)]
pub enum Trigger {
    Webhook,
    Input,
}

/// The number of calls of [`Flow::Calls`].
pub const CALLS: usize = 5;

/// The input of a run.
pub fn input() -> Value {
    json!({"name": "Ada", "lines": [40, 2]})
}

pub fn request() -> Bytes {
    input().to_string().into()
}

impl Flow {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Calls => "calls",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Pure => "five steps without effects",
            Self::Calls => "five HTTP calls",
        }
    }

    /// The answer. Every call adds 1 to the value that it gets.
    pub fn answer(self) -> &'static str {
        match self {
            Self::Pure => "Ada owes 42",
            Self::Calls => "The total is 47",
        }
    }

    /// The graph of Atelier. Its first node is `hook`.
    pub fn graph(self, trigger: Trigger, mock_port: u16) -> Value {
        let steps = match self {
            Self::Pure => pure_steps(),
            Self::Calls => calling_steps(mock_port),
        };
        let trigger = match trigger {
            Trigger::Webhook => "webhook",
            Trigger::Input => "input",
        };
        let mut nodes = vec![node("hook", trigger, json!({}))];
        nodes.extend(steps);
        nodes.push(node("end", "send_result", json!({})));
        let connections = nodes.windows(2).map(|pair| {
            let port = if pair[0]["type"] == "condition" { "true" } else { "out" };
            connect(pair[0]["id"].clone(), port, pair[1]["id"].clone(), "in")
        });
        json!({"connections": connections.collect::<Vec<_>>(), "nodes": nodes})
    }

    /// The flow of Node-RED, whose webhook is at this path.
    pub fn node_red_flow(self, path: &str, mock_port: u16) -> Value {
        let mut nodes = vec![json!({"id": "hook", "type": "http in", "url": path, "method": "post"})];
        nodes.extend(match self {
            Self::Pure => pure_node_red_steps(),
            Self::Calls => calling_node_red_steps(mock_port),
        });
        nodes.push(json!({"id": "end", "type": "http response", "statusCode": "200", "wires": []}));
        for index in 0..nodes.len() {
            nodes[index]["z"] = "tab".into();
            if let Some(next) = nodes.get(index + 1).map(|next| next["id"].clone()) {
                nodes[index]["wires"] = json!([[next]]);
            }
        }
        nodes.insert(0, json!({"id": "tab", "type": "tab", "label": "bench"}));
        nodes.into()
    }
}

/// Connects a port of a node with a port of another one.
pub fn connect(from: impl Into<Value>, port: &str, to: impl Into<Value>, to_port: &str) -> Value {
    json!({"from": {"node": from.into(), "port": port}, "to": {"node": to.into(), "port": to_port}})
}

/// A node that calls the mock with the value of an expression.
pub fn step_node(id: &str, value: &str, mock_port: u16) -> Value {
    let body = json!({"type": "json", "value": format!("{{'value': {value}}}")});
    node(id, "http", json!({"method": "POST", "url": mock::step_url(mock_port), "body": body}))
}

fn pure_steps() -> Vec<Value> {
    let fields = json!({"name": "input.name", "total": "sum(input.lines)"});
    vec![
        node("total", "transform", json!({"fields": fields})),
        node("check", "condition", json!({"expression": "input.total > 10"})),
        node("text", "template", json!({"template": "{{ input.name }} owes {{ input.total }}"})),
    ]
}

fn calling_steps(mock_port: u16) -> Vec<Value> {
    let call = |number| {
        let value = if number == 1 { "sum(input.lines)" } else { "input.body.value" };
        step_node(&format!("call{number}"), value, mock_port)
    };
    let text = node("text", "template", json!({"template": "The total is {{ input.body.value }}"}));
    (1..=CALLS).map(call).chain([text]).collect()
}

fn pure_node_red_steps() -> Vec<Value> {
    let total = "const { name, lines } = msg.payload; \
                 msg.payload = { name, total: lines.reduce((sum, line) => sum + line, 0) }; return msg;";
    let rules = json!([{"t": "gt", "v": "10", "vt": "num"}]);
    vec![
        json!({"id": "total", "type": "function", "func": total, "outputs": 1}),
        json!({"id": "check", "type": "switch", "property": "payload.total", "propertyType": "msg", "rules": rules,
               "outputs": 1}),
        node_red_text("{{payload.name}} owes {{payload.total}}"),
    ]
}

fn calling_node_red_steps(mock_port: u16) -> Vec<Value> {
    let total = "msg.payload = { value: msg.payload.lines.reduce((sum, line) => sum + line, 0) }; return msg;";
    let call = |number| {
        json!({"id": format!("call{number}"), "type": "http request", "method": "POST", "ret": "obj",
               "paytoqs": "ignore", "url": mock::step_url(mock_port)})
    };
    let first = json!({"id": "total", "type": "function", "func": total, "outputs": 1});
    let steps = [first].into_iter().chain((1..=CALLS).map(call));
    steps.chain([node_red_text("The total is {{payload.value}}")]).collect()
}

fn node_red_text(template: &str) -> Value {
    json!({"id": "text", "type": "template", "field": "payload", "fieldType": "msg", "syntax": "mustache",
           "template": template, "output": "str"})
}
