//! The sessions of assistants at the MCP servers of the platform. A session belongs to the caller who opened it. It remembers
//! their client, and gives the ids of requests a scope, so that a client can cancel its own calls.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::parse;
use super::keys::{self, Key};
use super::table::Table;
use domain::id::{AssistantSessionId, OrgId, UserId};
use domain::identity::Account;
use domain::run::AssistantClient;
use domain::time::Clock;
use domain::{Error, Result};
use platform::{Context, config};

/// A client whose session is over opens the next one by itself.
const VALID: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone)]
pub struct AssistantSessions {
    entities: Table,
    clock: Clock,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssistantSession {
    pub id: AssistantSessionId,
    pub client: AssistantClient,
}

#[derive(Serialize, Deserialize, Attributes)]
struct AssistantSessionItem {
    pk: String,
    sk: String,
    org: OrgId,
    user: UserId,
    /// The MCP server.
    server: String,
    client: AssistantClient,
    /// TTL deletes items late, so readers compare this time.
    expires_at: i64,
}

impl AssistantSessions {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, clock: context.clock.clone() })
    }

    /// Opens a session of a caller at one of the servers.
    pub async fn open(&self, caller: Account, server: &str, client: AssistantClient) -> Result<AssistantSession> {
        let id = AssistantSessionId::new();
        let Key { pk, sk } = keys::assistant_session(id);
        let Account { org, user } = caller;
        let expires_at = self.clock.now().plus(VALID).as_seconds();
        let (server, stored) = (server.to_owned(), client.clone());
        let item = AssistantSessionItem { pk, sk, org, user, server, client: stored, expires_at };
        let opened = self.entities.write(self.entities.put_new(&item)).await?;
        opened.or_error(|_| Error::internal("a new session's id is in use"))?;
        Ok(AssistantSession { id, client })
    }

    /// Finds a session, if it is one of the caller at this server.
    pub async fn find(
        &self,
        caller: Account,
        server: &str,
        id: AssistantSessionId,
    ) -> Result<Option<AssistantSession>> {
        let item = self.entities.get(&keys::assistant_session(id)).await?.map(parse::<AssistantSessionItem>);
        let now = self.clock.now().as_seconds();
        let found = item.transpose()?.filter(|item| {
            let is_own = Account { org: item.org, user: item.user } == caller && item.server == server;
            is_own && item.expires_at > now
        });
        Ok(found.map(|item| AssistantSession { id, client: item.client }))
    }

    pub async fn close(&self, id: AssistantSessionId) -> Result<()> {
        self.entities.remove(&keys::assistant_session(id)).await
    }
}
