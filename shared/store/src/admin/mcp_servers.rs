//! Changes of the registry of MCP servers by operators.

use super::Admin;
use crate::identities::stored;
use crate::keys;
use crate::mcp_servers::{McpServerPlace, McpServers, StoredMcpServer};
use crate::query::TableQuery;
use crate::quota;
use crate::revision::Attempts;
use crate::table::WriteOutcome;
use domain::audit::AuditAction;
use domain::id::{Id, McpServerId, OrgId};
use domain::mcp_server::{MAX_MCP_SERVERS, McpServer, name_is_taken, too_many};
use domain::{Error, Result};

const ORG: &str = "organization";
const SERVER: &str = "MCP server";

impl Admin {
    /// Adds a server. Its name must be new in its organization.
    pub async fn create_mcp_server(
        &self,
        action: &AuditAction,
        server: &StoredMcpServer,
        render_audit: impl Fn(&StoredMcpServer) -> String,
    ) -> Result<()> {
        let McpServer { id, org, ref name, .. } = server.server;
        let place = keys::mcp_server_place(id);
        let place = McpServerPlace { pk: place.pk, sk: place.sk, org, name: name.clone() };
        let writes = vec![
            self.entities.check(keys::org(org)).require_exists().labeled(ORG),
            self.entities.put_new(&stored(keys::mcp_server(org, name), server)).labeled(SERVER),
            self.entities.put_new(&place),
            quota::increment(&self.entities, keys::mcp_server_count(org), MAX_MCP_SERVERS),
            self.audit_write(action, None, Some(render_audit(server))),
        ];
        match self.transact(action, writes).await? {
            WriteOutcome::Written => Ok(()),
            WriteOutcome::Refused(refused) => Err(match refused.label {
                ORG => Error::NotFound { kind: OrgId::KIND },
                SERVER => name_is_taken(),
                quota::LABEL => too_many(),
                _ => Error::internal("the id of a new MCP server is in use"),
            }),
        }
    }

    /// Changes a server as `change` returns for the stored one.
    pub async fn change_mcp_server(
        &self,
        action: &AuditAction,
        servers: &McpServers,
        id: McpServerId,
        change: impl Fn(&StoredMcpServer) -> Result<StoredMcpServer>,
        render_audit: impl Fn(&StoredMcpServer) -> String,
    ) -> Result<StoredMcpServer> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change(McpServer::KIND);
        loop {
            let (before, raw, key) = self.read_mcp_server(servers, id).await?;
            let after = change(&before)?;
            let (audit_before, audit_after) = (Some(render_audit(&before)), render_audit(&after));
            let writes = self.replace_writes(action, key, raw, &after, audit_before, audit_after);
            if self.transact(action, writes).await?.is_written() {
                return Ok(after);
            }
            attempts.next().await?;
        }
    }

    /// Deletes a server, with the connections of its users.
    pub async fn delete_mcp_server(
        &self,
        action: &AuditAction,
        servers: &McpServers,
        id: McpServerId,
        render_audit: impl Fn(&StoredMcpServer) -> String,
    ) -> Result<()> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change(McpServer::KIND);
        loop {
            let (before, raw, key) = self.read_mcp_server(servers, id).await?;
            let writes = vec![
                self.entities.delete(key).require(super::entities::unchanged::<StoredMcpServer>(raw)),
                self.entities.delete(keys::mcp_server_place(id)),
                self.entities.delete(keys::mcp_registration(id)),
                quota::decrement(&self.entities, keys::mcp_server_count(before.server.org)),
                self.audit_write(action, Some(render_audit(&before)), None),
            ];
            // Before it, so that nothing is left if this process stops. A connection is stored only if its server exists.
            self.delete_mcp_connections(id).await?;
            if self.transact(action, writes).await?.is_written() {
                return self.delete_mcp_connections(id).await;
            }
            attempts.next().await?;
        }
    }

    async fn delete_mcp_connections(&self, id: McpServerId) -> Result<()> {
        for item in self.entities.query_all(TableQuery::partition(keys::mcp_connections(id))).await? {
            if let Some(key) = keys::Key::from_item(&item) {
                self.entities.remove(&key).await?;
            }
        }
        Ok(())
    }

    /// Reads a server, its exact stored value for a condition, and its key.
    async fn read_mcp_server(
        &self,
        servers: &McpServers,
        id: McpServerId,
    ) -> Result<(StoredMcpServer, aws_sdk_dynamodb::types::AttributeValue, keys::Key)> {
        let missing = || Error::NotFound { kind: McpServer::KIND };
        let McpServerPlace { org, name, .. } = servers.find_place(id).await?.ok_or_else(missing)?;
        let key = keys::mcp_server(org, &name);
        let (found, raw) = self.read::<StoredMcpServer>(&key).await?.ok_or_else(missing)?;
        if found.server.id == id { Ok((found, raw, key)) } else { Err(missing()) }
    }
}
