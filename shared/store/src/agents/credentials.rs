//! The credentials of the tools of agents. An agent and the secrets of its tools change in one transaction.

use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::Agents;
use crate::item::parse;
use crate::keys::{self, Key};
use crate::query::TableQuery;
use crate::revision::Attempts;
use crate::table::Table;
use crate::write::Write;
use domain::agent::{Agent, ToolCredential};
use domain::credential::{Credential, CredentialType};
use domain::id::{AgentId, CredentialId, Id};
use domain::identity::Account;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

#[derive(Serialize, Deserialize, Attributes)]
struct ToolCredentialItem {
    pk: String,
    /// The name of the tool.
    sk: String,
    id: CredentialId,
    origin: String,
    sealed: Sealed,
}

/// The associated data that binds a secret to its place.
fn seal_context(account: Account, agent: AgentId, tool: &str) -> String {
    format!("tool-credential/{}/{agent}/{tool}", account.org)
}

/// Encrypts and decrypts the secrets.
#[derive(Clone)]
pub struct ToolCredentials {
    entities: Table,
    secrets: Arc<Secrets>,
}

impl ToolCredentials {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(Secrets::of_credentials(context)?);
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, secrets })
    }

    pub async fn seal(&self, account: Account, agent: AgentId, tool: &str, credential: &Credential) -> Result<Sealed> {
        self.secrets.seal_credential(&seal_context(account, agent, tool), credential).await
    }

    /// Decrypts the credential of a tool, for a call to this origin. A run uses the tool as it was when the run read the
    /// agent. The owner may have set a credential for another host since then, which this call must not send.
    pub async fn open(
        &self,
        account: Account,
        agent: AgentId,
        tool: &str,
        origin: &str,
    ) -> Result<(CredentialId, Credential)> {
        let gone = || Error::NotFound { kind: CredentialId::KIND };
        let item = self.entities.get(&keys::tool_credential(account, agent, tool)).await?.ok_or_else(gone)?;
        let ToolCredentialItem { id, sealed, origin: allowed, .. } = parse(item)?;
        if allowed != origin {
            return Err(gone());
        }
        Ok((id, self.secrets.open_credential(&seal_context(account, agent, tool), &sealed).await?))
    }
}

impl Agents {
    /// Stores the credential of a tool. It replaces the previous one of the tool.
    pub async fn set_credential(
        &self,
        account: Account,
        agent: AgentId,
        tool: &str,
        r#type: CredentialType,
        sealed: &Sealed,
    ) -> Result<ToolCredential> {
        let id = CredentialId::new();
        let change = |before: &Agent| {
            let (after, stored) = before.with_credential(tool, id, r#type, self.clock.now())?;
            let Key { pk, sk } = keys::tool_credential(account, agent, tool);
            let item = ToolCredentialItem { pk, sk, id, origin: stored.origin.clone(), sealed: sealed.clone() };
            Ok((after, Some(self.entities.put(&item)), stored))
        };
        self.change(account, agent, change).await
    }

    pub async fn delete_credential(&self, account: Account, agent: AgentId, tool: &str) -> Result<()> {
        let change = |before: &Agent| Ok((before.without_credential(tool, self.clock.now())?, None, ()));
        self.change(account, agent, change).await
    }

    /// Changes an agent, again if another request changed it meanwhile. `change` returns the new revision, a further write
    /// of the transaction, and the result.
    pub(super) async fn change<T>(
        &self,
        account: Account,
        id: AgentId,
        change: impl Fn(&Agent) -> Result<(Agent, Option<Write>, T)>,
    ) -> Result<T> {
        let mut attempts = Attempts::to_change(AgentId::KIND);
        loop {
            let before = self.get(account, id).await?;
            let (after, other, result) = change(&before)?;
            if self.replace(&before, &after, other).await? {
                return Ok(result);
            }
            attempts.next().await?;
        }
    }
}

/// The writes that delete the credentials which an agent no longer has.
pub(super) fn delete_dropped(entities: &Table, before: &Agent, after: &Agent) -> impl Iterator<Item = Write> {
    let tools = before.credentials.iter().map(|credential| &credential.tool);
    let dropped = tools.filter(|tool| after.find_credential(tool).is_none());
    dropped.map(|tool| entities.delete(keys::tool_credential(after.account, after.id, tool)))
}

/// Deletes all credentials of an agent.
pub(super) async fn delete_all(entities: &Table, account: Account, agent: AgentId) -> Result<()> {
    for item in entities.query_all(TableQuery::partition(keys::tool_credentials(account, agent))).await? {
        let ToolCredentialItem { sk: tool, .. } = parse(item)?;
        entities.remove(&keys::tool_credential(account, agent, &tool)).await?;
    }
    Ok(())
}
