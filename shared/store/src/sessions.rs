//! Sessions of browsers. A session is stored under the hash of its id, with the hashes of its secrets.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::{Item, parse};
use super::keys;
use super::table::Table;
use domain::id::{OrgId, UserId};
use domain::identity::Account;
use domain::session::{SecretBefore, Session};
use domain::time::Time;
use domain::token::TokenHash;
use domain::{Error, Result};
use platform::{Context, config};

#[derive(Clone)]
pub struct Sessions {
    table: Table,
}

#[derive(Serialize, Deserialize, Attributes)]
struct SessionItem {
    pk: String,
    sk: String,
    org: OrgId,
    user: UserId,
    created_at: Time,
    rotated_at: Time,
    ended: bool,
    secret: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret_before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    /// The TTL.
    expires_at: i64,
}

impl Sessions {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    pub async fn create(&self, id: &TokenHash, session: &Session) -> Result<()> {
        let created = self.table.write(self.table.put_new(&item(id, session))).await?;
        created.or_error(|_| Error::internal("a new session's id is in use"))
    }

    /// Replaces a session, unless its secret has been replaced since it was read. Returns whether it was.
    pub async fn replace(&self, id: &TokenHash, before: &Session, after: &Session) -> Result<bool> {
        let put = self.table.put(&item(id, after)).require_is(SessionItem::SECRET, before.secret.as_str());
        // A request that was read before the end must not revive the session.
        let write = put.require_is(SessionItem::ENDED, false);
        Ok(self.table.write(write).await?.is_written())
    }

    /// Ends a session, whatever its secret is by now.
    pub async fn end(&self, id: &TokenHash) -> Result<()> {
        let key = keys::session(id);
        let Some(found) = self.table.get(&key).await?.map(session).transpose()? else { return Ok(()) };
        let put = self.table.put(&item(id, &found.ended())).require_exists();
        self.table.write(put).await.map(drop)
    }
}

fn item(id: &TokenHash, session: &Session) -> SessionItem {
    let key = keys::session(id);
    let Account { org, user } = session.account;
    let before = session.before.as_ref();
    SessionItem {
        pk: key.pk,
        sk: key.sk,
        org,
        user,
        created_at: session.created_at,
        rotated_at: session.rotated_at,
        ended: session.is_ended,
        secret: session.secret.as_str().to_owned(),
        secret_before: before.map(|before| before.secret.as_str().to_owned()),
        salt: before.map(|before| before.salt.clone()),
        expires_at: session.ends_at().as_seconds(),
    }
}

pub(super) fn session(item: Item) -> Result<Session> {
    let item: SessionItem = parse(item)?;
    let before = item.secret_before.zip(item.salt);
    let before = before.map(|(secret, salt)| SecretBefore { secret: TokenHash::from_stored(secret), salt });
    Ok(Session {
        account: Account { org: item.org, user: item.user },
        created_at: item.created_at,
        rotated_at: item.rotated_at,
        is_ended: item.ended,
        secret: TokenHash::from_stored(item.secret),
        before,
    })
}
