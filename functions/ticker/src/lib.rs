//! Every minute: sends again the message of work that is due and seems lost.

use shared::domain::time::Time;
use shared::queue::Queue;
use shared::store::Works;
use shared::store::work::WorkHint;
use shared::{Context, Result, config};

/// What one tick sends again at most, a shard; the next one takes the rest.
const LIMIT: u32 = 200;

/// What the ticker works with.
#[derive(Clone)]
pub struct Stores {
    works: Works,
    agent_changes: Queue,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { works: Works::new(context)?, agent_changes: Queue::new(context, config::QUEUE_AGENT_CHANGES)? })
    }
}

/// Returns how many messages went out again.
pub async fn tick(stores: &Stores, now: Time) -> Result<usize> {
    let due = stores.works.due(now, LIMIT).await?;
    for work_id in &due {
        // The message first: a ticker that dies in between sends it twice, not never.
        stores.agent_changes.send(&WorkHint { work_id: *work_id }).await?;
        stores.works.put_off(*work_id, now).await?;
    }
    Ok(due.len())
}
