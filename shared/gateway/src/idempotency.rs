//! Calls that are made once for an `Idempotency-Key`, however often they are asked for.

use std::time::Duration;

use bytes::Bytes;

use super::Gateway;
use domain::identity::Account;
use domain::time::Time;
use domain::{Error, Result};
use shared::store::claims::{Claim, Claimed, Kept};
use shared::store::stored_text::StoredText;

const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long a second try waits for the first one's answer.
const PATIENCE: Duration = Duration::from_secs(20);
const MAX_KEY_CHARS: usize = 255;

/// Whether a call is to be made.
pub enum Claiming {
    Mine(Claim),
    /// It was made before, and answered with this.
    Answered {
        content_type: String,
        body: Bytes,
    },
}

impl Gateway {
    pub async fn claim(&self, account: Account, key: &str, body_hash: &str) -> Result<Claiming> {
        if key.is_empty() || key.len() > MAX_KEY_CHARS || !key.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(Error::invalid_query("Idempotency-Key", "1 to 255 visible characters"));
        }
        let began = tokio::time::Instant::now();
        loop {
            match self.inner.claims.claim(account, key, body_hash, Time::now()).await? {
                Claimed::Mine(claim) => return Ok(Claiming::Mine(claim)),
                Claimed::Answered(Kept { content_type, body }) => {
                    let body = body.read_answer(&self.inner.answers).await?;
                    return Ok(Claiming::Answered { content_type, body });
                }
                // A 409 would be tried again by every SDK, for nothing.
                Claimed::Reused => {
                    return Err(Error::invalid_query(
                        "Idempotency-Key",
                        "was used for another request; take a new one",
                    ));
                }
                Claimed::UnderWay if began.elapsed() >= PATIENCE => {
                    return Err(Error::busy("the first try of this request is still under way"));
                }
                Claimed::UnderWay => tokio::time::sleep(LOOK_EVERY).await,
            }
        }
    }

    /// An answer, in a form to be kept with its charge.
    pub(super) async fn keep(&self, content_type: &str, body: &[u8]) -> Result<Kept> {
        let body = StoredText::store_answer(&self.inner.answers, content_type, body).await?;
        Ok(Kept { content_type: content_type.to_owned(), body })
    }

    /// What came to nothing may be tried again under the same key.
    pub(super) async fn release(&self, claim: Option<&Claim>) {
        let Some(claim) = claim else { return };
        if let Err(error) = self.inner.claims.release(claim).await {
            tracing::warn!(?error, "a call that failed keeps its Idempotency-Key until it would have been over");
        }
    }
}
