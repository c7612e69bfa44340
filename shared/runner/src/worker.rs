//! The worker: it claims the run of a message and carries it as far as it goes.

use std::time::Duration;

use domain::id::RunId;
use domain::run::{Hold, MAX_CRASHES, Parking, Run, RunEnd, RunError, RunEvent};
use domain::time::{Clock, Time};
use domain::{Error, Result};
use engine::drive::{self, Departure, Effects, Shift, SuspectGate, drive};
use engine::run::RunFacts;
use store::Runs;
use store::runs::{Claim, ClaimedRun, RunHint, RunHold};
use tokio_util::sync::CancellationToken;

use crate::admission::Admission;
use crate::journal::RunJournal;
use crate::plans::{Plans, find_trigger_step};

/// A claim lasts longer than the shift of its process: the process has ended before another one may claim the run.
pub const CLAIM_MARGIN: Duration = Duration::from_secs(30);
/// A run that parks for less than this gets its message at once, with a delay. The ticker sends the others.
const LONGEST_DELAY: Duration = Duration::from_secs(15 * 60);
/// A run that cannot be loaded, because the storage does not answer, is tried again after this time.
const STORAGE_PAUSE: Duration = Duration::from_secs(60);

/// Performs the effects of any run.
pub trait Performers: Sync {
    fn of_run(&self, run: &Run) -> impl Effects + Send;
}

pub struct Worker<A, P, E> {
    pub runs: Runs,
    pub admission: A,
    pub plans: P,
    pub performers: E,
    pub clock: Clock,
    /// Is canceled when the process stops.
    pub stop: CancellationToken,
    pub suspects: SuspectGate,
}

impl<A: Admission, P: Plans, E: Performers> Worker<A, P, E> {
    /// Carries out the run of a message until the shift ends. A message that comes twice or too late does nothing.
    pub async fn handle(&self, hint: RunHint, shift_ends_at: Time) -> Result<()> {
        let RunHint { run_id } = hint;
        let admits = |run| async move { self.admission.admits(&run).await };
        match self.runs.claim(run_id, shift_ends_at.plus(CLAIM_MARGIN), admits).await? {
            Claim::Refused => {}
            Claim::Ended => self.runs.clean_up(run_id).await?,
            Claim::NotYet(wake_at) => send_hint_at(&self.runs, &self.clock, run_id, wake_at).await,
            Claim::Claimed(claimed) if claimed.is_stopped => self.runs.end_stopped(run_id).await?,
            Claim::Claimed(claimed) => {
                // Boxed, because the future of a whole run would be too large for the stack of a debug build.
                let departure = Box::pin(self.carry_out(*claimed, shift_ends_at)).await?;
                tracing::info!(%run_id, ?departure, "a run was left");
                if let Departure::Parked { wake_at: Some(wake_at) } = departure {
                    send_hint_at(&self.runs, &self.clock, run_id, wake_at).await;
                }
            }
        }
        Ok(())
    }

    async fn carry_out(&self, claimed: ClaimedRun, shift_ends_at: Time) -> Result<Departure> {
        let ClaimedRun { run, mut hold, crashes, .. } = claimed;
        let held = match self.load(&run, &mut hold, crashes).await {
            Ok(held) => held,
            Err(error) => return self.leave_unloaded(hold, crashes, error).await,
        };
        let (clock, suspects) = (self.clock.clone(), self.suspects.clone());
        let shift = Shift { clock, ends_at: shift_ends_at, stop: self.stop.clone(), suspects };
        let mut journal = RunJournal { runs: &self.runs, hold };
        drive(held, shift, &mut journal, &self.performers.of_run(&run)).await
    }

    async fn load(&self, run: &Run, hold: &mut RunHold, crashes: u32) -> Result<drive::ClaimedRun> {
        let plan = self.plans.plan(run).await?;
        let log = self.runs.held_log(hold).await?;
        let trigger = find_trigger_step(&plan, run)?;
        Ok(drive::ClaimedRun { facts: RunFacts::from(run), plan, trigger, log, crashes })
    }

    /// Leaves a run whose plan or log could not be read. It fails if that happens again and again, unless only the storage
    /// does not answer.
    async fn leave_unloaded(&self, mut hold: RunHold, crashes: u32, error: Error) -> Result<Departure> {
        let now = self.clock.now();
        if matches!(error, Error::Unavailable { .. }) {
            let wake_at = Some(now.plus(STORAGE_PAUSE));
            return match self.runs.park(&mut hold, wake_at).await? {
                Parking::Parked => Ok(Departure::Parked { wake_at }),
                Parking::Woken => self.runs.hand_over(&mut hold).await.map(|_| Departure::HandedOver),
                Parking::Lost => Ok(Departure::Lost),
            };
        }
        if crashes <= MAX_CRASHES {
            return Err(error);
        }
        tracing::error!(?error, run_id = %hold.id(), "a run that cannot be loaded fails");
        let message = "the release or the log of the run cannot be read".to_owned();
        let end = RunEnd::Failed(RunError { code: "crashed".to_owned(), message, node_id: None });
        match self.runs.end(&mut hold, &[RunEvent { at: now, kind: end.event() }], &end).await? {
            Hold::Held => Ok(Departure::Ended),
            Hold::Lost => Ok(Departure::Lost),
        }
    }
}

/// Sends the hint of a run that arrives at a time. The ticker sends it if the time is too far away.
pub async fn send_hint_at(runs: &Runs, clock: &Clock, run_id: RunId, at: Time) {
    let wait = clock.now().until(at);
    if wait < LONGEST_DELAY {
        runs.send_hint(run_id, wait).await;
    }
}
