//! The extractor of administrators.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::layers::request_id;
use crate::{ApiError, Result, extract};
use auth::{Auth, Caller};
use domain::Error;
use domain::audit::{ActingRole, Actor, AuditAction};
use domain::identity::Role;

/// An administrator of the organization, or an operator in it.
pub struct Administrator(pub Caller);

impl Administrator {
    /// An entry of the audit log for an action of this administrator.
    pub fn audit_action(&self, action: &'static str, target: impl ToString) -> AuditAction {
        let Caller { org, user, at, .. } = self.0;
        let actor = Actor { org, user, key: None };
        let role = ActingRole::Administrator;
        AuditAction { actor, role, action, target: target.to_string(), request_id: request_id(), at }
    }
}

impl<S: AsRef<Auth> + Send + Sync> FromRequestParts<S> for Administrator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let caller = extract::caller(parts, state.as_ref()).await?;
        match caller.role {
            Role::Admin | Role::Operator => Ok(Self(caller)),
            Role::Member => Err(ApiError(Error::administrator_only())),
        }
    }
}
