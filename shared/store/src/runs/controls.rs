//! What a person does with a run: cancel it while it is queued, stop it later.

use domain::id::{Id, RunId};
use domain::run::{ParentStep, RunEnd, RunEvent, RunState, has_ended};
use domain::{Error, Result};

use super::Runs;
use super::ending::EndingRun;
use super::items::RunItem;
use crate::keys;
use crate::table::WriteOutcome;

/// How often the end of a stopped run is tried.
const END_ATTEMPTS: usize = 5;

impl Runs {
    /// Cancels a run that no process has claimed yet.
    pub async fn cancel(&self, id: RunId) -> Result<()> {
        let item = self.item(id).await?.ok_or(Error::NotFound { kind: RunId::KIND })?;
        let is_queued = item.epoch == 0 && item.state == RunState::Queued;
        if !is_queued || !self.end_unheld(&item).await? {
            return Err(Error::invalid_state("the run has begun or ended"));
        }
        Ok(())
    }

    /// Stops a run. From now on its holder can write nothing; what it has begun may still take place.
    pub async fn stop(&self, id: RunId) -> Result<()> {
        let stop = self.wake(id, self.now()).set(RunItem::STOP, true);
        self.entities.write(stop).await?.or_error(|_| has_ended())?;
        // No process writes events any more, so the number of the next event is final.
        self.end_stopped(id).await
    }

    /// Ends a run that was stopped. If somebody else has ended it, this does nothing.
    pub async fn end_stopped(&self, id: RunId) -> Result<()> {
        for _ in 0..END_ATTEMPTS {
            match self.item(id).await? {
                // A process that claims the run at the same time changes its epoch.
                Some(item) if item.is_stopped() && !item.state.has_ended() => {
                    // Before the end, so that it is repeated after a crash.
                    if item.epoch > 0 {
                        self.unlist_reviews(id).await?;
                    }
                    if self.end_unheld(&item).await? {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
        Err(Error::busy("a run that is stopped changes again and again"))
    }

    /// Ends a run as cancelled, unless it has changed since it was read.
    async fn end_unheld(&self, item: &RunItem) -> Result<bool> {
        let event = RunEvent { at: self.now(), kind: RunEnd::Cancelled.event() };
        let parent = item.parent.clone().map(ParentStep::from);
        let RunItem { run_id: id, next_event, started_at, .. } = *item;
        let (leaves_calls, has_key) = (item.calls.is_some(), item.secrets.is_some());
        let (parent, thread) = (parent.as_ref(), item.thread.as_ref().map(|thread| thread.id));
        let run = EndingRun { place: item.place(), started_at, next_event, parent, thread, leaves_calls, has_key };
        let head = self
            .entities
            .update(keys::run(id))
            .require_is(RunItem::STATE, item.state)
            .require_is(RunItem::EPOCH, item.epoch)
            .require_is(RunItem::NEXT_EVENT, next_event)
            .require_same(RunItem::STOP, item.stop);
        let texts = self.serialize(item.place(), &[event]).await?;
        let outcome = self.store_end(&run, head, &texts, &RunEnd::Cancelled, None).await?;
        let has_ended = match outcome {
            WriteOutcome::Written => true,
            WriteOutcome::Refused(refused) => {
                let stored: Option<RunItem> = refused.parse_item()?;
                stored.is_some_and(|stored| stored.state == RunState::Cancelled)
            }
        };
        if has_ended {
            self.follow_end(&run).await?;
        }
        Ok(has_ended)
    }
}
