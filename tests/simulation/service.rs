//! DynamoDB's behaviour over the tables: overlapping transactions abort each other, some requests are throttled, and
//! the due index lags.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use shared::store::keys;
use tokio::time::sleep;

use crate::database::Answer;
use crate::dynamodb_json::{Write, writes};
use crate::process::Process;
use crate::world::World;

pub async fn execute(process: &Process, operation: &str, mut request: Value, lock_time: Duration) -> Answer {
    let world = &process.world;
    if let Some(rule) = world.disabled_rule {
        rule.rewrite(world, operation, &mut request);
    }
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
    let index = request["IndexName"].as_str().unwrap_or_default();
    let partition = request["ExpressionAttributeValues"][":partition"]["S"].as_str().unwrap_or_default();
    if let Some(meter) = position_of_meter(&answer) {
        // A query is not a snapshot: the meter is read after the leases, and may be newer.
        sleep(duration).await;
        let later = world.database.call(operation, request);
        if let Some(at) = position_of_meter(&later) {
            answer.body["Items"][meter] = later.body["Items"][at].clone();
        }
    }
    if let Some(items) = answer.body["Items"].as_array_mut() {
        let mut state = world.state();
        if index == "due" {
            state.accounting.lag(items, partition);
        }
        if world.disabled_rule.is_some_and(|rule| rule.reads_by_index()) {
            state.accounting.hide_newest_charges(items, world.now());
        }
    }
    answer
}

fn position_of_meter(answer: &Answer) -> Option<usize> {
    answer.body["Items"].as_array()?.iter().position(|item| item["sk"]["S"] == keys::METER)
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
        let now = world.now();
        let lines = world.state().accounting.record_writes(&world.database, &writes(operation, request), now);
        for line in lines {
            world.note(|| format!("{}: {line}", process.name));
        }
        if let Some(rule) = world.disabled_rule {
            rule.after_commit(world, &writes(operation, request));
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
