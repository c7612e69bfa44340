//! Extractors of callers who may act on the workflow or agent that the path names. The role that a route needs is the name
//! of its extractor: `access: Editor<WorkflowId>`.
//!
//! A caller to whom it is not shared gets access to their own account only, where it does not exist: the routes answer as
//! for an unknown id.

use std::marker::PhantomData;
use std::ops::Deref;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use uuid::Uuid;

use crate::{ApiError, Result, extract};
use auth::{Auth, Caller};
use domain::id::UserId;
use domain::identity::Account;
use domain::sharing::{SharedId, TeamRole};
use store::sharing::StoredAccess;

/// A caller, and what they may do.
pub struct Access {
    pub caller: Caller,
    /// The account under which it is stored. Reads and writes of it take this account, not the caller's own.
    pub account: Account,
    pub role: TeamRole,
}

impl Access {
    /// The access of a caller, by their entry for it.
    pub fn new(caller: Caller, entry: Option<StoredAccess>) -> Self {
        let (account, role) = match entry {
            None => (caller.account(), TeamRole::Owner),
            Some(stored) => {
                // Nobody has this id, so nothing is found.
                let nobody = UserId::from(Uuid::nil());
                let home = if stored.role.is_some() { stored.home } else { nobody };
                (Account { org: caller.org, user: home }, stored.role.unwrap_or(TeamRole::Owner))
            }
        };
        Self { caller, account, role }
    }
}

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident;)*) => {$(
        $(#[$doc])*
        pub struct $role<I>(Access, PhantomData<I>);

        impl<I> Deref for $role<I> {
            type Target = Access;

            fn deref(&self) -> &Access {
                &self.0
            }
        }

        impl<S, I> FromRequestParts<S> for $role<I>
        where
            S: AsRef<Auth> + Send + Sync,
            I: SharedId + Send + Sync,
        {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
                let access = access::<I>(parts, state.as_ref()).await?;
                access.role.require(TeamRole::$role)?;
                Ok(Self(access, PhantomData))
            }
        }
    )*};
}

roles! {
    /// The owner, or any member.
    Viewer;
    /// The owner, or a member who may run it and answer for it.
    Operator;
    /// The owner, or a member who may change it.
    Editor;
    Owner;
}

async fn access<I: SharedId>(parts: &mut Parts, auth: &Auth) -> Result<Access> {
    // A malformed id is refused with the path, after the caller.
    let parameters = RawPathParams::from_request_parts(parts, &()).await.ok();
    let id = parameters.and_then(|parameters| parameters.iter().next()?.1.parse::<I>().ok());
    let (caller, stored) = extract::caller_with_access(parts, auth, id.map(SharedId::shareable)).await?;
    Ok(Access::new(caller, stored))
}
