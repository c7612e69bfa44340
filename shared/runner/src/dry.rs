//! Dry previews: nothing is called, and nobody is asked. What a node would have got is an example.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::run::node_id_of;
use engine::agent::AgentSnapshot;
use engine::compile::{ExecutionPlan, PinnedOutput};
use engine::drive::{Effect, EffectError, EffectOutcome, Effects};
use engine::nodes::form_page::FormPageNode;
use engine::nodes::review::ReviewNode;
use engine::nodes::{OUT, Operation};
use engine::run::StepOutcome;
use engine::schema::example;
use serde_json::{Value, json};

/// Answers each effect with an example of what it gives. Models answer with a text, and call no tools.
pub struct ExampleEffects(pub Arc<ExecutionPlan>);

impl Effects for ExampleEffects {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        let (port, value) = match &*effect.operation {
            Operation::LoadAgent(load) => (OUT.into(), json!(AgentSnapshot::new(load.agent_id, "example", "example"))),
            Operation::AskModel(_) => (OUT.into(), answer_of_model()),
            _ => match self.0.find_step(node_id_of(&effect.step)) {
                Some(step) => self.0.steps[step].node_type.example_answer(&self.0.steps[step].config),
                None => (OUT.into(), json!({})),
            },
        };
        Ok(StepOutcome::new(port, value).into())
    }
}

fn answer_of_model() -> Value {
    json!({
        "message": {"role": "assistant", "content": "text"}, "usage": {"prompt_tokens": 0, "completion_tokens": 0},
    })
}

/// Pins an example for each node that waits for a person, and has no pinned output.
pub fn pin_people(plan: &ExecutionPlan, pinned: &mut BTreeMap<usize, PinnedOutput>) {
    for (index, step) in plan.steps.iter().enumerate() {
        let asks = step.node_type.is::<ReviewNode>() || step.node_type.is::<FormPageNode>();
        if let Some(port) = step.outputs.first().filter(|_| asks) {
            let schema = step.node_type.output_schema(&step.config, port).unwrap_or_default();
            let (port, value) = (port.clone(), Arc::new(example(&schema)));
            pinned.entry(index).or_insert(PinnedOutput { port, value });
        }
    }
}
