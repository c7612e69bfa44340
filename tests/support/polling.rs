//! Polls for effects that no response reports.

use std::time::Duration;

use tokio::time::{sleep, timeout};

/// A test that waits longer has hung. A busy machine needs far less.
pub const PATIENCE: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(10);

/// Polls `check` until it returns a value. Panics with `what` if that takes longer than [`PATIENCE`].
pub async fn eventually<T>(what: &str, mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = check().await {
                return found;
            }
            sleep(PAUSE).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("still missing after {PATIENCE:?}: {what}"))
}
