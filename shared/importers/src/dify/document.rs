//! The file of a Dify app.

use std::collections::HashMap;

use serde_json::Value;

use super::super::lenient::{NOTHING, check_names, is_short, list, scalar_text, text, truncate};
use domain::graph::{CanvasPosition, MAX_CONNECTIONS, MAX_NODES};
use domain::{Error, Result};

const MODES: &str = "workflow, advanced-chat, chat, agent-chat, completion";
/// The deepest nesting of containers.
const MAX_NESTING: usize = 32;

pub struct Document<'d> {
    pub name: &'d str,
    pub description: &'d str,
    pub version: &'d str,
    /// `workflow`, `advanced-chat`, `chat`, `agent-chat`, `completion`
    pub mode: &'d str,
    pub nodes: Vec<SourceNode<'d>>,
    pub edges: Vec<SourceEdge>,
    /// Edges to or from a node that is not in the file: the node that is, and a note for it.
    pub loose_ends: Vec<(usize, String)>,
    pub indexes: HashMap<&'d str, usize>,
    /// The configuration of an app without a graph.
    pub model_config: &'d Value,
    /// The graph with its features and variables.
    pub workflow: &'d Value,
    pub dependencies: &'d [Value],
}

pub struct SourceNode<'d> {
    pub id: &'d str,
    /// The type in the node's data. The outer type is `custom` for every node.
    pub kind: &'d str,
    pub title: String,
    /// The iteration or loop whose body contains the node.
    pub parent: Option<&'d str>,
    /// Null when it is too long to be read.
    pub data: &'d Value,
    pub is_too_long: bool,
    pub raw: &'d Value,
}

/// Both ends are indexes into the list of nodes.
pub struct SourceEdge {
    pub from: usize,
    pub handle: String,
    pub to: usize,
}

impl<'d> Document<'d> {
    pub fn read(document: &'d Value) -> Result<Self> {
        if !matches!(document["version"], Value::String(_) | Value::Null) {
            let problem = "must be a string in quotes, as Dify writes it (version: \"0.3.0\")";
            return Err(Error::invalid_body("version", problem));
        }
        let app = &document["app"];
        let mode = text(&app["mode"]);
        let graph = &document["workflow"]["graph"];
        match mode {
            "workflow" | "advanced-chat" => {
                let (nodes, edges) = (&graph["nodes"], &graph["edges"]);
                must("workflow", "an object", document["workflow"].is_object())?;
                must("workflow.graph", "an object", graph.is_object())?;
                must("workflow.graph.nodes", "a list", nodes.is_array())?;
                must("workflow.graph.edges", "a list", edges.is_array() || edges.is_null())?;
            }
            "chat" | "agent-chat" | "completion" => {
                must("model_config", "an object", document["model_config"].is_object())?;
            }
            other => {
                let problem = format!("unknown mode `{}`; the known modes are {MODES}", truncate(other, 40));
                return Err(Error::invalid_body("app.mode", problem));
            }
        }
        let raw = list(&graph["nodes"]);
        if raw.len() > MAX_NODES {
            return Err(Error::invalid_body("workflow.graph.nodes", format!("at most {MAX_NODES}")));
        }
        let nodes: Vec<SourceNode> = raw.iter().enumerate().map(node).collect::<Result<_>>()?;
        let mut indexes = HashMap::new();
        nodes.iter().enumerate().for_each(|(place, node)| {
            indexes.entry(node.id).or_insert(place);
        });
        if list(&graph["edges"]).len() > MAX_CONNECTIONS {
            return Err(Error::invalid_body("workflow.graph.edges", format!("at most {MAX_CONNECTIONS}")));
        }
        let (mut edges, mut loose_ends) = (Vec::new(), Vec::new());
        for edge in list(&graph["edges"]) {
            let (source, target) = (text(&edge["source"]), text(&edge["target"]));
            match (indexes.get(source).copied(), indexes.get(target).copied()) {
                (Some(from), Some(to)) => {
                    edges.push(SourceEdge { from, handle: scalar_text(&edge["sourceHandle"]), to })
                }
                (Some(from), None) => {
                    loose_ends.push((
                        from,
                        format!(
                            "its connection to `{}` is dropped: that node is not in the file",
                            truncate(target, 60)
                        ),
                    ));
                }
                (None, Some(to)) => {
                    loose_ends.push((
                        to,
                        format!(
                            "its connection from `{}` is dropped: that node is not in the file",
                            truncate(source, 60)
                        ),
                    ));
                }
                (None, None) => {}
            }
        }
        Ok(Self {
            name: text(&app["name"]),
            description: text(&app["description"]),
            version: text(&document["version"]),
            mode,
            nodes,
            edges,
            loose_ends,
            indexes,
            model_config: &document["model_config"],
            workflow: &document["workflow"],
            dependencies: list(&document["dependencies"]),
        })
    }

