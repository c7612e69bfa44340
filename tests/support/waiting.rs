//! Waits for effects that no answer reports.

use std::time::Duration;

use tokio::time::{sleep, timeout};

/// What takes longer hangs: far more than a busy machine needs.
pub const PATIENCE: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(10);

/// Looks until there is something to see, and returns it. Panics with `what` is missing after a time that only a hang takes.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let seen = async {
        loop {
            if let Some(seen) = look().await {
                return seen;
            }
            sleep(PAUSE).await;
        }
    };
    timeout(PATIENCE, seen).await.unwrap_or_else(|_| panic!("still missing after {PATIENCE:?}: {what}"))
}
