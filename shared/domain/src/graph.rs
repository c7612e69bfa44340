//! The graph of a workflow, as its owner edits it. Here only the form of a draft is checked; `engine::compile`
//! checks whether it can run.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::expression::JS;
use super::{header, object};
use crate::body_problems::within;
use crate::schema::{self, PatchOf};
use crate::text::sha256;
use crate::{Error, Result, text_schemas};

pub const MAX_NODES: usize = 500;
pub const MAX_CONNECTIONS: usize = 2_000;
pub const MAX_NOTES: usize = 200;
/// A draft must fit into requests, which have at most 4 MB.
pub const MAX_GRAPH_BYTES: usize = 2 * 1024 * 1024;
/// The maximum number of characters of a name that an error repeats.
const MAX_SHOWN_CHARS: usize = 200;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Graph {
    #[serde(deserialize_with = "object::list")]
    pub nodes: Vec<Node>,
    #[serde(deserialize_with = "object::list")]
    pub connections: Vec<Connection>,
    /// The notes on the canvas. A note with a size is also a frame that groups the nodes in it. Notes change nothing in runs
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "object::list")]
    pub notes: Vec<Note>,
}

/// A note on the canvas
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Unique among the notes
    #[schema(value_type = NodeName)]
    pub id: String,
    /// Markdown
    #[serde(default)]
    #[schema(max_length = 4000, example = "Only orders above 100 € need a person.")]
    pub text: String,
    #[serde(deserialize_with = "object::one")]
    pub position: CanvasPosition,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object::optional")]
    pub size: Option<CanvasSize>,
    /// A color such as `#ffd54f`; the canvas chooses one if it is omitted
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<NoteColor>)]
    pub color: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Size)]
pub struct CanvasSize {
    #[schema(minimum = 1, maximum = 100000)]
    pub width: f64,
    #[schema(minimum = 1, maximum = 100000)]
    pub height: f64,
}

/// A step of a workflow
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Unique in the graph. Expressions use it, as in `nodes.<id>.output`
    #[schema(value_type = NodeName)]
    pub id: String,
    /// A node type of `GET /builder/v1/workflows/node-types`
    #[schema(value_type = NodeName)]
    pub r#type: String,
    /// The display name; defaults to the id
    #[serde(default)]
    #[schema(max_length = 200, example = "Is it urgent?")]
    pub name: String,
    /// The configuration, valid against the `configSchema` of the node type
    #[serde(default)]
    #[schema(example = json!({"expression": "input.priority > 2"}))]
    pub config: Map<String, Value>,
    /// The position on the canvas. A change of it alone is no unpublished change
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object::optional")]
    pub position: Option<CanvasPosition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Position)]
pub struct CanvasPosition {
    pub x: f64,
    pub y: f64,
}

/// A connection from one node to another
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    #[serde(deserialize_with = "connection_end")]
    pub from: End,
    #[serde(deserialize_with = "connection_end")]
    pub to: End,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    #[schema(example = "classify")]
    pub node: String,
    /// Empty until the connection is completed, if the request names no port.
    #[serde(default, deserialize_with = "named_port")]
    #[schema(required, example = "out")]
    pub port: String,
}

