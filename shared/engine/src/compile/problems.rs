//! The problems that the compiler reports: errors and warnings, each with its node, field and position.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use utoipa::ToSchema;

use crate::expression::TextPosition;
use crate::suggestion::suggest;
use domain::error_text;
use domain::graph::{Graph, Node};
use domain::language::Translated;
use domain::translated;

/// An error or a warning about a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphProblem {
    pub severity: Severity,
    pub code: &'static str,
    /// Includes the node, the field and the position.
    pub message: Translated<String>,
    pub node_id: Option<String>,
    pub field: Option<String>,
    pub at: Option<TextPosition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The graph cannot be published.
    Error,
    /// The graph can be published, but is probably not what its author intended.
    Warning,
}

/// Collects the problems of one graph.
#[derive(Default)]
pub struct Problems {
    labels: Vec<Label>,
    /// The nodes whose configuration could not be read, so that their ports are unknown.
    pub unreadable_nodes: HashSet<usize>,
    /// The edges that refer to an unknown port. A finished plan has none.
    pub invalid_edges: HashSet<usize>,
    found: Vec<(usize, GraphProblem)>,
    /// The number of problems of each severity, including those beyond the limit.
    count: BTreeMap<Severity, usize>,
    /// The number of names that were compared with known ones.
    compared_names: usize,
}

/// The maximum number of reported problems per severity. It bounds the memory of a report.
const MAX_REPORTED: usize = 500;
/// The maximum number of unknown names that are compared with the known ones, for suggestions. It bounds the work of a report.
const MAX_COMPARED_NAMES: usize = 100;

/// The name of a node in messages.
struct Label {
    id: String,
    title: String,
}

impl Problems {
    pub fn for_graph(graph: &Graph) -> Self {
        let label = |node: &Node| Label { id: node.id.clone(), title: node.title().to_owned() };
        Self { labels: graph.nodes.iter().map(label).collect(), ..Self::default() }
    }

    /// Returns a suggestion for a misspelled name, as the end of a message.
    pub fn suggest<'a>(&mut self, name: &str, known: impl Iterator<Item = &'a str>) -> Option<Translated<String>> {
        self.compared_names += 1;
        if self.compared_names <= MAX_COMPARED_NAMES { suggest(name, known) } else { None }
    }

    pub fn error(&mut self, code: &'static str, node: usize, message: Translated<String>) {
        self.add(Severity::Error, code, node, None, None, message);
    }

    pub fn warn(&mut self, code: &'static str, node: usize, message: Translated<String>) {
        self.add(Severity::Warning, code, node, None, None, message);
    }

    pub fn field(
        &mut self,
        code: &'static str,
        node: usize,
        field: &str,
        at: Option<TextPosition>,
        message: Translated<String>,
    ) {
        self.add(Severity::Error, code, node, Some(field), at, message);
    }

    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        node: usize,
        field: Option<&str>,
        at: Option<TextPosition>,
        message: Translated<String>,
    ) {
        if !self.count_problem(severity) {
            return;
        }
        let Label { id, title } = &self.labels[node];
        let name = if title == id { format!("`{id}`") } else { format!("`{title}` ({id})") };
        let field = field.map(|field| error_text::shorten_field(field).into_owned());
        let place = field.as_ref().map(|field| format!(", {field}")).unwrap_or_default();
        let mut named = translated!("node {name}{place}", "nodo {name}{place}");
        if let Some(at) = at {
            named = named.with(&at.describe().map(|at| format!(", {at}")));
        }
        let message = message.map(|message| format!(": {}", error_text::shorten_message(&message)));
        let message = named.with(&message);
        let node_id = Some(id.clone());
        self.found.push((node, GraphProblem { severity, code, message, node_id, field, at }));
    }

    /// Counts a problem, and returns whether it is within the limit.
    fn count_problem(&mut self, severity: Severity) -> bool {
        let count = self.count.entry(severity).or_default();
        *count += 1;
        *count <= MAX_REPORTED
    }

    /// Adds a problem of the graph as a whole.
    pub fn add_graph_problem(&mut self, severity: Severity, code: &'static str, message: Translated<String>) {
        if self.count_problem(severity) {
            self.push_graph_problem(severity, code, message);
        }
    }

    fn push_graph_problem(&mut self, severity: Severity, code: &'static str, message: Translated<String>) {
        let problem = GraphProblem { severity, code, message, node_id: None, field: None, at: None };
        self.found.push((usize::MAX, problem));
    }

    /// Returns errors before warnings, and within a severity in the order of the nodes.
    pub fn sorted(mut self) -> Vec<GraphProblem> {
        for (severity, count) in std::mem::take(&mut self.count) {
            if let Some(more @ 1..) = count.checked_sub(MAX_REPORTED) {
                let message = translated!(
                    "and {more} more problems, which are not listed",
                    "y {more} problemas más, que no se muestran"
                );
                self.push_graph_problem(severity, "too_many_problems", message);
            }
        }
        let mut found = self.found;
        found.sort_by(|(left_at, left), (right_at, right)| {
            let key = |at: &usize, problem: &GraphProblem| (problem.severity, *at, problem.field.clone(), problem.at);
            key(left_at, left).cmp(&key(right_at, right)).then(left.code.cmp(right.code))
        });
        found.into_iter().map(|(_, problem)| problem).collect()
    }
}
