//! A cache of API keys for inference. Keys are read once in 30 seconds, because a model call should not wait for a
//! database read. This is safe for inference only: a revoked key or a suspended user gets no new lease, so a stale
//! entry can spend at most what is left of an open lease.

use std::time::Duration;

use super::{ApiCaller, Auth, Caller, admit_key, key_hash};
use domain::Result;
use domain::token::TokenHash;
use platform::Context;
use platform::cache::Cache;
use store::callers::KnownKey;

const BELIEVED_FOR: Duration = Duration::from_secs(30);
const REMEMBERED: usize = 10_000;

/// Authenticates callers of inference. Only that function has this state, so no other route can use its extractor.
pub struct RecentCallers {
    auth: Auth,
    /// `None` caches that a key does not exist.
    known: Cache<TokenHash, Option<KnownKey>>,
}

impl RecentCallers {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { auth: Auth::new(context)?, known: Cache::new(BELIEVED_FOR, REMEMBERED) })
    }

    pub async fn api_caller(&self, secret: &str) -> Result<ApiCaller> {
        let hash = key_hash(secret)?;
        let known = self.known.get_or_load(&hash, async || self.auth.callers.find_key(&hash).await).await?;
        admit_key(known, self.auth.clock.now())
    }

    /// Authenticates a user with an access token. The records are read in this request.
    pub async fn caller(&self, access_token: &str) -> Result<Caller> {
        self.auth.unrecorded_caller(access_token).await
    }
}
