//! The credentials of tools. An agent has their ids and types. Their secrets are separate, encrypted items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Agent, AgentConfig, Tool};
use crate::credential::CredentialType;
use crate::id::{CredentialId, Id, ToolName};
use crate::time::Time;
use crate::{Error, Result};

/// A credential of a tool, without its secret. Each new one has a new id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCredential {
    pub id: CredentialId,
    pub r#type: CredentialType,
    /// The scheme, host and port of the tool's URL. The credential is sent nowhere else.
    pub origin: String,
    pub created_at: Time,
}

impl Agent {
    /// The names of the tools that need a credential and have none.
    pub fn tools_without_credential(&self) -> impl Iterator<Item = &str> {
        let tools = self.config.tools.iter().filter(|tool| tool.credential_type().is_some());
        tools.filter_map(Tool::name).filter(|name| !self.credentials.contains_key(*name))
    }

    /// The agent with a credential for a tool, in place of the one that the tool had.
    pub fn with_credential(&self, tool: &str, id: CredentialId, r#type: CredentialType, now: Time) -> Result<Self> {
        let found = self.config.find_tool(tool).ok_or(Error::NotFound { kind: ToolName::KIND })?;
        let refused = |problem: String| Err(Error::invalid_body("type", problem));
        match (found.credential_type(), found.origin()) {
            (Some(needed), Some(origin)) if needed == r#type => {
                let credential = ToolCredential { id, r#type, origin: origin.to_owned(), created_at: now };
                let mut after = self.changed_at(now);
                after.credentials.insert(tool.to_owned(), credential);
                Ok(after)
            }
            (Some(needed), _) => refused(format!(
                "the tool {tool} needs a credential of the type {needed}; send one, or change the `auth` of the tool"
            )),
            (None, _) => refused(format!("the tool {tool} needs no credential; set its `auth` first")),
        }
    }

    pub fn without_credential(&self, tool: &str, now: Time) -> Result<Self> {
        let mut after = self.changed_at(now);
        after.config.find_tool(tool).ok_or(Error::NotFound { kind: ToolName::KIND })?;
        after.credentials.remove(tool).ok_or(Error::NotFound { kind: CredentialId::KIND })?;
        Ok(after)
    }

    fn changed_at(&self, now: Time) -> Self {
        Self { updated_at: now.max(self.updated_at), revision: self.revision + 1, ..self.clone() }
    }

    /// The credentials to keep when the configuration changes: the tool still exists, needs the same type, and calls the
    /// same host.
    pub(super) fn kept_credentials(&self, config: &AgentConfig) -> BTreeMap<String, ToolCredential> {
        let is_needed = |name: &str, credential: &ToolCredential| {
            config.find_tool(name).is_some_and(|tool| {
                tool.credential_type() == Some(credential.r#type) && tool.origin() == Some(&*credential.origin)
            })
        };
        let kept = self.credentials.iter().filter(|(name, credential)| is_needed(name, credential));
        kept.map(|(name, credential)| (name.clone(), credential.clone())).collect()
    }
}
