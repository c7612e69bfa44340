//! The accounts of users at MCP servers with OAuth: the tokens, and the registrations of the gateway as a client.
//!
//! A token is renewed by one process: it takes the lock of the connection with a conditional write, and every write of the renewal
//! requires the lock. Many servers accept a refresh token once, so a second renewal would end the connection.

use std::sync::Arc;
use std::time::Duration;

use attributes::Attributes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::item::parse;
use super::keys;
use super::table::{Table, WriteOutcome};
use domain::id::{McpServerId, UserId};
use domain::mcp_connection::{ClientRegistration, McpTokens};
use domain::mcp_server::McpServer;
use domain::time::Time;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

/// A renewal takes less. If its process stops, another one may renew after this time.
const LOCKED_FOR: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct McpConnections {
    entities: Table,
    counters: Table,
    secrets: Arc<Secrets>,
}

/// The connection of a user to a server, with its decrypted tokens.
#[derive(Clone, Debug)]
pub struct StoredConnection {
    pub tokens: McpTokens,
    /// Changes with the tokens.
    pub version: Uuid,
    is_locked: bool,
}

impl StoredConnection {
    /// Whether a process is renewing the tokens.
    pub fn is_locked(&self) -> bool {
        self.is_locked
    }
}

#[derive(Serialize, Deserialize, Attributes)]
struct ConnectionItem {
    pk: String,
    sk: UserId,
    sealed: Sealed,
    version: Uuid,
    connected_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lock: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    locked_until: Option<Time>,
}

#[derive(Serialize, Deserialize, Attributes)]
struct RegistrationItem {
    pk: String,
    sk: String,
    /// The issuer and the redirect URI that the client is registered with.
    issuer: String,
    redirect_uri: String,
    /// Earlier versions did not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    sealed: Sealed,
}

#[derive(Serialize, Deserialize, Attributes)]
struct UsedStateItem {
    pk: String,
    sk: String,
    expires_at: i64,
}

