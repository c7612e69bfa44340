//! Who is calling. The extractors of `http` turn a request's credentials into one of the callers here;
//! a handler without one in its signature is open to everybody.

mod access_token;
mod jwks;
mod ring_provider;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::cache::Cache;
use crate::domain::id::{OrgId, UserId};
use crate::domain::identity::{Account, Membership, Org, Plan, Role, User};
use crate::domain::time::Time;
use crate::domain::token::{SecretToken, TokenHash, TokenKind};
use crate::store::api_keys::ApiKey;
use crate::store::identities::Identity;
use crate::store::{ApiKeys, Identities};
use crate::{Context, Error, Refusal, Result, config};

use access_token::AccessTokens;
pub use access_token::Claims;

/// How long who someone is, and what they may, is believed without a look: a suspension or a revocation
/// takes effect within this time everywhere, and at once where it was made.
const BELIEF: Duration = Duration::from_secs(30);
const REMEMBERED: usize = 10_000;
/// The plan of an organization that nobody put on another.
pub const DEFAULT_PLAN: &str = "default";

/// A person with an access token.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user: UserId,
    pub org: OrgId,
    pub role: Role,
    pub plan: Arc<Plan>,
    /// What is on record of them: their names, for those who show them.
    pub identity: Arc<Identity>,
}

impl Caller {
    pub fn account(&self) -> Account {
        Account { org: self.org, user: self.user }
    }
}

/// A program with an API key.
#[derive(Clone, Debug)]
pub struct ApiCaller {
    pub key: Arc<ApiKey>,
    pub caller: Caller,
}

/// A trigger with a channel's token. Whose channel it is, the channel's own record says.
#[derive(Debug)]
pub struct ChannelCaller {
    pub token: TokenHash,
}

pub struct Auth {
    access_tokens: AccessTokens,
    identities: Identities,
    api_keys: ApiKeys,
    known_people: Cache<(OrgId, UserId, Role), Arc<Identity>>,
    known_holders: Cache<Account, Arc<Identity>>,
    known_keys: Cache<TokenHash, Option<Arc<ApiKey>>>,
    known_plans: Cache<String, Arc<Plan>>,
    console_origins: BTreeSet<String>,
}

/// A caller who is not let in. The log says exactly why, for whoever is asked; the answer does not.
pub fn refused(refusal: Refusal, why: &str) -> Error {
    tracing::Span::current().record("refusal", why);
    Error::Unauthenticated(refusal)
}

impl Auth {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            access_tokens: AccessTokens::new(&context.config)?,
            identities: Identities::new(context)?,
            api_keys: ApiKeys::new(context)?,
            known_people: Cache::new(BELIEF, REMEMBERED),
            known_holders: Cache::new(BELIEF, REMEMBERED),
            known_keys: Cache::new(BELIEF, REMEMBERED),
            known_plans: Cache::new(BELIEF, REMEMBERED),
            console_origins: context.config.list(config::CONSOLE_ORIGIN).into_iter().collect(),
        })
    }

    pub async fn caller(&self, access_token: &str) -> Result<Caller> {
        let claims = self.access_tokens.verify(access_token).await?;
        let first_seen = first_seen(&claims);
        let key = (first_seen.org.id, first_seen.user.id, first_seen.membership.role);
        let record = async || self.identities.find_or_record(&first_seen).await.map(Arc::new);
        let identity = self.known_people.get_or_load(&key, record).await?;
        self.admit(&identity).await
    }

    pub async fn api_caller(&self, secret: &str) -> Result<ApiCaller> {
        let unknown = |why| refused(Refusal::Unknown, why);
        let token = SecretToken::parse(TokenKind::ApiKey, secret).ok_or_else(|| unknown("not the form of a key"))?;
        let hash = token.hash();
        let find = async || self.api_keys.find(&hash).await.map(|key| key.map(Arc::new));
        let key = self.known_keys.get_or_load(&hash, find).await?;
        let key = key.ok_or_else(|| unknown("no such key"))?;
        if !key.is_valid(Time::now()) {
            return Err(unknown("the key is revoked or has expired"));
        }

        let Account { org, user } = key.account;
        let find = async || {
            self.identities.find(org, user).await?.map(Arc::new).ok_or_else(|| unknown("the key's holder is gone"))
        };
        let identity = self.known_holders.get_or_load(&key.account, find).await?;
        Ok(ApiCaller { key, caller: self.admit(&identity).await? })
    }

    pub fn channel_caller(&self, secret: &str) -> Result<ChannelCaller> {
        let token = SecretToken::parse(TokenKind::Channel, secret);
        let token = token.ok_or_else(|| refused(Refusal::Unknown, "not the form of a channel's token"))?;
        Ok(ChannelCaller { token: token.hash() })
    }

    /// A key was revoked here: in this process it is unknown at once.
    pub fn forget_key(&self, hash: &TokenHash) {
        self.known_keys.forget(hash);
    }

    /// Somebody was suspended, or moved to another plan, or a plan changed: in this process that holds at once.
    pub fn forget_people(&self) {
        self.known_people.clear();
        self.known_holders.clear();
        self.known_plans.clear();
    }

    /// Whether a page of this origin is the console's.
    pub fn is_console(&self, origin: &str) -> bool {
        self.console_origins.contains(origin)
    }

    async fn admit(&self, identity: &Arc<Identity>) -> Result<Caller> {
        let Identity { user, org, membership } = &**identity;
        if org.suspended {
            return Err(refused(Refusal::OrgSuspended, "the organization is suspended"));
        }
        if user.suspended {
            return Err(refused(Refusal::UserSuspended, "the user is suspended"));
        }
        let plan = async || self.identities.plan(&org.plan).await.map(Arc::new);
        let plan = self.known_plans.get_or_load(&org.plan, plan).await?;
        Ok(Caller { user: user.id, org: org.id, role: membership.role, plan, identity: identity.clone() })
    }
}

/// Who the token says this is. Ids are derived from what the issuer calls them: two first requests at once make
/// the same user, and knowing who calls costs no look-up.
pub fn first_seen(claims: &Claims) -> Identity {
    let now = Time::now();
    let user_id = user_id(&claims.issuer, &claims.subject);
    let org_id = org_id(&claims.issuer, &claims.org);
    Identity {
        user: User {
            id: user_id,
            name: claims.name.clone().unwrap_or_else(|| claims.subject.clone()),
            email: claims.email.clone(),
            suspended: false,
            created_at: now,
        },
        org: Org {
            id: org_id,
            name: claims.org.clone(),
            plan: DEFAULT_PLAN.to_owned(),
            suspended: false,
            created_at: now,
        },
        membership: Membership { org: org_id, user: user_id, role: claims.role, created_at: now },
    }
}

/// The user that an issuer calls `subject`.
fn user_id(issuer: &str, subject: &str) -> UserId {
    derived("user", issuer, subject).into()
}

/// The organization that an issuer calls `org`.
fn org_id(issuer: &str, org: &str) -> OrgId {
    derived("org", issuer, org).into()
}

fn derived(kind: &str, issuer: &str, name: &str) -> uuid::Uuid {
    // Lengths in front keep ("a", "bc") and ("ab", "c") apart.
    let text = format!("{kind}\n{}\n{issuer}\n{name}", issuer.len());
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_ref()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