/// Reads an end: an object, or only the id of the node.
fn connection_end<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<End, D::Error> {
    struct EndVisitor;

    impl<'de> Visitor<'de> for EndVisitor {
        type Value = End;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object or the id of a node")
        }

        fn visit_str<E: de::Error>(self, node: &str) -> std::result::Result<End, E> {
            Ok(End { node: node.to_owned(), port: String::new() })
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<End, A::Error> {
            End::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_any(EndVisitor)
}

/// Reads the name of a port, which may be missing but not empty.
fn named_port<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    let port = String::deserialize(deserializer)?;
    if port.is_empty() { Err(de::Error::custom("1 to 64 characters")) } else { Ok(port) }
}

/// The nodes and connections of a graph in a request.
#[derive(ToSchema)]
#[schema(title = "Graph")]
#[expect(dead_code, reason = "it is the schema that a `Graph` is checked against")]
pub struct GraphIn {
    #[schema(max_items = 500, nullable = false)]
    nodes: Option<Vec<Node>>,
    #[schema(max_items = 2000, nullable = false)]
    connections: Option<Vec<ConnectionIn>>,
    #[schema(max_items = 200, nullable = false)]
    notes: Option<Vec<Note>>,
}

/// A list in a patch replaces the whole list.
pub type GraphPatch = PatchOf<GraphIn>;

/// A connection from one node to another. It is stored and returned with both ports.
#[derive(ToSchema)]
#[schema(title = "ConnectionCreate")]
#[expect(dead_code, reason = "it is the schema that a `Connection` is checked against")]
struct ConnectionIn {
    from: EndIn,
    to: EndIn,
}

/// An end of a connection: the id of its node, or an object.
#[derive(ToSchema)]
#[serde(untagged)]
#[schema(title = "EndCreate")]
#[expect(dead_code, reason = "it is the schema that an `End` is checked against")]
enum EndIn {
    Node(NodeReference),
    Port(PortIn),
}

text_schemas! {
    /// The id or the type of a node.
    NodeName(1, 64, "^[A-Za-z0-9_-]+$", "letters, digits, - and _");
    /// A color as six hexadecimal digits.
    NoteColor(7, 7, "^#[0-9a-fA-F]{6}$", "a color such as #ffd54f");
    /// The id of a node in a connection.
    NodeReference(1, 64);
}

/// A port of a node.
#[derive(ToSchema)]
#[schema(title = "Port")]
#[expect(dead_code, reason = "it is the schema that an `End` is checked against")]
struct PortIn {
    #[schema(example = "classify")]
    node: NodeReference,
    /// Can be omitted if the node has only one output, or one input.
    #[schema(min_length = 1, max_length = 64, example = "out", nullable = false)]
    port: Option<String>,
}

impl Node {
    /// The display name.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }

    /// Refuses secrets in the headers of HTTP nodes, because a draft is shown, exported and published.
    fn check_headers(&self, field: &str) -> Result<()> {
        if self.r#type != "http" {
            return Ok(());
        }
        let headers = self.config.get("headers").and_then(Value::as_object).into_iter().flatten();
        let is_secret = |(name, value): &(&String, &Value)| match value {
            Value::String(text) => header::is_secret(name, text),
            other => other[JS].as_str().is_some_and(|source| header::is_secret_in_js(name, source)),
        };
        let Some((name, _)) = headers.into_iter().find(is_secret) else { return Ok(()) };
        let shown: String = name.chars().take(MAX_SHOWN_CHARS).collect();
        let problem = "is a secret that every reader of the workflow would see. Remove it, store it in an outbound \
                       credential of the workflow, and set `credentialId` to that credential";
        Err(Error::invalid_body(format!("{field}.{shown}"), problem))
    }
}

impl Graph {
    /// Checks whether the graph can be stored as a draft.
    pub fn check(&self) -> Result<()> {
        let document = serde_json::to_value(self).map_err(Error::internal)?;
        schema::check_document::<GraphIn>(&document).map_err(|error| within("graph", error))?;
        for (index, node) in self.nodes.iter().enumerate() {
            node.check_headers(&format!("graph.nodes[{index}].config.headers"))?;
        }
        let mut ids = BTreeSet::new();
        if let Some(index) = self.notes.iter().position(|note| !ids.insert(&note.id)) {
            return Err(Error::invalid_body(format!("graph.notes[{index}].id"), "another note has this id"));
        }
        if document.to_string().len() > MAX_GRAPH_BYTES {
            return Err(Error::invalid_body("graph", format!("at most {MAX_GRAPH_BYTES} bytes as JSON")));
        }
        Ok(())
    }

