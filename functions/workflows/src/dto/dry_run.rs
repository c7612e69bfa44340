//! Response bodies of dry runs.

use std::collections::{BTreeSet, HashMap};

use domain::error_text::shorten_message;
use domain::run::{RunError, RunEventKind, StepError, node_id_of};
use engine::compile::ExecutionPlan;
use engine::value_size::measure;
use runner::{KeptValue, PreviewEnd, PreviewReport, StepOutputs};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A larger output is left out of the report.
const MAX_OUTPUT_BYTES: usize = 4 * 1024;
/// The maximum size of all outputs of the report.
const MAX_OUTPUTS_BYTES: usize = 256 * 1024;

/// What the nodes of the draft did in a dry run.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "DryRun")]
pub struct DryRunOut {
    state: DryRunState,
    /// Why the run did not complete.
    #[schema(required)]
    error: Option<DryRunErrorOut>,
    /// The nodes that ran or were skipped, in the order in which they ended.
    nodes: Vec<DryRunNodeOut>,
}

#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DryRunState {
    /// All nodes have ended
    Completed,
    /// A node failed. Behind an example, a real answer may have what the node misses
    Failed,
    /// The draft has errors that must be corrected first
    NotStarted,
    /// The run took longer than 15 seconds
    Timeout,
}

/// Why a dry run did not complete.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "DryRunError")]
pub struct DryRunErrorOut {
    /// A stable identifier for programs.
    #[schema(example = "missing_output")]
    pub code: String,
    pub message: String,
    #[schema(required)]
    pub node_id: Option<String>,
}

/// A node of a dry run.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "DryRunNode")]
pub struct DryRunNodeOut {
    #[schema(example = "get_orders")]
    node_id: String,
    state: DryRunNodeState,
    answer: Answer,
    /// How often the node ran: more than once in a loop.
    #[schema(example = 1)]
    runs: usize,
    /// The value of its last run. It is null if the node gave none, or if it is larger than 4 KiB as JSON.
    #[schema(required)]
    output: Value,
    /// The error of a node that failed.
    #[schema(required)]
    error: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DryRunNodeState {
    Completed,
    Failed,
    /// No connection into the node was taken
    Skipped,
}

/// Where the value of a node comes from.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Answer {
    /// The node computed it
    Computed,
    /// The file has it, as data that was pinned for tests
    Recorded,
    /// The node calls something or asks a person, and got an example
    Example,
}

impl DryRunOut {
    pub fn not_started(error: DryRunErrorOut) -> Self {
        Self { state: DryRunState::NotStarted, error: Some(error), nodes: Vec::new() }
    }

    /// `recorded` are the steps whose outputs the file has.
    pub fn new(plan: &ExecutionPlan, recorded: &BTreeSet<usize>, report: PreviewReport) -> Self {
        let PreviewReport { events, outputs, end } = report;
        let mut nodes = DryRunNodes { plan, recorded, outputs, nodes: Vec::new(), places: HashMap::new() };
        for event in events {
            nodes.read(event.kind);
        }
        let (state, error) = match end {
            PreviewEnd::Completed { .. } => (DryRunState::Completed, None),
            PreviewEnd::Failed(error) => (DryRunState::Failed, Some(error.into())),
            // Nobody is asked, so nothing but a long wait is left.
            PreviewEnd::Waiting | PreviewEnd::Timeout => (DryRunState::Timeout, None),
        };
        Self { state, error, nodes: nodes.finish() }
    }
}

impl From<RunError> for DryRunErrorOut {
    fn from(RunError { code, message, node_id }: RunError) -> Self {
        Self { code, message: shorten_message(&message).into_owned(), node_id }
    }
}

struct DryRunNodes<'a> {
    plan: &'a ExecutionPlan,
    recorded: &'a BTreeSet<usize>,
    outputs: StepOutputs,
    nodes: Vec<DryRunNodeOut>,
    places: HashMap<String, usize>,
}

impl DryRunNodes<'_> {
    fn read(&mut self, event: RunEventKind) {
        match event {
            RunEventKind::StepCompleted { step, .. } => {
                let output = self.outputs.values.remove(&step);
                if let Some(node) = self.node(&step) {
                    node.runs += 1;
                    if node.state != DryRunNodeState::Failed {
                        node.state = DryRunNodeState::Completed;
                        node.output = output.map(KeptValue::into_response).unwrap_or_default().0;
                    }
                }
            }
            RunEventKind::StepFailed { step, error: StepError { message, .. } } => {
                if let Some(node) = self.node(&step) {
                    node.state = DryRunNodeState::Failed;
                    node.error = Some(shorten_message(&message).into_owned());
                }
            }
            RunEventKind::StepSkipped { step } => drop(self.node(&step)),
            _ => {}
        }
    }

    /// The entry of the node of a step, unless the step is only a part of the node: one of its items, or a call of an agent.
    fn node(&mut self, step: &str) -> Option<&mut DryRunNodeOut> {
        let id = node_id_of(step);
        let (scope, last) = step.rsplit_once('/').unwrap_or(("", step));
        let is_part = last != id || node_id_of(scope) == id;
        if is_part {
            return None;
        }
        let place = *self.places.entry(id.to_owned()).or_insert(self.nodes.len());
        if place == self.nodes.len() {
            let index = self.plan.find_step(id)?;
            let answer = match self.plan.pinned(index).is_some() || self.plan.steps[index].node_type.effects {
                true if self.recorded.contains(&index) => Answer::Recorded,
                true => Answer::Example,
                false => Answer::Computed,
            };
            let (node_id, state) = (id.to_owned(), DryRunNodeState::Skipped);
            self.nodes.push(DryRunNodeOut { node_id, state, answer, runs: 0, output: Value::Null, error: None });
        }
        self.nodes.get_mut(place)
    }

    /// Leaves out the values that are too large for the report.
    fn finish(mut self) -> Vec<DryRunNodeOut> {
        let mut left = MAX_OUTPUTS_BYTES;
        for node in &mut self.nodes {
            let bytes = measure(&node.output).filter(|bytes| *bytes <= MAX_OUTPUT_BYTES);
            match bytes.and_then(|bytes| left.checked_sub(bytes)) {
                Some(rest) => left = rest,
                None => node.output = Value::Null,
            }
        }
        self.nodes
    }
}
