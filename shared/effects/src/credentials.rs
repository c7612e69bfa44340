//! The credentials that calls of other systems send: those of a workflow, and those of the tools of agents.

use domain::address;
use domain::credential::Credential;
use domain::id::{CredentialId, Id};
use domain::identity::Account;
use domain::{Error, Result};
use engine::agent::ToolCredentialKey;
use engine::drive::EffectError;
use engine::run::StepError;
use platform::Context;
use store::Credentials;
use store::agents::ToolCredentials;
use uuid::Uuid;

use crate::EffectOwner;
use crate::errors::{permanent, temporary};

/// The id of a credential, and its secrets.
pub type OpenedCredential = (CredentialId, Credential);

pub struct CallCredentials {
    of_workflows: Credentials,
    of_tools: ToolCredentials,
}

impl CallCredentials {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { of_workflows: Credentials::new(context)?, of_tools: ToolCredentials::new(context)? })
    }

    /// The credential that a call of this URL sends: `id` names one of the workflow, `key` that of an agent's tool.
    pub async fn open(
        &self,
        owner: &EffectOwner,
        id: Option<Uuid>,
        key: Option<&ToolCredentialKey>,
        url: &str,
    ) -> Result<Option<OpenedCredential>, EffectError> {
        if let Some(key) = key {
            return self.open_tool(owner.account, key, url).await.map(Some);
        }
        let Some(id) = id.map(CredentialId::from) else { return Ok(None) };
        let opened = match owner.workflow {
            Some(workflow) => self.of_workflows.open(owner.account, workflow, id).await,
            None => Err(Error::NotFound { kind: CredentialId::KIND }),
        };
        let remedy = || "config.credentialId: the credential was deleted; choose another one".to_owned();
        opened.map(|credential| Some((id, credential))).map_err(|error| closed_credential(&error, remedy))
    }

    /// The credential of an agent's tool, which is sent only to the origin for which it was stored.
    pub async fn open_tool(
        &self,
        account: Account,
        key: &ToolCredentialKey,
        url: &str,
    ) -> Result<OpenedCredential, EffectError> {
        let ToolCredentialKey { agent_id, tool } = key;
        let opened = self.of_tools.open(account, *agent_id, tool, address::origin(url.trim())).await;
        let remedy = || format!("the tool {tool} has no credential for this host any more; set another one");
        opened.map_err(|error| closed_credential(&error, remedy))
    }
}

/// The name and the password of a credential of the type `basic`.
pub struct Login {
    pub username: String,
    pub password: String,
}

impl Login {
    /// `server` says what needs it, as in "an SMTP server".
    pub(crate) fn new(credential: Credential, server: &str) -> Result<Self, EffectError> {
        match credential {
            Credential::Basic { username, password } => Ok(Self { username, password }),
            _ => {
                let message =
                    format!("config.credentialId: {server} needs a credential of the type `basic`; choose another one");
                Err(permanent(StepError::new("credential_not_suitable", message)))
            }
        }
    }
}

/// A credential that could not be opened. `remedy` says what to do if it was deleted.
pub(crate) fn closed_credential(error: &Error, remedy: impl FnOnce() -> String) -> EffectError {
    match error {
        Error::NotFound { .. } => permanent(StepError::new("credential_gone", remedy())),
        error => {
            tracing::error!(cause = ?error, "a credential could not be opened");
            temporary("platform_busy", "the platform could not read the credential; try again later", None)
        }
    }
}
