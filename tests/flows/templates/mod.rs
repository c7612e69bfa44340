//! Runs every template with every outcome of every node with side effects. No expression may fail, every run must reach
//! its end, and every node must be visited.

mod doubles;

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use domain::time::Time;
use doubles::simulate_effect;
use engine::compile::{ExecutionPlan, compile};
use engine::run::{Execution, History, RunEnd, RunFacts, RunStart, StepEvent};
use engine::templates::{WorkflowTemplate, all, find};

/// The maximum number of runs per input. A template that needs more has too many outcomes to review.
const MAX_RUNS: usize = 20_000;

fn has(template: &WorkflowTemplate, node_type: &str) -> bool {
    template.graph.en.nodes.iter().any(|node| node.r#type == node_type)
}

#[test]
fn all_branches_of_all_templates_work() {
    assert!(all().len() >= 12);
    for template in all() {
        let mut visited = HashSet::new();
        let mut ends = 0;
        for input in inputs(template) {
            let rehearsal = rehearse(template, &input, MAX_RUNS, &mut visited);
            assert!(rehearsal.is_through, "{}: more than {MAX_RUNS} runs", template.slug);
            ends += rehearsal.ends;
        }
        assert!(ends > 0, "{}: every run failed", template.slug);
        for input in large_inputs(template) {
            rehearse(template, &input, 1, &mut visited);
        }
        let missed: Vec<_> = template.graph.en.nodes.iter().filter(|node| !visited.contains(&node.id)).collect();
        assert!(missed.is_empty(), "{}: no run reaches {missed:?}", template.slug);
    }
}

fn apply_changes(template: &WorkflowTemplate, changes: Value) -> Value {
    let mut input = template.example_input.clone();
    input.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    input
}

/// The example input, and inputs that take the branches that the example does not take.
fn inputs(template: &WorkflowTemplate) -> Vec<Value> {
    let with = |changes: Value| apply_changes(template, changes);
    let mut inputs = vec![template.example_input.clone()];
    match template.slug {
        "survey-sentiment" => inputs.push(with(json!({"answers": [" ", ""]}))),
        "expense-approval" => inputs.extend([
            with(json!({"receipt": ""})),
            with(json!({"amount": 12.5, "category": "meals"})),
            with(json!({"amount": 4800})),
        ]),
        "incident-escalation" => inputs.push(with(json!({"severity": 4}))),
        "release-notes" => inputs.push(with(json!({"changes": ["chore: bump dependencies"]}))),
        _ => {}
    }
    // A webhook or a message can contain any content.
    if ["webhook", "message"].iter().any(|name| has(template, name)) {
        inputs.extend([json!({}), json!("text"), json!(null), json!([1])]);
        for name in template.example_input.as_object().unwrap().keys() {
            inputs.extend([with(json!({name: null})), with(json!({name: 7})), with(json!({name: "x".repeat(9_000)}))]);
        }
    }
    inputs
}

/// Inputs of the maximum size that the template accepts, or larger than it can process.
fn large_inputs(template: &WorkflowTemplate) -> Vec<Value> {
    let text = |name: &str, text: String| apply_changes(template, json!({name: text}));
    match template.slug {
        "meeting-actions" => vec![text("transcript", "🎙".repeat(200_000))],
        "index-document" | "contract-review" => {
            let texts = ["x\n\n".repeat(50_000), "🎙".repeat(150_000), format!("{}\n\n", "x".repeat(580)).repeat(256)];
            texts.map(|whole| text("text", whole)).into()
        }
        "survey-sentiment" => vec![apply_changes(template, json!({"answers": vec!["x".repeat(1_000); 500]}))],
        "document-extraction" => {
            // The embedded model copies a document into every field, and all fields are part of one value in the end.
            let documents = |count: usize, letters: usize| {
                let document = json!({"name": "long.txt", "text": "x".repeat(letters)});
                apply_changes(template, json!({"documents": vec![document; count]}))
            };
            vec![documents(5, 20_000), documents(50, 2_000)]
        }
        "content-moderation" => vec![text("text", "x".repeat(20_000))],
        "translation-back-check" => vec![text("text", "x".repeat(12_000))],
        _ => Vec::new(),
    }
}

/// The result of several runs with one input.
#[derive(Default)]
struct Rehearsal {
    /// Whether the runs took every branch.
    is_through: bool,
    /// The number of runs that did not fail.
    ends: usize,
}

/// Runs a template at most `most` times.
fn rehearse(template: &WorkflowTemplate, input: &Value, most: usize, visited: &mut HashSet<String>) -> Rehearsal {
    let plan = Arc::new(compile(&template.graph.en).finish().0.unwrap());
    let is_waited_for = ["webhook", "input"].iter().any(|name| has(template, name));
    let mut choices = Choices::default();
    let mut rehearsal = Rehearsal::default();
    for _ in 0..most {
        if let Some(output) = run_once(&plan, input, &mut choices, visited) {
            assert!(!output.is_null() || !is_waited_for, "{}: a run has no output", template.slug);
            rehearsal.ends += 1;
        }
        if !choices.next() {
            rehearsal.is_through = true;
            break;
        }
    }
    rehearsal
}

/// The outcome of each step in a run. The runs enumerate all combinations.
#[derive(Default)]
struct Choices {
    /// The steps in the order of their execution, each with the chosen outcome and the number of outcomes.
    taken: Vec<(usize, usize, usize)>,
}

impl Choices {
    /// Returns the chosen outcome of a step, which is the same in every iteration of a loop.
    fn choose(&mut self, step: usize, count: usize) -> usize {
        if let Some((_, taken, _)) = self.taken.iter().find(|(known, ..)| *known == step) {
            return *taken;
        }
        self.taken.push((step, 0, count));
        0
    }

    fn next(&mut self) -> bool {
        while let Some((step, taken, count)) = self.taken.pop() {
            if taken + 1 < count {
                self.taken.push((step, taken + 1, count));
                return true;
            }
        }
        false
    }
}

/// Runs a template once. Returns the output of the run; `None` if it failed.
fn run_once(
    plan: &Arc<ExecutionPlan>,
    input: &Value,
    choices: &mut Choices,
    visited: &mut HashSet<String>,
) -> Option<Arc<Value>> {
    let trigger = plan.steps.iter().position(|step| step.node_type.is_trigger()).unwrap();
    let now = Time::from_millis(1_772_434_800_000);
    let start = RunStart { facts: RunFacts::new("r1", now), trigger, input: input.clone() };
    let mut execution = Execution::new(plan.clone(), start, History::default());
    loop {
        execution.settle(u64::MAX);
        let due = execution.take_due();
        for event in execution.take_events() {
            check_event(plan, &event, visited);
        }
        match execution.end() {
            Some(RunEnd::Completed { output }) => return Some(output.clone()),
            Some(_) => return None,
            None => assert!(!due.is_empty(), "the run waits for nothing"),
        }
        for effect in due {
            let step = &plan.steps[effect.path.step];
            let mut outcomes = simulate_effect(step, &effect);
            let outcome = outcomes.swap_remove(choices.choose(effect.path.step, outcomes.len()));
            execution.finish(&effect.path, Ok(outcome));
        }
    }
}

/// No expression may fail, and every element of a loop must have a result.
fn check_event(plan: &ExecutionPlan, event: &StepEvent, visited: &mut HashSet<String>) {
    match event {
        StepEvent::Started { path, .. } => {
            visited.insert(plan.steps[path.step].id.clone());
        }
        StepEvent::Failed { path, error } => {
            let step = &plan.steps[path.step];
            assert_eq!(step.node_type.name, "fail", "{}: {error}", path.display(plan));
        }
        StepEvent::Completed { path, outcome } if plan.steps[path.step].node_type.is_loop => {
            let mut results = outcome.value.as_array().into_iter().flatten();
            assert!(results.all(|result| !result.is_null()), "{}: an element has no result", path.display(plan));
        }
        _ => {}
    }
}

#[test]
fn the_simulation_returns_the_result_of_a_run() {
    let template = find("webhook-enrichment").unwrap();
    let plan = Arc::new(compile(&template.graph.en).finish().0.unwrap());
    let output = run_once(&plan, &template.example_input, &mut Choices::default(), &mut HashSet::new()).unwrap();
    let contact = json!({"email": "ana.prieto@example.com", "domain": "example.com", "name": "Ana Prieto"});
    assert_eq!(
        (&output["status"], &output["contact"], &output["company"]["name"]),
        (&json!("enriched"), &contact, &json!("Acme"))
    );
}
