//! Runs of whole graphs. The tests perform the effects.

mod branches;
mod each;
mod items;
mod loops;
mod previews;
pub(crate) mod properties;
mod rounds;

use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::*;
use crate::compile::{PinnedOutput, compile};
use crate::graph_builder::graph;
use crate::nodes::Fields;
use crate::nodes::Operation;
use crate::nodes::http::HttpNode;
use crate::script::Surroundings;

type Effect = fn(&DueEffect) -> Result<StepOutcome, StepError>;

/// A run of a graph, with what happened to each step.
struct TestRun {
    execution: Execution,
    /// The effects that are due, in the order in which they became due.
    due: Vec<DueEffect>,
    events: Vec<StepEvent>,
}

impl TestRun {
    fn new(plan: Arc<ExecutionPlan>, input: Value, history: History) -> Self {
        let trigger = plan.steps.iter().position(|step| step.node_type.is_trigger()).unwrap();
        let now: jiff::Timestamp = "2026-03-02T07:00:00Z".parse().unwrap();
        let start = RunStart { facts: RunFacts::new("r1", now.into()), trigger, input };
        let mut run = Self { execution: Execution::new(plan, start, history), due: Vec::new(), events: Vec::new() };
        run.collect();
        run
    }

    fn start(nodes: &[(&str, &str, Value)], connections: &str, input: Value) -> Self {
        let (plan, problems) = compile(&graph(nodes, connections)).finish();
        Self::new(Arc::new(plan.unwrap_or_else(|| panic!("{problems:?}"))), input, History::default())
    }

    /// Runs a graph to its end. Every effect returns the input of its node.
    fn to_end(nodes: &[(&str, &str, Value)], connections: &str, input: Value) -> Self {
        let mut run = Self::start(nodes, connections, input);
        run.perform_all(|effect| Ok(StepOutcome::new("out", effect.input.clone())));
        run
    }

    fn collect(&mut self) {
        self.execution.settle(u64::MAX);
        self.due.extend(self.execution.take_due());
        self.due.retain(|effect| self.execution.is_active(&effect.path));
        self.events.extend(self.execution.take_events());
    }

    /// Performs the effect of a node, which must be due.
    fn perform(&mut self, node: &str, result: Result<StepOutcome, StepError>) {
        let is_meant = |effect: &DueEffect| effect.path.display(self.execution.plan()) == node;
        let place = self.due.iter().position(is_meant).unwrap_or_else(|| panic!("{node} is not due: {:?}", self.due()));
        let effect = self.due.remove(place);
        self.execution.finish(&effect.path, result);
        self.collect();
    }

    fn perform_all(&mut self, effect: Effect) {
        while !self.due.is_empty() {
            let due = self.due.remove(0);
            self.execution.finish(&due.path, effect(&due));
            self.collect();
        }
    }

    /// The paths of the effects that are due.
    fn due(&self) -> Vec<String> {
        self.due.iter().map(|effect| effect.path.display(self.execution.plan())).collect()
    }

    fn output(&self) -> Value {
        match self.execution.end() {
            Some(RunEnd::Completed { output }) => Value::clone(output),
            end => panic!("the run has no output: {end:?}, due {:?}", self.due()),
        }
    }

    fn failure(&self) -> String {
        match self.execution.end() {
            Some(RunEnd::Failed(RunError { code, message, node_id })) => {
                format!("{}: {code}: {message}", node_id.as_deref().unwrap_or_default())
            }
            end => panic!("the run did not fail: {end:?}"),
        }
    }

    /// How each step ended, by its path.
    fn ends(&self) -> BTreeMap<String, String> {
        let plan = self.execution.plan();
        let mut ends = BTreeMap::new();
        for event in &self.events {
            let (path, end) = match event {
                StepEvent::Completed { path, outcome } => (path, format!("{} {}", outcome.port, outcome.value)),
                StepEvent::Failed { path, error } => (path, error.to_string()),
                StepEvent::Skipped { path } => (path, "skipped".to_owned()),
                StepEvent::Canceled { path } => (path, "canceled".to_owned()),
                StepEvent::Started { .. } | StepEvent::Decided { .. } | StepEvent::Printed { .. } => continue,
            };
            let known: &mut String = ends.entry(path.display(plan)).or_default();
            known.push_str(if known.is_empty() { "" } else { ", " });
            known.push_str(&end);
        }
        ends
    }
}

#[test]
fn an_invalid_configuration_is_an_error_without_its_values() {
    let nodes = [
        ("start", "input", json!({})),
        ("text", "template", json!({"template": "s3cret"})),
        ("end", "send_result", json!({})),
    ];
    let plan = compile(&graph(&nodes, "start>text text>end")).finish().0.unwrap();
    let (input, variables) = (Arc::default(), Map::new());
    let surroundings = Surroundings { variables: &variables, now: jiff::Timestamp::UNIX_EPOCH, seed: 0, view: None };
    let fields = Fields::new((&plan.steps[1].config, &plan.steps[1].programs), &input, surroundings);
    let error = fields.evaluate::<HttpNode<Value, String>>().unwrap_err();
    assert_eq!(error.code, "invalid_config");
    assert!(!error.message.contains("s3cret"), "{error}");
}

fn operation(effect: &DueEffect) -> &Operation {
    match &effect.work {
        DueWork::Perform(operation) => operation,
        DueWork::Delay(_) | DueWork::Ask(_) => panic!("{effect:?}"),
    }
}

fn http(url: &str) -> Value {
    json!({"url": format!("https://example.com/{url}")})
}

fn error(code: &str) -> Result<StepOutcome, StepError> {
    Err(StepError::new(code, "It did not answer."))
}

fn value(value: Value) -> Result<StepOutcome, StepError> {
    Ok(StepOutcome::new("out", value))
}
