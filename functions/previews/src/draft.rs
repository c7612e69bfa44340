//! A draft that can be previewed: its plan with the pinned outputs, and the trigger with its input.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::graph::Graph;
use domain::{Error, Result};
use engine::compile::{ExecutionPlan, PinnedOutput, PlanStep};
use engine::nodes::r#loop::ITEM;
use engine::nodes::{ERROR, OUT};
use engine::value_size::check_input;
use runner::{Trigger, compile_draft, find_trigger, pin_people};
use serde_json::Value;
use web::language;

use crate::dto::{PinnedIn, PreviewIn};

pub struct Draft {
    pub plan: Arc<ExecutionPlan>,
    /// The step of the trigger that fires.
    pub trigger: usize,
    pub input: Value,
}

impl Draft {
    /// Compiles the graph, and checks everything in the request that refers to it.
    pub async fn new(graph: Graph, request: PreviewIn) -> Result<Self> {
        let PreviewIn { input, trigger, pinned, until, dry } = request;
        let chosen = match &trigger {
            Some(id) => Trigger::of_node(&graph, id).ok_or("the draft has no trigger with this id"),
            None => find_trigger(&graph).ok_or("the draft has no trigger"),
        };
        let plan = compile_draft(graph, language::of_request(), script::interpreter()).await?;
        let chosen = chosen.map_err(|problem| Error::invalid_body("trigger", problem))?;
        let trigger = find_step(&plan, &chosen.node_id, "trigger")?;
        let until = until.map(|id| find_step(&plan, &id, "until")).transpose()?;
        let pinned = pinned.into_iter().map(|(id, pinned)| check_pinned(&plan, &id, pinned));
        let mut pinned: BTreeMap<usize, PinnedOutput> = pinned.collect::<Result<_>>()?;
        if dry {
            pin_people(&plan, &mut pinned);
        }
        let input = Arc::new(chosen).check_input(input).await?;
        Ok(Self { plan: Arc::new(plan.previewed(pinned, until)), trigger, input })
    }
}

fn find_step(plan: &ExecutionPlan, id: &str, field: &str) -> Result<usize> {
    plan.find_step(id).ok_or_else(|| Error::invalid_body(field, "the draft has no node with this id"))
}

fn check_pinned(plan: &ExecutionPlan, id: &str, pinned: PinnedIn) -> Result<(usize, PinnedOutput)> {
    let PinnedIn { port, output } = pinned;
    let field = format!("pinned.{id}");
    let step = find_step(plan, id, &field)?;
    check_input(&format!("{field}.output"), &output)?;
    let port = choose_port(&plan.steps[step], port)
        .map_err(|problem| Error::invalid_body(format!("{field}.port"), problem))?;
    Ok((step, PinnedOutput { port, value: Arc::new(output) }))
}

/// The given port, or the only one besides `error`.
fn choose_port(step: &PlanStep, given: Option<String>) -> Result<String, String> {
    // The body of a loop begins at the port `item`. A pinned loop has no iterations.
    let mut ports: Vec<&str> = step.outputs.iter().map(String::as_str).filter(|port| *port != ITEM).collect();
    if ports.iter().all(|port| *port == ERROR) {
        // Nodes that end a run have an output, but no port to connect.
        ports.insert(0, OUT);
    }
    let list = || ports.join(", ");
    match given {
        Some(port) if ports.contains(&port.as_str()) => Ok(port),
        Some(_) => Err(format!("the node has no such port; choose one of {}", list())),
        None => match ports.iter().filter(|port| **port != ERROR).collect::<Vec<_>>()[..] {
            [only] => Ok((*only).to_owned()),
            _ => Err(format!("the node has several ports; choose one of {}", list())),
        },
    }
}
