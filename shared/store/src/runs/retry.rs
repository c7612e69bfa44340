//! The retries of a holder. While the storage is unavailable, a holder tries again until its claim nearly expires, because
//! giving up would drop its effects and repeat them later.

use std::future::Future;
use std::time::Duration;

use tokio::time::sleep;

use super::Runs;
use super::hold::RunHold;
use domain::{Error, Result};

const PAUSE: Duration = Duration::from_secs(1);

impl Runs {
    /// Carries out an operation that may be repeated.
    pub(super) async fn retry_while_unavailable<T, F>(&self, hold: &RunHold, operation: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        loop {
            match operation().await {
                Err(Error::Unavailable { cause, .. }) if self.now().plus(PAUSE) < hold.until => {
                    tracing::warn!(run_id = %hold.id(), cause, "the storage does not answer the holder of a run; it tries again");
                    sleep(PAUSE).await;
                }
                outcome => return outcome,
            }
        }
    }
}
