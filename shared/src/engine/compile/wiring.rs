//! The connections: whether both of their ends are there.

use std::collections::{HashMap, HashSet};

use super::{Edge, Plan, Problems, Severity};
use crate::domain::graph::{Connection, Graph};

/// Adds to the plan what leads from a port that exists to one that does.
pub fn connect(graph: &Graph, places: &HashMap<&str, usize>, plan: &mut Plan, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for connection in &graph.connections {
        let Connection { from, to } = connection;
        let place = |node: &str| places.get(node).copied();
        let (start, end) = match (place(&from.node), place(&to.node)) {
            (Some(start), Some(end)) => (start, end),
            (start, end) => {
                dangling(connection, start.or(end), problems);
                continue;
            }
        };
        if !seen.insert((from, to)) {
            let message = format!("`{}` is connected to `{}` of node `{}` twice", from.port, to.port, to.node);
            problems.warn("duplicate_connection", start, message);
            continue;
        }
        // Both are looked at: a connection may be wrong at both of its ends.
        let ends = [has_output(start, &from.port, plan, problems), has_input(end, &to.port, plan, problems)];
        if ends == [true, true] {
            let index = plan.edges.len();
            plan.steps[start].outgoing.push(index);
            plan.steps[end].incoming.push(index);
            let (from_port, to_port) = (from.port.clone(), to.port.clone());
            plan.edges.push(Edge { from: start, from_port, to: end, to_port });
        }
    }
}

fn dangling(connection: &Connection, there: Option<usize>, problems: &mut Problems) {
    let Connection { from, to } = connection;
    let message = format!("the connection from `{}` to `{}` has an end at no node", from.node, to.node);
    match there {
        Some(node) => problems.error("dangling_connection", node, message),
        None => problems.whole(Severity::Error, "dangling_connection", &message),
    }
}

fn has_output(node: usize, port: &str, plan: &Plan, problems: &mut Problems) -> bool {
    let outputs = &plan.steps[node].outputs;
    if problems.unread.contains(&node) || outputs.iter().any(|output| output == port) {
        return true;
    }
    let message = match &outputs[..] {
        [] => format!("has no outputs, so none called `{port}`"),
        outputs => format!("has no output `{port}`; it has {}", outputs.join(", ")),
    };
    problems.error("unknown_port", node, message);
    false
}

fn has_input(node: usize, port: &str, plan: &Plan, problems: &mut Problems) -> bool {
    let node_type = plan.steps[node].node_type;
    if node_type.is_unknown() || node_type.has_input(port) {
        return true;
    }
    let inputs: Vec<&str> = node_type.inputs.iter().map(|input| input.name).collect();
    let message = match &inputs[..] {
        [] => "begins runs, so nothing leads into it".to_owned(),
        inputs => format!("has no input `{port}`; it has {}", inputs.join(", ")),
    };
    problems.error("unknown_port", node, message);
    false
}
