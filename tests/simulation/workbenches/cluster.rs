//! The cluster: it executes each call some time after it was sent, also if its sender has been killed since.

use std::sync::Arc;
use std::time::Duration;

use domain::id::WorkbenchId;
use domain::workbench::{Intent, Phase, Report, Usage, Workbench};
use domain::{Error, Result};
use futures::FutureExt;
use futures::future::BoxFuture;
use labs::{Backend, Permit};
use tests::cluster::calls_to_target;
use tokio::time::sleep;

use super::oracle::Oracle;
use super::protocol::WorkbenchProtocol;
use super::rules::Rule;
use crate::machine::process::Process;
use crate::machine::random::{happens, millis};

/// The objects of an environment, in the order of their creation.
pub const OBJECTS: [&str; 3] = ["storage", "process", "route"];

/// The connection of one worker to the cluster.
pub struct Cluster {
    pub process: Process,
    pub protocol: Arc<WorkbenchProtocol>,
}

impl Cluster {
    /// Sends a call, which takes effect later. A process that was suspended sends it when it wakes up, even if the step has
    /// run into its timeout: the call is then polled before the timer.
    async fn change(&self, id: WorkbenchId, permit: &Permit, object: &'static str, is_wanted: bool) -> Result<()> {
        let (process, protocol, permit) = (self.process.clone(), self.protocol.clone(), permit.clone());
        let sent = tokio::spawn(async move {
            process.wait_until_running().await;
            if protocol.disabled_rule != Some(Rule::ActsOnlyWithAPermit)
                && let Err(error) = permit.check()
            {
                protocol.accounts().findings.count("steps cut by their permit");
                return Err(error);
            }
            let (latency, is_lost) = draw_fate(&process);
            sleep(latency).await;
            if is_lost {
                return Err(Error::busy("the cluster lost the call"));
            }
            let (number, token) = (id.uuid().as_u128(), permit.token());
            process.world.note(|| format!("workbench {number}: {object} is changed by claim {token}"));
            let mut accounts = protocol.accounts();
            let account = accounts.workbenches.entry(id).or_default();
            if is_wanted {
                account.objects.insert(object);
            } else {
                account.objects.remove(object);
            }
            let latest = account.claims;
            if token < latest {
                let what = format!("claim {token} changes workbench {number} after claim {latest}");
                accounts.findings.record_violation(Oracle::StaleEffect, what);
            }
            Ok(())
        });
        sent.await.expect("the call does not panic")
    }

    async fn make_step(&self, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let id = workbench.id;
        let (latency, _) = draw_fate(&self.process);
        sleep(latency).await;
        let found = self.protocol.accounts().workbenches.entry(id).or_default().objects.clone();
        let target = workbench.target();
        for (object, is_wanted) in calls_to_target(target, &OBJECTS, &found) {
            self.change(id, permit, object, is_wanted).await?;
        }
        // A real backend looks again, because calls of earlier steps may still be in flight.
        let found = self.protocol.accounts().workbenches.entry(id).or_default().objects.clone();
        let is_reached = calls_to_target(target, &OBJECTS, &found).is_empty();
        Ok(match target {
            _ if !is_reached => Report::new(Phase::Progressing),
            Intent::Run if self.is_in_trouble() => {
                Report::new(Phase::Progressing).rejected("UNSCHEDULABLE", "0/1 nodes are available")
            }
            Intent::Run => {
                let cpu = Some(self.process.world.state().random.u64(..2_000));
                Report { usage: Some(Usage { cpu, ..Usage::default() }), ..Report::new(Phase::Running) }
            }
            Intent::Stop => Report::new(Phase::Stopped),
            Intent::Delete => Report::new(Phase::Gone),
        })
    }

    fn is_in_trouble(&self) -> bool {
        let after: Duration = self.process.world.began().elapsed();
        self.protocol.scenario.troubles.iter().any(|(from, until)| (*from..*until).contains(&after))
    }
}

/// How long a call takes, and whether it is lost.
fn draw_fate(process: &Process) -> (Duration, bool) {
    let random = &mut process.world.state().random;
    let latency = if random.u8(..4) == 0 { millis(random, 1_500, 15_000) } else { millis(random, 50, 1_500) };
    (latency, happens(random, process.faults.request_lost))
}

impl Backend for Cluster {
    fn step<'a>(&'a self, workbench: &'a Workbench, permit: &'a Permit) -> BoxFuture<'a, Result<Report>> {
        self.make_step(workbench, permit).boxed()
    }
}
