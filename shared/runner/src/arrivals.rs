//! Carries out new runs in the process in which they arrive, as far as it can: without a message, and without reading what it
//! has just written. The workers carry out the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use domain::id::RunId;
use domain::run::{Answer, Commit, Hold, NewRun, Parking, ReviewAnswer, RunEnd, RunEvent, RunEventKind, RunValue};
use domain::time::{Clock, Time};
use domain::{Error, Result};
use engine::compile::ExecutionPlan;
use engine::drive::{ClaimedRun, Departure, Journal, Shift, SuspectGate, drive};
use engine::run::RunFacts;
use platform::Context;
use platform::tasks::Tasks;
use store::Runs;
use store::runs::{StartKey, Started};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::journal::RunJournal;
use crate::worker::{CLAIM_MARGIN, Performers, send_hint_at};

/// How long a process carries out a run that may go on after the answer to its caller.
const SHIFT: Duration = Duration::from_secs(15 * 60);
/// The maximum number of runs that a process carries out at once. The workers carry out the others.
const MAX_RUNS: usize = 100;

pub struct Arrivals<E> {
    runs: Runs,
    performers: E,
    clock: Clock,
    stop: CancellationToken,
    suspects: SuspectGate,
    slots: Arc<Semaphore>,
    tasks: Tasks,
    /// Whether runs may go on after the answer to their caller.
    outlives_calls: bool,
}

/// A run that arrives.
pub struct ArrivingRun {
    pub new: NewRun,
    pub start_key: Option<StartKey>,
    pub plan: Arc<ExecutionPlan>,
    /// The step of the trigger that fired.
    pub trigger: usize,
}

/// What became of a run that arrived.
#[derive(Debug)]
pub enum Arrived {
    Ended(RunEnd),
    /// It is stored, and goes on here or in another process.
    GoesOn,
    /// An earlier request with the same key has started this run.
    Before(RunId),
}

impl<E: Performers + Send + Sync + 'static> Arrivals<E> {
    pub fn new(context: &Context, runs: Runs, performers: E) -> Self {
        Self {
            runs,
            performers,
            clock: context.clock.clone(),
            stop: context.stop.clone(),
            suspects: SuspectGate::default(),
            slots: Arc::new(Semaphore::new(MAX_RUNS)),
            tasks: context.tasks.clone(),
            outlives_calls: context.run_news.is_some(),
        }
    }

    /// Carries out a run whose caller waits until a time. It does not end with the connection of its caller.
    pub async fn carry_out(self: &Arc<Self>, run: ArrivingRun, until: Instant) -> Result<Arrived> {
        let Ok(slot) = self.slots.clone().try_acquire_owned() else { return self.queue(run).await };
        let shift = if self.outlives_calls { SHIFT } else { until.saturating_duration_since(Instant::now()) };
        let shift_ends_at = self.clock.now().plus(shift);
        let (stored, mut is_stored) = watch::channel(false);
        let arrivals = self.clone();
        let mut task = self.tasks.spawn(async move {
            let _slot = slot;
            arrivals.carry_out_until(shift_ends_at, run, &stored).await
        });
        let is_answered = async {
            match self.outlives_calls {
                true => sleep_until(until).await,
                // The process is frozen after its answer. The end of the shift makes it leave the run before.
                false => std::future::pending().await,
            }
            // The answer names the run, so the run must be stored.
            is_stored.wait_for(|is_stored| *is_stored).await
        };
        tokio::select! {
            biased;
            ended = &mut task => ended.map_err(Error::internal)?,
            Ok(_) = is_answered => Ok(Arrived::GoesOn),
        }
    }

    /// Leaves a run to the workers.
    async fn queue(&self, run: ArrivingRun) -> Result<Arrived> {
        Ok(match self.runs.start(run.new, run.start_key).await? {
            Started::Now(_) => Arrived::GoesOn,
            Started::Before(first) => Arrived::Before(first),
        })
    }

    /// Carries out a run until the end of a shift. `stored` becomes true when the run is stored.
    pub async fn carry_out_until(
        &self,
        shift_ends_at: Time,
        run: ArrivingRun,
        stored: &watch::Sender<bool>,
    ) -> Result<Arrived> {
        let ArrivingRun { new, start_key, plan, trigger } = run;
        let kind = RunEventKind::RunQueued { input: RunValue::Value(new.input.clone()) };
        let log = vec![RunEvent { at: self.clock.now(), kind }];
        let (run, hold) = self.runs.hold_new(new, start_key, shift_ends_at.plus(CLAIM_MARGIN));
        let held = ClaimedRun { facts: RunFacts::from(&run), plan, trigger, log, crashes: 0 };
        let (clock, stop, suspects) = (self.clock.clone(), self.stop.clone(), self.suspects.clone());
        let shift = Shift { clock, ends_at: shift_ends_at, stop, suspects };
        let mut journal = ArrivalJournal { journal: RunJournal { runs: &self.runs, hold }, stored, end: None };
        let driven = drive(held, shift, &mut journal, &self.performers.of_run(&run)).await;
        let hold = &journal.journal.hold;
        if let Some(first) = hold.first_run() {
            return Ok(Arrived::Before(first));
        }
        let departure = match driven {
            // Another process goes on when the claim has expired. An error would make the caller start another run.
            Err(error) if hold.is_stored() => {
                tracing::error!(?error, run_id = %run.id, "a run was dropped; another process goes on later");
                return Ok(Arrived::GoesOn);
            }
            driven => driven?,
        };
        tracing::info!(run_id = %run.id, ?departure, "a run was left");
        if let Departure::Parked { wake_at: Some(wake_at) } = departure {
            send_hint_at(&self.runs, &self.clock, run.id, wake_at).await;
        }
        Ok(journal.end.map_or(Arrived::GoesOn, Arrived::Ended))
    }
}

/// A journal that notices when the run is stored, and how it ends.
struct ArrivalJournal<'a> {
    journal: RunJournal<'a>,
    stored: &'a watch::Sender<bool>,
    end: Option<RunEnd>,
}

impl ArrivalJournal<'_> {
    fn notice<T>(&self, outcome: Result<T>) -> Result<T> {
        if outcome.is_ok() && self.journal.hold.is_stored() {
            self.stored.send_replace(true);
        }
        outcome
    }
}

impl Journal for ArrivalJournal<'_> {
    fn is_new(&self) -> bool {
        !self.journal.hold.is_stored()
    }

    async fn commit(&mut self, commit: &Commit) -> Result<Hold> {
        let outcome = self.journal.commit(commit).await;
        self.notice(outcome)
    }

    async fn end(&mut self, events: &[RunEvent], end: &RunEnd) -> Result<Hold> {
        let hold = self.journal.end(events, end).await?;
        self.end = Some(end.clone()).filter(|_| hold == Hold::Held);
        Ok(hold)
    }

    async fn park(&mut self, wake_at: Option<Time>) -> Result<Parking> {
        let outcome = self.journal.park(wake_at).await;
        self.notice(outcome)
    }

    async fn hand_over(&mut self) -> Result<Hold> {
        self.journal.hand_over().await
    }

    async fn answers(&mut self, waiting: &BTreeSet<String>) -> Result<BTreeMap<String, Answer>> {
        self.journal.answers(waiting).await
    }

    async fn expire(&mut self, step: &str) -> Result<Option<ReviewAnswer>> {
        self.journal.expire(step).await
    }
}
