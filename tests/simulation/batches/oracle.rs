//! The oracles: invariants that must hold during a history and at its end.

use std::collections::BTreeMap;

use batch_worker::idempotency_key;
use domain::batch::{Batch, BatchState};
use domain::id::FileId;
use domain::ledger::Charge;
use domain::money::Money;
use serde_json::Value;
use store::{Batches, Files, Leases, keys};

use super::protocol::BatchProtocol;
use crate::leases::records::{charges, has_charges};
use crate::machine::database::{COUNTERS, JOURNAL};
use crate::machine::process::Process;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// A batch has not ended long after its window.
    NeverEnds,
    /// A batch has ended more than once.
    EndedTwice,
    /// A line of a batch has no result, several, or a file cannot be read.
    WrongResults,
    /// A line was charged more than once, or an answer and its charge are not both there.
    WronglyCharged,
    /// At the end, balance and charges do not add up to the credits given.
    Unbalanced,
    /// A lease stays open.
    LeftOpen,
    /// An internal error of the platform.
    Failed,
}

pub async fn check_at_end(auditor: &Process, protocol: &BatchProtocol) {
    let (scenario, world) = (&protocol.scenario, &auditor.world);
    let context = auditor.context();
    let (leases, batches) = (Leases::new(&context).unwrap(), Batches::new(&context).unwrap());
    for (org, id) in leases.expired(world.now(), 1_000).await.unwrap() {
        leases.sweep(org, id, world.now()).await.unwrap();
    }
    let rows = world.database.items(JOURNAL);
    let has_charges = |row: &&Value| row["sk"].as_str().is_some_and(has_charges);
    let charged: Vec<Charge> = rows.iter().filter(has_charges).flat_map(charges).collect();
    let mut by_line: BTreeMap<&str, usize> = BTreeMap::new();
    for charge in &charged {
        *by_line.entry(&charge.request_id).or_default() += 1;
    }
    for planned in &scenario.batches {
        let Ok(batch) = batches.find(scenario.account(), planned.id).await else { continue };
        check_batch(auditor, protocol, &batch, planned.lines.len(), &by_line).await;
    }
    let spent: Money = charged.iter().map(|charge| charge.charged).sum();
    let items = world.database.items(COUNTERS);
    let open = items.iter().filter(|item| item["sk"].as_str().is_some_and(|sk| sk.starts_with("LEASE#"))).count();
    let meter = keys::org_meter(scenario.payer.org);
    let balance = world.database.item(COUNTERS, &meter.pk, keys::METER)["balance"].as_u64();
    let balance = Money::from_pico_usd(balance.unwrap_or_default());
    let findings = &mut protocol.accounts().findings;
    if open > 0 {
        findings.record_violation(Oracle::LeftOpen, format!("{open} leases are open"));
    }
    if balance + spent != scenario.credits {
        let what = format!("{balance} left and {spent} charged, of {}", scenario.credits);
        findings.record_violation(Oracle::Unbalanced, what);
    }
}

async fn check_batch(
    auditor: &Process,
    protocol: &BatchProtocol,
    batch: &Batch,
    lines: usize,
    charges: &BTreeMap<&str, usize>,
) {
    let number = batch.order.id.uuid().as_u128();
    let end = match batch.state {
        BatchState::Completed => "batches completed",
        BatchState::Cancelled => "batches cancelled",
        BatchState::Expired => "batches expired",
        state => {
            let what = format!("batch {number} is {}", state.as_str());
            return protocol.accounts().findings.record_violation(Oracle::NeverEnds, what);
        }
    };
    let answers = read_results(auditor, batch, batch.output_file).await;
    let errors = read_results(auditor, batch, batch.error_file).await;
    let findings = &mut protocol.accounts().findings;
    findings.count(end);
    let (Some(answers), Some(errors)) = (answers, errors) else {
        return findings.record_violation(Oracle::WrongResults, format!("a file of batch {number} cannot be read"));
    };
    let of = |results: &BTreeMap<String, usize>, line: usize| results.get(&line.to_string()).copied().unwrap_or(0);
    for line in 0..lines {
        let (answers, errors) = (of(&answers, line), of(&errors, line));
        let is_right = match batch.state {
            BatchState::Cancelled => answers + errors <= 1,
            _ => answers + errors == 1,
        };
        if !is_right {
            let what = format!("line {line} of batch {number} has {answers} answers and {errors} errors");
            findings.record_violation(Oracle::WrongResults, what);
        }
        let key = idempotency_key(&batch.order, u32::try_from(line).unwrap());
        let charged = charges.get(&*key).copied().unwrap_or(0);
        if charged != answers {
            let what = format!("line {line} of batch {number} has {charged} charges and {answers} answers");
            findings.record_violation(Oracle::WronglyCharged, what);
        }
    }
    let counted = (batch.progress.completed as usize, batch.progress.failed as usize);
    if counted != (answers.values().sum(), errors.values().sum()) {
        findings.record_violation(Oracle::WrongResults, format!("batch {number} counts {counted:?}"));
    }
}

/// The number of results of each line in a file. None if the file cannot be read.
async fn read_results(auditor: &Process, batch: &Batch, file: Option<FileId>) -> Option<BTreeMap<String, usize>> {
    let mut results: BTreeMap<String, usize> = BTreeMap::new();
    let Some(file) = file else { return Some(results) };
    let files = Files::new(&auditor.context()).unwrap();
    let file = files.find(batch.order.account, file, auditor.now()).await.ok()?;
    for part in &file.parts {
        let content = files.read(part).await.ok()?;
        for line in str::from_utf8(&content).ok()?.lines() {
            let line: Value = serde_json::from_str(line).ok()?;
            *results.entry(line["custom_id"].as_str()?.to_owned()).or_default() += 1;
        }
    }
    Some(results)
}
