//! The steps of a worker on this machine.

use std::time::Duration;

use ::labs::{Backend, Permit, backend_error};
use domain::Result;
use domain::workbench::{Intent, Phase, Report, Workbench};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::program::describe_missing;
use super::{Lab, Labs, ServedBy, activity, lock, proxy};

/// After this many exits in sequence, the workbench fails.
const MAX_EXITS: u32 = 3;
/// The name of what runs without a program.
const SCRATCH: &str = "scratch";
/// A program that has run this long has started well: its exit does not count with earlier ones.
const STARTED_AFTER: Duration = Duration::from_secs(60);

impl Backend for Labs {
    fn step<'a>(&'a self, workbench: &'a Workbench, permit: &'a Permit) -> BoxFuture<'a, Result<Report>> {
        let step = async move {
            // A failed step has no call in flight, so the next one need not wait until the claim expires.
            self.make_step(workbench, permit).await.or_else(|error| {
                tracing::warn!(?error, workbench_id = %workbench.id, "a step of a workbench failed; it is tried again");
                Ok(backend_error())
            })
        };
        step.boxed()
    }
}

impl Labs {
    async fn make_step(&self, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let id = workbench.id;
        permit.check()?;
        match workbench.target() {
            Intent::Run => self.run(workbench, permit).await,
            Intent::Stop => {
                self.end(id, permit).await?;
                lock(&self.0.failures).remove(&id);
                Ok(Report::new(Phase::Stopped))
            }
            Intent::Delete => {
                self.end(id, permit).await?;
                lock(&self.0.failures).remove(&id);
                permit.check()?;
                self.0.folders.remove(id).await?;
                Ok(Report::new(Phase::Gone))
            }
        }
    }

    async fn run(&self, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let id = workbench.id;
        let lab = match self.find(id) {
            Some(lab) => lab,
            None => self.start(workbench, permit).await?,
        };
        self.measure().await?;
        let (phase, usage) = match &lab.served_by {
            ServedBy::Scratch => (Phase::Running, Default::default()),
            ServedBy::Process(process) => match process.exit() {
                Some(status) => {
                    let (now, log) = (self.now(), self.folder(id).log_end().await);
                    let message = format!("the program of the workbench ended with {status} at {now}: {log}");
                    let exits = self.note_exit(workbench, &lab, message);
                    self.end(id, permit).await?;
                    let phase = if exits >= MAX_EXITS { Phase::Failed } else { Phase::Progressing };
                    return Ok(self.with_failures(Report::new(phase), workbench));
                }
                // If the program has ended meanwhile, another one may have answered on its port.
                None if !proxy::is_responding(process).await || process.exit().is_some() => {
                    (Phase::Progressing, process.usage())
                }
                None => (Phase::Running, process.usage()),
            },
        };
        let mut report = self.with_failures(Report::new(phase), workbench);
        if matches!(lab.served_by, ServedBy::Scratch) {
            report = report.rejected("PROGRAM_NOT_INSTALLED", describe_missing(&workbench.image));
            report.substitute = Some(SCRATCH.to_owned());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let storage = self.folder(id).measure().await?;
        let allowed = workbench.spec.resources.storage;
        if storage > allowed {
            let message = format!("the files use {} MiB and may use {} MiB", mib(storage), mib(allowed));
            report = report.rejected("STORAGE_EXCEEDED", message);
        }
        let (shared, allowed) = self.0.folders.measure_shared(workbench.org).await?;
        if shared > allowed {
            let message = format!(
                "the folder that the organization shares uses {} MiB and may use {} MiB; remove files from it",
                mib(shared),
                mib(allowed)
            );
            report = report.rejected("SHARED_STORAGE_EXCEEDED", message);
        }
        report.usage = Some(domain::workbench::Usage { storage: Some(storage), ..usage });
        report.dashboard = Some(format!("{}/labs/{id}", self.0.base_url));
        report.active_at = Some(self.active_at(&lab).await);
        Ok(report)
    }

    /// Returns how many times the program has ended in sequence.
    fn note_exit(&self, workbench: &Workbench, lab: &Lab, message: String) -> u32 {
        let mut failures = lock(&self.0.failures);
        let failures = failures.entry(workbench.id).or_default();
        failures.messages.insert("PROCESS_ENDED", message);
        let has_started = lab.started_at.until(self.now()) >= STARTED_AFTER;
        failures.exits = if has_started { 1 } else { failures.exits + 1 };
        failures.exits
    }

    fn with_failures(&self, report: Report, workbench: &Workbench) -> Report {
        let failures = lock(&self.0.failures).get(&workbench.id).cloned().unwrap_or_default();
        failures.messages.into_iter().fold(report, |report, (reason, message)| report.rejected(reason, message))
    }

    async fn active_at(&self, lab: &Lab) -> domain::time::Time {
        if let ServedBy::Process(process) = &lab.served_by {
            if let Some(busy_at) = process.busy_at() {
                lab.note_activity(busy_at);
            }
            if process.is_jupyter
                && let Some(at) = activity::last_active(process, self.now()).await
            {
                lab.note_activity(at);
            }
        }
        lab.active_at()
    }
}
