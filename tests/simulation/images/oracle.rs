//! The oracles: invariants that must hold during a history and at its end.

use domain::id::LeaseId;
use domain::image::ImageJobEnd;
use domain::ledger::Charge;
use domain::money::Money;
use serde_json::Value;
use store::{ImageJobs, Leases, keys};

use super::protocol::ImageProtocol;
use crate::leases::records::{charges, has_charges};
use crate::machine::database::{COUNTERS, JOURNAL};
use crate::machine::process::Process;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// A job has not ended long after its deadline.
    NeverEnds,
    /// A job has ended more than once.
    EndedTwice,
    /// Two workers call the provider for one job, although the first one has not had its time.
    TwoWorkers,
    /// A success has no charge, several or one of another amount, or a failure has a charge.
    WronglyCharged,
    /// The lease of a job was closed before its charge.
    LeaseLost,
    /// At the end, balance and charges do not add up to the credits given.
    Unbalanced,
    /// A lease stays open.
    LeftOpen,
    /// An internal error of the platform.
    Failed,
}

pub async fn check_at_end(auditor: &Process, protocol: &ImageProtocol) {
    let (scenario, world) = (&protocol.scenario, &auditor.world);
    let context = auditor.context();
    let (leases, jobs) = (Leases::new(&context).unwrap(), ImageJobs::new(&context).unwrap());
    for (org, id) in leases.expired(world.now(), 1_000).await.unwrap() {
        leases.sweep(org, id, world.now()).await.unwrap();
    }
    let rows = world.database.items(JOURNAL);
    let charges: Vec<Charge> = rows.iter().filter_map(read_charge).collect();
    let mut spent = Money::ZERO;
    for request in &scenario.requests {
        let Some(job) = jobs.find(scenario.account(), request.id).await.unwrap() else { continue };
        let number = request.id.uuid().as_u128();
        let of_job: Vec<&Charge> = charges.iter().filter(|charge| charge.lease == job.order.lease).collect();
        spent += of_job.iter().map(|charge| charge.charged).sum();
        let mut accounts = protocol.accounts();
        let findings = &mut accounts.findings;
        let is_late = rows.iter().any(|row| is_late_row(row, job.order.lease));
        if is_late {
            findings.record_violation(Oracle::LeaseLost, format!("the charge of job {number} is late"));
        }
        match (&job.end, &of_job[..]) {
            (None, _) => findings.record_violation(Oracle::NeverEnds, format!("job {number} is {:?}", job.state())),
            (Some(ImageJobEnd::Succeeded(images)), [charge]) if charge.cost == images.cost => {
                findings.count("jobs succeeded");
            }
            (Some(ImageJobEnd::Failed(failure)), []) if failure.code == "image_job_timeout" => {
                findings.count("jobs failed at their deadline");
            }
            (Some(ImageJobEnd::Failed(_)), []) => findings.count("jobs failed by their provider"),
            (Some(_), charges) => {
                let what = format!("job {number} has {} charges, and is {:?}", charges.len(), job.state());
                findings.record_violation(Oracle::WronglyCharged, what);
            }
        }
        if job.attempt > 1 {
            findings.count("attempts after a crash");
        }
    }
    let org = scenario.payer.org;
    let items = world.database.items(COUNTERS);
    let open = items.iter().filter(|item| item["sk"].as_str().is_some_and(|sk| sk.starts_with("LEASE#"))).count();
    let balance = world.database.item(COUNTERS, &keys::org_meter(org).pk, keys::METER)["balance"].as_u64();
    let balance = Money::from_pico_usd(balance.unwrap_or_default());
    let mut accounts = protocol.accounts();
    if open > 0 {
        accounts.findings.record_violation(Oracle::LeftOpen, format!("{open} leases are open"));
    }
    if balance + spent != scenario.credits {
        let what = format!("{balance} left and {spent} charged, of {}", scenario.credits);
        accounts.findings.record_violation(Oracle::Unbalanced, what);
    }
}

fn read_charge(row: &Value) -> Option<Charge> {
    let sk = row["sk"].as_str().unwrap_or_default();
    if has_charges(sk) { charges(row).pop() } else { None }
}

fn is_late_row(row: &Value, lease: LeaseId) -> bool {
    let is_late = row["sk"].as_str().is_some_and(|sk| sk.starts_with("LATE#"));
    is_late && read_charge(row).is_some_and(|charge| charge.lease == lease)
}
