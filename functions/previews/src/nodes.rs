//! What happened to each node of a preview, read from its events.

use std::collections::HashMap;

use domain::run::{RunEvent, RunEventKind, node_id_of};
use domain::time::Time;
use engine::compile::ExecutionPlan;
use engine::value_size::measure;
use runner::{KeptValue, MAX_OUTPUTS_BYTES, StepOutputs};
use serde_json::Value;

use crate::dto::{PreviewNodeOut, PreviewNodeState};

/// The nodes so far, in the order in which they began.
pub struct NodeList<'a> {
    plan: &'a ExecutionPlan,
    outputs: StepOutputs,
    nodes: Vec<PreviewNodeOut>,
    places: HashMap<String, usize>,
    /// The beginning of the first attempt of each node.
    begun: HashMap<usize, Time>,
}

impl<'a> NodeList<'a> {
    pub fn new(plan: &'a ExecutionPlan, events: Vec<RunEvent>, outputs: StepOutputs) -> Self {
        let mut list = Self { plan, outputs, nodes: Vec::new(), places: HashMap::new(), begun: HashMap::new() };
        for event in events {
            list.read(event);
        }
        list
    }

    fn read(&mut self, RunEvent { at, kind }: RunEvent) {
        match kind {
            RunEventKind::StepStarted { step, attempt, action } => {
                let place = self.place(step);
                self.nodes[place].action = action;
                self.nodes[place].attempts = attempt;
                self.begun.entry(place).or_insert(at);
            }
            RunEventKind::StepRetried { step, error, .. } => {
                self.node(step).error = Some(error.into());
            }
            RunEventKind::StepDelayed { step, .. } => drop(self.place(step)),
            RunEventKind::StepAsked { step, action, .. } => {
                let node = self.node(step);
                (node.state, node.action) = (PreviewNodeState::Waiting, action);
            }
            RunEventKind::StepCompleted { step, port, .. } => {
                let output = self.outputs.values.remove(&step);
                let place = self.place(step);
                let node = &mut self.nodes[place];
                node.port = Some(port);
                if node.state != PreviewNodeState::Failed {
                    node.error = None;
                    (node.output, node.output_bytes) = output.map(KeptValue::into_response).unwrap_or_default();
                    self.end(place, PreviewNodeState::Completed, at);
                }
            }
            RunEventKind::StepFailed { step, error } => {
                let place = self.place(step);
                self.nodes[place].error = Some(error.into());
                self.end(place, PreviewNodeState::Failed, at);
            }
            RunEventKind::StepSkipped { step } => {
                let place = self.place(step);
                // A canceled step is skipped, too.
                if self.nodes[place].state != PreviewNodeState::Canceled {
                    self.end(place, PreviewNodeState::Skipped, at);
                }
            }
            RunEventKind::StepCanceled { step } => {
                let place = self.place(step);
                self.end(place, PreviewNodeState::Canceled, at);
            }
            // A preview starts no runs.
            RunEventKind::StepCalled { .. }
            | RunEventKind::StepInterrupted { .. }
            | RunEventKind::BranchWon { .. }
            | RunEventKind::RunQueued { .. }
            | RunEventKind::RunCompleted { .. }
            | RunEventKind::RunFailed { .. }
            | RunEventKind::RunCancelled => {}
        }
    }

    fn end(&mut self, place: usize, state: PreviewNodeState, at: Time) {
        let node = &mut self.nodes[place];
        node.state = state;
        node.duration_ms = self.begun.get(&place).map(|begun| begun.until(at).as_millis() as u64);
    }

    fn node(&mut self, step: String) -> &mut PreviewNodeOut {
        let place = self.place(step);
        &mut self.nodes[place]
    }

    /// The place of a step in the list. A new step is in progress.
    fn place(&mut self, step: String) -> usize {
        if let Some(place) = self.places.get(&step) {
            return *place;
        }
        let node_id = node_id_of(&step).to_owned();
        let index = self.plan.find_step(&node_id);
        self.places.insert(step.clone(), self.nodes.len());
        let console = self.outputs.consoles.remove(&step).unwrap_or_default();
        self.nodes.push(PreviewNodeOut {
            pinned: index.is_some_and(|index| self.plan.pinned(index).is_some()),
            step,
            node_id,
            state: PreviewNodeState::Timeout,
            action: None,
            port: None,
            output: Value::Null,
            output_bytes: None,
            console,
            error: None,
            attempts: 0,
            duration_ms: None,
        });
        self.nodes.len() - 1
    }

    /// The first node in a state.
    pub fn find(&self, state: PreviewNodeState) -> Option<&PreviewNodeOut> {
        self.nodes.iter().find(|node| node.state == state)
    }

    /// Returns the nodes without those that `until` leaves out, as many as fit in a response, and the number of the others.
    pub fn into_response(self) -> (Vec<PreviewNodeOut>, usize) {
        let Self { plan, mut nodes, .. } = self;
        nodes.retain(|node| {
            let index = plan.find_step(&node.node_id);
            !index.is_some_and(|index| plan.leaves_out(index))
        });
        let mut left = MAX_OUTPUTS_BYTES;
        let mut fits = |node: &PreviewNodeOut| {
            let rest = measure(node).and_then(|bytes| left.checked_sub(bytes));
            rest.map(|rest| left = rest).is_some()
        };
        let place = nodes.iter_mut().position(|node| {
            if fits(node) {
                return false;
            }
            node.output_bytes = measure(&node.output);
            node.output = Value::Null;
            !fits(node)
        });
        let omitted = nodes.len() - place.unwrap_or(nodes.len());
        nodes.truncate(nodes.len() - omitted);
        (nodes, omitted)
    }
}
