//! The scenarios of the cost table. Each is a route or a kind of run, in a process that has served it before.

mod builder;
mod gateway;
mod other;
mod runs;
mod steps;

use super::recorded::Recorded;
use crate::failure::Failure;

/// Carries out all scenarios, and returns them in the order of the table.
pub async fn record_all() -> Result<Vec<Recorded>, Failure> {
    let mut recorded = builder::record().await?;
    recorded.extend(gateway::record().await?);
    recorded.extend(other::record().await?);
    recorded.extend(runs::record().await?);
    Ok(recorded)
}
