//! A consent that a user has begun for a credential, and that the authorization server has not answered yet.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::id::{CredentialId, UserId, WorkflowId};
use super::identity::Account;
use super::time::Time;

/// How long a user may take at the authorization server.
pub const VALID: Duration = Duration::from_secs(10 * 60);

/// It belongs to one user and one credential, and is answered once.
#[derive(Clone, Serialize, Deserialize)]
pub struct PendingConsent {
    /// The account under which the workflow is stored.
    pub account: Account,
    pub workflow: WorkflowId,
    pub credential: CredentialId,
    /// Who has begun it.
    pub user: UserId,
    /// How the page on which the browser confirms names them.
    pub user_name: String,
    /// The secret of PKCE, which the exchange of the code needs.
    pub verifier: String,
    pub redirect_uri: String,
    pub until: Time,
}

// The verifier never reaches a log.
impl fmt::Debug for PendingConsent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingConsent({})", self.credential)
    }
}
