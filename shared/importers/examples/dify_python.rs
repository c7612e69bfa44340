//! Translates Python code nodes for `src/tests/python/compare.py`. It reads objects `{code, variables}`, one per line, and
//! writes the JavaScript of each, or the reason why there is none.

#![expect(clippy::print_stdout, reason = "it is a command")]

use importers::{Status, read};
use serde_json::{Value, json};

fn main() {
    for line in std::io::stdin().lines() {
        let given: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let names = given["variables"].as_array().expect("a list").iter();
        let variables: Vec<Value> =
            names.map(|name| json!({"variable": name, "value_selector": ["start", name]})).collect();
        let nodes = json!([
            {"id": "start", "data": {"type": "start", "title": "start"}},
            {"id": "code", "data": {"type": "code", "title": "code", "code_language": "python3", "code": given["code"], "variables": variables}},
        ]);
        let graph = json!({"nodes": nodes, "edges": [{"source": "start", "target": "code"}]});
        let file = json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow", "name": "x"}, "workflow": {"graph": graph}});
        let imported = read(&file.to_string()).expect("a Dify file");
        let report = imported.report.nodes.iter().find(|node| node.id == "code").expect("a node");
        let node = imported.graph.nodes.iter().find(|node| node.id == "code").expect("a node");
        match report.status {
            Status::Unsupported => println!("{}", json!({"why": report.why})),
            _ => println!("{}", json!({"javascript": node.config["javascript"]})),
        }
    }
}
