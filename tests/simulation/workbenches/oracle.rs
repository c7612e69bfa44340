//! The oracles: invariants that must hold during a history and at its end.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::WorkbenchId;
use domain::identity::Account;
use domain::page::PageRequest;
use domain::sharing::Ownership;
use domain::workbench::{Intent, Resources, RunState, Workbench, WorkbenchStatus};
use serde_json::Value;
use store::Workbenches;
use store::keys;
use tests::cluster::calls_to_target;

use super::cluster::OBJECTS;
use super::protocol::{Accounts, WorkbenchProtocol};
use crate::machine::database::{COUNTERS, ENTITIES};
use crate::machine::process::Process;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// Two workers have the same claim.
    ClaimedTwice,
    /// A worker changes an environment after another worker has claimed it.
    StaleEffect,
    /// A workbench is still on its way long after the last fault.
    NeverSettles,
    /// A deletion was accepted, and the workbench exists.
    NotDeleted,
    /// The cluster has other objects of a workbench than its status says.
    WrongObjects,
    /// A workbench has two valid keys.
    TwoKeys,
    /// A key is valid although nothing has it that runs.
    KeyLeft,
    /// The key of a program is revoked, or has never been valid.
    KeyMissing,
    /// Two workbenches have the same name.
    NameTwice,
    /// More is reserved than there is.
    OverCapacity,
    /// The reserved capacity, the names or the lists differ from the workbenches that exist.
    WrongAccounts,
    /// The events of a workbench have a gap.
    EventLost,
    /// An internal error of the platform.
    Failed,
}

pub async fn check_at_end(auditor: &Process, protocol: &WorkbenchProtocol) {
    let existing = check_tables(auditor, protocol);
    let (scenario, store) = (&protocol.scenario, Workbenches::new(&auditor.context()).unwrap());
    let account = Account { org: scenario.org, user: scenario.owner };
    let page = PageRequest { page: 1, per_page: 100 };
    let listed = store.list(account, Ownership::Mine, page).await.unwrap();
    if listed.total != existing.len() as u64 {
        let what = format!("{} of {} are listed", listed.total, existing.len());
        protocol.accounts().findings.record_violation(Oracle::WrongAccounts, what);
    }
    for workbench in &existing {
        let events = store.events(workbench.id, 1_000, None).await.unwrap().items;
        let numbers: Vec<u64> = events.iter().map(|event| event.number).collect();
        if numbers != (1..=workbench.events).collect::<Vec<_>>() {
            let what = format!("workbench {} has the events {numbers:?}", workbench.id.uuid().as_u128());
            protocol.accounts().findings.record_violation(Oracle::EventLost, what);
        }
    }
}

/// Compares the workbenches with the cluster, the names and the reserved capacity. Returns those that exist.
fn check_tables(auditor: &Process, protocol: &WorkbenchProtocol) -> Vec<Workbench> {
    let (scenario, database) = (&protocol.scenario, &auditor.world.database);
    let mut accounts = protocol.accounts();
    let mut valid_keys = find_valid_keys(&database.items(ENTITIES));
    let mut existing: Vec<Workbench> = Vec::new();
    for item in database.items(ENTITIES).into_iter().filter(|item| !item["workbench"].is_null()) {
        let workbench: Workbench = serde_json::from_value(item["workbench"].clone()).unwrap();
        check_workbench(&mut accounts, &workbench);
        check_keys(&mut accounts, &workbench, &valid_keys.remove(&workbench.id).unwrap_or_default());
        if item["deleted_at"].is_null() {
            existing.push(workbench);
        }
    }
    let Accounts { findings, .. } = &mut *accounts;

    let names: BTreeSet<&str> = existing.iter().map(|workbench| workbench.name.as_str()).collect();
    if names.len() < existing.len() {
        findings.record_violation(Oracle::NameTwice, format!("{} names of {}", names.len(), existing.len()));
    }
    let reserved = |pk: &str, sk: &str| -> Resources {
        let item = database.item(COUNTERS, pk, sk);
        serde_json::from_value(item).unwrap_or_default()
    };
    let used = existing.iter().fold(Resources::default(), |sum, workbench| {
        let Resources { cpu, memory, gpumem, storage } = workbench.spec.resources;
        Resources {
            cpu: sum.cpu + cpu,
            memory: sum.memory + memory,
            gpumem: sum.gpumem + gpumem,
            storage: sum.storage + storage,
        }
    });
    if let Some(dimension) = used.exceeding(&scenario.limits.org) {
        findings.record_violation(Oracle::OverCapacity, format!("{dimension} of {used:?}"));
    }
    for key in [keys::org_capacity(scenario.org), keys::platform_capacity()] {
        let reserved = reserved(&key.pk, &key.sk);
        if reserved != used {
            findings.record_violation(Oracle::WrongAccounts, format!("{}: {reserved:?} instead of {used:?}", key.pk));
        }
    }
    let taken = database.items(ENTITIES).into_iter().filter(|item| !item["workbench_id"].is_null());
    let taken: BTreeMap<String, String> = taken
        .map(|item| (item["sk"].as_str().unwrap().to_owned(), item["workbench_id"].as_str().unwrap().to_owned()))
        .collect();
    let expected = existing.iter().map(|workbench| (workbench.name.clone(), workbench.id.to_string())).collect();
    if taken != expected {
        findings.record_violation(Oracle::WrongAccounts, format!("the names {taken:?} instead of {expected:?}"));
    }
    existing
}

