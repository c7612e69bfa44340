//! A cache of API keys for inference. Keys are read once in 30 seconds, because a model call should not wait for a
//! database read. This is safe for inference only: a revoked key or a suspended user gets no new lease, so a stale
//! entry can spend at most what is left of an open lease.

use std::time::Duration;

use super::{ApiCaller, Auth, CallPurpose, Caller, SessionUse, admit_key, caller_of, key_hash};
use domain::Result;
use domain::token::TokenHash;
use platform::Context;
use platform::cache::Cache;
use store::callers::KnownKey;

const BELIEVED_FOR: Duration = Duration::from_secs(30);
const REMEMBERED: usize = 10_000;

/// Authenticates callers of inference. Only that function and the worker of batches, which calls its routes in the process,
/// have this state, so no other route can use its extractor.
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
        self.admit(&key_hash(secret)?).await
    }

    /// The caller of a line of a batch, which was created with the key of this hash.
    pub async fn batch_caller(&self, hash: &TokenHash) -> Result<ApiCaller> {
        Ok(ApiCaller { purpose: CallPurpose::BatchLine, ..self.admit(hash).await? })
    }

    /// The caller that seals lines of a batch. Calls of these lines were admitted before, so the caller is not refused if the key is
    /// revoked now. None if the key or its holder does not exist any more.
    pub async fn former_caller(&self, hash: &TokenHash) -> Result<Option<ApiCaller>> {
        let Some(KnownKey { key, holder: Some(holder) }) = self.find(hash).await? else { return Ok(None) };
        let caller = caller_of(holder, self.auth.clock.now());
        Ok(Some(ApiCaller { key, caller, purpose: CallPurpose::Seal }))
    }

    async fn admit(&self, hash: &TokenHash) -> Result<ApiCaller> {
        admit_key(self.find(hash).await?, self.auth.clock.now())
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<KnownKey>> {
        self.known.get_or_load(hash, async || self.auth.callers.find_key(hash).await).await
    }

    /// The user of a session. Everything is read in this request, and nothing is written.
    pub async fn session_caller(&self, cookie: &str) -> Result<Caller> {
        Ok(self.auth.session_caller(cookie, SessionUse::Read).await?.caller)
    }

    pub fn auth(&self) -> &Auth {
        &self.auth
    }

    /// Authenticates a user with an access token. The records are read in this request.
    pub async fn caller(&self, access_token: &str) -> Result<Caller> {
        self.auth.unrecorded_caller(access_token).await
    }
}
