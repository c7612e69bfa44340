//! What an agent does in one step.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::AgentId;
use crate::language::Language;

/// What an agent does
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAction {
    pub kind: AgentActionKind,
    /// The name of the model or of the tool
    #[schema(example = "dev-chat")]
    pub name: String,
    /// The agent that does it: the one that was called, a member of its team, or one that it uses as a tool
    #[schema(value_type = uuid::Uuid)]
    pub agent_id: AgentId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentActionKind {
    /// Reads its configuration
    Load,
    /// Searches its sources
    Search,
    /// Asks its model
    Model,
    /// Calls another system
    Http,
    /// Runs a workflow
    Workflow,
    /// Calls a tool of an MCP server
    Mcp,
    /// Lets its caller or a person execute a function
    Function,
}

impl AgentAction {
    /// What the agent does, in words.
    pub fn describe(&self, language: Language) -> String {
        let name = &self.name;
        let (english, spanish) = match self.kind {
            AgentActionKind::Load => (format!("reading the agent {name}"), format!("lee el agente {name}")),
            AgentActionKind::Search => ("searching the sources".to_owned(), "busca en las fuentes".to_owned()),
            AgentActionKind::Model => (format!("asking the model {name}"), format!("pregunta al modelo {name}")),
            AgentActionKind::Http | AgentActionKind::Workflow | AgentActionKind::Mcp | AgentActionKind::Function => {
                (format!("calling the tool {name}"), format!("llama a la herramienta {name}"))
            }
        };
        language.choose(english, spanish)
    }
}
