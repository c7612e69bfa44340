//! Refresh tokens with rotation: each is valid once, and the use of an old one ends its grant (OAuth 2.1, 4.3.1). They are kept in
//! memory: after a restart, a person clicks once more.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::session::random_text;
use domain::time::Time;

use crate::issuer::Subject;

/// The time after the last use.
const GRANT_VALID: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Beyond this number, the grant that ends first is forgotten.
const MAX_GRANTS: usize = 1_000;

/// What persons have granted to registered clients, by the code that began it.
#[derive(Default)]
pub struct Grants(Mutex<HashMap<String, Grant>>);

struct Grant {
    subject: Subject,
    client_id: String,
    secret: String,
    valid_until: Time,
}

impl Grants {
    /// Returns the first refresh token of a grant.
    pub fn begin(&self, code: &str, subject: Subject, client_id: String, now: Time) -> String {
        let grant = Grant { subject, client_id, secret: random_text().to_string(), valid_until: now.plus(GRANT_VALID) };
        let token = grant.token(code);
        let mut grants = self.lock();
        grants.retain(|_, grant| now < grant.valid_until);
        if grants.len() >= MAX_GRANTS {
            let first = grants.iter().min_by_key(|(_, grant)| grant.valid_until).map(|(code, _)| code.clone());
            first.and_then(|first| grants.remove(&first));
        }
        grants.insert(code.to_owned(), grant);
        token
    }

    /// Ends the grant of a code: somebody used the code again.
    pub fn end(&self, code: &str) {
        self.lock().remove(code);
    }

    /// Exchanges a refresh token for the next one. Returns whose it is, too.
    pub fn rotate(&self, token: &str, client_id: &str, now: Time) -> Option<(Subject, String)> {
        let (code, secret) = token.split_once('.')?;
        let mut grants = self.lock();
        let grant = grants.get_mut(code)?;
        if grant.secret != secret || grant.client_id != client_id || now >= grant.valid_until {
            grants.remove(code);
            return None;
        }
        grant.secret = random_text().to_string();
        grant.valid_until = now.plus(GRANT_VALID);
        Some((grant.subject.clone(), grant.token(code)))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Grant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Grant {
    fn token(&self, code: &str) -> String {
        format!("{code}.{}", self.secret)
    }
}
