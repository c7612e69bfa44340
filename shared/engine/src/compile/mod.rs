//! The workflow compiler: validates a graph and turns it into an execution plan. It does not stop at the first problem:
//! it reports up to 500 errors and 500 warnings.

mod configs;
mod ports;
mod preview;
mod problems;
mod references;
mod report;
mod structure;
mod upstream;
mod wiring;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::nodes::item_mode::ItemMode;
use super::nodes::r#loop::{LoopNode, MAX_ROUNDS};
use super::nodes::policy::Policy;
use super::nodes::redaction::Redaction;
use super::nodes::{Join, NodeConfig, NodeKind, NodeType};
use super::schema::Program;
use super::script::OwnInterpreter;
use domain::graph::Graph;
use domain::language::{Language, Translated};
use domain::reference::Reference;
use domain::translated;
pub use ports::complete_connections;
pub use preview::{PinnedOutput, PreviewChanges};
use problems::Problems;
pub use problems::{GraphProblem, Severity};
pub use report::{ProblemOut, describe_problems, first_problems, problems_error};

/// An execution plan. Steps are in the order of the graph's nodes; steps and edges refer to each other by index.
#[derive(Debug)]
pub struct ExecutionPlan {
    pub steps: Vec<PlanStep>,
    pub edges: Vec<Edge>,
    /// The indexes of the steps in topological order: each step follows the steps it depends on.
    pub order: Vec<usize>,
    /// The configurations of the steps. Only the plan of a valid graph has them.
    configs: Vec<NodeConfig>,
    /// Only the plan of a preview has changes.
    preview: Option<PreviewChanges>,
}

