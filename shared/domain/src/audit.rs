//! What operators did.

use serde::{Deserialize, Serialize};

use super::id::{ApiKeyId, OrgId, UserId};
use super::time::Time;

/// Who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub org: OrgId,
    pub user: UserId,
    /// None for who came by access token.
    pub key: Option<ApiKeyId>,
}

/// What is being done, to what.
#[derive(Clone, Debug)]
pub struct Deed {
    pub actor: Actor,
    /// `model.create`, `org.update` …
    pub action: &'static str,
    pub target: String,
    pub request_id: String,
    pub at: Time,
}