    /// The graph without what only the canvas shows: positions and notes.
    pub fn without_canvas(&self) -> Self {
        let nodes = self.nodes.iter().cloned().map(|node| Node { position: None, ..node });
        Self { nodes: nodes.collect(), connections: self.connections.clone(), notes: Vec::new() }
    }

    /// A hash that is equal for graphs that differ only in positions and notes.
    pub fn hash(&self) -> String {
        hash(&self.without_canvas())
    }
}

/// The SHA-256 of a document, independent of the order of its fields.
pub fn hash(document: &impl Serialize) -> String {
    let mut value = serde_json::to_value(document).expect("a document is JSON");
    value.sort_all_objects();
    sha256(&value.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn graph(value: Value) -> Graph {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn hash_ignores_positions_notes_and_the_order_of_fields() {
        let one = graph(json!({"nodes": [{"id": "a", "type": "input", "config": {"x": 1, "y": 2}}]}));
        let same = json!({"nodes": [{"id": "a", "type": "input", "config": {"y": 2, "x": 1}, "position": {"x": 1, "y": 2}}], "notes": [
            {"id": "n", "text": "Hello", "position": {"x": 1, "y": 2}},
        ]});
        assert_eq!(one.hash(), graph(same).hash());
        assert_ne!(one.hash(), graph(json!({"nodes": [{"id": "a", "type": "input", "config": {"x": 1}}]})).hash());
    }

    #[test]
    fn notes_are_bounded() {
        let note = |id: &str, changes: Value| {
            let mut note = json!({"id": id, "text": "Hi", "position": {"x": -5.5, "y": 0}});
            note.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            note
        };
        let check = |notes: Vec<Value>| {
            let read = serde_json::from_value::<Graph>(json!({"notes": notes}));
            read.map_err(|error| error.to_string()).and_then(|graph| graph.check().map_err(|error| error.to_string()))
        };
        let size = json!({"size": {"width": 400, "height": 90.5}, "color": "#FFd54f"});
        assert_eq!(check(vec![note("a", json!({})), note("b", size)]), Ok(()));
        let many = (0..=MAX_NOTES).map(|index| note(&format!("n{index}"), json!({}))).collect();
        for (notes, problem) in [
            (many, "graph.notes: at most 200 entries"),
            (vec![note("a", json!({"text": "x".repeat(4_001)}))], "graph.notes[0].text: at most 4000 characters"),
            (vec![note("a", json!({"color": "red"}))], "graph.notes[0].color: "),
            (vec![note("a", json!({"size": {"width": 0, "height": 1}}))], "graph.notes[0].size.width: "),
            (vec![note("a", json!({"size": {"width": 1e6, "height": 1}}))], "graph.notes[0].size.width: "),
            (vec![note("a b", json!({}))], "graph.notes[0].id: "),
            (vec![note("a", json!({})), note("a", json!({}))], "graph.notes[1].id: another note has this id"),
        ] {
            let refused = check(notes).unwrap_err();
            assert!(refused.starts_with(problem), "{refused}");
        }
    }

    #[test]
    fn only_the_form_of_a_draft_is_checked() {
        let nodes = |count: usize| (0..count).map(|i| json!({"id": format!("n{i}"), "type": "x"})).collect::<Vec<_>>();
        assert!(graph(json!({"nodes": nodes(500)})).check().is_ok());
        let refused = graph(json!({"nodes": nodes(501)})).check().unwrap_err().to_string();
        assert_eq!(refused, "graph.nodes: at most 500 entries");
        let refused = graph(json!({"nodes": [{"id": "a b", "type": "x"}]})).check().unwrap_err().to_string();
        assert_eq!(refused, "graph.nodes[0].id: must be letters, digits, - and _");
        let large = json!({"nodes": [{"id": "a", "type": "x", "config": {"text": "x".repeat(MAX_GRAPH_BYTES)}}]});
        assert!(graph(large).check().unwrap_err().to_string().starts_with("graph: at most"));
    }
}
