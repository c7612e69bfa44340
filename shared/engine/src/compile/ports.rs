//! Completes the connections that name no port: each takes the only port that its node has.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::nodes;
use domain::graph::{Graph, Node};
use domain::language::{Language, Translated};
use domain::{Error, Result, error_text, translated};

/// The ports of a node. Those of an unknown type, and the outputs of a configuration that cannot be read, are unknown.
struct NodePorts {
    inputs: Option<Vec<Cow<'static, str>>>,
    outputs: Option<Vec<Cow<'static, str>>>,
}

impl NodePorts {
    fn new(node: &Node) -> Self {
        let node_type = nodes::find(&node.r#type);
        let summary = node_type.and_then(|found| found.read(&node.config).ok());
        Self {
            inputs: node_type.map(|found| found.input_names(summary.as_ref())),
            outputs: summary.map(|summary| summary.outputs),
        }
    }
}

/// Names the ports of connections that name none. Fails if a node has several ports or none, or if they are unknown.
pub fn complete_connections(graph: &mut Graph, language: Language) -> Result<()> {
    let Graph { nodes, connections, notes: _ } = graph;
    let mut by_id: HashMap<&str, &Node> = HashMap::new();
    for node in nodes.iter() {
        by_id.entry(&node.id).or_insert(node);
    }
    // Each configuration is read once, however many connections a node has.
    let mut ports: HashMap<String, Option<NodePorts>> = HashMap::new();
    for (index, connection) in connections.iter_mut().enumerate() {
        for (end, is_start) in [(&mut connection.from, true), (&mut connection.to, false)] {
            if !end.port.is_empty() {
                continue;
            }
            let find_ports = || by_id.get(end.node.as_str()).map(|node| NodePorts::new(node));
            let found = ports.entry(end.node.clone()).or_insert_with(find_ports);
            let side = if is_start { "from" } else { "to" };
            let port = match found {
                None => Err(translated!(
                    "the graph has no such node; name a node of the graph",
                    "el grafo no tiene ese nodo; indique un nodo del grafo"
                )),
                Some(NodePorts { outputs, .. }) if is_start => only_port(outputs.as_deref(), OUTPUTS),
                Some(NodePorts { inputs, .. }) => only_port(inputs.as_deref(), INPUTS),
            };
            let field = || format!("graph.connections[{index}].{side}");
            end.port = port
                .map_err(|problem| Error::invalid_body(field(), error_text::shorten_message(problem.get(language))))?;
        }
    }
    Ok(())
}

const OUTPUTS: Translated = Translated::new("outputs", "salidas");
const INPUTS: Translated = Translated::new("inputs", "entradas");

/// The port, or why it must be named.
fn only_port(
    ports: Option<&[Cow<'static, str>]>,
    Translated { en, es }: Translated,
) -> std::result::Result<String, Translated<String>> {
    match ports {
        Some([only]) => Ok(only.to_string()),
        Some([]) => Err(Translated::new(
            format!("the node has no {en}; remove the connection"),
            format!("el nodo no tiene {es}; quite la conexión"),
        )),
        Some(several) => {
            let several = several.join(", ");
            Err(Translated::new(
                format!("the node has several {en}; name the port: {several}"),
                format!("el nodo tiene varias {es}; indique el puerto: {several}"),
            ))
        }
        None => Err(Translated::new(
            format!("the {en} of the node are unknown until its configuration is valid; name the port"),
            format!("las {es} del nodo no se conocen hasta que su configuración sea válida; indique el puerto"),
        )),
    }
}