impl McpConnections {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            secrets: Arc::new(Secrets::of_mcp(context)?),
        })
    }

    pub async fn find(&self, server: &McpServer, user: UserId, now: Time) -> Result<Option<StoredConnection>> {
        let Some(item) = self.entities.get(&keys::mcp_connection(server.id, user)).await? else { return Ok(None) };
        let ConnectionItem { sealed, version, locked_until, .. } = parse(item)?;
        let tokens: McpTokens = self.open(&connection_place(server.id, user), &sealed).await?;
        // The tokens are for the server at the URL at which the user has connected.
        let is_for_server = tokens.server_url == server.url;
        let is_locked = locked_until.is_some_and(|until| until > now);
        Ok(is_for_server.then_some(StoredConnection { tokens, version, is_locked }))
    }

    /// Stores a new connection, on condition that the server still exists. It replaces an earlier one.
    pub async fn put(&self, server: McpServerId, user: UserId, tokens: &McpTokens, now: Time) -> Result<()> {
        let (sealed, key) =
            (self.seal(&connection_place(server, user), tokens).await?, keys::mcp_connection(server, user));
        let (version, connected_at) = (Uuid::now_v7(), now);
        let item =
            ConnectionItem { pk: key.pk, sk: user, sealed, version, connected_at, lock: None, locked_until: None };
        let writes = [self.entities.check(keys::mcp_server_place(server)).require_exists(), self.entities.put(&item)];
        let written = self.entities.transact(version, &writes).await?;
        written.or_error(|_| Error::NotFound { kind: McpServer::KIND })
    }

    /// Takes the lock for a renewal of the tokens with this version. `None` if another process has it, or has renewed them.
    pub async fn lock(&self, server: McpServerId, user: UserId, version: Uuid, now: Time) -> Result<Option<Uuid>> {
        let lock = Uuid::now_v7();
        let write = self.entities.update(keys::mcp_connection(server, user));
        let write = write.set(ConnectionItem::LOCK, lock).set(ConnectionItem::LOCKED_UNTIL, now.plus(LOCKED_FOR));
        let write = write.require_is(ConnectionItem::VERSION, version);
        let write =
            write.require(ConnectionItem::LOCKED_UNTIL.is_missing().or(ConnectionItem::LOCKED_UNTIL.is_less_than(now)));
        Ok(self.entities.write(write).await?.is_written().then_some(lock))
    }

    /// Ends a renewal with the new tokens.
    pub async fn renew(&self, server: McpServerId, user: UserId, lock: Uuid, tokens: &McpTokens) -> Result<Uuid> {
        let (sealed, version) = (self.seal(&connection_place(server, user), tokens).await?, Uuid::now_v7());
        let write = self.entities.update(keys::mcp_connection(server, user));
        let write = write.set(ConnectionItem::SEALED, sealed).set(ConnectionItem::VERSION, version);
        let write = write.remove(ConnectionItem::LOCK).remove(ConnectionItem::LOCKED_UNTIL);
        let written = self.entities.write(write.require_is(ConnectionItem::LOCK, lock)).await?;
        // The user may have connected again, or disconnected. This request still uses its token.
        if !written.is_written() {
            tracing::warn!("a connection to an MCP server was replaced while its token was renewed");
        }
        Ok(version)
    }

    /// Ends a renewal that did not reach the authorization server, so that the next request tries again.
    pub async fn unlock(&self, server: McpServerId, user: UserId, lock: Uuid) -> Result<()> {
        let write = self.entities.update(keys::mcp_connection(server, user));
        let write = write.remove(ConnectionItem::LOCK).remove(ConnectionItem::LOCKED_UNTIL);
        self.entities.write(write.require_is(ConnectionItem::LOCK, lock)).await.map(drop)
    }

    /// Deletes a connection whose renewal was refused.
    pub async fn end(&self, server: McpServerId, user: UserId, lock: Uuid) -> Result<()> {
        let delete = self.entities.delete(keys::mcp_connection(server, user));
        self.entities.write(delete.require_is(ConnectionItem::LOCK, lock)).await.map(drop)
    }

    pub async fn delete(&self, server: McpServerId, user: UserId) -> Result<()> {
        self.entities.remove(&keys::mcp_connection(server, user)).await
    }

    /// The gateway's registration at an issuer for a server.
    pub async fn find_registration(
        &self,
        server: McpServerId,
        issuer: &str,
        redirect_uri: &str,
    ) -> Result<Option<ClientRegistration>> {
        let Some(item) = self.entities.get(&keys::mcp_registration(server)).await? else { return Ok(None) };
        let item: RegistrationItem = parse(item)?;
        if item.issuer != issuer || item.redirect_uri != redirect_uri {
            return Ok(None);
        }
        self.open(&registration_place(server, issuer), &item.sealed).await.map(Some)
    }

    /// Stores a registration, on condition that the server still exists. Returns the one that is stored, which another process may
    /// have made at the same time.
    pub async fn put_registration(
        &self,
        server: McpServerId,
        issuer: &str,
        redirect_uri: &str,
        registration: ClientRegistration,
    ) -> Result<ClientRegistration> {
        let sealed = self.seal(&registration_place(server, issuer), &registration).await?;
        let key = keys::mcp_registration(server);
        let (issuer, redirect_uri) = (issuer.to_owned(), redirect_uri.to_owned());
        let item = RegistrationItem {
            pk: key.pk,
            sk: key.sk,
            issuer: issuer.clone(),
            redirect_uri: redirect_uri.clone(),
            client_id: Some(registration.id.clone()),
            sealed,
        };
        let is_other =
            RegistrationItem::ISSUER.is_less_than(&*issuer).or(RegistrationItem::ISSUER.is_greater_than(&*issuer));
        let has_moved = RegistrationItem::REDIRECT_URI.is_less_than(&*redirect_uri);
        let has_moved = has_moved.or(RegistrationItem::REDIRECT_URI.is_greater_than(&*redirect_uri));
        let put = self.entities.put(&item).require(RegistrationItem::ISSUER.is_missing().or(is_other).or(has_moved));
        let writes = [self.entities.check(keys::mcp_server_place(server)).require_exists().labeled("server"), put];
        match self.entities.transact(Uuid::now_v7(), &writes).await? {
            WriteOutcome::Written => Ok(registration),
            WriteOutcome::Refused(refused) if refused.label == "server" => {
                Err(Error::NotFound { kind: McpServer::KIND })
            }
            WriteOutcome::Refused(_) => {
                let first = self.find_registration(server, &issuer, &redirect_uri).await?;
                first.ok_or_else(|| Error::busy("the registration at an authorization server keeps changing"))
            }
        }
    }

    /// Deletes the registration of a client, unless another one has replaced it.
    pub async fn forget_registration(&self, server: McpServerId, client_id: &str) -> Result<()> {
        let delete = self.entities.delete(keys::mcp_registration(server));
        self.entities.write(delete.require_is(RegistrationItem::CLIENT_ID, client_id.to_owned())).await.map(drop)
    }

    /// Marks a state as used. Returns false if it was used before.
    pub async fn use_state(&self, nonce: &str, until: Time) -> Result<bool> {
        let key = keys::used_mcp_state(nonce);
        let item = UsedStateItem { pk: key.pk, sk: key.sk, expires_at: until.plus(LOCKED_FOR).as_seconds() };
        Ok(self.counters.write(self.counters.put_new(&item)).await?.is_written())
    }

    async fn seal(&self, place: &str, value: &impl Serialize) -> Result<Sealed> {
        let text = Zeroizing::new(serde_json::to_vec(value).map_err(Error::internal)?);
        self.secrets.seal(place, &text).await
    }

    async fn open<T: DeserializeOwned>(&self, place: &str, sealed: &Sealed) -> Result<T> {
        serde_json::from_slice(&self.secrets.open(place, sealed).await?).map_err(Error::internal)
    }
}

fn connection_place(server: McpServerId, user: UserId) -> String {
    format!("connection/{server}/{user}")
}

fn registration_place(server: McpServerId, issuer: &str) -> String {
    format!("registration/{server}/{issuer}")
}
