//! The protocol of image jobs as the machine sees it: the rule that is switched off, and the accounts of what was
//! committed.

use std::collections::BTreeMap;

use domain::id::{ImageJobId, LeaseId};
use serde_json::Value;

use super::oracle::Oracle;
use super::rules::Rule;
use super::scenario::Scenario;
use crate::machine::database::COUNTERS;
use crate::machine::dynamodb_json::{Write, partition};
use crate::machine::protocol::Protocol;
use crate::machine::report::Findings;
use crate::machine::simulated::{OracleAccounts, Simulated};
use crate::machine::world::World;

#[derive(Default)]
pub struct Accounts {
    pub findings: Findings<Oracle>,
    pub jobs: BTreeMap<ImageJobId, JobAccount>,
    /// In the order of their grants.
    pub leases: Vec<LeaseId>,
}

#[derive(Default)]
pub struct JobAccount {
    /// How often an end was committed.
    pub ends: u32,
    /// The workers that call the provider now.
    pub at_work: u32,
}

pub type ImageProtocol = Simulated<Scenario, Rule, Accounts>;

impl OracleAccounts for Accounts {
    type Oracle = Oracle;

    const FAILED: Oracle = Oracle::Failed;

    fn findings(&mut self) -> &mut Findings<Oracle> {
        &mut self.findings
    }
}

impl ImageProtocol {
    fn record_write(&self, write: &Write) -> Option<String> {
        let mut accounts = self.accounts();
        let Accounts { findings, jobs, leases } = &mut *accounts;
        if let Some(lease) = write.sk.strip_prefix("LEASE#").filter(|_| write.kind == "Put") {
            leases.extend(lease.parse::<LeaseId>());
            return None;
        }
        let id: ImageJobId = write.sk.parse().ok().filter(|_| write.table == COUNTERS)?;
        let job = jobs.entry(id).or_default();
        let number = id.uuid().as_u128();
        if write.kind == "Put" {
            findings.count("jobs started");
            return Some(format!("job {number} is started"));
        }
        let names = write.body["ExpressionAttributeNames"].as_object()?;
        let changes = |name: &str| names.contains_key(name);
        if changes("#end") {
            job.ends += 1;
            if job.ends > 1 {
                findings.record_violation(Oracle::EndedTwice, format!("job {number} ends again"));
            }
            return Some(format!("job {number} ends"));
        }
        changes("#owned_until").then(|| format!("job {number} is claimed"))
    }
}

impl Protocol for ImageProtocol {
    fn rewrite(&self, _: &World, operation: &str, request: &mut Value) {
        if let Some(rule) = self.disabled_rule {
            rule.rewrite(operation, request);
        }
    }

    fn record_writes(&self, _: &World, writes: &[Write]) -> Vec<String> {
        writes.iter().filter_map(|write| self.record_write(write)).collect()
    }

    fn lag(&self, _: &World, query: &Value, items: &mut Vec<Value>) {
        let shard = partition(query);
        if self.disabled_rule == Some(Rule::SendsDueJobsAgain) && shard.starts_with("IMAGES#") {
            items.clear();
        }
    }
}
