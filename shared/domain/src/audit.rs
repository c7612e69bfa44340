//! Entries of the audit log: actions of operators.

use serde::{Deserialize, Serialize};

use super::id::{ApiKeyId, OrgId, UserId};
use super::time::Time;

/// The operator who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub org: OrgId,
    pub user: UserId,
    /// `None` if the operator used an access token.
    pub key: Option<ApiKeyId>,
}

/// An action and its target.
#[derive(Clone, Debug)]
pub struct AuditAction {
    pub actor: Actor,
    /// For example `model.create` or `org.update`.
    pub action: &'static str,
    pub target: String,
    pub request_id: String,
    pub at: Time,
}
