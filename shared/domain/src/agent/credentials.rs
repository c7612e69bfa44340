//! The credentials of tools. An agent has their ids and types. Their secrets are separate, encrypted items.

use super::{Agent, AgentConfig, Tool};
use crate::credential::CredentialType;
use crate::id::{CredentialId, Id, ToolName};
use crate::time::Time;
use crate::{Error, Result};

/// A credential of a tool, without its secret. Each new one has a new id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCredential {
    /// The name of the tool, unique in its agent.
    pub tool: String,
    pub id: CredentialId,
    pub r#type: CredentialType,
    /// The scheme, host and port of the tool's URL. The credential is sent nowhere else.
    pub origin: String,
}

impl ToolCredential {
    pub fn created_at(&self) -> Time {
        Time::from_uuid(self.id.uuid())
    }
}

impl Agent {
    pub fn find_credential(&self, tool: &str) -> Option<&ToolCredential> {
        self.credentials.iter().find(|credential| credential.tool == tool)
    }

    /// The names of the tools that need a credential and have none.
    pub fn tools_without_credential(&self) -> impl Iterator<Item = &str> {
        let tools = self.config.tools.iter().filter(|tool| tool.credential_type().is_some());
        tools.filter_map(Tool::name).filter(|name| self.find_credential(name).is_none())
    }

    /// The agent with a new credential for a tool, and this credential. It replaces the previous one of the tool.
    pub fn with_credential(
        &self,
        tool: &str,
        id: CredentialId,
        r#type: CredentialType,
        now: Time,
    ) -> Result<(Self, ToolCredential)> {
        let found = self.config.find_tool(tool).ok_or(Error::NotFound { kind: ToolName::KIND })?;
        let refused = |problem: String| Err(Error::invalid_body("type", problem));
        match (found.credential_type(), found.origin()) {
            (Some(needed), Some(origin)) if needed == r#type => {
                let credential = ToolCredential { tool: tool.to_owned(), id, r#type, origin: origin.to_owned() };
                let mut after = self.changed_at(now);
                after.credentials.retain(|credential| credential.tool != tool);
                after.credentials.push(credential.clone());
                Ok((after, credential))
            }
            (Some(needed), _) => refused(format!(
                "the tool {tool} needs a credential of the type {needed}; send one, or change the `auth` of the tool"
            )),
            (None, _) => refused(format!("the tool {tool} needs no credential; set its `auth` first")),
        }
    }

    pub fn without_credential(&self, tool: &str, now: Time) -> Result<Self> {
        self.config.find_tool(tool).ok_or(Error::NotFound { kind: ToolName::KIND })?;
        self.find_credential(tool).ok_or(Error::NotFound { kind: CredentialId::KIND })?;
        let mut after = self.changed_at(now);
        after.credentials.retain(|credential| credential.tool != tool);
        Ok(after)
    }

    pub(super) fn changed_at(&self, now: Time) -> Self {
        Self { updated_at: now.max(self.updated_at), revision: self.revision + 1, ..self.clone() }
    }

    /// The credentials to keep when the configuration changes: the tool still exists, needs the same type, and calls the
    /// same host.
    pub(super) fn kept_credentials(&self, config: &AgentConfig) -> Vec<ToolCredential> {
        let is_needed = |credential: &&ToolCredential| {
            config.find_tool(&credential.tool).is_some_and(|tool| {
                tool.credential_type() == Some(credential.r#type) && tool.origin() == Some(&*credential.origin)
            })
        };
        self.credentials.iter().filter(is_needed).cloned().collect()
    }
}
