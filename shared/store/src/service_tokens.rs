//! Tokens of service accounts. A token is looked up by the hash of its secret; the list of an organization holds the hashes.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::{Item, parse};
use super::keys;
use super::query::TableQuery;
use super::table::Table;
use super::write::Write;
use domain::Result;
use domain::id::{OrgId, ServiceTokenId, UserId};
use domain::identity::Account;
use domain::scope::Scope;
use domain::service_token::ServiceToken;
use domain::time::Time;
use domain::token::TokenHash;
use platform::{Context, config};

#[derive(Clone)]
pub struct ServiceTokens {
    table: Table,
}

#[derive(Serialize, Deserialize, Attributes)]
struct ServiceTokenItem {
    pk: String,
    sk: String,
    hash: String,
    id: ServiceTokenId,
    org: OrgId,
    user: UserId,
    name: String,
    scopes: Vec<Scope>,
    last4: String,
    created_at: Time,
    created_by: UserId,
    ends_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_used_on: Option<String>,
}

#[derive(Serialize, Deserialize, Attributes)]
struct ListedItem {
    pk: String,
    sk: ServiceTokenId,
    hash: String,
}

impl ServiceTokens {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Lists the tokens of an organization, oldest first.
    pub async fn list(&self, org: OrgId) -> Result<Vec<ServiceToken>> {
        let listed = self.table.query_all(TableQuery::partition(keys::listed_service_tokens(org))).await?;
        let key = |item| Ok(keys::service_token(&TokenHash::from_stored(parse::<ListedItem>(item)?.hash)));
        let keys = listed.into_iter().map(key).collect::<Result<Vec<_>>>()?;
        let found = self.table.batch_get(&keys).await?;
        let mut tokens = found.into_iter().map(service_token).collect::<Result<Vec<_>>>()?;
        tokens.sort_by_key(|token| token.id);
        Ok(tokens)
    }

    /// The hash of a token of the organization, if it exists.
    pub(super) async fn hash(&self, org: OrgId, id: ServiceTokenId) -> Result<Option<TokenHash>> {
        let item = self.table.get(&keys::listed_service_token(org, id)).await?;
        let item: Option<ListedItem> = item.map(parse).transpose()?;
        Ok(item.map(|item| TokenHash::from_stored(item.hash)))
    }

    /// Records the day of the first use of a day. Nothing is recorded if the token was deleted.
    pub async fn record_use(&self, token: &ServiceToken, hash: &TokenHash, now: Time) -> Result<()> {
        let today = now.day();
        if token.last_used_on.as_ref() == Some(&today) {
            return Ok(());
        }
        let used = ServiceToken { last_used_on: Some(today), ..token.clone() };
        self.table.write(self.table.put(&item(&used, hash)).require_exists()).await.map(drop)
    }
}

/// The writes that store a token under its hash and in the list of its organization.
pub(super) fn create_writes(table: &Table, token: &ServiceToken, hash: &TokenHash) -> [Write; 2] {
    let listed = keys::listed_service_token(token.account.org, token.id);
    [
        table.put_new(&item(token, hash)),
        table.put_new(&ListedItem { pk: listed.pk, sk: token.id, hash: hash.as_str().to_owned() }),
    ]
}

fn item(token: &ServiceToken, hash: &TokenHash) -> ServiceTokenItem {
    let key = keys::service_token(hash);
    let Account { org, user } = token.account;
    ServiceTokenItem {
        pk: key.pk,
        sk: key.sk,
        hash: hash.as_str().to_owned(),
        id: token.id,
        org,
        user,
        name: token.name.clone(),
        scopes: token.scopes.clone(),
        last4: token.last4.clone(),
        created_at: token.created_at,
        created_by: token.created_by,
        ends_at: token.expires_at,
        last_used_on: token.last_used_on.clone(),
    }
}

pub(super) fn service_token(item: Item) -> Result<ServiceToken> {
    let item: ServiceTokenItem = parse(item)?;
    Ok(ServiceToken {
        id: item.id,
        account: Account { org: item.org, user: item.user },
        name: item.name,
        scopes: item.scopes,
        last4: item.last4,
        created_at: item.created_at,
        created_by: item.created_by,
        expires_at: item.ends_at,
        last_used_on: item.last_used_on,
    })
}
