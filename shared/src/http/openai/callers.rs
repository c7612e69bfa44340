//! Who calls the gateway. While it is under maintenance, only operators are let in.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::{ApiError, Result};
use crate::auth::{self, Auth, Caller, RecentCallers};
use crate::http::extract::{bearer, record_caller};
use crate::http::layers::request_id;
use crate::models::Models;
use crate::store::api_keys::ApiKey;
use crate::store::{Authority, KeyRing};
use domain::Error;
use domain::audit::{Actor, Deed};
use domain::identity::Role;
use domain::time::Time;
use domain::token::TokenKind;

/// A program with an API key, read in this request.
pub struct ApiCaller(pub auth::ApiCaller);

/// A program with an API key, as it was up to 30 seconds ago: for calls of models, whose leases refuse a revoked key.
pub struct InferenceCaller(pub auth::ApiCaller);

/// Somebody with an API key or an access token, read in this request.
pub struct Person {
    pub caller: Caller,
    /// None with an access token.
    pub key: Option<Arc<ApiKey>>,
}

/// An operator of the platform, by API key or by access token, read in this request. A key with limits, a cap or a
/// list of models of its own only reads: whatever it changed, it could lift them.
pub struct Operator(Person);

impl Person {
    fn actor(&self) -> Actor {
        Actor { org: self.caller.org, user: self.caller.user, key: self.key.as_ref().map(|key| key.id) }
    }

    /// What this person's writes must still find true when they are carried out.
    pub fn authority(&self, now: Time) -> Authority {
        Authority::of_person(self.actor(), now)
    }
}

impl Operator {
    /// What this operator does now, for the audit.
    pub fn deed(&self, action: &'static str, target: impl ToString) -> Deed {
        let actor = self.0.actor();
        Deed { actor, action, target: target.to_string(), request_id: request_id(), at: Time::now() }
    }

    /// When the key of this operator expires: a key that it makes expires no later.
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

/// The catalog holds the maintenance flag, and is in memory where models are called.
async fn let_in(caller: &Caller, models: &Models) -> domain::Result<()> {
    if caller.role == Role::Operator {
        return Ok(());
    }
    let maintenance = &models.listing().await?.maintenance;
    if !maintenance.on {
        return Ok(());
    }
    Err(Error::Maintenance { message: maintenance.message.clone(), retry_after_s: maintenance.retry_after_s })
}

impl<S> FromRequestParts<S> for ApiCaller
where
    S: AsRef<Auth> + AsRef<Models> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let caller = api_caller(parts, state.as_ref()).await?;
        let_in(&caller.caller, state.as_ref()).await?;
        Ok(Self(caller))
    }
}

impl<S> FromRequestParts<S> for InferenceCaller
where
    S: AsRef<RecentCallers> + AsRef<Models> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let recent: &RecentCallers = state.as_ref();
        let caller = recent.api_caller(bearer(parts)?).await?;
        record_caller(&caller.caller);
        let_in(&caller.caller, state.as_ref()).await?;
        Ok(Self(caller))
    }
}

impl<S> FromRequestParts<S> for Person
where
    S: AsRef<Auth> + AsRef<Models> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let person = person(parts, state.as_ref()).await?;
        let_in(&person.caller, state.as_ref()).await?;
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
                    "this key has limits, a cap or a list of models and changes nothing here; use a key without";
                Err(ApiError(Error::Forbidden { code: "api_key_restricted", message: message.to_owned() }))
            }
            _ => Ok(Self(person)),
        }
    }
}
