//! Lets time pass for the timers of a test, without waiting for it.

use std::time::Duration;

/// Advances the clock of this test's runtime, which must have one thread. Other runtimes do not notice.
pub async fn pass_time(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
