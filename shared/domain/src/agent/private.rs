//! Agents that are private to a workflow. They are in no list of agents, and only the nodes and the private agents of
//! their workflow can use them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Agent, AgentConfig, AgentPatch, AgentScope, AgentType};
use crate::id::{AgentId, Id, TeamId, WorkflowId};
use crate::identity::Account;
use crate::reference::Reference;
use crate::{Error, Result};

/// The instructions of a new test agent. The goal of a test is added to them.
const TEST_INSTRUCTIONS: &str = "You play a customer who writes to a company in a chat. Write like a real person: short messages, one question \
    at a time, in the language of the company's answers. Give details only when the company asks for them, and invent \
    plausible ones. Never say that you are a model or that this is a test.";

/// The purpose of a private agent in its workflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrivateAgentKind {
    #[default]
    Team,
    /// Plays the participant in tests of the workflow.
    TestAgent,
}

impl PrivateAgentKind {
    /// The name of the kind in messages and error codes.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Team => TeamId::KIND,
            Self::TestAgent => "test agent",
        }
    }

    /// The type that all agents of the kind have.
    pub fn agent_type(self) -> AgentType {
        match self {
            Self::Team => AgentType::Multiple,
            Self::TestAgent => AgentType::Single,
        }
    }

    fn default_name(self) -> &'static str {
        match self {
            Self::Team => "Nuevo equipo",
            Self::TestAgent => "Agente de prueba",
        }
    }

    fn default_config(self) -> AgentConfig {
        match self {
            Self::Team => AgentConfig::default(),
            Self::TestAgent => AgentConfig { instructions: TEST_INSTRUCTIONS.to_owned(), ..AgentConfig::default() },
        }
    }
}

impl AgentScope {
    /// The workflow of a private agent.
    pub fn workflow(self) -> Option<WorkflowId> {
        match self {
            Self::Global => None,
            Self::Workflow(workflow, _) => Some(workflow),
        }
    }

    /// Whether an agent of this scope may be used in a workflow, or outside of workflows.
    pub fn is_usable_in(self, workflow: Option<WorkflowId>) -> bool {
        self.workflow().is_none_or(|own| workflow == Some(own))
    }

    /// Refuses a type that the agents of the scope cannot have.
    pub(super) fn check_type(self, r#type: AgentType) -> Result<()> {
        match self {
            Self::Workflow(_, kind) if kind.agent_type() != r#type => {
                let only = kind.agent_type().name();
                Err(Error::invalid_body(
                    "type",
                    format!("a {} is always of type {only}; remove the field", kind.noun()),
                ))
            }
            Self::Workflow(..) | Self::Global => Ok(()),
        }
    }
}

impl Agent {
    /// Creates a private agent: the defaults of its kind, changed by a patch. `known` are the references of the patch that
    /// exist for the agent.
    pub fn new_private(
        account: Account,
        workflow: WorkflowId,
        kind: PrivateAgentKind,
        fields: &AgentPatch,
        known: &BTreeSet<Reference>,
    ) -> Result<Self> {
        let empty = Self::new(AgentId::new(), account, AgentScope::Workflow(workflow, kind));
        let (name, config) = (kind.default_name().to_owned(), kind.default_config());
        Self { name, r#type: kind.agent_type(), config, ..empty }.with_fields(fields, known)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::id::{OrgId, UserId};

    #[test]
    fn a_team_is_created_from_defaults_and_keeps_its_type() {
        let account = Account { org: OrgId::new(), user: UserId::new() };
        let create = |fields| {
            let patch: AgentPatch = serde_json::from_value(fields).unwrap();
            Agent::new_private(account, WorkflowId::new(), PrivateAgentKind::Team, &patch, &patch.references())
        };
        let team = create(json!({"config": {"strategy": "router"}})).unwrap();
        assert_eq!((team.name.as_str(), team.r#type, team.revision), ("Nuevo equipo", AgentType::Multiple, 1));
        assert_eq!(team.created_at, team.updated_at);
        let problem = "type: a team is always of type multiple; remove the field";
        for fields in [json!({"type": "single"}), json!({"type": null, "config": {"strategy": "router"}})] {
            assert_eq!(create(fields).unwrap_err().to_string(), problem);
        }
    }

    #[test]
    fn a_test_agent_has_instructions_and_keeps_its_type() {
        let account = Account { org: OrgId::new(), user: UserId::new() };
        let create = |fields| {
            let patch: AgentPatch = serde_json::from_value(fields).unwrap();
            Agent::new_private(account, WorkflowId::new(), PrivateAgentKind::TestAgent, &patch, &patch.references())
        };
        let agent = create(json!({})).unwrap();
        assert_eq!((agent.r#type, agent.config.instructions.as_str()), (AgentType::Single, TEST_INSTRUCTIONS));
        let refused = create(json!({"type": "multiple"})).unwrap_err();
        assert_eq!(refused.to_string(), "type: a test agent is always of type single; remove the field");
    }

    #[test]
    fn a_private_agent_is_usable_only_in_its_workflow() {
        let (own, other) = (WorkflowId::new(), WorkflowId::new());
        let private = AgentScope::Workflow(own, PrivateAgentKind::Team);
        let workflows = [Some(own), Some(other), None];
        assert_eq!(workflows.map(|workflow| private.is_usable_in(workflow)), [true, false, false]);
        assert_eq!(workflows.map(|workflow| AgentScope::Global.is_usable_in(workflow)), [true, true, true]);
    }
}
