//! Authentication. The extractors in `web` turn the credentials of a request into one of the callers defined here. A
//! handler without such an extractor in its signature is public.
//!
//! [`Auth`] reads the stored records on each request, so revocations, suspensions and role changes take effect at once.
//! [`RecentCallers`] caches them for 30 seconds and is used for inference only.

mod access_token;
mod first_seen;
mod jwks;
mod owners;
mod recent;
mod ring_provider;
mod service_accounts;
mod sessions;
mod token_parts;

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::id::{OrgId, UserId};
use domain::identity::{Account, Plan, Role};
use domain::sharing::Shareable;
use domain::time::{Clock, Time};
use domain::token::{SecretToken, TokenHash, TokenKind};
use domain::{Error, Refusal, Result};
use platform::{Context, config};
use store::api_keys::ApiKey;
use store::callers::{KnownKey, KnownPerson};
use store::identities::Identity;
use store::sharing::StoredAccess;
use store::{Callers, ServiceTokens, Sessions};

use access_token::AccessTokens;

pub use access_token::{MAX_NAME_BYTES, TokenClaims};
pub use first_seen::first_seen;
pub use owners::{Owners, Payers, admit_owner};
pub use recent::RecentCallers;
pub use service_accounts::NeededScope;
pub use sessions::{SessionCaller, SessionUse};
pub use store::callers::DEFAULT_PLAN;

/// A user who authenticated with an access token.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user: UserId,
    pub org: OrgId,
    pub role: Role,
    pub plan: Arc<Plan>,
    /// The records of the user, for routes that show names.
    pub identity: Arc<Identity>,
    /// The time of the request, for everything that it reads and writes.
    pub at: Time,
}

impl Caller {
    pub fn account(&self) -> Account {
        Account { org: self.org, user: self.user }
    }
}

/// A program that authenticated with an API key.
#[derive(Clone, Debug)]
pub struct ApiCaller {
    pub key: Arc<ApiKey>,
    pub caller: Caller,
    pub purpose: CallPurpose,
}

/// What the calls of a program are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPurpose {
    Request,
    /// A line of a batch. The platform makes the call, with the key that created the batch.
    BatchLine,
    /// The end of a line of a batch that is not made any more: it has the answer that an earlier worker has stored, and without one
    /// no call of it is charged. No model is called.
    Seal,
}

/// A trigger that authenticated with the token of a channel. The record of the channel names its workflow.
#[derive(Debug)]
pub struct ChannelCaller {
    pub token: TokenHash,
}

pub struct Auth {
    access_tokens: AccessTokens,
    callers: Callers,
    sessions: Sessions,
    service_tokens: ServiceTokens,
    console_origins: BTreeSet<String>,
    clock: Clock,
}

/// An authentication error. The exact reason is logged and not sent.
pub fn refused(refusal: Refusal, why: &str) -> Error {
    tracing::Span::current().record("refusal", why);
    Error::Unauthenticated(refusal)
}

impl Auth {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            access_tokens: AccessTokens::new(&context.config)?,
            callers: Callers::new(context)?,
            sessions: Sessions::new(context)?,
            service_tokens: ServiceTokens::new(context)?,
            console_origins: context.config.list(config::CONSOLE_ORIGIN).into_iter().collect(),
            clock: context.clock.clone(),
        })
    }

    pub async fn caller(&self, access_token: &str) -> Result<Caller> {
        self.caller_with_access(access_token, None).await.map(|(caller, _)| caller)
    }

    /// Like [`Self::caller`], and finds in the same read what the caller may do with something.
    pub async fn caller_with_access(
        &self,
        access_token: &str,
        what: Option<Shareable>,
    ) -> Result<(Caller, Option<StoredAccess>)> {
        let now = self.clock.now();
        let claims = self.access_tokens.verify(access_token, now).await?;
        let (person, access) = self.callers.find_or_record_with_access(&first_seen(&claims, now), what).await?;
        Ok((admit(person, now)?, access))
    }

    /// Like [`Self::caller`], but records nothing, for functions that may not write the records of users.
    async fn unrecorded_caller(&self, access_token: &str) -> Result<Caller> {
        let now = self.clock.now();
        let claims = self.access_tokens.verify(access_token, now).await?;
        admit(self.callers.find_or_assume(&first_seen(&claims, now)).await?, now)
    }

    pub async fn api_caller(&self, secret: &str) -> Result<ApiCaller> {
        let known = self.callers.find_key(&key_hash(secret)?).await?;
        admit_key(known, self.clock.now())
    }

    pub fn channel_caller(&self, secret: &str) -> Result<ChannelCaller> {
        let token = SecretToken::parse(TokenKind::Channel, secret);
        let token = token.ok_or_else(|| refused(Refusal::Unknown, "not in the format of a channel token"))?;
        Ok(ChannelCaller { token: token.hash() })
    }

    /// The user whom the issuer has signed in for this client, in answer to the request with this nonce.
    pub async fn signed_in(&self, id_token: &str, client_id: &str, nonce: &str) -> Result<Caller> {
        let now = self.clock.now();
        let claims = self.access_tokens.verify_id_token(id_token, client_id, nonce, now).await?;
        admit(self.callers.find_or_record(&first_seen(&claims, now)).await?, now)
    }

    /// The trusted issuer.
    pub fn issuer(&self) -> &str {
        &self.access_tokens.issuer
    }

    /// Whether the origin is one of the console.
    pub fn is_console(&self, origin: &str) -> bool {
        self.console_origins.contains(origin)
    }

    /// The id of the user with this `subject` at the identity provider.
    pub fn user_of_issuer(&self, subject: &str) -> UserId {
        first_seen::user_id(&self.access_tokens.issuer, subject)
    }

    /// The id of the organization with this name at the identity provider.
    pub fn org_of_issuer(&self, org: &str) -> OrgId {
        first_seen::org_id(&self.access_tokens.issuer, org)
    }
}

fn key_hash(secret: &str) -> Result<TokenHash> {
    let token = SecretToken::parse(TokenKind::ApiKey, secret);
    token.map(|token| token.hash()).ok_or_else(|| match secret.starts_with(TokenKind::ApiKey.prefix()) {
        true => refused(Refusal::Unknown, "not in the format of an API key"),
        false => refused(Refusal::NotAnApiKey, "another token instead of an API key"),
    })
}

fn admit_key(known: Option<KnownKey>, now: Time) -> Result<ApiCaller> {
    let unknown = |why| refused(Refusal::Unknown, why);
    let KnownKey { key, holder } = known.ok_or_else(|| unknown("no such key"))?;
    if !key.is_valid(now) {
        return Err(unknown("the key is revoked or has expired"));
    }
    let holder = holder.ok_or_else(|| unknown("the user of the key is not a member of the organization"))?;
    Ok(ApiCaller { key, caller: admit(holder, now)?, purpose: CallPurpose::Request })
}

fn admit(person: KnownPerson, at: Time) -> Result<Caller> {
    let Identity { user, org, .. } = &*person.identity;
    if org.suspended {
        return Err(refused(Refusal::OrgSuspended, "the organization is suspended"));
    }
    if user.suspended {
        return Err(refused(Refusal::UserSuspended, "the user is suspended"));
    }
    Ok(caller_of(person, at))
}

fn caller_of(KnownPerson { identity, plan }: KnownPerson, at: Time) -> Caller {
    let Identity { user, org, membership } = &*identity;
    Caller { user: user.id, org: org.id, role: membership.role, plan, identity: identity.clone(), at }
}