/// The hashes of the valid keys of each workbench.
fn find_valid_keys(items: &[Value]) -> BTreeMap<WorkbenchId, BTreeSet<String>> {
    let mut found: BTreeMap<WorkbenchId, BTreeSet<String>> = BTreeMap::new();
    for item in items.iter().filter(|item| !item["of_workbench"].is_null() && item["revoked_at"].is_null()) {
        let id = serde_json::from_value(item["of_workbench"].clone()).unwrap();
        found.entry(id).or_default().insert(item["hash"].as_str().unwrap().to_owned());
    }
    found
}

/// A workbench that runs has one valid key, which its process got. All others have none.
fn check_keys(Accounts { findings, workbenches, .. }: &mut Accounts, workbench: &Workbench, valid: &BTreeSet<String>) {
    let number = workbench.id.uuid().as_u128();
    let expected = workbenches.entry(workbench.id).or_default().key.as_ref();
    if valid.iter().any(|key| Some(key) != expected) {
        let what = format!("workbench {number} is {:?} and has {} valid keys", workbench.status, valid.len());
        findings.record_violation(Oracle::KeyLeft, what);
    }
    if expected.is_some_and(|key| !valid.contains(key)) {
        let what = format!("workbench {number} is {:?} and its process has a revoked key", workbench.status);
        findings.record_violation(Oracle::KeyMissing, what);
    }
    if !valid.is_empty() {
        findings.count("valid keys at the end");
    }
}

fn check_workbench(Accounts { findings, workbenches, .. }: &mut Accounts, workbench: &Workbench) {
    let number = workbench.id.uuid().as_u128();
    let account = workbenches.entry(workbench.id).or_default();
    let (what, target) = match (workbench.status, workbench.run_state) {
        (WorkbenchStatus::Ready, Some(RunState::Running)) => ("ready at the end", Intent::Run),
        (WorkbenchStatus::Ready, Some(RunState::Stopped)) => ("stopped at the end", Intent::Stop),
        (WorkbenchStatus::Failed, _) => ("failed at the end", Intent::Stop),
        (WorkbenchStatus::Deleted, _) => ("deleted at the end", Intent::Delete),
        (status, run_state) => {
            let what = format!("workbench {number} is {status:?}, {run_state:?}");
            return findings.record_violation(Oracle::NeverSettles, what);
        }
    };
    findings.count(what);
    if !calls_to_target(target, &OBJECTS, &account.objects).is_empty() {
        let what = format!("workbench {number} is {:?} and has {:?}", workbench.status, account.objects);
        findings.record_violation(Oracle::WrongObjects, what);
    }
    if account.is_deleted && workbench.status != WorkbenchStatus::Deleted {
        let what = format!("workbench {number} is {:?}, although it was deleted", workbench.status);
        findings.record_violation(Oracle::NotDeleted, what);
    }
}
