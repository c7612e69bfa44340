//! Tests of the tables, through the store's own code.

use platform::config::TABLE_ENTITIES;
use serde_json::json;
use store::attribute::Attribute;
use store::keys::Key;
use store::query::{TableIndex, TableQuery};
use store::table::Table;

use super::world;
use crate::machine::faults::Faults;
use crate::machine::process::Process;
use crate::machine::runner::run_in_virtual_time;

#[test]
fn an_item_is_listed_until_it_is_deleted() {
    run_in_virtual_time(0, async {
        let world = world(0, Faults::default());
        let process = Process::without_faults(&world, "writer");
        let table = Table::new(&process.context(), TABLE_ENTITIES).unwrap();
        let by_name = TableQuery {
            index: Some(TableIndex::local(Attribute::<String>::new("by_name"))),
            ..TableQuery::partition("list")
        };
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

/// An operation that the simulation lacks must not look like a fault of the network.
#[test]
#[should_panic(expected = "ListTables is not supported")]
fn an_unknown_operation_fails_the_history() {
    run_in_virtual_time(0, async {
        let process = Process::without_faults(&world(0, Faults::default()), "reader");
        drop(process.context().aws.dynamodb().list_tables().send().await);
    });
}
