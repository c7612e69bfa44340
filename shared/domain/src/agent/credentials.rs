//! The credentials that the tools of an agent send. Only their types are known here; the secrets are stored apart.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Agent, AgentConfig};
use crate::credential::CredentialType;
use crate::id::{CredentialId, Id, ToolName};
use crate::time::Time;
use crate::{Error, Result};

/// A credential of a tool, without its secret. Each new one has a new id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCredential {
    pub id: CredentialId,
    pub r#type: CredentialType,
    pub created_at: Time,
}

impl Agent {
    /// The names of the tools whose credential is missing.
    pub fn lacking_credentials(&self) -> impl Iterator<Item = &str> {
        let lacks = |name: &str| !self.credentials.contains_key(name);
        let tools = self.config.tools.iter().filter(|tool| tool.credential_type().is_some());
        tools.filter_map(|tool| tool.name()).filter(move |name| lacks(name))
    }

    /// The agent with another credential for a tool, or with none.
    pub fn with_credential(&self, tool: &str, credential: Option<ToolCredential>, now: Time) -> Result<Self> {
        let required = self.config.find_tool(tool).ok_or(Error::NotFound { kind: ToolName::KIND })?.credential_type();
        let mut credentials = self.credentials.clone();
        match credential {
            Some(credential) if Some(credential.r#type) == required => {
                credentials.insert(tool.to_owned(), credential);
            }
            Some(_) => {
                let problem = match required {
                    Some(required) => format!("the tool {tool} sends a credential of the type {required}"),
                    None => format!("the tool {tool} sends no credential; set its auth first"),
                };
                return Err(Error::invalid_body("type", problem));
            }
            None => {
                credentials.remove(tool).ok_or(Error::NotFound { kind: CredentialId::KIND })?;
            }
        }
        Ok(Self { credentials, updated_at: now.max(self.updated_at), revision: self.revision + 1, ..self.clone() })
    }

    /// The credentials that another configuration still sends.
    pub(super) fn kept_credentials(&self, config: &AgentConfig) -> BTreeMap<String, ToolCredential> {
        let is_sent = |name: &str, credential: &ToolCredential| {
            config.find_tool(name).is_some_and(|tool| tool.credential_type() == Some(credential.r#type))
        };
        let credentials = self.credentials.iter().filter(|(name, credential)| is_sent(name, credential));
        credentials.map(|(name, credential)| (name.clone(), credential.clone())).collect()
    }
}
