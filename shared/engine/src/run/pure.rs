//! The steps without effects. They are deterministic, so a run computes them again after a crash instead of storing
//! their values.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::StepPath;
use super::fields::Fields;
use super::outcome::{StepError, StepOutcome};
use super::scope::add_size;
use crate::compile::ExecutionPlan;
use crate::nodes::agent::AgentNode;
use crate::nodes::delay::DelayNode;
use crate::nodes::{NodeKind, OUT};

/// Runs a step without effects; `None` for effects and loops.
pub fn run_pure(fields: &Fields, input: &Arc<Value>) -> Option<Result<StepOutcome, StepError>> {
    let pass = |port: &str| Ok(StepOutcome::new(port, input.clone()));
    let outcome = match fields.step.node_type.name {
        "input" | "webhook" | "schedule" | "message" | "merge" => pass(OUT),
        "condition" => fields.holds("expression").and_then(|holds| pass(if holds { "true" } else { "false" })),
        "switch" => choose_case(fields).and_then(|port| pass(&port)),
        "transform" => transform(fields).map(|value| StepOutcome::new(OUT, value)),
        "template" => render(fields).map(|value| StepOutcome::new(OUT, value)),
        "send_result" => match fields.value("output") {
            Ok(output) => Ok(StepOutcome::new(OUT, output.map_or_else(|| input.clone(), Arc::new))),
            Err(error) => Err(error),
        },
        "fail" => Err(fail(fields)),
        _ => return None,
    };
    Some(outcome)
}

/// Whether the result of a step is stored, because it has an effect or waits. Other results are computed again after a
/// restart; that of an agent is computed from the results of its calls.
pub fn is_effect(plan: &ExecutionPlan, path: &StepPath) -> bool {
    let node_type = plan.steps[path.step].node_type;
    match node_type.name {
        AgentNode::NAME => path.call.is_some(),
        name => node_type.effects || name == DelayNode::NAME,
    }
}

/// Whether the port of a step is a decision, which is stored. In a later version of the engine, its expressions could
/// have other values, but a run that waited for weeks must keep its branch.
pub fn chooses_port(name: &str) -> bool {
    matches!(name, "condition" | "switch")
}

fn choose_case(fields: &Fields) -> Result<String, StepError> {
    let cases = fields.step.config.get("cases").and_then(Value::as_array);
    for (index, case) in cases.into_iter().flatten().enumerate() {
        if fields.holds(&format!("cases[{index}].expression"))? {
            return Ok(case["name"].as_str().unwrap_or_default().to_owned());
        }
    }
    Ok("default".to_owned())
}

fn transform(fields: &Fields) -> Result<Value, StepError> {
    if let Some(value) = fields.value("value")? {
        return Ok(value);
    }
    let names = fields.step.config.get("fields").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let (mut entries, mut bytes) = (Map::new(), 0);
    for name in names {
        let value = fields.value(&format!("fields.{name}"))?.unwrap_or_default();
        bytes = add_size(bytes, &value)?;
        entries.insert(name.clone(), value);
    }
    Ok(Value::Object(entries))
}

fn render(fields: &Fields) -> Result<Value, StepError> {
    let text = fields.value("template")?.unwrap_or_default();
    if fields.step.config.get("format").is_none_or(|format| format != "json") {
        return Ok(text);
    }
    serde_json::from_str(text.as_str().unwrap_or_default()).map_err(|error| {
        let message = format!("the text is not JSON: line {}, column {}", error.line(), error.column());
        StepError::new("invalid_json", message)
    })
}

fn fail(fields: &Fields) -> StepError {
    let code = fields.step.config.get("code").and_then(Value::as_str).unwrap_or("failed");
    match fields.value("message") {
        Ok(message) => StepError::new(code, message.as_ref().and_then(Value::as_str).unwrap_or_default()),
        Err(error) => error,
    }
}
