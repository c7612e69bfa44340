//! The credentials of the tools of agents. Each secret is encrypted with its organization, agent and tool as associated
//! data, so it cannot be decrypted in another place.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::Agents;
use crate::Context;
use crate::secrets::{Sealed, Secrets};
use crate::store::item::parse;
use crate::store::keys;
use crate::store::revision::Attempts;
use crate::store::table::{Table, TableQuery};
use domain::agent::{Agent, ToolCredential};
use domain::credential::Credential;
use domain::id::{AgentId, CredentialId, Id};
use domain::identity::Account;
use domain::{Error, Result};

/// Stores credentials, and opens them for the calls that send them. A credential whose tool is gone is not used: the
/// agent names those that it has.
#[derive(Clone)]
pub struct ToolCredentials {
    agents: Agents,
    secrets: Arc<Secrets>,
}

#[derive(Serialize, Deserialize)]
struct ToolCredentialItem {
    pk: String,
    /// The name of the tool.
    sk: String,
    id: CredentialId,
    sealed: Sealed,
}

/// The associated data that binds a secret to its place.
fn seal_context(account: Account, agent: AgentId, tool: &str) -> String {
    format!("tool-credential/{}/{agent}/{tool}", account.org)
}

impl ToolCredentials {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { agents: Agents::new(context)?, secrets: Arc::new(Secrets::new(context)?) })
    }

    /// Stores the credential of a tool, in place of the one that it had.
    pub async fn set(
        &self,
        account: Account,
        agent: AgentId,
        tool: &str,
        credential: &Credential,
    ) -> Result<ToolCredential> {
        let secret = Zeroizing::new(serde_json::to_vec(credential).map_err(Error::internal)?);
        let sealed = self.secrets.seal(&seal_context(account, agent, tool), &secret).await?;
        let (id, key) = (CredentialId::new(), keys::tool_credential(account, agent, tool));
        let item = ToolCredentialItem { pk: key.pk, sk: key.sk, id, sealed };
        let mut attempts = Attempts::to_change(AgentId::KIND);
        loop {
            let before = self.agents.get(account, agent).await?;
            let now = self.agents.clock.now();
            let stored = ToolCredential { id, r#type: credential.r#type(), created_at: now };
            let after = before.with_credential(tool, Some(stored.clone()), now)?;
            if self.agents.replace(&before, &after, Some(self.agents.entities.put(&item))).await? {
                return Ok(stored);
            }
            attempts.next().await?;
        }
    }

    pub async fn delete(&self, account: Account, agent: AgentId, tool: &str) -> Result<()> {
        let key = keys::tool_credential(account, agent, tool);
        let mut attempts = Attempts::to_change(AgentId::KIND);
        loop {
            let before = self.agents.get(account, agent).await?;
            let after = before.with_credential(tool, None, self.agents.clock.now())?;
            let delete = self.agents.entities.delete(key.clone());
            if self.agents.replace(&before, &after, Some(delete)).await? {
                return Ok(());
            }
            attempts.next().await?;
        }
    }

    /// Decrypts the credential of a tool, for the call that sends it.
    pub async fn open(&self, account: Account, agent: AgentId, tool: &str) -> Result<(CredentialId, Credential)> {
        let item = self.agents.entities.get(&keys::tool_credential(account, agent, tool)).await?;
        let item = item.ok_or(Error::NotFound { kind: CredentialId::KIND })?;
        let ToolCredentialItem { id, sealed, .. } = parse(item)?;
        let secret = self.secrets.open(&seal_context(account, agent, tool), &sealed).await?;
        Ok((id, serde_json::from_slice(&secret).map_err(Error::internal)?))
    }
}

/// Deletes the credentials that an agent no longer has. They might not fit into the transaction that changes the agent.
/// A credential that could not be deleted is left over until the agent is deleted.
pub(super) async fn delete_dropped(entities: &Table, before: &Agent, after: &Agent) {
    for (tool, credential) in before.credentials.iter().filter(|(tool, _)| !after.credentials.contains_key(*tool)) {
        let delete = entities.delete(keys::tool_credential(after.account, after.id, tool));
        // The tool may have got another one meanwhile.
        let delete = delete.require_same("id", Some(credential.id));
        if let Err(error) = entities.transact(Uuid::now_v7(), &[delete]).await {
            tracing::warn!(?error, agent = %after.id, "the credential of a removed tool was not deleted");
        }
    }
}

/// Deletes all credentials of an agent.
pub(super) async fn delete_all(entities: &Table, account: Account, agent: AgentId) -> Result<()> {
    for item in entities.query_all(TableQuery::partition(keys::tool_credentials(account, agent))).await? {
        let ToolCredentialItem { sk: tool, .. } = parse(item)?;
        entities.remove(&keys::tool_credential(account, agent, &tool)).await?;
    }
    Ok(())
}
