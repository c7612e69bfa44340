//! API keys as inference knows them: read once in 30 seconds, because a call of a model cannot wait for a read. Only
//! inference may: a key that is revoked meanwhile, or a holder who is suspended, is granted no new lease, so that what
//! is believed here spends at most what is left of a lease that was open before.

use std::time::Duration;

use super::{ApiCaller, Auth, admit_key, key_hash};
use crate::Context;
use crate::cache::Cache;
use crate::store::callers::KnownKey;
use domain::Result;
use domain::time::Time;
use domain::token::TokenHash;

const BELIEVED_FOR: Duration = Duration::from_secs(30);
const REMEMBERED: usize = 10_000;

/// The callers of inference. No other function has one of these, so that no other route can take its extractor.
pub struct RecentCallers {
    auth: Auth,
    /// Also that there is no such key.
    known: Cache<TokenHash, Option<KnownKey>>,
}

impl RecentCallers {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { auth: Auth::new(context)?, known: Cache::new(BELIEVED_FOR, REMEMBERED) })
    }

    pub async fn api_caller(&self, secret: &str) -> Result<ApiCaller> {
        let hash = key_hash(secret)?;
        let known = self.known.get_or_load(&hash, async || self.auth.callers.find_key(&hash).await).await?;
        admit_key(known, Time::now())
    }
}
