//! Who calls the gateway. While it is under maintenance, only operators are let in.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::{ApiError, Result};
use crate::auth::{self, Auth, Caller};
use crate::domain::audit::{Actor, Deed};
use crate::domain::identity::Role;
use crate::domain::time::Time;
use crate::domain::token::TokenKind;
use crate::gateway::Models;
use crate::http::extract::{bearer, record_caller};
use crate::http::layers::request_id;
use crate::store::api_keys::ApiKey;
use crate::{Error, error};

/// A program with an API key.
pub struct ApiCaller(pub auth::ApiCaller);

/// Somebody with an API key or an access token.
pub struct Person {
    pub caller: Caller,
    /// None for who comes by access token.
    pub key: Option<Arc<ApiKey>>,
}

/// Who runs the platform, by API key or by access token.
pub struct Operator {
    pub caller: Caller,
    key: Option<Arc<ApiKey>>,
}

impl Operator {
    /// What this operator does now, for the audit.
    pub fn deed(&self, action: &'static str, target: impl ToString) -> Deed {
        let actor = Actor { org: self.caller.org, user: self.caller.user, key: self.key.as_ref().map(|key| key.id) };
        Deed { actor, action, target: target.to_string(), request_id: request_id(), at: Time::now() }
    }
}

async fn api_caller(parts: &Parts, auth: &Auth) -> error::Result<auth::ApiCaller> {
    let caller = auth.api_caller(bearer(parts)?).await?;
    record_caller(&caller.caller);
    Ok(caller)
}

async fn person(parts: &Parts, auth: &Auth) -> error::Result<Person> {
    let token = bearer(parts)?;
    if token.starts_with(TokenKind::ApiKey.prefix()) {
        let auth::ApiCaller { key, caller } = api_caller(parts, auth).await?;
        return Ok(Person { caller, key: Some(key) });
    }
    let caller = auth.caller(token).await?;
    record_caller(&caller);
    Ok(Person { caller, key: None })
}

/// The catalog tells of maintenance; whoever calls models has it in memory.
async fn let_in(caller: &Caller, models: &Models) -> error::Result<()> {
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
    S: AsRef<Auth> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Person { caller, key } = person(parts, state.as_ref()).await?;
        match caller.role {
            Role::Operator => Ok(Self { caller, key }),
            Role::Member | Role::Admin => Err(ApiError(Error::Forbidden {
                code: "operator_only",
                message: "only who runs the platform may do this".to_owned(),
            })),
        }
    }
}
