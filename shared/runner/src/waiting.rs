//! Waits for the end of a run within a request.

use std::time::Duration;

use domain::id::RunId;
use domain::run::RunEnd;
use domain::{Error, Result};
use shared::store::Runs;
use tokio::time::{Instant, sleep};

/// The interval between two reads of the run. It grows with each read.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// The end of a run, with the originals of its masked parts. `None` if it is still in progress at `until`.
pub async fn wait_for_end(runs: &Runs, run_id: RunId, until: Instant) -> Result<Option<RunEnd>> {
    let mut wait = FIRST_WAIT;
    loop {
        match runs.find_end(run_id).await {
            Ok(Some(mut end)) => {
                end.unmask(&mut |_| {});
                return Ok(Some(end));
            }
            // The run goes on, so the next read may find its end.
            Ok(None) | Err(Error::Unavailable { .. }) => {}
            Err(error) => return Err(error),
        }
        if Instant::now() + wait > until {
            return Ok(None);
        }
        sleep(wait).await;
        wait = LONGEST_WAIT.min(wait * 3 / 2);
    }
}
