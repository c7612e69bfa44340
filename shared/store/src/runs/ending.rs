//! The end of a run. One transaction stores it, and wakes the run that waits for this one.

use std::time::Duration;

use domain::Result;
use domain::id::ThreadId;
use domain::run::{Hold, ParentStep, RunEnd, RunEvent};
use domain::statistics::EndedRun;
use domain::time::Time;
use platform::telemetry::metrics::Metric;
use uuid::Uuid;

use super::hold::RunHold;
use super::items::RunItem;
use super::list::show_state;
use super::parts::count_exchanges;
use super::run_keys::key_expiry;
use super::{PARENT, RESEND_AFTER, Runs};
use crate::attribute::EXPIRES_AT;
use crate::keys;
use crate::run_statistics::{self, RunPlace};
use crate::table::{RefusedWrite, WriteOutcome};
use crate::threads::{self, RUN_END, ThreadEnd, ThreadHint};
use crate::write::Write;

/// A run that is to end.
pub(super) struct EndingRun<'a> {
    pub place: RunPlace,
    pub started_at: Option<Time>,
    pub next_event: u64,
    /// The step that waits for this run.
    pub parent: Option<&'a ParentStep>,
    /// The conversation that the run gives back.
    pub thread: Option<ThreadId>,
    /// Whether runs that it has started may be in progress.
    pub leaves_calls: bool,
    /// Whether the run has a key, which is deleted later.
    pub has_key: bool,
}

impl Runs {
    /// Ends the run, with its last events, and wakes the run that waits for it.
    pub async fn end(&self, hold: &mut RunHold, events: &[RunEvent], end: &RunEnd) -> Result<Hold> {
        if self.store_arrival(hold).await? == Hold::Lost {
            return Ok(Hold::Lost);
        }
        let events = self.seal_events(hold, events).await?;
        let mut parts = self.divide(hold, &events, &[], &[]).await?;
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            if self.store_part(hold, part).await? == Hold::Lost {
                return Ok(Hold::Lost);
            }
        }
        let leaves_calls = hold.has_calls && !matches!(end, RunEnd::Completed { .. });
        let RunHold { place, started_at, next_event, thread, ref parent, ref key, ref sealed_key, .. } = *hold;
        let (started_at, parent, has_key) = (Some(started_at), parent.as_ref(), key.is_some() || sealed_key.is_some());
        let run = EndingRun { place, started_at, next_event, parent, thread, leaves_calls, has_key };
        let head = count_exchanges(self.held(hold), last.exchanges);
        if !self.store_end(&run, head, &last.events, end, Some(hold)).await?.is_written() {
            return Ok(Hold::Lost);
        }
        self.retry_while_unavailable(hold, || self.follow_end(&run)).await?;
        Ok(Hold::Held)
    }

    /// Stores the end of a run with its last events, as JSON. `head` has the conditions of the writer. Only a holder tries
    /// again if the tables do not answer, because only a claim protects a repeated write.
    pub(super) async fn store_end(
        &self,
        run: &EndingRun<'_>,
        head: Write,
        events: &[String],
        end: &RunEnd,
        hold: Option<&RunHold>,
    ) -> Result<WriteOutcome> {
        let (id, now) = (run.place.id, self.now());
        let head =
            show_state(head, run.place, end.state()).set(RunItem::NEXT_EVENT, run.next_event + events.len() as u64);
        let head = end.error().into_iter().fold(head, |head, error| head.set(RunItem::ERROR, error));
        let expires_at = run.place.retention.expiry(now).as_seconds();
        let head = head
            .set(RunItem::ENDED_AT, now)
            .set(EXPIRES_AT, expires_at)
            .remove(RunItem::CLAIMED_UNTIL)
            .remove(RunItem::WAKE_AT);
        // The ticker finds the run until the runs that it has started are stopped, and its key is deleted.
        let due_at = match run {
            EndingRun { leaves_calls: true, .. } => Some(now.plus(RESEND_AFTER)),
            EndingRun { has_key: true, .. } => Some(key_expiry(now)),
            _ => None,
        };
        let head = head
            .set_or_remove(RunItem::DUE_SHARD, due_at.map(|_| keys::RUNS_DUE.of(id.uuid())))
            .set_or_remove(RunItem::DUE_AT, due_at);
        let mut writes = vec![head];
        writes.extend(self.log_items(run.place, run.next_event, events));
        let ended = EndedRun::new(end, run.started_at, now);
        writes.extend(run_statistics::count_end(&self.counters, run.place, false, &ended));
        let mut wake = self.wake_parent(run.parent, id);
        let mut thread_end = run.thread.map(|thread| (thread, ThreadEnd::Idle));
        // Each refusal leaves out a write or replaces it, so the loop ends.
        loop {
            let give_back = thread_end.map(|(thread, end)| threads::end_run(&self.entities, thread, id, end));
            let writes: Vec<Write> = writes.iter().chain(&wake).cloned().chain(give_back).collect();
            match self.write_end(hold, &writes).await? {
                // The parent no longer waits.
                WriteOutcome::Refused(RefusedWrite { label: PARENT, .. }) => wake.clear(),
                WriteOutcome::Refused(RefusedWrite { label: RUN_END, item, .. }) => {
                    let is_held = item.map(|item| threads::has_run(item, id)).transpose()?.unwrap_or_default();
                    thread_end = match thread_end {
                        // A message waits.
                        Some((thread, ThreadEnd::Idle)) if is_held => Some((thread, ThreadEnd::Due(now))),
                        _ => None,
                    };
                }
                outcome => {
                    if outcome.is_written() {
                        self.telemetry.count(Metric::RunsEnded, &[end.state().as_str()], 1);
                    }
                    if let (true, Some(news)) = (outcome.is_written(), &self.news) {
                        news.announce_end(id);
                    }
                    if let (WriteOutcome::Written, Some((thread_id, ThreadEnd::Due(_)))) = (&outcome, thread_end) {
                        self.queue.send_hint(&ThreadHint { thread_id }, Duration::ZERO).await;
                    }
                    return Ok(outcome);
                }
            }
        }
    }

    async fn write_end(&self, hold: Option<&RunHold>, writes: &[Write]) -> Result<WriteOutcome> {
        match hold {
            Some(hold) => self.persist(hold, writes).await,
            None => self.entities.transact(Uuid::now_v7(), writes).await,
        }
    }

    /// Notifies the workers that the parent goes on, and stops the runs that the ended run has started.
    pub(super) async fn follow_end(&self, run: &EndingRun<'_>) -> Result<()> {
        if let Some(parent) = run.parent {
            self.send_hint(parent.run, Duration::ZERO).await;
        }
        if run.leaves_calls {
            self.clean_up(run.place.id).await?;
        }
        Ok(())
    }
}
