//! The protocol of threads as the machine sees it: the rule that is switched off, and the accounts of what was committed.

use std::collections::BTreeSet;

use domain::id::{RunId, ThreadId};
use domain::thread::ThreadControl;
use serde_json::Value;
use store::keys;

use super::accounts::{Accounts, Outgoing, ThreadAccount};
use super::oracle::{Oracle, has_ended};
use super::rules::Rule;
use super::scenario::Scenario;
use crate::machine::database::{ENTITIES, JOURNAL};
use crate::machine::dynamodb_json::{Write, partition, to_plain_json};
use crate::machine::protocol::Protocol;
use crate::machine::simulated::Simulated;
use crate::machine::world::World;

pub type ThreadProtocol = Simulated<Scenario, Rule, Accounts>;

impl ThreadProtocol {
    fn record_write(&self, world: &World, write: &Write) -> Option<String> {
        let id = write.pk.strip_prefix(keys::THREAD).and_then(|id| id.parse::<ThreadId>().ok());
        match (write.table, id) {
            (JOURNAL, Some(id)) => self.record_message(id, write),
            (ENTITIES, Some(id)) => Some(self.record_head(world, id, write)),
            (ENTITIES, None) if write.pk.starts_with(keys::PARTICIPANTS) && write.kind == "Delete" => {
                let mut accounts = self.accounts();
                accounts.is_erasing = false;
                accounts.findings.count("participants erased");
                Some("a participant is deleted".to_owned())
            }
            (ENTITIES, None) if write.kind == "Put" && write.sk == "RUN" => {
                self.accounts().runs.extend(write.pk.strip_prefix(keys::RUN).and_then(|id| id.parse::<RunId>().ok()));
                None
            }
            _ => None,
        }
    }

    fn record_message(&self, id: ThreadId, write: &Write) -> Option<String> {
        let number: u64 = write.sk.parse().ok()?;
        let mut accounts = self.accounts();
        let Accounts { findings, threads, stored, outgoing, .. } = &mut *accounts;
        let thread = threads.entry(id).or_default();
        if write.kind == "Put" {
            let item = write.item();
            let Some(planned) = item["text"]["text"].as_str().and_then(|text| self.scenario.message_with(text)) else {
                let message = item["message"].as_str().and_then(|message| message.parse().ok());
                let run = item["run"].as_str().and_then(|run| run.parse().ok());
                let sent = Outgoing { number, is_of_operator: item["role"] == "operator", run };
                outgoing.insert(message.expect("a message has an id"), sent);
                return Some(format!("{} {number} of {id} is about to be sent", item["role"]));
            };
            if !stored.insert(planned) {
                findings.record_violation(Oracle::StoredTwice, format!("message {planned}"));
            }
            findings.count("messages stored");
            thread.planned.insert(number, planned);
            if thread.answers_messages() {
                thread.waiting.insert((self.scenario.messages[planned].position, number));
            } else if thread.control.hold.is_none() {
                findings.count("messages rejected");
            }
            return Some(format!("message {planned} is number {number} of {id}"));
        }
        let values = &write.body["ExpressionAttributeValues"];
        let names = &write.body["ExpressionAttributeNames"];
        if names["#run"].is_string() {
            let first = thread.waiting.first().copied();
            if first.is_some_and(|(_, first)| first != number) {
                findings.record_violation(Oracle::WrongOrder, format!("number {number} of {id}, before {first:?}"));
            }
            if !thread.answered.insert(number) {
                findings.record_violation(Oracle::TwoRuns, format!("number {number} of {id} has two runs"));
            }
            thread.waiting.retain(|(_, waiting)| *waiting != number);
            findings.count("runs started");
            let run = values.as_object().into_iter().flatten().find_map(|(_, value)| value["S"].as_str());
            return Some(format!("run {} answers number {number} of {id}", run.unwrap_or_default()));
        }
        let values = to_plain_json(&serde_json::json!({"M": values}));
        let mut values: Vec<String> =
            values.as_object().into_iter().flatten().map(|(_, value)| value.to_string()).collect();
        // The SDK has the values in any order.
        values.sort();
        Some(format!("number {number} of {id}: {}", values.join(", ")))
    }

