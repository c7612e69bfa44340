//! The current records of a caller: API key, session or service token, user, organization, membership and plan, read in one
//! consistent `BatchGetItem`. Only the location of records is cached between requests, never their content.

use std::sync::Arc;
use std::time::Duration;

use super::api_keys::{ApiKey, ApiKeys, api_key};
use super::identities::{Identities, Identity, entity};
use super::item::Item;
use super::keys::{self, Key};
use super::service_tokens::service_token;
use super::sessions::session;
use super::sharing::{self, StoredAccess};
use super::table::Table;
use domain::Result;
use domain::id::OrgId;
use domain::identity::{Account, Membership, Org, Plan, User};
use domain::service_token::ServiceToken;
use domain::session::Session;
use domain::sharing::Shareable;
use domain::token::TokenHash;
use platform::cache::Cache;
use platform::{Context, config};

/// The plan of an organization until an operator changes it.
pub const DEFAULT_PLAN: &str = "default";
const CACHE_CAPACITY: usize = 10_000;
const CACHE_TTL: Duration = Duration::from_secs(60 * 60);

pub struct Callers {
    table: Table,
    api_keys: ApiKeys,
    identities: Identities,
    /// The account of each API key, session and service token, by its hash. It never changes, so all records of the caller can
    /// be read in one call.
    accounts: Cache<TokenHash, Account>,
    /// The plan that each organization had last. A wrong guess costs one more read.
    plans: Cache<OrgId, String>,
}

/// A user in an organization, and the organization's plan.
#[derive(Clone, Debug)]
pub struct KnownPerson {
    pub identity: Arc<Identity>,
    pub plan: Arc<Plan>,
}

/// An API key and its holder.
#[derive(Clone, Debug)]
pub struct KnownKey {
    pub key: Arc<ApiKey>,
    /// `None` when the user, the organization or the membership does not exist.
    pub holder: Option<KnownPerson>,
}

/// A credential and its holder.
#[derive(Debug)]
pub struct Held<T> {
    pub credential: T,
    /// `None` when the user, the organization or the membership does not exist.
    pub holder: Option<KnownPerson>,
    /// What the holder may do with the thing that was asked for.
    pub access: Option<StoredAccess>,
}

struct CallerRecords {
    user: Option<User>,
    org: Option<Org>,
    membership: Option<Membership>,
    key: Option<ApiKey>,
    /// The guessed plan, if it exists.
    plan: Option<Plan>,
    others: Vec<Item>,
}

