//! Runs that wait for a long time hold only their items, and a tick costs nothing for them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem};
use domain::id::RunId;
use store::keys;
use tests::scale::full_or;

use super::*;

const MONTH: u64 = 30 * 24 * 60 * 60;
const TABLES: [&str; 2] = ["EntitiesTable", "JournalTable"];
/// DynamoDB writes at most this number of items in a transaction.
const TRANSACTION: usize = 100;

type Item = HashMap<String, AttributeValue>;

/// A workflow that waits a month for a person.
fn patient() -> Value {
    let check = node("check", "review", json!({"title": "Pay {{ input.amount }}?", "expiresInSeconds": MONTH}));
    let nodes = [node("start", "input", json!({})), check, node("end", "send_result", json!({}))];
    graph(&nodes, &["start.out check", "check.approved end", "check.rejected end", "check.expired end"])
}

/// A workflow that waits a minute.
fn impatient() -> Value {
    let nodes = [
        node("start", "input", json!({})),
        node("wait", "delay", json!({"seconds": 60})),
        node("end", "send_result", json!({})),
    ];
    graph(&nodes, &["start.out wait", "wait.out end"])
}

fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

/// The items of a run, with the name of their table.
async fn items_of(app: &TestApp, run: RunId) -> Vec<(&'static str, Item)> {
    let dynamodb = app.platform.context().aws.dynamodb().clone();
    let mut items = Vec::new();
    for table in TABLES {
        let query = dynamodb.query().table_name(table).key_condition_expression("pk = :pk");
        let found =
            query.expression_attribute_values(":pk", AttributeValue::S(keys::run_items(run))).send().await.unwrap();
        items.extend(found.items.unwrap_or_default().into_iter().map(|item| (table, item)));
    }
    items
}

/// The size of an item, as DynamoDB counts it: the names and the values in UTF-8, and an overhead for lists and maps.
fn size(item: &Item) -> usize {
    fn of(value: &AttributeValue) -> usize {
        match value {
            AttributeValue::S(text) => text.len(),
            AttributeValue::N(number) => number.len() / 2 + 2,
            AttributeValue::M(map) => 3 + size(map) + map.len(),
            AttributeValue::L(list) => 3 + list.iter().map(of).sum::<usize>() + list.len(),
            _ => 1,
        }
    }
    item.iter().map(|(name, value)| name.len() + of(value)).sum()
}

/// Stores copies of a parked run under other ids: the same items as if each had been started and parked.
async fn copy(app: &TestApp, run: RunId, copies: usize) {
    let dynamodb = app.platform.context().aws.dynamodb();
    let items = items_of(app, run).await;
    let mut writes = Vec::new();
    for _ in 0..copies {
        let id = RunId::new();
        for (table, original) in &items {
            let mut item = original.clone();
            for (name, value) in
                [("pk", keys::run_items(id)), ("run_id", id.to_string()), ("due_shard", keys::RUNS_DUE.of(id.uuid()))]
            {
                item.entry(name.to_owned()).and_modify(|stored| *stored = AttributeValue::S(value));
            }
            let put = Put::builder().table_name(*table).set_item(Some(item)).build().unwrap();
            writes.push(TransactWriteItem::builder().put(put).build());
        }
    }
    for writes in writes.chunks(TRANSACTION) {
        dynamodb.transact_write_items().set_transact_items(Some(writes.to_vec())).send().await.unwrap();
    }
}

#[tokio::test]
async fn a_waiting_run_holds_only_its_items() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, patient()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["state"], "paused");
    let items = items_of(&app, run_id(&path)).await;
    let mut keys: Vec<_> = items.iter().map(|(table, item)| format!("{table} {}", text(item, "sk"))).collect();
    keys.sort();
    // The head, the question, and the parts of the log: the start, and what happened until the question.
    let expected =
        ["EntitiesTable REVIEW#check", "EntitiesTable RUN", "JournalTable 00000001", "JournalTable 00000002"];
    assert_eq!(keys, expected);
    let bytes: usize = items.iter().map(|(_, item)| size(item)).sum();
    eprintln!("a waiting run: {} items, {bytes} bytes", items.len());
    assert!(bytes <= 2_048, "{bytes} bytes");
    assert_eq!(app.platform.drain().await, 0, "no message waits");
    assert_eq!(app.objects("runs"), 0);
}

#[tokio::test]
async fn a_tick_costs_nothing_for_waiting_runs() {
    const DUE: usize = 5;
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (patient, impatient) = (publish(&ada, patient()).await, publish(&ada, impatient()).await);
    for _ in 0..DUE {
        start_run(&ada, &impatient, json!(null)).await;
    }
    let waiting = start_run(&ada, &patient, json!({"amount": 5})).await;
    app.platform.drain().await;
    let waiting = run_id(&waiting);
    copy(&app, waiting, 9).await;
    let cost_at = async |after: u64| {
        app.recorder.take();
        assert_eq!(app.platform.tick(Time::now().plus(minutes(after))).await.unwrap(), DUE);
        app.recorder.take_costs()
    };
    let few = cost_at(2).await;
    copy(&app, waiting, full_or(10_000, 2_000) - 10).await;
    // Nobody handled the hints, so the same runs are due again.
    let many = cost_at(10).await;
    eprintln!("a tick with {DUE} due runs: {few}");
    assert_eq!(few, many);
}
