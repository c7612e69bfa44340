//! What is found in a graph, for its owner to know.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use utoipa::ToSchema;

use crate::expression::Position;
use domain::echo;
use domain::graph::{Graph, Node};

/// Something about a graph that its owner should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    pub code: &'static str,
    /// Names the node, and the field.
    pub message: String,
    pub node_id: Option<String>,
    pub field: Option<String>,
    pub at: Option<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It cannot be published.
    Error,
    /// It can, but is hardly what was meant.
    Warning,
}

/// What was found so far.
#[derive(Default)]
pub struct Problems {
    labels: Vec<Label>,
    /// Nodes whose configuration could not be read, so that their ports are not known.
    pub unread: HashSet<usize>,
    /// Edges of which a port is not there. No plan has any.
    pub miswired: HashSet<usize>,
    found: Vec<(usize, Problem)>,
    /// How many were found of each severity, also of those that are not told.
    count: BTreeMap<Severity, usize>,
}

/// Of each severity. Nobody reads more, and each is memory.
const MOST_TOLD: usize = 500;

/// What a node is called in messages.
struct Label {
    id: String,
    title: String,
}

impl Problems {
    pub fn of(graph: &Graph) -> Self {
        let label = |node: &Node| Label { id: node.id.clone(), title: node.title().to_owned() };
        Self { labels: graph.nodes.iter().map(label).collect(), ..Self::default() }
    }

    pub fn error(&mut self, code: &'static str, node: usize, message: String) {
        self.add(Severity::Error, code, node, None, None, message);
    }

    pub fn warn(&mut self, code: &'static str, node: usize, message: String) {
        self.add(Severity::Warning, code, node, None, None, message);
    }

    pub fn field(&mut self, code: &'static str, node: usize, field: &str, at: Option<Position>, message: String) {
        self.add(Severity::Error, code, node, Some(field), at, message);
    }

    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        node: usize,
        field: Option<&str>,
        at: Option<Position>,
        message: String,
    ) {
        if !self.is_told(severity) {
            return;
        }
        let Label { id, title } = &self.labels[node];
        let named = if title == id { format!("node `{id}`") } else { format!("node `{title}` ({id})") };
        let field = field.map(|field| echo::field(field).into_owned());
        let place = field.as_ref().map(|field| format!(", {field}")).unwrap_or_default();
        let at_text = at.map(|at| format!(", line {}, column {}", at.line, at.column)).unwrap_or_default();
        let message = format!("{named}{place}{at_text}: {}", echo::message(&message));
        let node_id = Some(id.clone());
        self.found.push((node, Problem { severity, code, message, node_id, field, at }));
    }

    /// Counts one more, and says whether it is among those that are told.
    fn is_told(&mut self, severity: Severity) -> bool {
        let count = self.count.entry(severity).or_default();
        *count += 1;
        *count <= MOST_TOLD
    }

    /// Of the graph as a whole.
    pub fn whole(&mut self, severity: Severity, code: &'static str, message: &str) {
        if self.is_told(severity) {
            self.tell_whole(severity, code, message);
        }
    }

    fn tell_whole(&mut self, severity: Severity, code: &'static str, message: &str) {
        let problem = Problem { severity, code, message: message.to_owned(), node_id: None, field: None, at: None };
        self.found.push((usize::MAX, problem));
    }

    /// What prevents it first; then as the nodes stand.
    pub fn sorted(mut self) -> Vec<Problem> {
        for (severity, count) in std::mem::take(&mut self.count) {
            if let Some(more @ 1..) = count.checked_sub(MOST_TOLD) {
                self.tell_whole(severity, "too_many_problems", &format!("and {more} more that are not told here"));
            }
        }
        let mut found = self.found;
        found.sort_by(|(left_at, left), (right_at, right)| {
            let key = |at: &usize, problem: &Problem| (problem.severity, *at, problem.field.clone(), problem.at);
            key(left_at, left).cmp(&key(right_at, right)).then(left.code.cmp(right.code))
        });
        found.into_iter().map(|(_, problem)| problem).collect()
    }
}
