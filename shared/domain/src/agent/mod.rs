//! Agents: single ones and teams, their status and their problems.

mod config;
mod credentials;
mod invocation;
mod patch;
mod pins;
mod private;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use config::{AgentConfig, AgentConfigPatch, AgentSource, HttpMethod, PinnedTool, Strategy, Tool, ToolAuth};
pub use credentials::ToolCredential;
pub use invocation::{
    InvocationContent, InvocationEnd, InvocationRecord, InvocationState, InvocationStep, LONGEST_INVOCATION,
};
pub use patch::{AgentPatch, EditableAgent};
pub use pins::{BrokenPin, PinChange};
pub use private::PrivateAgentKind;

use super::id::{AgentId, WorkflowId};
use super::identity::Account;
use super::language::Language;
use super::problem::StatusProblem;
use super::reference::Reference;
use super::sharing::Sharing;
use super::time::Time;
use super::tool_mark::ToolMark;
use crate::{Error, Result};

pub const DEFAULT_NAME: &str = "Nuevo agente";

#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    pub id: AgentId,
    /// The account under which it is stored: that of the user who created it, even if they are not the owner any more.
    pub account: Account,
    pub sharing: Sharing,
    pub name: String,
    pub description: Option<String>,
    pub r#type: AgentType,
    pub intent: RequestedStatus,
    pub scope: AgentScope,
    pub config: AgentConfig,
    /// Set if assistants can call it as a tool.
    pub tool: Option<ToolMark>,
    /// The stored credentials of its tools.
    pub credentials: Vec<ToolCredential>,
    /// The references whose target was deleted.
    pub gone: BTreeSet<Reference>,
    /// The pinned tools of MCP servers that were changed or removed there.
    pub broken_pins: Vec<BrokenPin>,
    pub requests: u64,
    pub created_at: Time,
    pub updated_at: Time,
    /// Counts the changes by the owner, and is the ETag.
    pub revision: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentType {
    #[default]
    Single,
    Multiple,
}

impl AgentType {
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Multiple => "multiple",
        }
    }
}

/// The status that the owner requested. The effective status also depends on the problems of the agent
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Intent)]
pub enum RequestedStatus {
    #[default]
    Published,
    Paused,
    Archived,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    Published,
    Paused,
    NeedsAttention,
    PermissionsRequired,
    Archived,
}

/// A reusable agent, or one that is private to a workflow and not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentScope {
    Global,
    Workflow(WorkflowId, PrivateAgentKind),
}

impl Agent {
    pub const FIRST_REVISION: u64 = 1;

    /// Creates an agent with the defaults. Its creation time is taken from its id.
    pub fn new(id: AgentId, account: Account, scope: AgentScope) -> Self {
        let now = Time::from_uuid(id.uuid());
        Self {
            id,
            account,
            sharing: Sharing::of(account.user),
            name: DEFAULT_NAME.to_owned(),
            description: None,
            r#type: AgentType::Single,
            intent: RequestedStatus::Published,
            scope,
            config: AgentConfig::default(),
            tool: None,
            credentials: Vec::new(),
            gone: BTreeSet::new(),
            broken_pins: Vec::new(),
            requests: 0,
            created_at: now,
            updated_at: now,
            revision: Self::FIRST_REVISION,
        }
    }

    pub fn status(&self) -> AgentStatus {
        match self.intent {
            RequestedStatus::Archived => AgentStatus::Archived,
            RequestedStatus::Paused => AgentStatus::Paused,
            RequestedStatus::Published if !self.gone.is_empty() => AgentStatus::NeedsAttention,
            RequestedStatus::Published if self.tools_without_credential().next().is_some() => {
                AgentStatus::PermissionsRequired
            }
            RequestedStatus::Published if !self.broken_pins.is_empty() => AgentStatus::NeedsAttention,
            RequestedStatus::Published => AgentStatus::Published,
        }
    }

    /// The agent, marked as a tool for assistants or not.
    pub fn with_tool_mark(&self, tool: Option<ToolMark>, now: Time) -> Self {
        Self { tool, ..self.changed_at(now) }
    }

    /// Checks whether the agent can be executed. Without the tools that an MCP server has changed, it still can.
    pub fn check_callable(&self) -> Result<()> {
        let problem =
            || self.problems(Language::English).into_iter().next().map(|problem| problem.message).unwrap_or_default();
        match self.status() {
            AgentStatus::Published => Ok(()),
            AgentStatus::NeedsAttention if self.gone.is_empty() => Ok(()),
            AgentStatus::Paused => Err(Error::invalid_state("the agent is paused; publish it")),
            AgentStatus::Archived => Err(Error::invalid_state("the agent is archived; publish it")),
            AgentStatus::NeedsAttention | AgentStatus::PermissionsRequired => {
                Err(Error::invalid_state(format!("the agent needs attention: {}", problem())))
            }
        }
    }

    /// The problems that keep the agent from working, worst first.
    pub fn problems(&self, language: Language) -> Vec<StatusProblem> {
        let gone = self.gone.iter().map(|reference| StatusProblem::deleted_reference(reference, language));
        let tools = self.tools_without_credential().map(|tool| StatusProblem {
            code: "credential_missing",
            message: language.choose(
                format!("the tool {tool} has no credential; store one for the tool, or set its `auth` to none"),
                format!("la herramienta {tool} no tiene credencial; guarde una para ella, o ponga su `auth` a none"),
            ),
        });
        let pins = self.broken_pins.iter().map(|broken| broken.problem(language));
        gone.chain(tools).chain(pins).collect()
    }
}
