//! Our own exports import unchanged.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use domain::graph::{CanvasPosition, CanvasSize, Connection, End, Graph, Node, Note};

/// Numbers that survive JSON without any change.
fn quarters() -> impl Strategy<Value = f64> {
    (-1_000_000..1_000_000i32).prop_map(|number| f64::from(number) / 4.0)
}

fn any_config() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        quarters().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        Just(json!({"a": [1, {"b": null}]})),
    ];
    proptest::collection::vec(("[a-z]{1,6}", value), 0..4).prop_map(|entries| entries.into_iter().collect())
}

fn any_graph() -> impl Strategy<Value = Graph> {
    let place = proptest::option::of((quarters(), quarters()).prop_map(|(x, y)| CanvasPosition { x, y }));
    let node = ("[A-Za-z0-9_-]{1,64}", "[a-z_]{1,12}", "\\PC{0,40}", any_config(), place)
        .prop_map(|(id, r#type, name, config, position)| Node { id, r#type, name, config, position });
    let end = || ("[A-Za-z0-9_-]{1,64}", "\\PC{1,64}").prop_map(|(node, port)| End { node, port });
    let wire = (end(), end()).prop_map(|(from, to)| Connection { from, to });
    let position = (quarters(), quarters()).prop_map(|(x, y)| CanvasPosition { x, y });
    let note = ("[A-Za-z0-9_-]{1,64}", "\\PC{0,40}", position).prop_map(|(id, text, position)| Note {
        id,
        text,
        position,
        size: Some(CanvasSize { width: 80.0, height: 40.0 }),
        color: None,
    });
    (
        proptest::collection::vec(node, 0..6),
        proptest::collection::vec(wire, 0..6),
        proptest::collection::vec(note, 0..3),
    )
        .prop_map(|(nodes, connections, notes)| Graph { nodes, connections, notes })
}

proptest! {
    #[test]
    fn an_export_comes_back_as_it_went(name in "\\PC{1,40}", description in proptest::option::of("\\PC{0,80}"), graph in any_graph()) {
        let export = atelier::Export::new(&name, description.as_deref(), &graph);
        let imported = read(&serde_json::to_string(&export).unwrap()).unwrap();
        prop_assert_eq!(imported.report.nodes.len(), graph.nodes.len());
        prop_assert_eq!((imported.name, imported.description, imported.graph), (name, description, graph));
    }
}

#[test]
fn former_bindings_are_listed_to_reconnect() {
    let graph: Graph = serde_json::from_value(json!({"nodes": [
        {"id": "hook", "type": "webhook"},
        {"id": "ask", "type": "agent", "config": {"agentId": "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11", "message": "Hi"}},
        {"id": "call", "type": "http", "config": {"url": "https://x.example.com", "credentialId": "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a12"}},
    ]})).unwrap();
    let export = atelier::Export::new("x", None, &graph);
    let imported = read_sound(&serde_json::to_string(&export).unwrap());
    let expected = [
        "hook: a webhook channel",
        "ask: agent 0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11: it stays connected, check that it exists",
        "call: a credential",
    ];
    assert_eq!(reconnected(&imported), expected);
    assert_eq!(config(&imported, "ask")["agentId"], "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11");
    assert_eq!(config(&imported, "call"), json!({"url": "https://x.example.com"}));
    assert_eq!(
        report_lines(&imported),
        "hook webhook\nask agent\ncall http partial: its credential must be connected again"
    );
}
