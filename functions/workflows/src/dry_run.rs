//! Dry runs of imported drafts: a person sees what the nodes do before anything is connected or called.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::graph::Graph;
use domain::id::RunId;
use domain::time::Clock;
use domain::{Error, Result};
use engine::compile::{ExecutionPlan, GraphProblem, PinnedOutput, Severity, compile_with};
use engine::nodes::ERROR;
use platform::offload;
use runner::{ExampleEffects, Preview, find_trigger, pin_people};
use serde_json::Value;

use crate::dto::dry_run::{DryRunErrorOut, DryRunOut};

/// API Gateway ends a request after 29 seconds, and the import needs some of them.
const LIMIT: Duration = Duration::from_secs(15);

/// Runs a draft with the recorded items of its nodes. Nodes without items that would call something get examples.
pub async fn dry_run(graph: Graph, recorded: &BTreeMap<String, Value>, clock: Clock) -> Result<DryRunOut> {
    let trigger = find_trigger(&graph);
    let (plan, problems) = offload(move || Ok(compile_with(&graph, &script::interpreter()).finish())).await?;
    let (Some(plan), Some(trigger)) = (plan, trigger) else { return Ok(DryRunOut::not_started(first_error(problems))) };
    let node_id = trigger.node_id.clone();
    let given = recorded.get(&node_id).map(first_data);
    let input = match Arc::new(trigger).check_input(given).await {
        Ok(input) => input,
        Err(error) => {
            let (code, message) = (error.code().into_owned(), error.to_string());
            return Ok(DryRunOut::not_started(DryRunErrorOut { code, message, node_id: Some(node_id) }));
        }
    };
    let trigger = plan.find_step(&node_id).ok_or_else(|| Error::internal("the plan has no trigger"))?;
    let mut pinned = pin_recorded(&plan, recorded);
    pinned.remove(&trigger);
    let recorded = pinned.keys().copied().collect();
    pin_people(&plan, &mut pinned);
    let plan = Arc::new(plan.previewed(pinned, None));
    let preview = Preview { id: RunId::new(), plan: plan.clone(), trigger, input, clock };
    let report = preview.carry_out(ExampleEffects(plan.clone()), LIMIT).await?;
    Ok(DryRunOut::new(&plan, &recorded, report))
}

fn first_error(problems: Vec<GraphProblem>) -> DryRunErrorOut {
    let error = problems.into_iter().find(|problem| problem.severity == Severity::Error);
    match error {
        Some(GraphProblem { code, message, node_id, .. }) => {
            DryRunErrorOut { code: code.to_owned(), message: message.en, node_id }
        }
        None => {
            let message = "the workflow has no trigger; add one to start it".to_owned();
            DryRunErrorOut { code: "missing_trigger".to_owned(), message, node_id: None }
        }
    }
}

/// The recorded items as outputs of their nodes. Which port a node with several would choose is not known.
fn pin_recorded(plan: &ExecutionPlan, recorded: &BTreeMap<String, Value>) -> BTreeMap<usize, PinnedOutput> {
    let pins = recorded.iter().filter_map(|(id, items)| {
        let index = plan.find_step(id)?;
        let step = &plan.steps[index];
        let mut ports = step.outputs.iter().filter(|port| *port != ERROR);
        let (port, None) = (ports.next()?, ports.next()) else { return None };
        let value = if step.item_mode.is_some() { items.clone() } else { first_data(items) };
        Some((index, PinnedOutput { port: port.clone(), value: Arc::new(value) }))
    });
    pins.collect()
}

/// The data of the first item.
fn first_data(items: &Value) -> Value {
    items[0]["json"].clone()
}
