//! Identities derived from what the issuer calls somebody: two first requests at once make the same records, and
//! knowing who calls takes no look-up of names.

use super::Claims;
use crate::store::callers::DEFAULT_PLAN;
use crate::store::identities::Identity;
use domain::id::{OrgId, UserId};
use domain::identity::{Membership, Org, User};
use domain::time::Time;

/// The records of a person who comes for the first time.
pub fn first_seen(claims: &Claims) -> Identity {
    let now = Time::now();
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
            created_at: now,
        },
        membership: Membership {
            org: org_id,
            user: user_id,
            role: claims.role,
            role_at: claims.issued_at,
            created_at: now,
        },
    }
}

/// The user that an issuer calls `subject`.
pub(super) fn user_id(issuer: &str, subject: &str) -> UserId {
    derived("user", issuer, subject).into()
}

/// The organization that an issuer calls `org`.
pub(super) fn org_id(issuer: &str, org: &str) -> OrgId {
    derived("org", issuer, org).into()
}

fn derived(kind: &str, issuer: &str, name: &str) -> uuid::Uuid {
    // Lengths in front keep ("a", "bc") and ("ab", "c") apart.
    let text = format!("{kind}\n{}\n{issuer}\n{name}", issuer.len());
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_ref()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
