//! The orderly stop of a process: no further effect begins, those in progress get a little time, and the rest are
//! interrupted. The log names them, so that the stop does not count as a crash of theirs.

use std::time::Duration;

use futures::stream::StreamExt;
use tokio::time::sleep;

use super::Effects;
use super::state::{Driver, Stage};
use domain::run::RunEventKind;
use domain::time::Time;

/// How long the effects in progress may take when the process stops.
pub const STOP_PATIENCE: Duration = Duration::from_secs(5);

impl<E: Effects> Driver<'_, E> {
    /// Ends the shift now, if the process stops.
    pub fn notice_stop(&mut self) {
        if self.interrupts_at.is_none() && self.shift.stop.is_cancelled() {
            let now = self.now();
            self.shift.ends_at = self.shift.ends_at.min(now);
            self.interrupts_at = Some(now.plus(STOP_PATIENCE));
        }
    }

    /// Waits for one result of the effects in progress: until a time, and until the process stops or its patience with
    /// them ends.
    pub async fn wait_for_result(&mut self, until: Option<Time>) {
        let now = self.now();
        let wait = until.into_iter().chain(self.interrupts_at).min().map(|at| now.until(at));
        let has_noticed = self.interrupts_at.is_some();
        let stop = self.shift.stop.clone();
        let alarm = async {
            match wait {
                Some(wait) => sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(result) = self.in_progress.next() => self.results.extend(result.ok()),
            () = stop.cancelled(), if !has_noticed => self.notice_stop(),
            () = alarm => {}
        }
    }

    /// Whether the process has waited long enough for the effects in progress.
    pub fn is_out_of_patience(&self) -> bool {
        self.interrupts_at.is_some_and(|at| at <= self.now())
    }

    /// Drops the attempts that have no result yet, and records that it was no crash of theirs.
    pub fn interrupt_attempts(&mut self) {
        let cut = self.active.iter().filter_map(|(path, active)| match &active.stage {
            Stage::InProgress { attempt, abort, .. } => {
                abort.abort();
                Some((path, *attempt))
            }
            // The intent is stored, and the shift ended before the attempt.
            Stage::Ready(ready) if ready.is_stored => Some((path, ready.attempt)),
            _ => None,
        });
        let cut: Vec<_> = cut.map(|(path, attempt)| (self.display(path), attempt)).collect();
        for (step, attempt) in cut {
            self.record(RunEventKind::StepInterrupted { step, attempt });
        }
    }
}
