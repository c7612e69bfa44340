//! The tokens of an account for a request, which are renewed before they expire: by one process, under the lock of their slot.

use std::time::Duration;

use domain::oauth::OauthTokens;
use domain::time::{Clock, Time};
use domain::{Error, Result};
use platform::telemetry::carry;
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::token_slot::{StoredTokens, TokenSlot};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// How long a request waits for a renewal by another process.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);

/// Tokens for one request.
pub struct CurrentTokens<T> {
    pub tokens: T,
    /// Identifies the tokens, if the server refuses them.
    pub version: Uuid,
}

/// How a renewal ended.
pub enum Renewal<T, E> {
    Renewed(T),
    /// The refresh token is still good: the next request tries again.
    Kept(E),
    /// The tokens cannot be renewed any more.
    Ended,
}

/// What a request does with the stored tokens.
enum Use {
    AsTheyAre,
    Renewed,
    /// They cannot be used, and cannot be renewed.
    Never,
}

/// The tokens of a slot, renewed by `renew` if they are due or are the `refused` ones. `None` if there are none of use. `fits`
/// decides whether the stored tokens are still those of the request.
pub async fn renew_if_due<T, E, R, F>(
    slot: &TokenSlot,
    refused: Option<Uuid>,
    clock: &Clock,
    fits: impl Fn(&T) -> bool,
    renew: R,
) -> std::result::Result<Option<CurrentTokens<T>>, E>
where
    T: AsRef<OauthTokens> + Serialize + DeserializeOwned + Send + Sync + 'static,
    E: From<Error> + Send + 'static,
    R: FnOnce(T) -> F,
    F: Future<Output = Result<Renewal<T, E>>> + Send + 'static,
{
    let began = Instant::now();
    loop {
        let now = clock.now();
        let found: Option<StoredTokens<T>> = slot.find(now).await?;
        let Some(found) = found.filter(|found| fits(&found.tokens)) else { return Ok(None) };
        match choose(&found, refused, now) {
            Use::AsTheyAre => return Ok(Some(CurrentTokens { tokens: found.tokens, version: found.version })),
            Use::Never => return Ok(None),
            Use::Renewed => {}
        }
        if !found.is_locked()
            && let Some(lock) = slot.lock(found.version, now).await?
        {
            // It goes on if the client disconnects, because the refresh token may be used up.
            let renewed = finish(slot.clone(), lock, renew(found.tokens));
            return tokio::spawn(carry(renewed)).await.map_err(|error| E::from(Error::internal(error)))?;
        }
        if began.elapsed() > PATIENCE {
            return Err(Error::busy("the renewal of a token by another process takes long").into());
        }
        sleep(PAUSE).await;
    }
}

async fn finish<T: Serialize, E: From<Error>>(
    slot: TokenSlot,
    lock: Uuid,
    renewal: impl Future<Output = Result<Renewal<T, E>>>,
) -> std::result::Result<Option<CurrentTokens<T>>, E> {
    match renewal.await? {
        Renewal::Renewed(tokens) => {
            let version = slot.renew(lock, &tokens).await?;
            Ok(Some(CurrentTokens { tokens, version }))
        }
        Renewal::Kept(error) => {
            slot.unlock(lock).await?;
            Err(error)
        }
        Renewal::Ended => {
            slot.end(lock).await?;
            Ok(None)
        }
    }
}

fn choose<T: AsRef<OauthTokens>>(stored: &StoredTokens<T>, refused: Option<Uuid>, now: Time) -> Use {
    let tokens = stored.tokens.as_ref();
    let is_refused = refused == Some(stored.version);
    let is_before = |at: Option<Time>| at.is_none_or(|at| now < at);
    match &tokens.refresh_token {
        Some(_) if is_refused || !is_before(tokens.renew_at) => Use::Renewed,
        None if is_refused || !is_before(tokens.expires_at) => Use::Never,
        _ => Use::AsTheyAre,
    }
}
