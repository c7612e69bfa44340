//! Graphs of nodes and connections.

use serde_json::{Value, json};

use crate::mcp_witness::WITNESS_TOOL;

#[derive(Default)]
pub struct GraphBuilder {
    nodes: Vec<Value>,
    connections: Vec<Value>,
    witness: u16,
}

/// The output port of a node, such as `check.approved`.
pub type Exit = String;

impl GraphBuilder {
    /// A graph whose `http` nodes call the witness on this port.
    pub fn new(witness: u16) -> Self {
        Self { witness, ..Self::default() }
    }

    pub fn node(&mut self, id: &str, r#type: &str, config: Value) {
        self.nodes.push(json!({"id": id, "type": r#type, "name": "", "config": config}));
    }

    /// Connects output ports with the port `in` of a node.
    pub fn connect(&mut self, exits: &[Exit], to: &str) {
        for exit in exits {
            self.connect_port(exit, to, "in");
        }
    }

    pub fn connect_port(&mut self, exit: &str, to: &str, to_port: &str) {
        let (node, port) = exit.split_once('.').unwrap_or((exit, "out"));
        let connection = json!({"from": {"node": node, "port": port}, "to": {"node": to, "port": to_port}});
        self.connections.push(connection);
    }

    /// A call of the witness. The path of its URL names the run, the node and, in a loop, the index.
    pub fn call(&mut self, id: &str, in_loop: bool) {
        self.node(id, "http", self.call_of(id, in_loop));
    }

    /// A call of the witness for each of so many elements.
    pub fn call_each(&mut self, id: &str, items: usize, concurrency: u32) {
        let mut config = self.call_of(id, true);
        config["each"] = json!({"items": format!("range({items})"), "concurrency": concurrency});
        self.node(id, "http", config);
    }

    fn call_of(&self, id: &str, in_loop: bool) -> Value {
        let index = if in_loop { "/{{ vars.index }}" } else { "" };
        let url = format!("http://127.0.0.1:{}/effects/{{{{ run.id }}}}/{id}{index}", self.witness);
        json!({
            "method": "POST", "url": url, "body": {"type": "json", "value": "{'run': run.id}"},
            "retry": {"maxAttempts": 5, "backoffMs": 200},
        })
    }

    /// A call of the witness as an MCP server. `on_uncertain` is `retry` if the witness may see it again after a kill.
    pub fn call_tool(&mut self, id: &str, on_uncertain: &str) {
        let url = format!("http://127.0.0.1:{}/mcp/{{{{ run.id }}}}/{id}", self.witness);
        let config = json!({
            "url": url, "tool": WITNESS_TOOL, "arguments": "{'run': run.id}", "onUncertain": on_uncertain,
            "onError": "continue", "retry": {"maxAttempts": 5, "backoffMs": 200},
        });
        self.node(id, "mcp", config);
    }

    pub fn into_json(self) -> Value {
        json!({"nodes": self.nodes, "connections": self.connections})
    }
}
