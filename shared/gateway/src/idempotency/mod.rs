//! Idempotency keys of model calls: one call per key, and a replay of its answer for repeated requests.

mod rendered;

use std::time::Duration;

use super::Gateway;
use super::answers::Answer;
use domain::identity::Account;
use domain::{Error, Result};
use store::claims::{Claim, ClaimState, StoredAnswer};
use store::stored_text::StoredText;

pub use rendered::{ReadRendered, RenderedAnswer, Replay};

/// The content type of stored answers. Answers of the version before have that of the response body that they are.
const STORED_ANSWER: &str = "application/vnd.atelier.answer+json";
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long a repeated request waits for the answer of the first one.
const MAX_WAIT: Duration = Duration::from_secs(20);
const MAX_KEY_CHARS: usize = 255;

/// The result of claiming an `Idempotency-Key`: make the call, or replay the stored answer.
pub enum ClaimOutcome<T> {
    Mine(Claim),
    /// The call was made before, and this is its answer.
    Answered(Replay<T>),
}

impl Gateway {
    /// Claims a call whose answer is a `T`.
    pub async fn claim<T: Answer>(&self, account: Account, key: &str, body_hash: &str) -> Result<ClaimOutcome<T>> {
        if key.is_empty() || key.len() > MAX_KEY_CHARS || !key.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(Error::invalid_query("Idempotency-Key", "must be 1 to 255 visible ASCII characters"));
        }
        let patient_until = self.inner.clock.now().plus(MAX_WAIT);
        loop {
            let now = self.inner.clock.now();
            match self.inner.claims.claim(account, key, body_hash, now).await? {
                ClaimState::Claimed(claim) => return Ok(ClaimOutcome::Mine(claim)),
                ClaimState::Answered(answer) => return Ok(ClaimOutcome::Answered(self.read_answer(answer).await?)),
                ClaimState::Reused => return Err(Error::idempotency_conflict()),
                ClaimState::InFlight if now >= patient_until => {
                    return Err(Error::busy("the first request with this Idempotency-Key is still running"));
                }
                ClaimState::InFlight => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
    }

    /// Seals a call and returns its stored answer. If there is none, no process can store or charge an answer for it any more.
    pub async fn seal_call<T: Answer>(
        &self,
        account: Account,
        key: &str,
        body_hash: &str,
    ) -> Result<Option<Replay<T>>> {
        match self.inner.claims.seal(account, key, body_hash, self.inner.clock.now()).await? {
            Some(answer) => self.read_answer(answer).await.map(Some),
            None => Ok(None),
        }
    }

    async fn read_answer<T: Answer>(&self, StoredAnswer { content_type, body }: StoredAnswer) -> Result<Replay<T>> {
        let body = body.read_answer(&self.inner.files).await?;
        Ok(match content_type.as_str() {
            STORED_ANSWER => Replay::Answer(read_stored(&body)?.ok_or_else(Error::idempotency_conflict)?),
            _ => Replay::Rendered(RenderedAnswer { content_type, body }),
        })
    }

    /// Prepares an answer to be stored, with its charge or in the cache. A large answer is written to the bucket here.
    pub(super) async fn store_answer(&self, answer: &impl Answer) -> Result<StoredAnswer> {
        let body = serde_json::to_vec(&answer.to_stored()).map_err(Error::internal)?;
        let body = StoredText::store_answer(&self.inner.files, STORED_ANSWER, &body).await?;
        Ok(StoredAnswer { content_type: STORED_ANSWER.to_owned(), body })
    }

    /// Releases the claim of a failed call, so that the client can retry with the same key.
    pub(super) async fn release(&self, claim: Option<&Claim>) {
        let Some(claim) = claim else { return };
        if let Err(error) = self.inner.claims.release(claim).await {
            tracing::warn!(
                ?error,
                "the Idempotency-Key of a failed call could not be released; it stays claimed until the claim expires"
            );
        }
    }
}

/// Reads a stored answer. None if it is that of another kind of call.
pub fn read_stored<T: Answer>(body: &[u8]) -> Result<Option<T>> {
    serde_json::from_slice(body).map(T::from_stored).map_err(Error::internal)
}