    /// Whether the file's version is newer than the versions that were tested, which are all 0.x.
    pub fn is_newer(&self) -> bool {
        self.version.split('.').next().and_then(|major| major.trim().parse::<u64>().ok()).is_some_and(|major| major > 0)
    }

    /// Whether the app has a graph, not only a model configuration.
    pub fn has_graph(&self) -> bool {
        matches!(self.mode, "workflow" | "advanced-chat")
    }

    /// Whether each message of a conversation starts a run of the graph.
    pub fn is_chat(&self) -> bool {
        self.mode == "advanced-chat"
    }

    /// The nodes in the body of a container.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> {
        let id = self.nodes[of].id;
        // When two containers share an id, the first one owns the body.
        let is_first = self.indexes.get(id) == Some(&of);
        (0..self.nodes.len()).filter(move |node| is_first && self.nodes[*node].parent == Some(id) && *node != of)
    }

    /// Whether a node is in the body of a container, at any depth.
    pub fn is_within(&self, mut node: usize, of: usize) -> bool {
        for _ in 0..self.nodes.len().min(MAX_NESTING) {
            match self.nodes[node].parent.and_then(|parent| self.indexes.get(parent)) {
                Some(&parent) if parent == of => return true,
                Some(&parent) => node = parent,
                None => return false,
            }
        }
        false
    }
}

fn must(field: &str, be: &str, is_so: bool) -> Result<()> {
    if is_so { Ok(()) } else { Err(Error::invalid_body(field, format!("must be {be}"))) }
}

fn node<'d>((index, raw): (usize, &'d Value)) -> Result<SourceNode<'d>> {
    let data = &raw["data"];
    if !data.is_object() {
        return Err(Error::invalid_body(format!("workflow.graph.nodes[{index}].data"), "must be an object"));
    }
    let parents = [&raw["parentId"], &data["iteration_id"], &data["loop_id"]];
    let parent = parents.into_iter().map(text).find(|parent| !parent.is_empty());
    // Notes have their type outside their data.
    let kind = if text(&raw["type"]) == "custom-note" { "note" } else { text(&data["type"]) };
    let (id, title) = (text(&raw["id"]), scalar_text(&data["title"]));
    let of = format!("workflow.graph.nodes[{index}]");
    let names = [("id", id), ("data.type", kind), ("data.title", &title), ("parentId", parent.unwrap_or_default())];
    check_names(&of, &names)?;
    let is_too_long = !is_short(data);
    let data = if is_too_long { &NOTHING } else { data };
    Ok(SourceNode { id, kind, title, parent, data, is_too_long, raw })
}

impl SourceNode<'_> {
    pub fn is_container(&self) -> bool {
        matches!(self.kind, "iteration" | "loop")
    }

    /// Whether the node marks the start of a container's body.
    pub fn is_body_start(&self) -> bool {
        matches!(self.kind, "iteration-start" | "loop-start")
    }

    pub fn position(&self) -> Option<CanvasPosition> {
        let at = if self.raw["positionAbsolute"].is_object() {
            &self.raw["positionAbsolute"]
        } else {
            &self.raw["position"]
        };
        Some(CanvasPosition { x: at["x"].as_f64()?, y: at["y"].as_f64()? })
    }
}
