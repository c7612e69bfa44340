//! The protocol of workbenches as the machine sees it: the rule that is switched off, and the accounts of what was
//! committed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::id::WorkbenchId;
use serde_json::Value;

use super::oracle::Oracle;
use super::rules::Rule;
use super::scenario::Scenario;
use crate::machine::database::ENTITIES;
use crate::machine::dynamodb_json::{Write, partition, value_set};
use crate::machine::protocol::Protocol;
use crate::machine::random::{happens, millis};
use crate::machine::report::Findings;
use crate::machine::simulated::{OracleAccounts, Simulated};
use crate::machine::world::World;

#[derive(Default)]
pub struct Accounts {
    pub findings: Findings<Oracle>,
    pub workbenches: BTreeMap<WorkbenchId, WorkbenchAccount>,
    /// When the network delivers the transactions that it holds back, by their tokens.
    held: BTreeMap<String, Duration>,
    /// The workbenches of the keys that are not revoked, by the partitions of the keys.
    valid_keys: BTreeMap<String, WorkbenchId>,
}

#[derive(Default)]
pub struct WorkbenchAccount {
    /// What the cluster has of it.
    pub objects: BTreeSet<&'static str>,
    /// The hash of the key that its process got.
    pub key: Option<String>,
    /// The number of its last claim.
    pub claims: u64,
    /// Whether a deletion by its owner was accepted.
    pub is_deleted: bool,
}

pub type WorkbenchProtocol = Simulated<Scenario, Rule, Accounts>;

impl OracleAccounts for Accounts {
    type Oracle = Oracle;

    const FAILED: Oracle = Oracle::Failed;

    fn findings(&mut self) -> &mut Findings<Oracle> {
        &mut self.findings
    }
}

/// How many of a thousand transactions that write keys are held back.
const HELD: u32 = 150;

/// Whether a request mints or revokes a key.
fn writes_key(operation: &str, request: &Value) -> bool {
    let items = request["TransactItems"].as_array().filter(|_| operation == "TransactWriteItems");
    let names_key =
        |item: &Value| item["Put"]["Item"]["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with("WORKBENCHKEY#"));
    items.is_some_and(|items| items.iter().any(names_key))
}

impl WorkbenchProtocol {
    /// Follows the keys of workbenches.
    fn record_key(&self, write: &Write) -> Option<String> {
        let mut accounts = self.accounts();
        let Accounts { findings, valid_keys, workbenches, .. } = &mut *accounts;
        if write.kind != "Put" {
            let id = valid_keys.remove(write.pk)?;
            let number = id.uuid().as_u128();
            let has_it = |key: &String| write.pk.strip_prefix("KEY#") == Some(key);
            if workbenches.get(&id).and_then(|account| account.key.as_ref()).is_some_and(has_it) {
                findings.record_violation(Oracle::KeyMissing, format!("a process has the key of workbench {number}"));
            }
            return Some(format!("the key of workbench {number} is revoked"));
        }
        let id: WorkbenchId = serde_json::from_value(write.item()["of_workbench"].clone()).ok()?;
        let number = id.uuid().as_u128();
        if valid_keys.values().any(|other| *other == id) {
            findings.record_violation(Oracle::TwoKeys, format!("workbench {number} gets another key"));
        }
        valid_keys.insert(write.pk.to_owned(), id);
        Some(format!("workbench {number} gets a key"))
    }

    fn record_write(&self, write: &Write) -> Option<String> {
        if write.table == ENTITIES && write.sk == "KEY" {
            return self.record_key(write);
        }
        let id: WorkbenchId = write.sk.parse().ok().filter(|_| write.table == ENTITIES)?;
        let number = id.uuid().as_u128();
        let names = write.body["ExpressionAttributeNames"].as_object()?;
        let changes = |name: &str| names.contains_key(name);
        if changes("#workbench") {
            return Some(format!("workbench {number} is changed"));
        }
        if !changes("#attempt") || changes("#write_id") || write.kind == "ConditionCheck" {
            return None;
        }
        let Some(claim) = value_set(write.body, "attempt") else {
            return Some(format!("workbench {number} is released without a result"));
        };
        let mut accounts = self.accounts();
        let Accounts { findings, workbenches, .. } = &mut *accounts;
        let account = workbenches.entry(id).or_default();
        let claim = claim["N"].as_str()?.parse().ok()?;
        if claim <= account.claims {
            findings.record_violation(Oracle::ClaimedTwice, format!("workbench {number} has claim {claim} twice"));
        }
        account.claims = claim;
        Some(format!("workbench {number} is claimed: {claim}"))
    }
}

impl Protocol for WorkbenchProtocol {
    fn rewrite(&self, _: &World, operation: &str, request: &mut Value) {
        if let Some(rule) = self.disabled_rule {
            rule.rewrite(operation, request);
        }
    }

    /// A transaction that mints or revokes a key sometimes takes effect long after its worker has given it up, with all of its
    /// repetitions. Otherwise few histories would need the claim that it checks.
    fn hold(&self, world: &World, operation: &str, request: &Value) -> Duration {
        let token = request["ClientRequestToken"].as_str().filter(|_| writes_key(operation, request));
        let Some(token) = token else { return Duration::ZERO };
        let (mut accounts, mut state) = (self.accounts(), world.state());
        let now = world.began().elapsed();
        let random = &mut state.random;
        let delivered_at = accounts
            .held
            .entry(token.to_owned())
            .or_insert_with(|| if happens(random, HELD) { now + millis(random, 10_000, 120_000) } else { now });
        delivered_at.saturating_sub(now)
    }

    fn record_writes(&self, _: &World, writes: &[Write]) -> Vec<String> {
        writes.iter().filter_map(|write| self.record_write(write)).collect()
    }

    fn lag(&self, _: &World, query: &Value, items: &mut Vec<Value>) {
        let shard = partition(query);
        if self.disabled_rule == Some(Rule::SendsDueWorkbenchesAgain) && shard.starts_with("WORKBENCHDUE#") {
            items.clear();
        }
    }
}
