//! The claim: the only way to hold a run.

use super::Runs;
use super::hold::RunHold;
use super::items::RunItem;
use super::list::show_state;
use crate::keys;
use crate::table::WriteOutcome;
use domain::Result;
use domain::id::RunId;
use domain::run::{ExchangeDetector, ParentStep, Run, RunState};
use domain::time::Time;
use uuid::Uuid;

/// What became of a claim.
#[derive(Debug)]
pub enum Claim {
    Claimed(Box<ClaimedRun>),
    /// The run is parked until this time.
    NotYet(Time),
    /// The run has ended, and something is left to do: see `clean_up`.
    Ended,
    /// The run has ended, waits, is held by another process, or is not admitted.
    Refused,
}

#[derive(Debug)]
pub struct ClaimedRun {
    pub run: Run,
    pub hold: RunHold,
    /// How many holders in a row crashed.
    pub crashes: u32,
    /// The run was stopped, and must be ended.
    pub is_stopped: bool,
}

impl Runs {
    /// Claims a run until a time, if it needs a worker and is admitted. A run that is not admitted stays due. Only a stopped
    /// run needs no admission, because it ends.
    pub async fn claim<F>(&self, id: RunId, until: Time, admits: impl FnOnce(Run) -> F) -> Result<Claim>
    where
        F: Future<Output = Result<bool>>,
    {
        let Some(item) = self.item(id).await? else { return Ok(Claim::Refused) };
        let now = self.now();
        let is_stopped = item.is_stopped();
        match item.state {
            RunState::Queued => {}
            RunState::Running if is_stopped || item.claimed_until.is_some_and(|until| until < now) => {}
            RunState::Paused if is_stopped || item.wakes > item.seen_wakes => {}
            RunState::Paused => match item.wake_at {
                Some(wake_at) if wake_at <= now => {}
                Some(wake_at) => return Ok(Claim::NotYet(wake_at)),
                None => return Ok(Claim::Refused),
            },
            state if state.has_ended() && item.due_at.is_some() => return Ok(Claim::Ended),
            _ => return Ok(Claim::Refused),
        }
        if !is_stopped && !admits(item.clone().into()).await? {
            return Ok(Claim::Refused);
        }
        let crashes = crashes_with(&item);
        let claim = Uuid::now_v7();
        let (epoch, started_at) = (item.epoch + 1, item.started_at.unwrap_or(now));
        let update = self
            .entities
            .update(keys::run(id))
            .require_is(RunItem::EPOCH, item.epoch)
            .require_is(RunItem::STATE, item.state)
            .set(RunItem::EPOCH, epoch)
            .set(RunItem::CLAIM, claim)
            .set(RunItem::CLAIMED_UNTIL, until)
            .set(RunItem::CRASHES, crashes)
            .set(RunItem::STARTED_AT, started_at)
            .set(RunItem::DUE_SHARD, keys::RUNS_DUE.of(id.uuid()))
            .set(RunItem::DUE_AT, until)
            .remove(RunItem::WAKE_AT);
        let update = show_state(update, item.place(), RunState::Running);
        if let WriteOutcome::Refused(refused) = self.entities.write(update).await? {
            let stored: Option<RunItem> = refused.parse_item()?;
            // If the answer to the claim was lost, the SDK sends it again, and its condition fails.
            if stored.is_none_or(|stored| stored.claim != Some(claim)) {
                return Ok(Claim::Refused);
            }
        }
        let hold = RunHold {
            epoch,
            next_event: item.next_event,
            seen_wakes: item.wakes,
            until,
            place: item.place(),
            started_at,
            parent: item.parent.clone().map(ParentStep::from),
            thread: item.thread.as_ref().map(|thread| thread.id),
            has_calls: item.calls.is_some(),
            sealed_key: item.secrets.clone(),
            key: None,
            exchanges: ExchangeDetector::default(),
            arrival: None,
        };
        if crashes > 0 {
            self.note_arrival(&hold).await?;
        }
        let started = RunItem { state: RunState::Running, started_at: Some(started_at), ..item };
        Ok(Claim::Claimed(Box::new(ClaimedRun { run: started.into(), hold, crashes, is_stopped })))
    }

    /// After a crash, the next holder notes that it can write to the tables. A further crash counts only if that write
    /// succeeded, so an outage of DynamoDB is not counted.
    async fn note_arrival(&self, hold: &RunHold) -> Result<()> {
        let update = self.entities.update(keys::run(hold.id())).set(RunItem::REACHED, hold.epoch);
        self.entities.write(update.require_is(RunItem::EPOCH, hold.epoch)).await.map(drop)
    }
}

/// The number of crashes in a row, when a process claims the run.
fn crashes_with(item: &RunItem) -> u32 {
    let has_crashed = item.state == RunState::Running && !item.is_stopped();
    let counts = item.crashes == 0 || item.reached == item.epoch;
    item.crashes + u32::from(has_crashed && counts)
}
