//! From a graph, as it was drawn, to a plan that can be run. Finds everything that is wrong at once.

mod configs;
mod names;
mod problems;
mod shape;
mod upstream;
mod wiring;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::nodes::NodeType;
use super::schema::Program;
use domain::graph::Graph;
use domain::reference::Reference;
use problems::Problems;
pub use problems::{Problem, Severity};

/// A graph that can be run. Steps and edges stand in the order of the graph, and name each other by their places.
#[derive(Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub edges: Vec<Edge>,
    /// The steps so that each comes behind those it depends on.
    pub order: Vec<usize>,
}

#[derive(Debug)]
pub struct Step {
    pub id: String,
    pub node_type: &'static NodeType,
    pub config: Map<String, Value>,
    pub outputs: Vec<String>,
    /// Its expressions, read, by the field they stand in.
    pub programs: BTreeMap<String, Program>,
    /// The loop it is in the body of.
    pub within: Option<usize>,
    /// What must exist, and the field that names it.
    pub references: Vec<(Reference, &'static str)>,
    pub credential: Option<(uuid::Uuid, &'static str)>,
    pub incoming: Vec<usize>,
    pub outgoing: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub from_port: String,
    pub to: usize,
    pub to_port: String,
}

/// A graph that was looked at, and everything there is to say about it.
pub struct Compiled {
    plan: Plan,
    problems: Problems,
}

pub fn compile(graph: &Graph) -> Compiled {
    let mut problems = Problems::of(graph);
    let mut plan = Plan { steps: configs::read(graph, &mut problems), edges: Vec::new(), order: Vec::new() };
    let places = places(graph, &mut problems);
    wiring::connect(graph, &places, &mut plan, &mut problems);
    let before = shape::arrange(&mut plan, &mut problems);
    names::check(&plan, &places, &before, &mut problems);
    Compiled { plan, problems }
}

impl Compiled {
    /// What must exist for it to run.
    pub fn references(&self) -> BTreeSet<Reference> {
        let named = self.plan.steps.iter().flat_map(|step| &step.references);
        named.map(|(reference, _)| reference.clone()).collect()
    }

    /// The credentials of the workflow that it uses.
    pub fn credentials(&self) -> BTreeSet<uuid::Uuid> {
        self.plan.steps.iter().filter_map(|step| Some(step.credential?.0)).collect()
    }

    /// Finds fault with every node that names something which is not among what is known.
    pub fn hold_to(&mut self, known: &BTreeSet<Reference>) {
        for (index, step) in self.plan.steps.iter().enumerate() {
            for (reference, field) in step.references.iter().filter(|(reference, _)| !known.contains(reference)) {
                let message = format!("there is no such {}", reference.kind());
                self.problems.field("reference_gone", index, &format!("config.{field}"), None, message);
            }
        }
    }

    /// Finds fault with a field of every step of which this says which one, and what is wrong with it.
    pub fn hold_fields_to(
        &mut self,
        severity: Severity,
        code: &'static str,
        wrong: impl Fn(&Step) -> Option<(&'static str, String)>,
    ) {
        for (index, step) in self.plan.steps.iter().enumerate() {
            if let Some((field, message)) = wrong(step) {
                self.problems.add(severity, code, index, Some(&format!("config.{field}")), None, message);
            }
        }
    }

    /// Finds fault with every step of which this says what is wrong.
    pub fn hold_each_to(&mut self, code: &'static str, wrong: impl Fn(&Step) -> Option<String>) {
        for (index, step) in self.plan.steps.iter().enumerate() {
            if let Some(message) = wrong(step) {
                self.problems.error(code, index, message);
            }
        }
    }

    /// Finds fault with the graph as a whole.
    pub fn hold_whole_to(&mut self, code: &'static str, message: &str) {
        self.problems.whole(Severity::Error, code, message);
    }

    /// The plan, when nothing is wrong but what is worth a warning; and everything there is to say, what prevents it
    /// first.
    pub fn finish(self) -> (Option<Plan>, Vec<Problem>) {
        let found = self.problems.sorted();
        let is_sound = found.iter().all(|problem| problem.severity == Severity::Warning);
        (is_sound.then_some(self.plan), found)
    }
}

/// Where each node stands. Of several with one id the first counts.
fn places<'g>(graph: &'g Graph, problems: &mut Problems) -> HashMap<&'g str, usize> {
    let mut places = HashMap::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        if places.contains_key(node.id.as_str()) {
            problems.error("duplicate_id", index, "another node has this id".to_owned());
        } else {
            places.insert(node.id.as_str(), index);
        }
    }
    places
}

/// Plans are kept, and shared by what runs at once.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Plan>();
};

#[cfg(test)]
mod tests;
