//! The JSON Schema of the output of a workflow's runs, as far as its graph says it: what the nodes `send_result` set.

use domain::graph::{Graph, Node};
use serde_json::{Value, json};

use crate::expression::Expression;
use crate::nodes::send_result::SendResultNode;
use crate::nodes::{self, NodeKind, policy};

/// The schema of the output. A run whose branch has no `send_result` gives null.
pub fn result_schema(graph: &Graph) -> Value {
    let results = graph.nodes.iter().filter(|node| node.r#type == SendResultNode::NAME);
    let mut schemas = vec![json!({"type": "null"})];
    for schema in results.map(|node| node_result(graph, node)) {
        if !schemas.contains(&schema) {
            schemas.push(schema);
        }
    }
    match schemas.len() {
        1 => schemas.swap_remove(0),
        _ if schemas.contains(&json!({})) => json!({}),
        _ => json!({"anyOf": schemas}),
    }
}

/// What a node `send_result` sets: the value of its expression, or its input.
fn node_result(graph: &Graph, node: &Node) -> Value {
    match node.config.get("output") {
        None => input_schema(graph, node),
        Some(Value::String(text)) => {
            Expression::parse(text).ok().and_then(|expression| expression.schema()).unwrap_or_else(|| json!({}))
        }
        // JavaScript.
        Some(_) => json!({}),
    }
}

/// The schema of the only value that leads into a node. Several values could be a list, or one of them.
fn input_schema(graph: &Graph, node: &Node) -> Value {
    let mut incoming = graph.connections.iter().filter(|connection| connection.to.node == node.id);
    let source = match (incoming.next(), incoming.next()) {
        (Some(only), None) => graph.nodes.iter().find(|node| node.id == only.from.node).zip(Some(&only.from.port)),
        _ => None,
    };
    let schema = source.and_then(|(source, port)| {
        // The value of a failed node may be null, or that of its port for errors.
        let can_fail = policy::Policy::read(&source.config).on_error() != policy::OnError::Fail;
        let node_type = nodes::find(&source.r#type).filter(|_| !can_fail)?;
        node_type.output_schema(&source.config, port).ok()
    });
    schema.unwrap_or_else(|| json!({}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph_builder::graph;

    #[test]
    fn the_schema_says_what_is_known_of_the_output() {
        let schema = |output: Value| {
            let nodes = [("start", "input", json!({})), ("text", "template", json!({"template": "x"}))];
            let nodes = [&nodes[..], &[("end", "send_result", output)]].concat();
            result_schema(&graph(&nodes, "start>text text>end"))
        };
        let or_null = |schema: Value| json!({"anyOf": [{"type": "null"}, schema]});
        assert_eq!(schema(json!({})), or_null(json!({"type": "string"})));
        let object = json!({"type": "object", "required": ["n", "text"], "properties": {
            "n": {"type": "integer"}, "text": {},
        }});
        assert_eq!(schema(json!({"output": "{'n': 1, 'text': input}"})), or_null(object));
        assert_eq!(schema(json!({"output": "[input]"})), or_null(json!({"type": "array"})));
        assert_eq!(schema(json!({"output": "input"})), json!({}));
        assert_eq!(schema(json!({"output": {"js": "1"}})), json!({}));
    }

    #[test]
    fn a_workflow_without_a_result_gives_null() {
        assert_eq!(result_schema(&graph(&[("start", "input", json!({}))], "")), json!({"type": "null"}));
    }
}
