//! Simulates every template with every outcome of every node with side effects. No expression may fail, every run must
//! reach its end, and every node must be visited.

mod doubles;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use doubles::{simulate_node, value};
use engine::compile::{ExecutionPlan, PlanStep, compile};
use engine::templates::{WorkflowTemplate, all, find};

/// The maximum number of runs per input. A template that needs more has too many outcomes to review.
const MAX_RUNS: usize = 20_000;

fn has(template: &WorkflowTemplate, node_type: &str) -> bool {
    template.graph.nodes.iter().any(|node| node.r#type == node_type)
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
        let missed: Vec<_> = template.graph.nodes.iter().filter(|node| !visited.contains(&node.id)).collect();
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
    let plan = compile(&template.graph).finish().0.unwrap();
    let is_waited_for = ["webhook", "input"].iter().any(|name| has(template, name));
    let mut choices = Choices::default();
    let mut rehearsal = Rehearsal::default();
    for _ in 0..most {
        let mut run = Run { plan: &plan, choices: &mut choices, visited, is_answered: false };
        let end = run.steps(None, HashMap::new(), input, &Map::new(), &json!({}));
        assert!(end.is_none() || run.is_answered || !is_waited_for, "{}: a run has no output", template.slug);
        rehearsal.ends += usize::from(end.is_some());
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

struct Run<'a> {
    plan: &'a ExecutionPlan,
    choices: &'a mut Choices,
    visited: &'a mut HashSet<String>,
    is_answered: bool,
}

impl Run<'_> {
    /// Runs the steps of a loop body or of the whole graph, and returns the values of the edges taken, or none if the
    /// run failed.
    fn steps(
        &mut self,
        parent_loop: Option<usize>,
        mut taken: HashMap<usize, Value>,
        trigger: &Value,
        nodes: &Map<String, Value>,
        vars: &Value,
    ) -> Option<HashMap<usize, Value>> {
        let mut nodes = nodes.clone();
        for &index in &self.plan.order {
            let step = &self.plan.steps[index];
            if step.parent_loop != parent_loop {
                continue;
            }
            let came: Vec<Value> = step.incoming.iter().filter_map(|edge| taken.get(edge).cloned()).collect();
            let input = match (&came[..], step.node_type.name) {
                _ if step.node_type.is_trigger() => trigger.clone(),
                ([], _) => continue,
                (_, "merge") if step.config.get("mode") != Some(&json!("first")) => json!(came),
                ([first, ..], "merge") => first.clone(),
                ([one], _) => one.clone(),
                _ => json!(came),
            };
            self.visited.insert(step.id.clone());
            let scope = json!({"input": input, "nodes": nodes, "vars": vars, "run": {"id": "r1"}});
            let (port, value) = match step.node_type.name {
                "loop" => ("done".to_owned(), self.each(index, &scope)?),
                _ => self.outcome(index, step, scope.as_object().unwrap())?,
            };
            if port != "error" {
                nodes.insert(step.id.clone(), json!({"output": value}));
            }
            for edge in step.outgoing.iter().filter(|edge| self.plan.edges[**edge].from_port == port) {
                taken.insert(*edge, value.clone());
            }
        }
        Some(taken)
    }

    /// Runs a loop, whose body must return a result for every element.
    fn each(&mut self, index: usize, scope: &Value) -> Option<Value> {
        let step = &self.plan.steps[index];
        let items = value(step, "items", scope.as_object().unwrap()).unwrap();
        let edges = |port: &str, edges: &[usize]| -> Vec<usize> {
            let is_meant = |edge: &&usize| {
                let edge = &self.plan.edges[**edge];
                edge.from == index && edge.from_port == port || edge.to == index && edge.to_port == port
            };
            edges.iter().filter(is_meant).copied().collect()
        };
        let (firsts, backs) = (edges("item", &step.outgoing), edges("next", &step.incoming));
        let mut results = Vec::new();
        for (place, item) in items.as_array().unwrap().iter().enumerate() {
            let taken = firsts.iter().map(|edge| (*edge, item.clone())).collect();
            let vars = json!({"item": item, "index": place});
            let taken = self.steps(Some(index), taken, &Value::Null, scope["nodes"].as_object().unwrap(), &vars)?;
            let back = backs.iter().find_map(|edge| taken.get(edge).cloned());
            results.push(back.unwrap_or_else(|| panic!("{}: an element has no result", step.id)));
        }
        Some(Value::Array(results))
    }

    fn outcome(&mut self, index: usize, step: &PlanStep, scope: &Map<String, Value>) -> Option<(String, Value)> {
        let value = |field: &str| value(step, field, scope);
        let input = scope["input"].clone();
        let fields = |prefix: &str| {
            let fields = step.programs.keys().filter_map(|field| field.strip_prefix("config.")?.strip_prefix(prefix));
            fields.map(|name| (name.to_owned(), value(&format!("{prefix}{name}")).unwrap())).collect()
        };
        let (port, value) = match step.node_type.name {
            "fail" => {
                value("message");
                return None;
            }
            "condition" => {
                let holds = value("expression").unwrap();
                (holds.as_bool().unwrap_or_else(|| panic!("{}: neither true nor false", step.id)).to_string(), input)
            }
            "switch" => {
                let cases = step.config["cases"].as_array().unwrap().iter().enumerate();
                let is_taken = |place: usize| value(&format!("cases[{place}].expression")) == Some(Value::Bool(true));
                let case = cases.into_iter().find(|(place, _)| is_taken(*place));
                (case.map_or("default", |(_, case)| case["name"].as_str().unwrap()).to_owned(), input)
            }
            "transform" => ("out".to_owned(), value("value").unwrap_or_else(|| Value::Object(fields("fields.")))),
            "template" => ("out".to_owned(), value("template").unwrap()),
            "send_result" => {
                assert!(!self.is_answered, "{}: a second output", step.id);
                self.is_answered = true;
                ("out".to_owned(), value("output").unwrap_or(input))
            }
            "merge" | "delay" | "input" | "webhook" | "schedule" | "message" => ("out".to_owned(), input),
            _ => {
                let mut outcomes = simulate_node(step, scope);
                outcomes.swap_remove(self.choices.choose(index, outcomes.len()))
            }
        };
        Some((port, value))
    }
}

#[test]
fn the_simulation_returns_the_result_of_a_run() {
    let template = find("webhook-enrichment").unwrap();
    let plan = compile(&template.graph).finish().0.unwrap();
    let mut run =
        Run { plan: &plan, choices: &mut Choices::default(), visited: &mut HashSet::new(), is_answered: false };
    let taken = run.steps(None, HashMap::new(), &template.example_input, &Map::new(), &json!({})).unwrap();
    let result = plan.steps.iter().position(|step| step.node_type.name == "send_result").unwrap();
    let given = plan.steps[result].incoming.iter().find_map(|edge| taken.get(edge)).unwrap();
    let contact = json!({"email": "ana.prieto@example.com", "domain": "example.com", "name": "Ana Prieto"});
    assert_eq!(
        (&given["status"], &given["contact"], &given["company"]["name"]),
        (&json!("enriched"), &contact, &json!("Acme"))
    );
}
