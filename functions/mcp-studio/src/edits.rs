//! Small changes of a graph, by the ids of its nodes, so that an assistant need not send a large graph again.

use serde_json::{Map, Value, json};

use crate::refusal::Refusal;

/// Applies the arguments `nodes`, `disconnect` and `connect` of `edit_draft` to a graph.
pub fn edit_graph(graph: &mut Value, edits: &Value) -> Result<(), Refusal> {
    let list = |value: &mut Value| value.as_array_mut().map(std::mem::take).unwrap_or_default();
    let (mut nodes, mut connections) = (list(&mut graph["nodes"]), list(&mut graph["connections"]));
    for (id, patch) in edits["nodes"].as_object().into_iter().flatten() {
        let at = nodes.iter().position(|node| node["id"] == id.as_str());
        match (at, patch) {
            (Some(at), Value::Null) => {
                nodes.remove(at);
                connections
                    .retain(|connection| !["from", "to"].iter().any(|end| node_of(&connection[*end]) == Some(id)));
            }
            (None, Value::Null) => {
                return Err(Refusal::invalid(
                    &format!("nodes.{id}"),
                    "the draft has no such node; remove it from `nodes`",
                ));
            }
            (Some(at), patch) => json_patch::merge(&mut nodes[at], patch),
            (None, patch) => {
                if patch["type"].as_str().is_none() {
                    let problem = "the draft has no such node; give a `type` to add one, or correct the id";
                    return Err(Refusal::invalid(&format!("nodes.{id}"), problem));
                }
                let mut node = json!({"id": id});
                json_patch::merge(&mut node, patch);
                nodes.push(node);
            }
        }
    }
    for (index, wanted) in edits["disconnect"].as_array().into_iter().flatten().enumerate() {
        let before = connections.len();
        connections.retain(|connection| !["from", "to"].iter().all(|end| is_end(&wanted[*end], &connection[*end])));
        if connections.len() == before {
            let problem = "the draft has no such connection; name its nodes, and its ports if you name any";
            return Err(Refusal::invalid(&format!("disconnect[{index}]"), problem));
        }
    }
    for wanted in edits["connect"].as_array().into_iter().flatten() {
        if !connections.contains(wanted) {
            connections.push(wanted.clone());
        }
    }
    let edited = Map::from_iter([("nodes".to_owned(), nodes.into()), ("connections".to_owned(), connections.into())]);
    *graph = Value::Object(edited);
    Ok(())
}

/// The node of an end: it is the id, or an object.
fn node_of(end: &Value) -> Option<&str> {
    end.as_str().or_else(|| end["node"].as_str())
}

/// Whether a connection has this end. An end without a port stands for every port of its node.
fn is_end(wanted: &Value, end: &Value) -> bool {
    node_of(wanted) == node_of(end) && (wanted["port"].is_null() || wanted["port"] == end["port"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Value {
        json!({
            "nodes": [
                {"id": "start", "type": "input", "config": {"schema": {"type": "object"}, "example": 1}},
                {"id": "ask", "type": "model", "config": {"prompt": "Hi"}},
            ],
            "connections": [{"from": {"node": "start", "port": "out"}, "to": {"node": "ask", "port": "in"}}],
        })
    }

    fn edited(edits: Value) -> Value {
        let mut graph = graph();
        assert!(edit_graph(&mut graph, &edits).is_ok());
        graph
    }

    #[test]
    fn nodes_are_merged_added_and_removed_with_their_connections() {
        let merged = edited(json!({"nodes": {"start": {"config": {"example": null, "more": 2}}}}));
        assert_eq!(merged["nodes"][0]["config"], json!({"schema": {"type": "object"}, "more": 2}));
        let added =
            edited(json!({"nodes": {"end": {"type": "send_result"}}, "connect": [{"from": "ask", "to": "end"}]}));
        assert_eq!(added["nodes"][2], json!({"id": "end", "type": "send_result"}));
        assert_eq!(added["connections"][1], json!({"from": "ask", "to": "end"}));
        let removed = edited(json!({"nodes": {"ask": null}}));
        assert_eq!((removed["nodes"].as_array().unwrap().len(), &removed["connections"]), (1, &json!([])));
    }

    #[test]
    fn a_connection_is_named_with_or_without_its_ports() {
        let of_nodes = json!([{"from": "start", "to": "ask"}]);
        assert_eq!(edited(json!({"disconnect": of_nodes}))["connections"], json!([]));
        let of_port = json!([{"from": {"node": "start", "port": "out"}, "to": "ask"}]);
        assert_eq!(edited(json!({"disconnect": of_port}))["connections"], json!([]));
        let again = json!([{"from": {"node": "start", "port": "out"}, "to": {"node": "ask", "port": "in"}}]);
        assert_eq!(edited(json!({"connect": again}))["connections"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn an_edit_of_nothing_is_refused() {
        for edits in [
            json!({"nodes": {"none": null}}),
            json!({"nodes": {"none": {"config": {}}}}),
            json!({"disconnect": [{"from": "ask", "to": "start"}]}),
            json!({"disconnect": [{"from": {"node": "start", "port": "error"}, "to": "ask"}]}),
        ] {
            assert!(edit_graph(&mut graph(), &edits).is_err(), "{edits}");
        }
    }
}
