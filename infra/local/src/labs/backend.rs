//! The steps of a worker on this machine.

use ::labs::{Backend, Permit};
use domain::Result;
use domain::workbench::{Intent, Phase, Report, Workbench};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::process::last_lines;
use super::{Lab, Labs, ServedBy, activity, lock, proxy};

/// A program that ends this often before it answers will not start by itself.
const MAX_EXITS: u32 = 3;

impl Backend for Labs {
    fn step<'a>(&'a self, workbench: &'a Workbench, permit: &'a Permit) -> BoxFuture<'a, Result<Report>> {
        self.make_step(workbench, permit).boxed()
    }
}

impl Labs {
    async fn make_step(&self, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let id = workbench.id;
        permit.check()?;
        match workbench.target() {
            Intent::Run => self.run(workbench).await,
            Intent::Stop => {
                self.end(id).await?;
                lock(&self.0.troubles).remove(&id);
                Ok(Report::new(Phase::Stopped))
            }
            Intent::Delete => {
                self.end(id).await?;
                lock(&self.0.troubles).remove(&id);
                self.0.folders.remove(id).await?;
                Ok(Report::new(Phase::Gone))
            }
        }
    }

    async fn run(&self, workbench: &Workbench) -> Result<Report> {
        let id = workbench.id;
        let lab = match self.find(id) {
            Some(lab) => lab,
            None => self.start(workbench).await?,
        };
        self.measure().await?;
        let (phase, usage) = match &lab.served_by {
            ServedBy::Scratch => (Phase::Running, Default::default()),
            ServedBy::Process(process) => match process.exit() {
                Some(status) => {
                    let log = last_lines(&self.0.folders.of(id).log);
                    let exits =
                        self.note_exit(workbench, &format!("the program of the workbench ended with {status}: {log}"));
                    self.end(id).await?;
                    let phase = if exits >= MAX_EXITS { Phase::Failed } else { Phase::Progressing };
                    return Ok(self.with_troubles(Report::new(phase), workbench));
                }
                None if !proxy::answers(process).await => (Phase::Progressing, process.usage()),
                None => {
                    lock(&self.0.troubles).entry(id).or_default().exits = 0;
                    (Phase::Running, process.usage())
                }
            },
        };
        let mut report = self.with_troubles(Report::new(phase), workbench);
        let storage = self.0.folders.of(id).measure().await?;
        let allowed = workbench.spec.resources.storage;
        if storage > allowed {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            let message = format!("the files use {} MiB and may use {} MiB", mib(storage), mib(allowed));
            report = report.rejected("STORAGE_EXCEEDED", message);
        }
        report.usage = Some(domain::workbench::Usage { storage: Some(storage), ..usage });
        report.dashboard = Some(format!("{}/labs/{id}", self.0.base_url));
        report.active_at = Some(self.active_at(&lab).await);
        Ok(report)
    }

    /// Returns how many times the program has ended in sequence.
    fn note_exit(&self, workbench: &Workbench, message: &str) -> u32 {
        let mut troubles = lock(&self.0.troubles);
        let troubles = troubles.entry(workbench.id).or_default();
        troubles.messages.insert("PROCESS_ENDED", message.to_owned());
        troubles.exits += 1;
        troubles.exits
    }

    fn with_troubles(&self, report: Report, workbench: &Workbench) -> Report {
        let troubles = lock(&self.0.troubles).get(&workbench.id).cloned().unwrap_or_default();
        troubles.messages.into_iter().fold(report, |report, (reason, message)| report.rejected(reason, message))
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
