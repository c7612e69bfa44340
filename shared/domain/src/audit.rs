//! Entries of the audit log: actions of operators, and of administrators that concern the bodies of calls and service tokens.

use serde::{Deserialize, Serialize};

use super::id::{ApiKeyId, OrgId, UserId};
use super::identity::Role;
use super::time::Time;
use crate::Error;

/// The user who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub org: OrgId,
    pub user: UserId,
    /// `None` if the user used an access token.
    pub key: Option<ApiKeyId>,
}

/// The role that an action requires. The transaction of the action checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActingRole {
    /// An operator of the platform.
    Operator,
    /// An administrator of the organization, or an operator in it.
    Administrator,
}

impl ActingRole {
    /// The roles of members that have it.
    pub fn held_by(self) -> &'static [Role] {
        match self {
            Self::Operator => &[Role::Operator],
            Self::Administrator => &[Role::Admin, Role::Operator],
        }
    }

    /// The error for a user who does not have it.
    pub fn refusal(self) -> Error {
        match self {
            Self::Operator => Error::operator_only(),
            Self::Administrator => Error::administrator_only(),
        }
    }
}

/// An action and its target.
#[derive(Clone, Debug)]
pub struct AuditAction {
    pub actor: Actor,
    pub role: ActingRole,
    /// For example `model.create` or `service_token.create`.
    pub action: &'static str,
    pub target: String,
    pub request_id: String,
    pub at: Time,
}
