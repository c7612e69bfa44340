//! Service accounts: users of an organization that are programs. Each has tokens instead of a login.

use std::time::Duration;

use crate::body_problems::Problems;
use crate::id::{OrgId, ServiceTokenId, UserId, uuid_of_hash};
use crate::identity::Account;
use crate::scope::Scope;
use crate::time::Time;
use crate::{Error, Result};

/// The maximum number of tokens of an organization, including expired ones.
pub const MAX_SERVICE_TOKENS: usize = 100;
/// The longest life of a token, with the leap day of a year.
pub const MAX_LIFE: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceToken {
    pub id: ServiceTokenId,
    /// The service account.
    pub account: Account,
    /// The name of the service account.
    pub name: String,
    pub scopes: Vec<Scope>,
    pub last4: String,
    pub created_at: Time,
    pub created_by: UserId,
    pub expires_at: Time,
    /// The day (UTC) on which it was last used, such as `2026-11-27`.
    pub last_used_on: Option<String>,
}

impl ServiceToken {
    pub fn is_valid(&self, now: Time) -> bool {
        now < self.expires_at
    }
}

/// The service account with this name. A later token with the same name acts as the same account, so a token can be replaced
/// before it expires, and what the account owns stays with it.
pub fn account(org: OrgId, name: &str) -> Account {
    Account { org, user: uuid_of_hash(&format!("service account\n{org}\n{name}")).into() }
}

pub fn check_expiry(field: &str, expires_at: Time, now: Time) -> Result<()> {
    let mut problems = Problems::default();
    if expires_at <= now {
        problems.add(field, "must be in the future");
    } else if expires_at > now.plus(MAX_LIFE) {
        problems.add(field, "must be at most one year ahead; create another token before this one expires");
    }
    problems.finish()
}

/// The error when an organization has the maximum number of tokens.
pub fn too_many() -> Error {
    Error::Conflict {
        code: "too_many_service_tokens",
        message: format!("an organization has at most {MAX_SERVICE_TOKENS} service tokens; delete one first"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_account_in_each_organization() {
        let (one, other) = (OrgId::new(), OrgId::new());
        assert_eq!(account(one, "ci"), account(one, "ci"));
        assert_ne!(account(one, "ci").user, account(one, "cd").user);
        assert_ne!(account(one, "ci").user, account(other, "ci").user);
    }

    #[test]
    fn a_token_expires_within_a_year() {
        let now = Time::from_millis(1_790_000_000_000);
        let check = |seconds: u64| check_expiry("expiresAt", now.plus(Duration::from_secs(seconds)), now);
        assert!(check(1).is_ok() && check(MAX_LIFE.as_secs()).is_ok());
        assert!(check(0).is_err() && check(MAX_LIFE.as_secs() + 1).is_err());
    }
}
