//! The lease protocol as the machine sees it: the rule that is switched off, the accounts of the oracles, and the lag of
//! the due index.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use domain::Error;
use serde_json::Value;
use store::keys;

use super::accounting::Accounting;
use super::rules::Rule;
use super::scenario::Scenario;
use super::violation::Oracle;
use crate::machine::dynamodb_json::{Write, partition, writes};
use crate::machine::process::Process;
use crate::machine::protocol::Protocol;
use crate::machine::world::World;

pub struct LeaseProtocol {
    pub scenario: Scenario,
    /// The rule that is switched off.
    pub disabled_rule: Option<Rule>,
    accounting: Mutex<Accounting>,
}

impl LeaseProtocol {
    pub fn new(scenario: Scenario, disabled_rule: Option<Rule>) -> Self {
        Self { accounting: Mutex::new(Accounting::new(&scenario)), scenario, disabled_rule }
    }

    pub fn accounting(&self) -> MutexGuard<'_, Accounting> {
        self.accounting.lock().unwrap()
    }

    pub fn record_failure(&self, process: &Process, what: &str, error: &Error) {
        self.accounting().findings.record_failure(Oracle::Failed, process, what, error);
    }
}

impl Protocol for LeaseProtocol {
    fn rewrite(&self, world: &World, operation: &str, request: &mut Value) {
        if let Some(rule) = self.disabled_rule {
            rule.rewrite(world, operation, request);
        }
    }

    fn hold(&self, _world: &World, operation: &str, request: &Value) -> Duration {
        let closes = |write: &Write| write.kind == "Delete" && write.sk.starts_with("LEASE#");
        if writes(operation, request).iter().any(closes) { self.scenario.close_delay } else { Duration::ZERO }
    }

    fn record_writes(&self, world: &World, writes: &[Write]) -> Vec<String> {
        let mut accounting = self.accounting();
        let lines = accounting.record_writes(&world.database, writes, world.now());
        if let Some(rule) = self.disabled_rule {
            rule.after_commit(world, &accounting, writes);
        }
        lines
    }

    /// The meter is read after the leases, and may be newer.
    fn is_read_late(&self, item: &Value) -> bool {
        item["sk"]["S"] == keys::METER
    }

    fn lag(&self, world: &World, query: &Value, items: &mut Vec<Value>) {
        let mut accounting = self.accounting();
        if query["IndexName"] == "due" {
            let shard = partition(query);
            accounting.lag(items, shard);
        }
        if self.disabled_rule.is_some_and(Rule::reads_by_index) {
            accounting.hide_newest_charges(items, world.now());
        }
    }
}
