//! Waits within a request for what happens in a run: the worker announces its end in this process, or the run is read repeatedly.

use std::time::Duration;

use domain::id::RunId;
use domain::run::RunEnd;
use domain::{Error, Result};
use platform::run_news::RunWatcher;
use serde_json::Value;
use store::Runs;
use tokio::time::{Instant, sleep_until, timeout_at};

/// The interval between two reads of the run. It grows with each read.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_millis(500);
/// The interval if the end is announced, in case the run ends elsewhere.
const ANNOUNCED_WAIT: Duration = Duration::from_secs(5);

/// The end of a run, with the originals of its masked parts, which are shown to `found`. `None` if it is still in progress at
/// `until`.
pub async fn wait_for_end(
    runs: &Runs,
    run_id: RunId,
    until: Instant,
    found: &mut impl FnMut(&Value),
) -> Result<Option<RunEnd>> {
    let mut watcher = runs.watch(run_id);
    let mut wait = if watcher.is_some() { ANNOUNCED_WAIT } else { FIRST_WAIT };
    loop {
        match runs.find_end(run_id).await {
            Ok(Some(mut end)) => {
                end.unmask(found);
                return Ok(Some(end));
            }
            // The run goes on, so the next read may find its end.
            Ok(None) | Err(Error::Unavailable { .. }) => {}
            Err(error) => return Err(error),
        }
        let next = Instant::now() + wait;
        let is_last = next > until;
        if is_last && watcher.is_none() {
            return Ok(None);
        }
        match announced_before(&mut watcher, next.min(until)).await {
            // An announced end is stored. Should the read fail, the next one follows soon.
            true => (watcher, wait) = (None, FIRST_WAIT),
            false if is_last => return Ok(None),
            false if watcher.is_none() => wait = LONGEST_WAIT.min(wait * 3 / 2),
            false => {}
        }
    }
}

/// Looks repeatedly for something that happens in a run. `None` if it has not happened until then.
pub async fn look_until<T, F>(until: Instant, look: impl Fn() -> F) -> Result<Option<T>>
where
    F: Future<Output = Result<Option<T>>>,
{
    let mut wait = FIRST_WAIT;
    loop {
        let found = look().await?;
        let next = Instant::now() + wait;
        if found.is_some() || next > until {
            return Ok(found);
        }
        sleep_until(next).await;
        wait = LONGEST_WAIT.min(wait * 3 / 2);
    }
}

/// Waits until the end is announced or the time is up.
async fn announced_before(watcher: &mut Option<RunWatcher>, next: Instant) -> bool {
    match watcher {
        Some(watcher) => timeout_at(next, watcher.ended()).await.is_ok(),
        None => {
            sleep_until(next).await;
            false
        }
    }
}
