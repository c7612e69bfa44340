//! Agents, as the requests and responses of several functions show them.

use domain::agent::{Agent, AgentConfig, AgentScope, AgentStatus, AgentType};
use domain::problem::StatusProblem;
use domain::sharing::{Access as EntityAccess, TeamRole};
use domain::tool_mark::ToolMark;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::tool_credential::ToolCredentialOut;
use crate::language;
use store::agents::{AgentSort, AgentSummary};

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum AgentSortIn {
    Name,
    CreatedAt,
    #[default]
    UpdatedAt,
    Requests,
}

impl From<AgentSortIn> for AgentSort {
    fn from(sort: AgentSortIn) -> Self {
        match sort {
            AgentSortIn::Name => Self::Name,
            AgentSortIn::CreatedAt => Self::CreatedAt,
            AgentSortIn::UpdatedAt => Self::UpdatedAt,
            AgentSortIn::Requests => Self::Requests,
        }
    }
}

/// An agent without its configuration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Agent")]
pub struct AgentOut {
    id: Uuid,
    name: String,
    #[schema(required)]
    description: Option<String>,
    r#type: AgentType,
    status: AgentStatus,
    /// The total number of requests to the agent.
    requests: u64,
    /// `global` for a reusable agent, `workflow` for an agent that is private to one workflow.
    scope: ScopeOut,
    /// The workflow that a private agent belongs to. Null for a global agent.
    #[schema(required)]
    workflow_id: Option<Uuid>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// How assistants see the agent as a tool. It is absent if the agent is not marked as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tool: Option<ToolMark>,
    access: EntityAccess,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeOut {
    Global,
    Workflow,
}

impl From<AgentSummary> for AgentOut {
    fn from(agent: AgentSummary) -> Self {
        let AgentSummary { id, name, description, r#type, status, requests, scope, .. } = agent;
        let AgentSummary { created_at, updated_at, tool, access, .. } = agent;
        let (scope, workflow_id) = match scope {
            AgentScope::Global => (ScopeOut::Global, None),
            AgentScope::Workflow(workflow, _) => (ScopeOut::Workflow, Some(workflow.uuid())),
        };
        Self {
            id: id.uuid(),
            name,
            description,
            r#type,
            status,
            requests,
            scope,
            workflow_id,
            created_at: created_at.to_string(),
            updated_at: updated_at.to_string(),
            tool,
            access,
        }
    }
}

/// An agent with its configuration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "AgentDetail")]
pub struct AgentDetailOut {
    #[serde(flatten)]
    agent: AgentOut,
    config: AgentConfig,
    /// The stored credentials of the tools, without their secrets.
    credentials: Vec<ToolCredentialOut>,
    /// The problems that keep the agent from working, most severe first.
    problems: Vec<StatusProblem>,
}

impl AgentDetailOut {
    /// The agent as a user with this role sees it.
    pub fn new(agent: Agent, role: TeamRole) -> Self {
        Self {
            problems: agent.problems(language::of_request()),
            config: agent.config.clone(),
            credentials: agent.credentials.iter().map(ToolCredentialOut::new).collect(),
            agent: AgentSummary::new(agent, role).into(),
        }
    }
}