#[derive(Debug)]
pub struct PlanStep {
    pub id: String,
    pub name: String,
    pub node_type: &'static NodeType,
    /// The fields of the node, with the texts of its expressions.
    pub config: Map<String, Value>,
    pub join: Join,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    /// The parsed expressions, by the path of their field.
    pub programs: BTreeMap<String, Program>,
    /// What happens when the step fails, is slow, or leaves its outcome uncertain.
    pub policy: Policy,
    /// The parts of its values that are masked.
    pub redaction: Redaction,
    /// The list for whose elements it runs.
    pub each: Option<Each>,
    /// How it works on items.
    pub item_mode: Option<ItemMode>,
    /// The steps whose outputs the expressions read.
    pub reads: Vec<usize>,
    /// The steps of which the scripts read only the item that the current one comes from.
    pub reads_of_item: Vec<usize>,
    /// Whether its scripts see all items of the input, also when it runs for each item.
    pub reads_whole_input: bool,
    /// The innermost loop whose body contains this step.
    pub parent_loop: Option<usize>,
    /// The agents, models and workflows that must exist, each with the field that names it.
    pub references: Vec<(Reference, &'static str)>,
    pub credential: Option<(uuid::Uuid, &'static str)>,
    pub incoming: Vec<usize>,
    pub outgoing: Vec<usize>,
}

/// What makes a step a loop whose body is the step itself.
#[derive(Debug)]
pub struct Each {
    /// The field `each`. Without it, the list is the items of the input.
    pub r#loop: Option<LoopNode>,
    /// The parts of the list of results that are masked.
    pub redaction: Redaction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub from_port: String,
    pub to: usize,
    pub to_port: String,
}

impl PlanStep {
    /// Whether the value is a map from ports to the items there, because the items of one input may go to several ports.
    pub fn splits_items(&self) -> bool {
        self.item_mode.is_some() && !self.node_type.is_loop && self.outputs.len() > 1
    }

    /// Whether it is a loop that runs in rounds.
    pub fn has_rounds(&self) -> bool {
        self.node_type.is_loop && self.config.contains_key(MAX_ROUNDS)
    }
}

impl ExecutionPlan {
    /// The configuration of a step, as it is written.
    pub fn config(&self, step: usize) -> &NodeConfig {
        &self.configs[step]
    }

    /// Whether this process can run all programs of the plan.
    pub fn can_execute(&self) -> bool {
        self.steps.iter().flat_map(|step| step.programs.values()).all(Program::can_execute)
    }
}

/// The result of a compilation: a plan, and the problems of the graph.
pub struct Compiled {
    plan: ExecutionPlan,
    /// None for a configuration that cannot be read.
    configs: Vec<Option<NodeConfig>>,
    problems: Problems,
}

/// Compiles a graph in a process that does not run scripts. They are not checked, and the plan cannot execute them.
pub fn compile(graph: &Graph) -> Compiled {
    compile_with(graph, &None)
}

pub fn compile_with(graph: &Graph, interpreter: &OwnInterpreter) -> Compiled {
    let mut problems = Problems::for_graph(graph);
    let (steps, configs) = configs::read_nodes(graph, interpreter, &mut problems);
    let mut plan = ExecutionPlan { steps, configs: Vec::new(), edges: Vec::new(), order: Vec::new(), preview: None };
    let indexes = index_nodes(graph, &mut problems);
    wiring::connect(graph, &indexes, &mut plan, &mut problems);
    let upstream = structure::analyze_structure(&mut plan, &mut problems);
    let names = index_names(graph);
    references::check(&plan, &indexes, &names, &upstream, &mut problems);
    for (step, upstream) in plan.steps.iter_mut().zip(&upstream) {
        step.reads = references::read_steps(step, &indexes, &names, upstream);
        step.reads_of_item = references::read_items(step, &names);
    }
    Compiled { plan, configs, problems }
}

impl Compiled {
    /// The agents, models and workflows that must exist for the plan to run.
    pub fn references(&self) -> BTreeSet<Reference> {
        let named = self.plan.steps.iter().flat_map(|step| &step.references);
        named.map(|(reference, _)| reference.clone()).collect()
    }

    /// The credentials of the workflow that the steps use.
    pub fn credentials(&self) -> BTreeSet<uuid::Uuid> {
        self.plan.steps.iter().filter_map(|step| Some(step.credential?.0)).collect()
    }

    /// The number of steps of a node type.
    pub fn count_steps<K: NodeKind>(&self) -> usize {
        self.plan.steps.iter().filter(|step| step.node_type.is::<K>()).count()
    }

    /// Reports an error for every reference that is not in `known`.
    pub fn require_references(&mut self, known: &BTreeSet<Reference>) {
        for (index, step) in self.plan.steps.iter().enumerate() {
            for (reference, field) in step.references.iter().filter(|(reference, _)| !known.contains(reference)) {
                let (spanish, ending) = (reference.describe_kind(Language::Spanish), reference.spanish_ending());
                let message = Translated::new(
                    format!("this {} does not exist; choose another one", reference.kind()),
                    format!("{spanish} indicad{ending} no existe; elija otr{ending}"),
                );
                self.problems.field("reference_gone", index, &format!("config.{field}"), None, message);
            }
        }
    }

    /// Reports a problem for every step for which `find_problem` returns a field and a message.
    pub fn report_fields(
        &mut self,
        severity: Severity,
        code: &'static str,
        find_problem: impl Fn(&PlanStep) -> Option<(&'static str, Translated<String>)>,
    ) {
        for (index, step) in self.plan.steps.iter().enumerate() {
            if let Some((field, message)) = find_problem(step) {
                self.problems.add(severity, code, index, Some(&format!("config.{field}")), None, message);
            }
        }
    }

    /// Reports an error for every step for which `find_problem` returns a message.
    pub fn report_steps(&mut self, code: &'static str, find_problem: impl Fn(&PlanStep) -> Option<Translated<String>>) {
        for (index, step) in self.plan.steps.iter().enumerate() {
            if let Some(message) = find_problem(step) {
                self.problems.error(code, index, message);
            }
        }
    }

    /// Reports an error about the graph as a whole.
    pub fn report_graph(&mut self, code: &'static str, message: Translated<String>) {
        self.problems.add_graph_problem(Severity::Error, code, message);
    }

    /// Returns the plan if there are no errors, and all problems, errors first.
    pub fn finish(self) -> (Option<ExecutionPlan>, Vec<GraphProblem>) {
        let found = self.problems.sorted();
        let is_sound = found.iter().all(|problem| problem.severity == Severity::Warning);
        let configs = self.configs.into_iter().collect::<Option<_>>().filter(|_| is_sound);
        (configs.map(|configs| ExecutionPlan { configs, ..self.plan }), found)
    }
}

/// Maps node ids to indexes. Of several nodes with the same id, the first one counts.
fn index_nodes<'g>(graph: &'g Graph, problems: &mut Problems) -> HashMap<&'g str, usize> {
    let mut indexes = HashMap::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        if indexes.contains_key(node.id.as_str()) {
            let message = translated!(
                "another node has the same id; change one of them",
                "otro nodo tiene el mismo id; cambie uno de los dos"
            );
            problems.error("duplicate_id", index, message);
        } else {
            indexes.insert(node.id.as_str(), index);
        }
    }
    indexes
}

/// Maps the names of nodes to indexes, for scripts that work on items.
fn index_names(graph: &Graph) -> HashMap<&str, usize> {
    let mut names = HashMap::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        names.entry(node.name.as_str()).or_insert(index);
    }
    names
}

/// Plans can be shared between threads.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<ExecutionPlan>();
};

#[cfg(test)]
mod tests;
