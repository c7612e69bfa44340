//! One run with a long loop, without effects or with a call in each iteration.

use serde_json::{Value, json};

use super::Scenario;
use super::run::{Workflow, milliseconds};
use crate::Result;
use crate::atelier::Platform;
use crate::flow::{connect, node, step_node};

const CONCURRENCY: u32 = 20;

pub struct LongLoop {
    items: u32,
    has_calls: bool,
    workflow: Workflow,
}

pub async fn publish(platform: &Platform, items: u32, mock_port: u16) -> Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    for has_calls in [false, true] {
        let workflow = Workflow::publish(platform, &graph(0, items, has_calls, mock_port)).await?;
        scenarios.push(Scenario::Loop(LongLoop { items, has_calls, workflow }));
    }
    Ok(scenarios)
}

/// A pause and a loop, whose output is the number of results.
pub fn graph(pause_s: u32, items: u32, has_calls: bool, mock_port: u16) -> Value {
    let item = match has_calls {
        true => step_node("item", "vars.index", mock_port),
        false => node("item", "transform", json!({"fields": {"value": "vars.index * 2"}})),
    };
    let mut nodes = vec![
        node("start", "input", json!({})),
        node("items", "loop", json!({"items": format!("range({items})"), "concurrency": CONCURRENCY})),
        item,
        node("end", "send_result", json!({"output": "size(input)"})),
    ];
    let mut connections = vec![
        connect("items", "item", "item", "in"),
        connect("item", "out", "items", "next"),
        connect("items", "done", "end", "in"),
    ];
    if pause_s == 0 {
        connections.push(connect("start", "out", "items", "in"));
    } else {
        nodes.push(node("pause", "delay", json!({"seconds": pause_s})));
        connections.extend([connect("start", "out", "pause", "in"), connect("pause", "out", "items", "in")]);
    }
    json!({"nodes": nodes, "connections": connections})
}

impl LongLoop {
    pub fn title(&self) -> String {
        let what = if self.has_calls { "with a call in each" } else { "without effects" };
        format!("a loop of {} items {what}, start to end", self.items)
    }

    pub async fn execute(&self) -> Result<(usize, Vec<f64>)> {
        let run = self.workflow.start().await?;
        let ended = self.workflow.end(&run).await?;
        Ok((1, vec![milliseconds(run.sent, ended)]))
    }
}