    fn record_head(&self, world: &World, id: ThreadId, write: &Write) -> String {
        let head = world.database.item(ENTITIES, write.pk, write.sk);
        let mut accounts = self.accounts();
        let Accounts { findings, threads, is_erasing, .. } = &mut *accounts;
        let thread = threads.entry(id).or_default();
        if head.is_null() {
            let left = world.database.items(JOURNAL).into_iter().filter(|item| item["pk"] == write.pk).count();
            if left > 0 {
                let what = format!("thread {id} is deleted, and {left} of its messages are not");
                findings.record_violation(Oracle::LostMessage, what);
            }
            *thread = ThreadAccount { in_flight: thread.in_flight.take(), ..Default::default() };
            return format!("thread {id} is deleted");
        }
        let control: ThreadControl = serde_json::from_value(head["control"].clone()).expect("a head has a control");
        let before = std::mem::replace(&mut thread.control, control.clone());
        if control.hold != before.hold && control.hold.is_some() {
            findings.count("threads taken");
            if before.hold.is_some() {
                findings.record_violation(Oracle::TwoHolders, format!("thread {id}"));
            }
            if !thread.waiting.is_empty() {
                findings.count("messages left to operators");
            }
            thread.waiting.clear();
            // Processes that were suspended may be about to send.
            world.alarm.notify_waiters();
        }
        if let Some(run) = before.run.filter(|run| control.run != Some(*run)) {
            let item = run_item(world, run);
            if !item.is_null() && !has_ended(&item) {
                findings.record_violation(Oracle::TwoRuns, format!("thread {id}: run {run} has not ended"));
            }
            if item["state"] == "cancelled" {
                findings.count("runs interrupted");
            }
        }
        let waiting = control.waiting.iter().map(|waiting| (waiting.position, waiting.number));
        let waiting: BTreeSet<(u64, u64)> = waiting.collect();
        if *is_erasing {
            // The messages of the erased participant get no run.
            let is_erased = |number: &u64| {
                let planned = thread.planned.get(number).map(|planned| &self.scenario.messages[*planned]);
                planned.map(|message| message.person) == self.scenario.erasure.as_ref().map(|erasure| erasure.person)
            };
            thread.waiting.retain(|message| waiting.contains(message) || !is_erased(&message.1));
        }
        if waiting != thread.waiting && head["is_erased"].is_null() {
            let what = format!("thread {id}: {:?} wait, the head has {waiting:?}", thread.waiting);
            findings.record_violation(Oracle::LostMessage, what);
        }
        let ThreadControl { hold, run, waiting, sending, overtaken, .. } = control;
        let operator = hold.map(|hold| hold.operator);
        // The ids of permits are random.
        let until = sending.map(|sending| sending.until);
        format!(
            "thread {id}: run {run:?}, overtaken {overtaken:?}, held by {operator:?}, sending until {until:?}, {waiting:?}, \
             due at {}, revision {}",
            head["due_at"], head["rev"]
        )
    }
}

fn run_item(world: &World, run: RunId) -> Value {
    let key = keys::run(run);
    world.database.item(ENTITIES, &key.pk, &key.sk)
}

impl Protocol for ThreadProtocol {
    fn rewrite(&self, _: &World, operation: &str, request: &mut Value) {
        if let Some(rule) = self.disabled_rule {
            rule.rewrite(operation, request);
        }
    }

    /// Messages come first: the accounts compare each head with the messages that wait.
    fn record_writes(&self, world: &World, writes: &[Write]) -> Vec<String> {
        let (heads, others): (Vec<_>, Vec<_>) = writes.iter().partition(|write| write.table == ENTITIES);
        others.into_iter().chain(heads).filter_map(|write| self.record_write(world, write)).collect()
    }

    /// The due index lags: it misses some threads and runs for a while.
    fn lag(&self, world: &World, query: &Value, items: &mut Vec<Value>) {
        if query["IndexName"] != "due" {
            return;
        }
        let shard = partition(query);
        if self.disabled_rule == Some(Rule::SendsDueThreadsAgain) && shard.starts_with("THREADS#") {
            items.clear();
        }
        let mut state = world.state();
        items.retain(|_| state.random.u8(..4) != 0);
    }
}
