//! Other people's API keys.

use super::Admin;
use crate::Result;
use crate::domain::audit::Deed;
use crate::store::api_keys::ApiKey;
use crate::store::key_ring::Kept;

impl Admin {
    /// Revokes a key. One that is revoked already stays so, and nothing was done.
    pub async fn revoke_key(&self, deed: &Deed, kept: &Kept, tell: impl Fn(&ApiKey) -> String) -> Result<()> {
        let revoked = ApiKey { revoked_at: Some(deed.at), ..kept.key.clone() };
        let audited = self.audited(deed, Some(tell(&kept.key)), Some(tell(&revoked)));
        self.keys.revoke(kept, deed.at, vec![audited]).await.map(drop)
    }
}
