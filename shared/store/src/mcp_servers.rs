//! The registry of MCP servers, by organization. `admin/mcp_servers.rs` changes it.

use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::identities::entity;
use super::item::parse;
use super::keys;
use super::query::TableQuery;
use super::table::Table;
use domain::id::{CredentialId, McpServerId, OrgId};
use domain::mcp_server::McpServer;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

/// A server as it is stored. Everything but the secret may be shown to operators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredMcpServer {
    pub server: McpServer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<StoredSecret>,
}

/// The encrypted secret of a server: a token, the value of a header or the secret of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredSecret {
    /// Changes with the secret, so that no token of an earlier one is reused.
    pub id: CredentialId,
    sealed: Sealed,
}

/// The item that maps the id of a server to its place.
#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct McpServerPlace {
    pub pk: String,
    pub sk: String,
    pub org: OrgId,
    pub name: String,
}

#[derive(Clone)]
pub struct McpServers {
    pub(super) entities: Table,
    secrets: Arc<Secrets>,
}

impl McpServers {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(Secrets::of_credentials(context)?);
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, secrets })
    }

    /// Lists the servers of an organization by name.
    pub async fn list(&self, org: OrgId) -> Result<Vec<StoredMcpServer>> {
        let items = self.entities.query_all(TableQuery::partition(keys::mcp_servers(org))).await?;
        items.into_iter().filter_map(|item| entity(Some(item)).transpose()).collect()
    }

    /// Finds a server by its name in an organization.
    pub async fn find(&self, org: OrgId, name: &str) -> Result<Option<StoredMcpServer>> {
        entity(self.entities.get(&keys::mcp_server(org, name)).await?)
    }

    pub async fn get(&self, id: McpServerId) -> Result<StoredMcpServer> {
        let missing = || Error::NotFound { kind: McpServer::KIND };
        let McpServerPlace { org, name, .. } = self.find_place(id).await?.ok_or_else(missing)?;
        // A server of this name may have been created after the one with this id was deleted.
        let found = self.find(org, &name).await?.filter(|found| found.server.id == id);
        found.ok_or_else(missing)
    }

    pub(super) async fn find_place(&self, id: McpServerId) -> Result<Option<McpServerPlace>> {
        self.entities.get(&keys::mcp_server_place(id)).await?.map(parse).transpose()
    }

    pub async fn seal(&self, id: McpServerId, secret: &str) -> Result<StoredSecret> {
        let sealed = self.secrets.seal(&place(id), secret.as_bytes()).await?;
        Ok(StoredSecret { id: CredentialId::new(), sealed })
    }

    /// The secret of a server. `None` if it has none.
    pub async fn open(&self, stored: &StoredMcpServer) -> Result<Option<Zeroizing<String>>> {
        let Some(secret) = &stored.secret else { return Ok(None) };
        let opened = self.secrets.open(&place(stored.server.id), &secret.sealed).await?;
        let text = std::str::from_utf8(&opened).map_err(Error::internal)?;
        Ok(Some(Zeroizing::new(text.to_owned())))
    }
}

/// The associated data of an encrypted secret.
fn place(id: McpServerId) -> String {
    format!("{id}/secret")
}
