//! The node type `agent`: sends a message to an agent.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::Jinja;
use super::{Category, NodeKind, SLOW, policy::Policies};
use domain::id::AgentId;
use domain::reference::Reference;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentNode {
    /// One of the caller's agents, or one private to the workflow.
    pub agent_id: Uuid,
    /// The message to the agent.
    #[schema(inline)]
    pub message: Jinja,
    /// Whether the agent remembers the earlier messages of the conversation; true by default.
    #[serde(default)]
    #[schema(nullable = false)]
    pub memory: Option<bool>,
}

impl NodeKind for AgentNode {
    const NAME: &'static str = "agent";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: &'static str =
        "Sends a message to an agent, which uses its tools and sources; its value is the text of the answer.";
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = SLOW;

    fn example() -> Value {
        json!({"agentId": "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11", "message": "{{ input.question }}"})
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Agent(AgentId::from(self.agent_id)), "agentId")]
    }
}
