//! The oracles: invariants that must hold during a history and at its end.

use serde_json::Value;
use store::keys;

use super::accounts::Accounts;
use super::protocol::ThreadProtocol;
use super::scenario::text_of;
use crate::machine::database::{COUNTERS, ENTITIES, JOURNAL};
use crate::machine::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// The provider accepted a message of a run or a reminder after a take was answered, or later a message of the run from
    /// which an operator took over.
    BotOverHuman,
    /// Two deliveries to one thread took place at the same time.
    TwoSenders,
    /// The provider accepted a part again, although the delivery of its message was recorded.
    SentAgain,
    /// The provider accepted a part twice, although the node does not allow that.
    SentTwice,
    /// A repeated delivery was stored as another message.
    StoredTwice,
    /// The provider got an acknowledgement, and the message is not stored.
    NotStored,
    /// The head of a thread does not name the messages that wait.
    LostMessage,
    /// A run answers a message although an earlier one waits.
    WrongOrder,
    /// A message has two runs, or a thread has two runs in progress.
    TwoRuns,
    /// A message waits for ever, or a run never ends.
    NeverAnswered,
    /// An operator got a thread that another one holds.
    TwoHolders,
    /// A text of an erased participant is still stored.
    NotErased,
    /// An internal error of the platform.
    Failed,
}

pub fn check_at_end(world: &World, protocol: &ThreadProtocol) {
    let mut accounts = protocol.accounts();
    let Accounts { findings, threads, acknowledged, stored, runs, erased, .. } = &mut *accounts;
    for (thread, account) in threads {
        let control = &account.control;
        if !account.waiting.is_empty() || !control.waiting.is_empty() || control.run.is_some() {
            let what = format!("thread {thread}: {:?} wait, the head is {control:?}", account.waiting);
            findings.record_violation(Oracle::NeverAnswered, what);
        }
    }
    for run in runs.iter() {
        let head = world.database.item(ENTITIES, &keys::run(*run).pk, &keys::run(*run).sk);
        if !head.is_null() && !has_ended(&head) {
            findings.record_violation(Oracle::NeverAnswered, format!("run {run} is {}", head["state"]));
        }
    }
    for number in acknowledged.difference(stored) {
        findings.record_violation(Oracle::NotStored, format!("message {number}"));
    }
    let tables = [ENTITIES, COUNTERS, JOURNAL].map(|table| world.database.items(table));
    for item in tables.iter().flatten() {
        let item_text = item.to_string();
        for number in erased.iter().filter(|number| item_text.contains(&text_of(**number))) {
            findings
                .record_violation(Oracle::NotErased, format!("message {number} is in {} {}", item["pk"], item["sk"]));
        }
    }
}

pub fn has_ended(run: &Value) -> bool {
    matches!(run["state"].as_str(), Some("completed" | "failed" | "cancelled"))
}
