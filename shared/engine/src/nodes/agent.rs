//! An agent's answer.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::Jinja;
use super::{Category, Kind, policy::Policies};
use domain::id::AgentId;
use domain::reference::Reference;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Agent {
    /// One of the caller's agents, or one private to the workflow.
    pub agent_id: Uuid,
    /// What it is asked.
    #[schema(inline)]
    pub message: Jinja,
    /// Whether it knows what was said before in the conversation; true when left out.
    #[serde(default)]
    #[schema(nullable = false)]
    pub memory: Option<bool>,
}

impl Kind for Agent {
    const NAME: &'static str = "agent";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: &'static str =
        "Asks an agent, with its tools and sources; its value is the text of the answer.";
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;

    fn example() -> Value {
        json!({"agentId": "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11", "message": "{{ input.question }}"})
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Agent(AgentId::from(self.agent_id)), "agentId")]
    }
}
