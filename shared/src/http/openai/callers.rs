//! Extractors that authenticate callers of the gateway. During maintenance, only operators are admitted.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::{ApiError, Result};
use crate::auth::{self, Auth, Caller, RecentCallers};
use crate::http::extract::{bearer, record_caller};
use crate::http::layers::request_id;
use crate::model_catalog::ModelCatalog;
use crate::store::api_keys::ApiKey;
use crate::store::{Authority, KeyRing};
use domain::Error;
use domain::audit::{Actor, AuditAction};
use domain::identity::Role;
use domain::time::Time;
use domain::token::TokenKind;

/// A program with an API key. Its records are read in this request.
pub struct ApiCaller(pub auth::ApiCaller);

/// A program with an API key, from a cache of 30 seconds. It is for model calls only, whose leases refuse revoked keys.
pub struct InferenceCaller(pub auth::ApiCaller);

/// A user with an API key or an access token. The records are read in this request.
pub struct Person {
    pub caller: Caller,
    /// `None` if the user sent an access token.
    pub key: Option<Arc<ApiKey>>,
}

/// An operator of the platform, with an API key or an access token. The records are read in this request. A key with
/// its own limits, spending cap or model list may only read, because with write access it could remove them.
pub struct Operator(Person);

impl Person {
    fn actor(&self) -> Actor {
        Actor { org: self.caller.org, user: self.caller.user, key: self.key.as_ref().map(|key| key.id) }
    }

    /// The conditions on which the writes of this user depend, such as that the key is not revoked. Transactions check
    /// them.
    pub fn authority(&self) -> Authority {
        Authority::for_user(self.actor(), self.caller.at)
    }
}

impl Operator {
    /// An entry of the audit log for an action of this operator.
    pub fn audit_action(&self, action: &'static str, target: impl ToString) -> AuditAction {
        let actor = self.0.actor();
        AuditAction { actor, action, target: target.to_string(), request_id: request_id(), at: self.at() }
    }

    /// The time of the request.
    pub fn at(&self) -> Time {
        self.0.caller.at
    }

    /// When the key of this operator expires. Keys that it creates must not expire later.
    pub fn expires_at(&self) -> Option<Time> {
        self.0.key.as_ref().and_then(|key| key.expires_at)
    }
}

async fn api_caller(parts: &Parts, auth: &Auth) -> domain::Result<auth::ApiCaller> {
    let caller = auth.api_caller(bearer(parts)?).await?;
    record_caller(&caller.caller);
    Ok(caller)
}

async fn person(parts: &Parts, auth: &Auth) -> domain::Result<Person> {
    let token = bearer(parts)?;
    if token.starts_with(TokenKind::ApiKey.prefix()) {
        let auth::ApiCaller { key, caller } = api_caller(parts, auth).await?;
        return Ok(Person { caller, key: Some(key) });
    }
    let caller = auth.caller(token).await?;
    record_caller(&caller);
    Ok(Person { caller, key: None })
}

impl<S> FromRequestParts<S> for ApiCaller
where
    S: AsRef<Auth> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let caller = api_caller(parts, state.as_ref()).await?;
        AsRef::<ModelCatalog>::as_ref(state).check_maintenance(caller.caller.role).await?;
        Ok(Self(caller))
    }
}

impl<S> FromRequestParts<S> for InferenceCaller
where
    S: AsRef<RecentCallers> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let recent: &RecentCallers = state.as_ref();
        let caller = recent.api_caller(bearer(parts)?).await?;
        record_caller(&caller.caller);
        AsRef::<ModelCatalog>::as_ref(state).check_maintenance(caller.caller.role).await?;
        Ok(Self(caller))
    }
}

impl<S> FromRequestParts<S> for Person
where
    S: AsRef<Auth> + AsRef<ModelCatalog> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let person = person(parts, state.as_ref()).await?;
        AsRef::<ModelCatalog>::as_ref(state).check_maintenance(person.caller.role).await?;
        Ok(person)
    }
}

impl<S> FromRequestParts<S> for Operator
where
    S: AsRef<Auth> + AsRef<KeyRing> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let person = person(parts, state.as_ref()).await?;
        if person.caller.role != Role::Operator {
            return Err(ApiError(Error::operator_only()));
        }
        let keys: &KeyRing = state.as_ref();
        match &person.key {
            Some(key) if !parts.method.is_safe() && keys.is_restricted(key).await? => {
                let message =
                    "this key has limits, a spending cap or a model list and may only read; use a key without them";
                Err(ApiError(Error::Forbidden { code: "api_key_restricted", message: message.to_owned() }))
            }
            _ => Ok(Self(person)),
        }
    }
}
