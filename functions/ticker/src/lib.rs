//! Runs every minute: resends the queue messages of overdue work (outbox retry), sends those of runs, threads, image jobs,
//! batches and workbenches that are due, fails image jobs that took too long, starts the runs of schedules, and closes abandoned quota leases.

mod schedules;

use std::sync::Arc;

use auth::Owners;
use domain::Result;
use domain::time::Time;
use platform::Context;
use store::work::Hints;
use store::{Batches, ImageJobs, Leases, Runs, Schedules, Threads, Workbenches, Workflows, Works};

/// The maximum number of items per shard in one tick. The next tick processes the rest.
const LIMIT: u32 = 200;

/// The stores that the ticker uses.
#[derive(Clone)]
pub struct Stores {
    works: Works,
    leases: Leases,
    hints: Hints,
    runs: Runs,
    image_jobs: ImageJobs,
    batches: Batches,
    schedules: Schedules,
    owners: Arc<Owners>,
    workflows: Workflows,
    workbenches: Workbenches,
    threads: Threads,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            works: Works::new(context)?,
            leases: Leases::new(context)?,
            hints: Hints::new(context)?,
            runs: Runs::new(context)?,
            image_jobs: ImageJobs::new(context)?,
            batches: Batches::new(context)?,
            schedules: Schedules::new(context)?,
            owners: Arc::new(Owners::new(context)?),
            workflows: Workflows::new(context)?,
            workbenches: Workbenches::new(context)?,
            threads: Threads::new(context)?,
        })
    }
}

/// Runs one tick and returns the number of processed items.
pub async fn tick(stores: &Stores, now: Time) -> Result<usize> {
    // A failure of one task must not stop the others.
    let (works, leases, runs, images, batches, workbenches, threads, schedules) = futures::join!(
        // Boxed, because the future of a whole tick would be too large for the stack of a debug build.
        Box::pin(resend_overdue(stores, now)),
        Box::pin(close_abandoned(stores, now)),
        Box::pin(stores.runs.send_due(now)),
        Box::pin(stores.image_jobs.send_due(now, LIMIT)),
        Box::pin(stores.batches.send_due(now, LIMIT)),
        Box::pin(stores.workbenches.send_due(now, LIMIT)),
        Box::pin(stores.threads.send_due(now, LIMIT)),
        Box::pin(schedules::start_due(stores, now))
    );
    Ok(works? + leases? + runs? + images? + batches? + workbenches? + threads? + schedules?)
}

async fn resend_overdue(stores: &Stores, now: Time) -> Result<usize> {
    let due = stores.works.due(now, LIMIT).await?;
    for work_id in &due {
        // The message is sent first. A crash between the two calls then duplicates the message instead of losing it.
        stores.hints.send(*work_id).await?;
        stores.works.postpone(*work_id, now).await?;
    }
    Ok(due.len())
}

async fn close_abandoned(stores: &Stores, now: Time) -> Result<usize> {
    let expired = stores.leases.expired(now, LIMIT).await?;
    for (org, lease) in &expired {
        if let Err(error) = stores.leases.sweep(*org, *lease, now).await {
            tracing::warn!(?error, lease_id = %lease, "a lease could not be closed; the next tick tries again");
        }
    }
    Ok(expired.len())
}
