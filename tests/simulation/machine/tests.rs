//! Tests of the machine without a protocol.

use std::sync::Arc;

use domain::time::Time;
use serde_json::json;
use shared::config::TABLE_ENTITIES;
use shared::store::keys::Key;
use shared::store::table::{Table, TableIndex, TableQuery};

use super::dynamodb_json::Write;
use super::faults::Faults;
use super::process::Process;
use super::protocol::Protocol;
use super::runner::run_in_virtual_time;
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

#[test]
fn an_item_is_listed_until_it_is_deleted() {
    run_in_virtual_time(0, async {
        let world = world(0, Faults::default());
        let process = Process::without_faults(&world, "writer");
        let table = Table::new(&process.context(), TABLE_ENTITIES).unwrap();
        let by_name = TableQuery { index: Some(TableIndex::Local("by_name")), ..TableQuery::partition("list") };
        let put = table.put(&json!({"pk": "list", "sk": "item", "by_name": "first"}));
        assert!(table.write(put).await.unwrap().is_written());
        assert_eq!(table.query(&by_name).await.unwrap().count, 1);
        table.remove(&Key { pk: "list".to_owned(), sk: "item".to_owned() }).await.unwrap();
        assert_eq!(table.query(&by_name).await.unwrap().count, 0);
        let trace = world.take_trace().join("\n");
        assert!(trace.contains("writer: Put entities list item"), "{trace}");
        assert!(trace.contains("writer: Delete entities list item"), "{trace}");
    });
}
