//! Tests of the machine without a protocol.

mod queue;
mod tables;

use std::sync::Arc;

use domain::time::Time;

use super::dynamodb_json::Write;
use super::faults::Faults;
use super::protocol::Protocol;
use super::world::World;

/// Only names the writes in the trace.
struct Watcher;

impl Protocol for Watcher {
    fn record_writes(&self, _: &World, writes: &[Write]) -> Vec<String> {
        writes.iter().map(|write| format!("{} {}", write.kind, write.item_name())).collect()
    }
}

fn world(seed: u64, faults: Faults) -> Arc<World> {
    World::new(seed, Time::from_millis(1_780_000_000_000), faults, Arc::new(Watcher))
}