impl Callers {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            table: Table::new(context, config::TABLE_ENTITIES)?,
            api_keys: ApiKeys::new(context)?,
            identities: Identities::new(context)?,
            accounts: Cache::new(CACHE_TTL, CACHE_CAPACITY),
            plans: Cache::new(CACHE_TTL, CACHE_CAPACITY),
        })
    }

    /// Finds the API key with this hash, and its holder.
    pub async fn find_key(&self, hash: &TokenHash) -> Result<Option<KnownKey>> {
        let account = match self.accounts.get(hash) {
            Some(account) => account,
            None => {
                let Some(key) = self.api_keys.find(hash).await? else { return Ok(None) };
                self.accounts.put(hash, key.account);
                key.account
            }
        };
        let found = self.read(account, Some(hash), &[]).await?;
        let Some(key) = found.key else { return Ok(None) };
        let holder = self.person((found.user, found.org, found.membership), found.plan).await?;
        Ok(Some(KnownKey { key: Arc::new(key), holder }))
    }

    /// Finds a session by the hash of its id, and its user.
    pub async fn find_session(&self, id: &TokenHash, what: Option<Shareable>) -> Result<Option<Held<Session>>> {
        self.find_held(id, (keys::session(id), what), session, |session| session.account).await
    }

    /// Finds a service token by the hash of its secret, and its service account.
    pub async fn find_service_token(
        &self,
        hash: &TokenHash,
        what: Option<Shareable>,
    ) -> Result<Option<Held<ServiceToken>>> {
        self.find_held(hash, (keys::service_token(hash), what), service_token, |token| token.account).await
    }

    /// Reads a credential, the records of its holder, and what the holder may do with something, in one call once the account
    /// is known.
    async fn find_held<T>(
        &self,
        hash: &TokenHash,
        (key, what): (Key, Option<Shareable>),
        read: fn(Item) -> Result<T>,
        account: fn(&T) -> Account,
    ) -> Result<Option<Held<T>>> {
        let account = match self.accounts.get(hash) {
            Some(account) => account,
            None => {
                let Some(item) = self.table.get(&key).await? else { return Ok(None) };
                let account = account(&read(item)?);
                self.accounts.put(hash, account);
                account
            }
        };
        let (holder, item, access) = match what {
            Some(what) => {
                let keys = [key, sharing::access_key(account, what)];
                let (holder, [item, access]) = self.find_with(account, keys).await?;
                (holder, item, access.map(sharing::access).transpose()?)
            }
            None => {
                let (holder, [item]) = self.find_with(account, [key]).await?;
                (holder, item, None)
            }
        };
        let Some(credential) = item.map(read).transpose()? else { return Ok(None) };
        Ok(Some(Held { credential, holder, access }))
    }

    /// Finds the records of a user; none if the user is not a member of the organization.
    pub async fn find(&self, account: Account) -> Result<Option<KnownPerson>> {
        self.find_with(account, []).await.map(|(person, _)| person)
    }

    /// Like `find`, and reads other items in the same call. They are returned in the order of their keys.
    pub async fn find_with<const N: usize>(
        &self,
        account: Account,
        keys: [Key; N],
    ) -> Result<(Option<KnownPerson>, [Option<Item>; N])> {
        let CallerRecords { user, org, membership, plan, mut others, .. } = self.read(account, None, &keys).await?;
        let items = keys.map(|key| {
            let place = others.iter().position(|item| Key::from_item(item).as_ref() == Some(&key))?;
            Some(others.swap_remove(place))
        });
        Ok((self.person((user, org, membership), plan).await?, items))
    }

    /// Finds the records of a user with an access token. The first valid token creates them.
    pub async fn find_or_record(&self, first_seen: &Identity) -> Result<KnownPerson> {
        self.find_or_record_with_access(first_seen, None).await.map(|(person, _)| person)
    }

    /// Like `find_or_record`, and finds in the same call what the user may do with something.
    pub async fn find_or_record_with_access(
        &self,
        first_seen: &Identity,
        what: Option<Shareable>,
    ) -> Result<(KnownPerson, Option<StoredAccess>)> {
        let account = Account { org: first_seen.org.id, user: first_seen.user.id };
        let key = what.map(|what| sharing::access_key(account, what));
        let CallerRecords { user, org, membership, plan, others, .. } =
            self.read(account, None, key.as_slice()).await?;
        let identity = self.identities.record_missing(first_seen, user, org, membership).await?;
        let access = others.into_iter().next().map(sharing::access).transpose()?;
        Ok((self.with_plan(identity, plan).await?, access))
    }

    /// Finds the records of a user with an access token, or those that the first valid token would create.
    pub async fn find_or_assume(&self, first_seen: &Identity) -> Result<KnownPerson> {
        let account = Account { org: first_seen.org.id, user: first_seen.user.id };
        let CallerRecords { user, org, membership, plan, .. } = self.read(account, None, &[]).await?;
        let identity = Identity {
            user: user.unwrap_or_else(|| first_seen.user.clone()),
            org: org.unwrap_or_else(|| first_seen.org.clone()),
            membership: membership.unwrap_or_else(|| first_seen.membership.clone()),
        };
        self.with_plan(identity, plan).await
    }

    /// The person of these records, if all of them exist.
    async fn person(
        &self,
        found: (Option<User>, Option<Org>, Option<Membership>),
        plan: Option<Plan>,
    ) -> Result<Option<KnownPerson>> {
        let (Some(user), Some(org), Some(membership)) = found else { return Ok(None) };
        self.with_plan(Identity { user, org, membership }, plan).await.map(Some)
    }

    async fn with_plan(&self, identity: Identity, guessed: Option<Plan>) -> Result<KnownPerson> {
        let wanted = &identity.org.plan;
        let plan = match guessed.filter(|plan| plan.id == *wanted) {
            Some(plan) => plan,
            None => self.identities.plan(wanted).await?,
        };
        Ok(KnownPerson { identity: Arc::new(identity), plan: Arc::new(plan) })
    }

    async fn read(&self, account: Account, hash: Option<&TokenHash>, others: &[Key]) -> Result<CallerRecords> {
        let Account { org, user } = account;
        let guess = self.plans.get(&org).unwrap_or_else(|| DEFAULT_PLAN.to_owned());
        let record_keys =
            [keys::user(user), keys::org(org), keys::membership(org, user), keys::plan_copy_for(user, &guess)];
        let own: Vec<Key> = record_keys.iter().cloned().chain(hash.map(keys::api_key)).collect();
        let items = self.table.batch_get(&[&own[..], others].concat()).await?;
        let item = |key: &Key| -> Option<Item> {
            items.iter().find(|item| Key::from_item(item).as_ref() == Some(key)).cloned()
        };
        let [user, organization, membership, plan] = record_keys.each_ref().map(item);
        let found_org: Option<Org> = entity(organization)?;
        if let Some(found) = found_org.as_ref().filter(|found| found.plan != guess) {
            self.plans.put(&org, found.plan.clone());
        }
        let key = hash.and_then(|hash| item(&keys::api_key(hash)).map(|item| api_key(item, hash)));
        let key = key.transpose()?.flatten();
        Ok(CallerRecords {
            user: entity(user)?,
            org: found_org,
            membership: entity(membership)?,
            key,
            plan: entity(plan)?,
            others: items
                .into_iter()
                .filter(|item| Key::from_item(item).is_some_and(|key| !own.contains(&key)))
                .collect(),
        })
    }
}
