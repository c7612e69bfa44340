//! The accounts of users at MCP servers with OAuth: the tokens, and the registrations of the gateway as a client.

use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::item::parse;
use super::keys;
use super::table::{Table, WriteOutcome};
use super::token_slot::{LOCKED_FOR, StoredTokens, TokenSlot, open, seal};
use domain::id::{McpServerId, UserId};
use domain::mcp_connection::McpTokens;
use domain::mcp_server::McpServer;
use domain::oauth::OauthClient;
use domain::time::Time;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

#[derive(Clone)]
pub struct McpConnections {
    entities: Table,
    counters: Table,
    secrets: Arc<Secrets>,
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

    /// Where the tokens of a user for a server are stored.
    pub fn slot(&self, server: McpServerId, user: UserId) -> TokenSlot {
        TokenSlot {
            entities: self.entities.clone(),
            secrets: self.secrets.clone(),
            key: keys::mcp_connection(server, user),
            place: format!("connection/{server}/{user}"),
        }
    }

    pub async fn find(&self, server: &McpServer, user: UserId, now: Time) -> Result<Option<StoredTokens<McpTokens>>> {
        let found: Option<StoredTokens<McpTokens>> = self.slot(server.id, user).find(now).await?;
        // The tokens are for the server at the URL at which the user has connected.
        Ok(found.filter(|found| found.tokens.server_url == server.url))
    }

    /// Stores a new connection, on condition that the server still exists. It replaces an earlier one.
    pub async fn put(&self, server: McpServerId, user: UserId, tokens: &McpTokens, now: Time) -> Result<()> {
        let exists = self.entities.check(keys::mcp_server_place(server)).require_exists();
        match self.slot(server, user).put(tokens, now, vec![exists]).await? {
            true => Ok(()),
            false => Err(Error::NotFound { kind: McpServer::KIND }),
        }
    }

    /// The gateway's registration at an issuer for a server.
    pub async fn find_registration(
        &self,
        server: McpServerId,
        issuer: &str,
        redirect_uri: &str,
    ) -> Result<Option<OauthClient>> {
        let Some(item) = self.entities.get(&keys::mcp_registration(server)).await? else { return Ok(None) };
        let item: RegistrationItem = parse(item)?;
        if item.issuer != issuer || item.redirect_uri != redirect_uri {
            return Ok(None);
        }
        open(&self.secrets, &registration_place(server, issuer), &item.sealed).await.map(Some)
    }

    /// Stores a registration, on condition that the server still exists. Returns the one that is stored, which another process may
    /// have made at the same time.
    pub async fn put_registration(
        &self,
        server: McpServerId,
        issuer: &str,
        redirect_uri: &str,
        registration: OauthClient,
    ) -> Result<OauthClient> {
        let sealed = seal(&self.secrets, &registration_place(server, issuer), &registration).await?;
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
}

fn registration_place(server: McpServerId, issuer: &str) -> String {
    format!("registration/{server}/{issuer}")
}
