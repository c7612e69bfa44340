//! Resolves the connections: both of their nodes and ports must exist.

use std::collections::{HashMap, HashSet};

use super::{Edge, ExecutionPlan, PlanStep, Problems, Severity};
use domain::graph::{Connection, Graph};
use domain::language::Translated;
use domain::translated;

/// Adds the connections to the plan as edges. An edge with an unknown port is reported and still added, so that the
/// later checks do not report it again.
pub fn connect(graph: &Graph, indexes: &HashMap<&str, usize>, plan: &mut ExecutionPlan, problems: &mut Problems) {
    let (mut seen, mut reported) = (HashSet::new(), HashSet::new());
    for connection in &graph.connections {
        let Connection { from, to } = connection;
        let find_index = |node: &str| indexes.get(node).copied();
        let (start, end) = match (find_index(&from.node), find_index(&to.node)) {
            (Some(start), Some(end)) => (start, end),
            (start, end) => {
                let missing = if start.is_none() { &from.node } else { &to.node };
                let suggestion = problems.suggest(missing, graph.nodes.iter().map(|node| node.id.as_str()));
                report_dangling_connection(connection, start.or(end), suggestion, problems);
                continue;
            }
        };
        if !seen.insert((from, to)) {
            let message = translated!(
                "`{}` is connected to `{}` of node `{}` twice; remove one of the two connections",
                "`{}` está conectado dos veces a `{}` del nodo `{}`; quite una de las dos conexiones",
                from.port,
                to.port,
                to.node
            );
            problems.warn("duplicate_connection", start, message);
            continue;
        }
        // Both ports are checked: a connection may be wrong at both ends.
        let is_unreadable = problems.unreadable_nodes.contains(&start);
        let output =
            if is_unreadable { None } else { unknown_output_message(&plan.steps[start], &from.port, problems) };
        let input = unknown_input_message(&plan.steps[end], &to.port, problems);
        let is_invalid = output.is_some() || input.is_some();
        for (step, message) in [(start, output), (end, input)] {
            if let Some(message) = message.filter(|message| reported.insert((step, message.clone()))) {
                problems.error("unknown_port", step, message);
            }
        }
        // A connection into a trigger is reported above and not added.
        if plan.steps[end].node_type.is_trigger() {
            continue;
        }
        let index = plan.edges.len();
        if is_invalid {
            problems.invalid_edges.insert(index);
        }
        plan.steps[start].outgoing.push(index);
        plan.steps[end].incoming.push(index);
        let (from_port, to_port) = (from.port.clone(), to.port.clone());
        plan.edges.push(Edge { from: start, from_port, to: end, to_port });
    }
}

fn report_dangling_connection(
    connection: &Connection,
    known_node: Option<usize>,
    suggestion: Option<Translated<String>>,
    problems: &mut Problems,
) {
    let Connection { from, to } = connection;
    let message = translated!(
        "the connection from `{}` to `{}` refers to a node that does not exist",
        "la conexión de `{}` a `{}` se refiere a un nodo que no existe",
        from.node,
        to.node
    );
    let message = message.with(&suggestion.unwrap_or_else(|| translated!("; remove it", "; quítela")));
    match known_node {
        Some(node) => problems.error("dangling_connection", node, message),
        None => problems.add_graph_problem(Severity::Error, "dangling_connection", message),
    }
}

/// Returns a message if the step has no such output.
fn unknown_output_message(step: &PlanStep, port: &str, problems: &mut Problems) -> Option<Translated<String>> {
    match &step.outputs[..] {
        outputs if outputs.iter().any(|output| output == port) => None,
        [] => Some(translated!(
            "has no outputs; remove the connection from `{port}`",
            "no tiene salidas; quite la conexión desde `{port}`"
        )),
        outputs => {
            let message = translated!("has no output `{port}`", "no tiene la salida `{port}`");
            let suggestion = problems.suggest(port, outputs.iter().map(String::as_str));
            let list = || translated!("; it has {}", "; tiene {}", outputs.join(", "));
            Some(message.with(&suggestion.unwrap_or_else(list)))
        }
    }
}

/// Returns a message if the step has no such input.
fn unknown_input_message(step: &PlanStep, port: &str, problems: &mut Problems) -> Option<Translated<String>> {
    match &step.inputs[..] {
        inputs if step.node_type.is_unknown() || inputs.iter().any(|input| input == port) => None,
        [] => Some(translated!(
            "is a trigger, which has no inputs; remove this connection",
            "es un disparador y no tiene entradas; quite esta conexión"
        )),
        inputs => {
            let message = translated!("has no input `{port}`", "no tiene la entrada `{port}`");
            let suggestion = problems.suggest(port, inputs.iter().map(String::as_str));
            let list = || translated!("; it has {}", "; tiene {}", inputs.join(", "));
            Some(message.with(&suggestion.unwrap_or_else(list)))
        }
    }
}
