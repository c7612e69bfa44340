//! Property tests of the compiler: no graph makes it panic, and a valid graph compiles to the same plan after
//! publishing.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A valid graph: a chain of steps with branches, and expressions that refer to upstream steps.
fn valid_graph() -> impl Strategy<Value = Graph> {
    let step = (0..6usize, any::<prop::sample::Index>(), "[a-z]{0,8}");
    proptest::collection::vec(step, 1..40).prop_map(|steps| {
        let mut nodes = vec![("n0".to_owned(), "input", json!({}))];
        let mut connections = Vec::new();
        for (index, (kind, from, word)) in steps.into_iter().enumerate() {
            let (id, source) = (format!("n{}", index + 1), from.index(index + 1));
            let before = format!("nodes.n{source}.output");
            let (name, config) = match kind {
                0 => ("transform", json!({"fields": {"x": before, "y": format!("'{word}'")}})),
                1 => ("template", json!({"template": format!("{word} {{{{ {before} | tojson }}}}")})),
                2 => ("condition", json!({"expression": format!("size({before}) > {index}"), "onError": "branch"})),
                3 => ("switch", json!({"cases": [{"name": "one", "expression": format!("has({before}.x)")}]})),
                4 => ("merge", json!({"mode": "all"})),
                _ => ("http", json!({"url": format!("https://example.com/{word}"), "retry": {"maxAttempts": 3}})),
            };
            let port = match nodes[source].1 {
                "condition" => "true",
                "switch" => "default",
                _ => "out",
            };
            connections
                .push(json!({"from": {"node": format!("n{source}"), "port": port}, "to": {"node": id, "port": "in"}}));
            nodes.push((id, name, config));
        }
        let nodes: Vec<Value> =
            nodes.into_iter().map(|(id, kind, config)| json!({"id": id, "type": kind, "config": config})).collect();
        let mut graph: Graph = serde_json::from_value(json!({"nodes": nodes, "connections": connections})).unwrap();
        let result = json!({"id": "end", "type": "send_result", "config": {}});
        graph.nodes.push(serde_json::from_value(result).unwrap());
        let first = json!({"from": {"node": "n0", "port": "out"}, "to": {"node": "end", "port": "in"}});
        graph.connections.push(serde_json::from_value(first).unwrap());
        graph
    })
}

proptest! {
    #[test]
    fn published_graphs_compile_to_the_same_plan(graph in valid_graph()) {
        let (plan, problems) = compile(&graph);
        prop_assert!(plan.is_some(), "{problems:?}");
        let published = serde_json::to_string(&graph.without_canvas()).unwrap();
        let again: Graph = serde_json::from_str(&published).unwrap();
        prop_assert_eq!(again.hash(), graph.hash());
        prop_assert_eq!(format!("{:?}", compile(&again).0), format!("{plan:?}"));
    }

    /// A plan is returned exactly if no errors are reported.
    #[test]
    fn arbitrary_graphs_do_not_panic(
        nodes in proptest::collection::vec(("[ab]", (0..23usize), any::<bool>()), 0..8),
        edges in proptest::collection::vec(("[abc]", "(out|item|done|true|error)", "[abc]", "(in|next)"), 0..16),
    ) {
        let nodes: Vec<Value> = nodes.iter().enumerate().map(|(index, (id, kind, is_valid))| {
            let kind = &crate::nodes::all()[*kind];
            let config = if *is_valid { kind.example["config"].clone() } else { json!({"x": index}) };
            json!({"id": format!("{id}{}", index % 3), "type": kind.name, "config": config})
        }).collect();
        let edges: Vec<Value> = edges.iter().map(|(from, out, to, port)| {
            json!({"from": {"node": format!("{from}0"), "port": out}, "to": {"node": format!("{to}1"), "port": port}})
        }).collect();
        let graph: Graph = serde_json::from_value(json!({"nodes": nodes, "connections": edges})).unwrap();
        let (plan, problems) = compile(&graph);
        prop_assert_eq!(plan.is_some(), problems.iter().all(|problem| problem.severity == Severity::Warning));
    }
}
