//! DynamoDB's behaviour over the tables: overlapping transactions abort each other, a token makes a transaction idempotent,
//! and a query is not a snapshot.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::database::Answer;
use super::dynamodb_json::{Write, writes};
use super::process::Process;
use super::world::World;

pub async fn execute(process: &Process, operation: &str, mut request: Value, lock_time: Duration) -> Answer {
    let world = &process.world;
    world.protocol.rewrite(world, operation, &mut request);
    let items: Vec<String> = writes(operation, &request).iter().map(Write::item_name).collect();
    if items.is_empty() {
        return read(world, operation, &request, lock_time).await;
    }
    let is_transaction = operation == "TransactWriteItems";
    let held = match Held::take(world, &items, is_transaction) {
        Ok(held) => held,
        Err(taken) => {
            world.note(|| format!("{}: a {operation} conflicts with another", process.name));
            return conflict(&items, &taken, is_transaction);
        }
    };
    if is_transaction {
        sleep(lock_time / 2).await;
    }
    let answer = write(process, operation, &request);
    if is_transaction {
        sleep(lock_time / 2).await;
    }
    drop(held);
    answer
}

async fn read(world: &World, operation: &str, request: &Value, duration: Duration) -> Answer {
    let mut answer = world.database.call(operation, request);
    let Some(items) = answer.body["Items"].as_array_mut() else { return answer };
    if items.iter().any(|item| world.protocol.is_read_late(item)) {
        sleep(duration).await;
        let later = world.database.call(operation, request);
        replace_late_items(world, items, &later.body["Items"]);
    }
    world.protocol.lag(world, request, items);
    answer
}

fn replace_late_items(world: &World, items: &mut [Value], newer: &Value) {
    let newer = newer.as_array().into_iter().flatten();
    for newer in newer.filter(|item| world.protocol.is_read_late(item)) {
        let item = items.iter_mut().find(|item| item["pk"] == newer["pk"] && item["sk"] == newer["sk"]);
        item.into_iter().for_each(|item| item.clone_from(newer));
    }
}

fn write(process: &Process, operation: &str, request: &Value) -> Answer {
    let world = &process.world;
    let answer = world.database.call(operation, request);
    let token = request["ClientRequestToken"].as_str().unwrap_or_default();
    if answer.status != 200 {
        let reasons = answer.body["CancellationReasons"].as_array().into_iter().flatten();
        let codes: Vec<&str> = reasons.filter_map(|reason| reason["Code"].as_str()).collect();
        world.note(|| format!("{}: a {operation} is refused {codes:?}", process.name));
    } else if token.is_empty() || world.state().tokens.insert(token.to_owned()) {
        for line in world.protocol.record_writes(world, &writes(operation, request)) {
            world.note(|| format!("{}: {line}", process.name));
        }
    } else {
        world.note(|| format!("{}: a {operation} was carried out before", process.name));
    }
    answer
}

pub fn throttled() -> Answer {
    error_answer("ProvisionedThroughputExceededException", json!({"message": "slow down"}))
}

fn conflict(items: &[String], taken: &BTreeSet<String>, is_transaction: bool) -> Answer {
    if !is_transaction {
        return error_answer("TransactionConflictException", json!({"message": "ongoing"}));
    }
    let reasons = items.iter().map(|item| match taken.contains(item) {
        true => json!({"Code": "TransactionConflict", "Message": "ongoing"}),
        false => json!({"Code": "None"}),
    });
    let reasons: Vec<Value> = reasons.collect();
    error_answer("TransactionCanceledException", json!({"Message": "canceled", "CancellationReasons": reasons}))
}

fn error_answer(kind: &str, mut body: Value) -> Answer {
    body["__type"] = format!("com.amazonaws.dynamodb.v20120810#{kind}").into();
    Answer { status: 400, body }
}

/// Items that a transaction in flight has locked.
struct Held<'a> {
    world: &'a World,
    items: Vec<String>,
}

impl<'a> Held<'a> {
    /// Locks the items, or returns those that are locked. Single-item writes conflict only with transactions.
    fn take(world: &'a World, items: &[String], is_transaction: bool) -> Result<Self, BTreeSet<String>> {
        let held = &mut world.state().held;
        let taken: BTreeSet<String> = items.iter().filter(|item| held.contains(*item)).cloned().collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        let items = if is_transaction { items.to_vec() } else { vec![] };
        held.extend(items.iter().cloned());
        Ok(Self { world, items })
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let held = &mut self.world.state().held;
        for item in &self.items {
            held.remove(item);
        }
    }
}
