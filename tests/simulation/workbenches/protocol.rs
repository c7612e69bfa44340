//! The protocol of workbenches as the machine sees it: the rule that is switched off, and the accounts of what was
//! committed.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::WorkbenchId;
use serde_json::Value;

use super::oracle::Oracle;
use super::rules::Rule;
use super::scenario::Scenario;
use crate::machine::database::ENTITIES;
use crate::machine::dynamodb_json::Write;
use crate::machine::protocol::Protocol;
use crate::machine::report::Findings;
use crate::machine::simulated::{OracleAccounts, Simulated};
use crate::machine::world::World;

#[derive(Default)]
pub struct Accounts {
    pub findings: Findings<Oracle>,
    pub workbenches: BTreeMap<WorkbenchId, WorkbenchAccount>,
}

#[derive(Default)]
pub struct WorkbenchAccount {
    /// What the cluster has of it.
    pub objects: BTreeSet<&'static str>,
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

impl WorkbenchProtocol {
    fn record_write(&self, write: &Write) -> Option<String> {
        let id: WorkbenchId = write.sk.parse().ok().filter(|_| write.table == ENTITIES)?;
        let number = id.uuid().as_u128();
        let names = write.body["ExpressionAttributeNames"].as_object()?;
        let changes = |name: &str| names.contains_key(name);
        if changes("#workbench") {
            return Some(format!("workbench {number} is changed"));
        }
        if !changes("#attempt") || changes("#write_id") {
            return None;
        }
        let set = write.body["UpdateExpression"].as_str().unwrap_or_default().contains("#attempt = ");
        if !set {
            return Some(format!("workbench {number} is released without a result"));
        }
        let mut accounts = self.accounts();
        let Accounts { findings, workbenches } = &mut *accounts;
        let account = workbenches.entry(id).or_default();
        let values = write.body["ExpressionAttributeValues"].as_object()?;
        // The first value of the update is the number of the claim.
        let claim = values[":v0"]["N"].as_str()?.parse().ok()?;
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

    fn record_writes(&self, _: &World, writes: &[Write]) -> Vec<String> {
        writes.iter().filter_map(|write| self.record_write(write)).collect()
    }

    fn lag(&self, _: &World, query: &Value, items: &mut Vec<Value>) {
        let shard = query["ExpressionAttributeValues"][":partition"]["S"].as_str().unwrap_or_default();
        if self.disabled_rule == Some(Rule::SendsDueWorkbenchesAgain) && shard.starts_with("WORKBENCHDUE#") {
            items.clear();
        }
    }
}
