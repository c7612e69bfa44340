//! Retries while the storage is unavailable.

use std::time::Duration;

use domain::{Error, Result};
use tokio::time::sleep;

/// How often something is tried while the storage does not answer.
const MAX_TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// Repeats work that may be repeated without harm, so it needs no retry policy of the node.
pub async fn retry_while_unavailable<T, F>(work: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut tries = 1;
    loop {
        match work().await {
            Err(Error::Unavailable { .. }) if tries < MAX_TRIES => {
                tries += 1;
                sleep(PAUSE).await;
            }
            result => return result,
        }
    }
}
