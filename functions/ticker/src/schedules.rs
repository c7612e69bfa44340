//! Starts the runs of schedules that are due.

use std::time::Duration;

use domain::retention::RunRetention;
use domain::run::{NewRun, RunOrigin, StartableRelease};
use domain::schedule::{CatchUp, Overlap};
use domain::time::Time;
use domain::{Error, Result};
use engine::schedule::{DueTimes, Schedule};
use futures::stream::{self, StreamExt};
use store::schedules::{ActiveSchedule, ScheduleId, ScheduleProgress};
use tokio::time::{Instant, sleep};

use crate::Stores;

/// The maximum number of schedules per shard in one tick. The next tick handles the rest.
const LIMIT: u32 = 500;
/// The number of schedules that are handled concurrently.
const CONCURRENCY: usize = 16;
/// A schedule whose queued times wait for its previous run becomes due again after this time, before the next tick.
const AGAIN_AFTER: Duration = Duration::from_secs(50);
/// How long one tick catches up queued times whose runs are short.
const CATCH_UP: Duration = Duration::from_secs(15);
/// A tick waits for a run of a queue for at most this time before it leaves the rest of the queue to the next tick.
const SHORT_RUN: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The maximum number of times that wait for the previous run. The oldest are dropped.
const MAX_QUEUED: usize = 100;

/// Starts the runs of all schedules that are due, and returns the number of schedules.
pub async fn start_due(stores: &Stores, now: Time) -> Result<usize> {
    let due = stores.schedules.due(now, LIMIT).await?;
    let until = Instant::now() + CATCH_UP;
    let handle = |id: &ScheduleId| {
        let id = id.clone();
        async move {
            if let Err(error) = handle_due(stores, &id, now, until).await {
                let ScheduleId { workflow, node_id } = id;
                tracing::error!(?error, %workflow, node_id, "a schedule failed; the next tick tries again");
            }
        }
    };
    stream::iter(&due).map(handle).buffer_unordered(CONCURRENCY).collect::<()>().await;
    Ok(due.len())
}

/// Starts the due runs of one schedule. Concurrent ticks are safe: each write requires the revision that was read, so only
/// one of them succeeds.
async fn handle_due(stores: &Stores, id: &ScheduleId, now: Time, until: Instant) -> Result<()> {
    // The index lags, so the schedule is read again.
    let Some(mut schedule) = stores.schedules.find(id).await? else { return Ok(()) };
    let is_due = schedule.progress.due_at.is_some_and(|due_at| due_at <= now);
    if !is_due {
        return Ok(());
    }
    let Some(release) = startable_release(stores, &schedule).await? else { return Ok(()) };
    let overlap = schedule.settings.overlap;
    let DueTimes { times, next } = due_times(&schedule, now)?;
    let planned_at = next.ok_or_else(|| Error::internal("a schedule has no next time"))?.into();
    let mut queued = schedule.progress.queued.clone();
    queued.extend(times.into_iter().map(Time::from).filter(|time| !is_skipped(&schedule, *time)));
    let mut retention = RunRetention::default();
    if !queued.is_empty() {
        match admit(stores, &release).await? {
            Some(admitted) => retention = admitted,
            None => queued.clear(),
        }
    }
    if overlap == Overlap::Queue {
        queued.drain(..queued.len().saturating_sub(MAX_QUEUED));
    }
    loop {
        let starts = !queued.is_empty() && (overlap == Overlap::Allow || !is_in_progress(stores, &schedule).await?);
        let started = starts.then(|| queued.remove(0));
        if overlap == Overlap::Skip {
            queued.clear();
        }
        let due_at = match overlap {
            _ if queued.is_empty() => planned_at,
            // The next time starts as soon as this run has ended.
            Overlap::Queue if started.is_some() => now,
            Overlap::Queue => now.plus(AGAIN_AFTER),
            Overlap::Allow | Overlap::Skip => now,
        };
        let progress = ScheduleProgress { planned_at, queued: queued.clone(), due_at: Some(due_at) };
        let run = started.map(|time| {
            let (node_id, input) = (schedule.node_id.clone(), schedule.settings.input_at(time));
            let new = NewRun::new(release, RunOrigin::Scheduled, node_id, input);
            NewRun { scheduled_at: Some(time), ..new.with_retention(retention) }
        });
        let last_run = run.as_ref().map(|run| run.id).or(schedule.last_run);
        let is_written = match run {
            Some(run) => stores.runs.start_scheduled(run, &schedule, &progress).await?,
            None => stores.schedules.save(&schedule, &progress).await?,
        };
        if !is_written || due_at > now {
            return Ok(());
        }
        schedule = schedule.moved_on(progress, last_run);
        if overlap == Overlap::Queue {
            wait_for_last_run(stores, &schedule, until).await?;
        }
    }
}

/// The release of the schedule, if the workflow exists and may start runs of it. If it may not, the transaction that changed the
/// workflow has also changed the schedule, so nothing is written here. The attention worker removes the schedules of a
/// deleted workflow.
async fn startable_release(stores: &Stores, schedule: &ActiveSchedule) -> Result<Option<StartableRelease>> {
    match stores.workflows.get_header(schedule.account, schedule.workflow).await {
        Ok(workflow) => {
            let is_active = workflow.active.as_ref().is_some_and(|active| active.release == schedule.release);
            if is_active && workflow.state.may_start() { workflow.startable_release().map(Some) } else { Ok(None) }
        }
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How long the runs of the owner are kept. None if the owner may not start runs: the times of a suspended owner are dropped.
async fn admit(stores: &Stores, release: &StartableRelease) -> Result<Option<RunRetention>> {
    match stores.owners.admit(release.payer()).await {
        Ok(owner) => Ok(Some(owner.plan.run_retention)),
        Err(Error::Unauthenticated(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a time passed while the workflow was paused, and the schedule skips what it missed.
fn is_skipped(schedule: &ActiveSchedule, time: Time) -> bool {
    schedule.settings.catch_up == CatchUp::Skip && schedule.resumed_at.is_some_and(|resumed_at| time < resumed_at)
}

fn due_times(schedule: &ActiveSchedule, now: Time) -> Result<DueTimes> {
    let settings = &schedule.settings;
    let times = Schedule::parse(&settings.cron, &settings.zone);
    let times = times.ok_or_else(|| Error::internal("a schedule cannot be parsed"))?;
    Ok(times.due(schedule.progress.planned_at.into(), now.into(), settings.grace, settings.catch_up))
}

/// Waits for the end of the last run. If it takes longer than others of its schedule may wait, the next tick goes on.
async fn wait_for_last_run(stores: &Stores, schedule: &ActiveSchedule, until: Instant) -> Result<()> {
    let until = until.min(Instant::now() + SHORT_RUN);
    while is_in_progress(stores, schedule).await? && Instant::now() + LOOK_EVERY < until {
        sleep(LOOK_EVERY).await;
    }
    Ok(())
}

/// Whether the last run of the schedule is in progress.
async fn is_in_progress(stores: &Stores, schedule: &ActiveSchedule) -> Result<bool> {
    let Some(last_run) = schedule.last_run else { return Ok(false) };
    Ok(stores.runs.find(last_run).await?.is_some_and(|run| !run.state.has_ended()))
}
