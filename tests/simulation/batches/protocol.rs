//! The protocol of batches as the machine sees it: the rule that is switched off, and the accounts of what was committed.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::batch::BatchOrder;
use domain::id::BatchId;
use serde_json::Value;

use super::oracle::Oracle;
use super::rules::Rule;
use super::scenario::{Reply, Scenario};
use crate::machine::database::COUNTERS;
use crate::machine::dynamodb_json::{Write, partition, value_set};
use crate::machine::protocol::Protocol;
use crate::machine::report::Findings;
use crate::machine::simulated::{OracleAccounts, Simulated};
use crate::machine::world::World;

#[derive(Default)]
pub struct Accounts {
    pub findings: Findings<Oracle>,
    /// How often an end of each batch was committed.
    ends: BTreeMap<BatchId, u32>,
    /// The calls that the provider has got for each line.
    attempts: BTreeMap<(BatchId, u32), usize>,
    /// In the order of their grants.
    pub leases: Vec<domain::id::LeaseId>,
}

pub type BatchProtocol = Simulated<Scenario, Rule, Accounts>;

impl OracleAccounts for Accounts {
    type Oracle = Oracle;

    const FAILED: Oracle = Oracle::Failed;

    fn findings(&mut self) -> &mut Findings<Oracle> {
        &mut self.findings
    }
}

impl BatchProtocol {
    /// What the provider does with the next call of a line.
    pub fn next_reply(&self, order: &BatchOrder, number: u32) -> (Duration, Reply) {
        let batch = self.scenario.batches.iter().find(|batch| batch.id == order.id).unwrap();
        let replies = &batch.lines[number as usize];
        let mut accounts = self.accounts();
        let attempt = accounts.attempts.entry((order.id, number)).or_default();
        let reply = replies[(*attempt).min(replies.len() - 1)];
        *attempt += 1;
        reply
    }

    fn record_write(&self, write: &Write) -> Option<String> {
        let mut accounts = self.accounts();
        let Accounts { findings, ends, leases, .. } = &mut *accounts;
        if let Some(lease) = write.sk.strip_prefix("LEASE#").filter(|_| write.kind == "Put") {
            leases.extend(lease.parse::<domain::id::LeaseId>());
            return None;
        }
        let id: BatchId = write.sk.parse().ok().filter(|_| write.table == COUNTERS)?;
        let number = id.uuid().as_u128();
        let has = |name: &str| !write.body["ExpressionAttributeNames"][name].is_null();
        if write.kind == "Put" {
            return Some(format!("batch {number} is created"));
        }
        if has("#output_file") {
            let ends = ends.entry(id).or_default();
            *ends += 1;
            if *ends > 1 {
                findings.record_violation(Oracle::EndedTwice, format!("batch {number} ends again"));
            }
        }
        if let Some(state) = value_set(write.body, "state").and_then(|state| state["S"].as_str()) {
            return Some(format!("batch {number} is {state}"));
        }
        let what = match value_set(write.body, "epoch") {
            Some(epoch) => format!("claimed, with epoch {}", epoch["N"].as_str().unwrap_or_default()),
            None if has("#progress") => "committed".to_owned(),
            None => "postponed".to_owned(),
        };
        Some(format!("batch {number} is {what}"))
    }
}

impl Protocol for BatchProtocol {
    fn rewrite(&self, _: &World, operation: &str, request: &mut Value) {
        if let Some(rule) = self.disabled_rule {
            rule.rewrite(operation, request);
        }
    }

    fn record_writes(&self, _: &World, writes: &[Write]) -> Vec<String> {
        writes.iter().filter_map(|write| self.record_write(write)).collect()
    }

    fn lag(&self, _: &World, query: &Value, items: &mut Vec<Value>) {
        if self.disabled_rule == Some(Rule::SendsDueBatchesAgain) && partition(query).starts_with("BATCHES#") {
            items.clear();
        }
    }
}
