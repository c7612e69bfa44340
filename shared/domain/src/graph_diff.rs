//! The differences between two versions of a graph and its channels.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::channel::{ChannelConfig, Channels};
use super::graph::{Connection, Graph, Node};

/// The maximum total size of the values in a diff.
const SHOWN_BYTES: usize = 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct GraphDiff {
    /// One line per difference
    #[schema(example = json!(["node `Is it urgent?` (urgent): config.expression changed"]))]
    pub summary: Vec<String>,
    pub nodes: Vec<NodeDiff>,
    pub connections: Vec<ConnectionDiff>,
    pub channels: Vec<ChannelDiff>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    Added,
    Removed,
    Changed,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct NodeDiff {
    pub id: String,
    pub name: String,
    pub change: Change,
    /// The changed fields of a changed node
    pub fields: Vec<FieldDiff>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FieldDiff {
    #[schema(example = "config.expression")]
    pub field: String,
    /// Null if there was no value
    #[schema(required)]
    pub before: Option<Value>,
    #[schema(required)]
    pub after: Option<Value>,
    /// Whether the values are omitted. All values of a diff together have at most 1 MiB
    pub omitted: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ConnectionDiff {
    pub change: Change,
    #[serde(flatten)]
    pub connection: Connection,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelDiff {
    pub node_id: String,
    /// Null if the channel was not configured
    #[schema(required)]
    pub before: Option<ChannelConfig>,
    #[schema(required)]
    pub after: Option<ChannelConfig>,
}

/// A version of a workflow: its graph and its channels.
#[derive(Clone, Copy)]
pub struct VersionContent<'v> {
    pub graph: &'v Graph,
    pub channels: &'v Channels,
}

/// Compares two versions. Nodes have the order of the new version, followed by removed nodes.
pub fn diff(old: VersionContent<'_>, new: VersionContent<'_>) -> GraphDiff {
    let (before, after) = (old.graph, new.graph);
    let find = |graph: &'_ Graph, id: &str| graph.nodes.iter().position(|node| node.id == id);
    let mut nodes: Vec<NodeDiff> = Vec::new();
    for node in &after.nodes {
        match find(before, &node.id) {
            None => nodes.push(node_diff(node, Change::Added)),
            Some(index) => {
                let fields = fields(&before.nodes[index], node);
                if !fields.is_empty() {
                    nodes.push(NodeDiff { fields, ..node_diff(node, Change::Changed) });
                }
            }
        }
    }
    omit_large_values(&mut nodes);
    let removed = before.nodes.iter().filter(|node| find(after, &node.id).is_none());
    nodes.extend(removed.map(|node| node_diff(node, Change::Removed)));

    let only = |these: &Graph, others: &Graph, change: Change| {
        let only = these.connections.iter().filter(|connection| !others.connections.contains(connection));
        only.map(|connection| ConnectionDiff { change, connection: connection.clone() }).collect::<Vec<_>>()
    };
    let mut connections = only(after, before, Change::Added);
    connections.extend(only(before, after, Change::Removed));

    let named: BTreeSet<&String> = old.channels.keys().chain(new.channels.keys()).collect();
    let channels = named.into_iter().map(|node_id| {
        let config = |channels: &Channels| channels.get(node_id).cloned();
        ChannelDiff { node_id: node_id.clone(), before: config(old.channels), after: config(new.channels) }
    });
    let channels: Vec<_> = channels.filter(|channel| channel.before != channel.after).collect();

    let mut summary: Vec<String> = nodes.iter().map(describe_node).collect();
    summary.extend(connections.iter().map(describe_connection));
    summary.extend(channels.iter().map(|channel| format!("channel of node `{}` reconfigured", channel.node_id)));
    if summary.is_empty() && before.without_canvas() != after.without_canvas() {
        summary.push("nodes or connections reordered".to_owned());
    }
    GraphDiff { summary, nodes, connections, channels }
}

/// Omits values that exceed the limit, because two large drafts together do not fit into a response.
fn omit_large_values(nodes: &mut [NodeDiff]) {
    let mut left = SHOWN_BYTES;
    for field in nodes.iter_mut().flat_map(|node| &mut node.fields) {
        let bytes = |value: &Option<Value>| value.as_ref().map_or(0, |value| value.to_string().len());
        match left.checked_sub(bytes(&field.before) + bytes(&field.after)) {
            Some(rest) => left = rest,
            None => (field.before, field.after, field.omitted) = (None, None, true),
        }
    }
}

fn node_diff(node: &Node, change: Change) -> NodeDiff {
    NodeDiff { id: node.id.clone(), name: node.name.clone(), change, fields: Vec::new() }
}

fn fields(before: &Node, after: &Node) -> Vec<FieldDiff> {
    let mut changed = Vec::new();
    let mut compare = |field: String, before: Option<Value>, after: Option<Value>| {
        if before != after {
            changed.push(FieldDiff { field, before, after, omitted: false });
        }
    };
    let text = |text: &str| Some(Value::from(text));
    compare("type".to_owned(), text(&before.r#type), text(&after.r#type));
    compare("name".to_owned(), text(&before.name), text(&after.name));
    let gone = before.config.keys().filter(|name| !after.config.contains_key(*name));
    for name in after.config.keys().chain(gone) {
        compare(format!("config.{name}"), before.config.get(name).cloned(), after.config.get(name).cloned());
    }
    changed
}

fn describe_node(node: &NodeDiff) -> String {
    let NodeDiff { id, name, change, fields } = node;
    let named = if name.is_empty() || name == id { format!("node `{id}`") } else { format!("node `{name}` ({id})") };
    match change {
        Change::Added => format!("{named} added"),
        Change::Removed => format!("{named} removed"),
        Change::Changed => {
            let fields: Vec<&str> = fields.iter().map(|field| field.field.as_str()).collect();
            format!("{named}: {} changed", fields.join(", "))
        }
    }
}

fn describe_connection(ConnectionDiff { change, connection: Connection { from, to } }: &ConnectionDiff) -> String {
    let change = if *change == Change::Added { "added" } else { "removed" };
    format!("connection `{}`.{} → `{}`.{} {change}", from.node, from.port, to.node, to.port)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn diff_lists_changes_and_ignores_positions() {
        let graph = |value: Value| serde_json::from_value::<Graph>(value).unwrap();
        let link =
            |from: &str, to: &str| json!({"from": {"node": from, "port": "out"}, "to": {"node": to, "port": "in"}});
        let before = graph(json!({
            "nodes": [
                {"id": "a", "type": "input"},
                {"id": "b", "type": "condition", "name": "Big?", "config": {"expression": "input > 1", "onError": "branch"}},
                {"id": "c", "type": "fail", "config": {"message": "no"}},
            ],
            "connections": [link("a", "b"), link("b", "c")],
        }));
        let after = graph(json!({
            "nodes": [
                {"id": "a", "type": "input", "position": {"x": 1, "y": 2}},
                {"id": "b", "type": "condition", "name": "Big?", "config": {"expression": "input > 2"}},
                {"id": "d", "type": "send_result"},
            ],
            "connections": [link("a", "b"), link("b", "d")],
        }));
        let channels = Channels::new();
        let of = |graph| VersionContent { graph, channels: &channels };
        assert_eq!(
            diff(of(&before), of(&after)).summary,
            [
                "node `Big?` (b): config.expression, config.onError changed",
                "node `d` added",
                "node `c` removed",
                "connection `b`.out → `d`.in added",
                "connection `b`.out → `c`.in removed",
            ]
        );
        let moved = after.without_canvas();
        assert!(diff(of(&after), of(&moved)).summary.is_empty());

        let webhook = ChannelConfig { webhook_id: Some(uuid::Uuid::nil()), ..ChannelConfig::default() };
        let connected: Channels = [("a".to_owned(), webhook)].into();
        let connected = diff(of(&after), VersionContent { graph: &after, channels: &connected });
        assert_eq!(connected.summary, ["channel of node `a` reconfigured"]);
        let long = |n: usize| {
            let nodes =
                ["a", "b"].map(|id| json!({"id": id, "type": "template", "config": {"template": "x".repeat(n)}}));
            graph(json!({"nodes": nodes, "connections": []}))
        };
        let (one, other) = (long(400_000), long(400_001));
        let much = diff(of(&one), of(&other));
        let omitted: Vec<_> = much.nodes.iter().flat_map(|node| &node.fields).map(|field| field.omitted).collect();
        assert_eq!(omitted, [false, true]);
        assert!(serde_json::to_string(&much).unwrap().len() < SHOWN_BYTES);

        let mut turned = after.clone();
        turned.nodes.reverse();
        assert_eq!(diff(of(&after), of(&turned)).summary, ["nodes or connections reordered"]);
    }
}
