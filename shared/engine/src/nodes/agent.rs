//! The node type `agent`: sends a message to an agent.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::Jinja;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult, SLOW, policy::Policies};
use domain::language::Translated;
use domain::id::AgentId;
use domain::reference::Reference;

#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentNode<T = Jinja> {
    /// One of the caller's agents, or one private to the workflow.
    pub agent_id: Uuid,
    /// The message to the agent.
    #[schema(inline)]
    pub message: T,
    /// Whether the agent knows the earlier messages of the conversation, if a message started the run; true by default.
    #[schema(nullable = false)]
    pub memory: Option<bool>,
    /// How often the agent may call models, with all agents that it calls; 25 by default.
    #[schema(minimum = 1, maximum = 100, nullable = false)]
    pub max_steps: Option<u32>,
    /// The tokens that these calls may use; 1,000,000 by default. The call that exceeds the limit is the last one.
    #[schema(minimum = 1, maximum = 100000000, nullable = false)]
    pub max_tokens: Option<u64>,
}

impl NodeKind for AgentNode {
    const NAME: &'static str = "agent";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: Translated = Translated::new(
        "Sends a message to an agent, which uses its tools and sources; its value is the text of the \
         answer. The policies apply to each call that the agent makes.",
        "Envía un mensaje a un agente, que usa sus herramientas y fuentes; su valor es el texto de la \
         respuesta. Las políticas se aplican a cada llamada que hace el agente.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = SLOW;
    /// The results of its calls are stored.
    const IS_STORED: bool = false;

    fn example() -> Value {
        json!({"agentId": "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11", "message": "{{ input.question }}"})
    }

    fn output_schema(&self, _port: &str) -> Value {
        json!({"type": "string"})
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Agent(AgentId::from(self.agent_id)), "agentId")]
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.evaluate().map(NodeAction::Agent)
    }
}
