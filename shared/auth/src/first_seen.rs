//! Derives user and organization ids from the claims of the issuer. Concurrent first requests of a user create the same
//! records, and finding the caller needs no lookup by name.

use super::TokenClaims;
use domain::id::{OrgId, UserId, uuid_of_hash};
use domain::identity::{Membership, Org, User};
use domain::time::Time;
use store::callers::DEFAULT_PLAN;
use store::identities::Identity;

/// The records to store for a user who calls for the first time.
pub fn first_seen(claims: &TokenClaims, now: Time) -> Identity {
    let user_id = user_id(&claims.issuer, &claims.subject);
    let org_id = org_id(&claims.issuer, &claims.org);
    Identity {
        user: User {
            id: user_id,
            name: claims.name.clone().unwrap_or_else(|| claims.subject.clone()),
            email: claims.email.clone(),
            suspended: false,
            created_at: now,
        },
        org: Org {
            id: org_id,
            name: claims.org.clone(),
            plan: DEFAULT_PLAN.to_owned(),
            suspended: false,
            keeps_guard_input: false,
            call_retention: None,
            created_at: now,
        },
        membership: Membership {
            org: org_id,
            user: user_id,
            role: claims.role,
            role_at: claims.issued_at,
            listed: true,
            created_at: now,
        },
    }
}

/// The id of the user with this `subject` at the issuer.
pub(super) fn user_id(issuer: &str, subject: &str) -> UserId {
    derived("user", issuer, subject).into()
}

/// The id of the organization with this name at the issuer.
pub(super) fn org_id(issuer: &str, org: &str) -> OrgId {
    derived("org", issuer, org).into()
}

fn derived(kind: &str, issuer: &str, name: &str) -> uuid::Uuid {
    // The length prefix keeps ("a", "bc") and ("ab", "c") distinct.
    uuid_of_hash(&format!("{kind}\n{}\n{issuer}\n{name}", issuer.len()))
}
