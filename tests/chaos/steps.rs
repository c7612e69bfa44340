//! The parts of mixed graphs. A graph is a chain of parts; each begins at the end of the one before.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::graphs::{Exit, GraphBuilder};
use crate::mcp_witness::{ONCE, WITNESS_TOOL};

/// A part adds its nodes after the exits, and returns its own exits. The id of each of its nodes begins with the prefix.
type Part = fn(&mut GraphBuilder, &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit>;

const PARTS: [Part; 9] = [calls, parallel, race, each_item, pause, failure, model, branches, call_tools];

/// What graphs refer to.
pub struct Helpers<'a> {
    /// An agent whose tool is the witness.
    pub agent: &'a str,
    /// Another workflow. Without one, a graph has no reviews: nobody follows the runs that other runs start.
    pub callee: Option<&'a str>,
}

/// Adds up to four parts.
pub fn add_parts(graph: &mut GraphBuilder, random: &mut Rng, from: Vec<Exit>, helpers: &Helpers) -> Vec<Exit> {
    let mut exits = from;
    for place in 0..random.usize(1..=4) {
        let prefix = format!("p{place}");
        exits = match (helpers.callee, random.u8(0..7)) {
            (Some(callee), 0) => run_workflow(graph, callee, &prefix, &exits),
            (Some(_), 1) => review(graph, &prefix, &exits),
            (_, 2) => ask_agent(graph, helpers.agent, &prefix, &exits),
            _ => PARTS[random.usize(0..PARTS.len())](graph, random, &prefix, &exits),
        };
    }
    exits
}

/// Another workflow, for whose end the run waits.
fn run_workflow(graph: &mut GraphBuilder, callee: &str, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let id = format!("{prefix}_run");
    graph.node(&id, "workflow", json!({"workflowId": callee, "input": "{'from': run.id}"}));
    graph.connect(from, &id);
    vec![id]
}

/// A chain of calls.
fn calls(graph: &mut GraphBuilder, random: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let mut exits = from.to_vec();
    for place in 0..random.usize(1..=3) {
        exits = call(graph, &format!("{prefix}_call{place}"), &exits);
    }
    exits
}

fn call(graph: &mut GraphBuilder, id: &str, from: &[Exit]) -> Vec<Exit> {
    graph.call(id, false);
    graph.connect(from, id);
    vec![id.to_owned()]
}

/// A call of a tool of an MCP server that may be repeated after a kill, and one that may not.
fn call_tools(graph: &mut GraphBuilder, _: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let (again, once) = (format!("{prefix}_tool"), format!("{prefix}_{ONCE}"));
    graph.call_tool(&again, "retry");
    graph.connect(from, &again);
    graph.call_tool(&once, "fail");
    graph.connect(std::slice::from_ref(&again), &once);
    vec![once]
}

/// Branches at once, all of which are waited for.
fn parallel(graph: &mut GraphBuilder, random: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    merged(graph, random, prefix, from, json!({"mode": "all"}))
}

/// Branches at once, of which the first wins and the others are canceled.
fn race(graph: &mut GraphBuilder, random: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    merged(graph, random, prefix, from, json!({"mode": "first", "cancelLosers": true}))
}

fn merged(graph: &mut GraphBuilder, random: &mut Rng, prefix: &str, from: &[Exit], config: Value) -> Vec<Exit> {
    // One node before the branches, because several exits would make each branch wait for all of them.
    let fork = format!("{prefix}_fork");
    graph.node(&fork, "transform", json!({"value": "'fork'"}));
    graph.connect(from, &fork);
    let ends: Vec<Exit> = (0..random.usize(2..=4))
        .flat_map(|branch| call(graph, &format!("{prefix}_branch{branch}"), std::slice::from_ref(&fork)))
        .collect();
    let merge = format!("{prefix}_merge");
    graph.node(&merge, "merge", config);
    graph.connect(&ends, &merge);
    vec![merge]
}

/// A loop over calls, or a call with `each`.
fn each_item(graph: &mut GraphBuilder, random: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let (id, body) = (format!("{prefix}_loop"), format!("{prefix}_item"));
    let (items, concurrency) = (random.usize(2..=10), random.u32(1..=5));
    if random.bool() {
        graph.call_each(&id, items, concurrency);
        graph.connect(from, &id);
        return vec![id];
    }
    graph.node(&id, "loop", json!({"items": format!("range({items})"), "concurrency": concurrency}));
    graph.connect(from, &id);
    graph.call(&body, true);
    graph.connect(&[format!("{id}.item")], &body);
    graph.connect_port(&body, &id, "next");
    vec![format!("{id}.done")]
}

fn pause(graph: &mut GraphBuilder, random: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let id = format!("{prefix}_delay");
    graph.node(&id, "delay", json!({"seconds": random.u32(1..=2)}));
    graph.connect(from, &id);
    vec![id]
}

/// A step that fails; the run continues at its error port.
fn failure(graph: &mut GraphBuilder, _: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let id = format!("{prefix}_failure");
    graph.node(&id, "transform", json!({"value": "{}.missing", "onError": "branch"}));
    graph.connect(from, &id);
    let after = format!("{prefix}_after");
    call(graph, &after, &[format!("{id}.error")])
}

fn model(graph: &mut GraphBuilder, _: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let id = format!("{prefix}_model");
    let config = json!({"model": "dev-chat", "prompt": "{{ run.id }}", "retry": patient(), "onError": "continue"});
    graph.node(&id, "model", config);
    graph.connect(from, &id);
    vec![id]
}

/// An agent that reads its configuration, asks its model, calls the witness, and asks its model again.
fn ask_agent(graph: &mut GraphBuilder, agent: &str, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let id = format!("{prefix}_agent");
    let message = format!("Please {TOOL} and crm_{WITNESS_TOOL} about {{{{ run.id }}}}");
    let config = json!({"agentId": agent, "message": message, "retry": patient(), "onError": "continue"});
    graph.node(&id, "agent", config);
    graph.connect(from, &id);
    vec![id]
}

/// The name of the agent's tool. `dev-chat` calls the tool that a message names.
pub const TOOL: &str = "tell_witness";

/// The gateway may not answer while the tables do not.
fn patient() -> Value {
    json!({"maxAttempts": 10, "backoffMs": 500})
}

fn review(graph: &mut GraphBuilder, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let id = format!("{prefix}_review");
    let fields = json!([{"name": "note", "type": "text", "value": "'none'"}]);
    graph.node(&id, "review", json!({"title": "Continue?", "fields": fields, "expiresInSeconds": 86_400}));
    graph.connect(from, &id);
    ["approved", "rejected", "expired"].map(|port| format!("{id}.{port}")).to_vec()
}

/// A condition with a call on each side.
fn branches(graph: &mut GraphBuilder, _: &mut Rng, prefix: &str, from: &[Exit]) -> Vec<Exit> {
    let id = format!("{prefix}_check");
    graph.node(&id, "condition", json!({"expression": "run.id.endsWith('a') || run.id.endsWith('0')"}));
    graph.connect(from, &id);
    let sides = ["true", "false"].map(|port| call(graph, &format!("{prefix}_{port}"), &[format!("{id}.{port}")]));
    sides.concat()
}
