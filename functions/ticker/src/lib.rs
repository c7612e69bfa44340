//! Every minute: sends again the message of work that is due and seems lost, and closes leases that their owners left.

use domain::Result;
use domain::time::Time;
use shared::Context;
use shared::store::work::Hints;
use shared::store::{Leases, Works};

/// What one tick sends again at most, a shard; the next one takes the rest.
const LIMIT: u32 = 200;

/// What the ticker works with.
#[derive(Clone)]
pub struct Stores {
    works: Works,
    leases: Leases,
    hints: Hints,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { works: Works::new(context)?, leases: Leases::new(context)?, hints: Hints::new(context)? })
    }
}

/// Returns how much there was to do.
pub async fn tick(stores: &Stores, now: Time) -> Result<usize> {
    // Neither waits for the other to succeed.
    let (sent, closed) = futures::join!(send_again(stores, now), close_abandoned(stores, now));
    Ok(sent? + closed?)
}

async fn send_again(stores: &Stores, now: Time) -> Result<usize> {
    let due = stores.works.due(now, LIMIT).await?;
    for work_id in &due {
        // The message first: a ticker that dies in between sends it twice, not never.
        stores.hints.send(*work_id).await?;
        stores.works.put_off(*work_id, now).await?;
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
