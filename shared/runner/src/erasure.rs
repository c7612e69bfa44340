//! Erases participants: their messages, the runs that these started, and their entry in the list.

use std::collections::HashSet;
use std::time::Duration;

use domain::id::{ParticipantId, RunId, WorkflowId};
use domain::run::Run;
use domain::{Error, Result};
use store::runs::RunFilter;
use store::threads::{ThreadErasure, ThreadLink, ThreadTraces};
use store::{Runs, Threads};

/// The number of runs that one query lists.
const RUNS_PER_PAGE: u32 = 100;
/// How often the threads of a participant are read for one hint.
const MAX_PASSES: usize = 5;
/// The clocks of two processes differ by less.
const CLOCK_MARGIN: Duration = Duration::from_secs(60);

pub struct Erasures {
    pub threads: Threads,
    pub runs: Runs,
}

impl Erasures {
    /// Erases a participant. Each step can be repeated.
    pub async fn carry_out(&self, workflow: WorkflowId, participant: ParticipantId) -> Result<()> {
        for _ in 0..MAX_PASSES {
            let Some(mark) = self.threads.erasure_mark(workflow, participant).await? else { return Ok(()) };
            self.threads.delete_exports(participant).await?;
            let links = self.threads.links_of(participant).await?;
            // Runs are kept longer than the messages that started them.
            let runs = self.erase_runs_of(workflow, participant).await?;
            // A message that arrives now adds a link, and changes the participant in the same transaction.
            if links.is_empty() && self.threads.delete_participant(workflow, participant, mark).await? {
                return Ok(());
            }
            for link in links {
                self.erase_thread(workflow, link, participant, &runs).await?;
            }
        }
        // The participant stays due, so the ticker continues.
        Ok(())
    }

    /// Erases the runs that a participant has started. Returns their ids.
    async fn erase_runs_of(&self, workflow: WorkflowId, participant: ParticipantId) -> Result<HashSet<RunId>> {
        let filter = RunFilter { participant: Some(participant), ..RunFilter::default() };
        self.erase_listed(workflow, &filter, |_| true).await
    }

    /// Erases the listed runs that `concerns` selects. Returns their ids.
    async fn erase_listed(
        &self,
        workflow: WorkflowId,
        filter: &RunFilter,
        concerns: impl Fn(&Run) -> bool,
    ) -> Result<HashSet<RunId>> {
        let (mut erased, mut after) = (HashSet::new(), None);
        loop {
            let page = self.runs.list(workflow, filter, RUNS_PER_PAGE, after).await?;
            for run in page.items.iter().filter(|run| concerns(run)) {
                self.erase_run(run.id).await?;
                erased.insert(run.id);
            }
            after = page.next;
            if after.is_none() {
                return Ok(erased);
            }
        }
    }

    /// Erases a participant from a thread. First no message of theirs can start a run any more, then their runs end, so
    /// that nothing answers them. Then the texts are erased, so that no run can read them. Last come the runs that have
    /// read them.
    async fn erase_thread(
        &self,
        workflow: WorkflowId,
        link: ThreadLink,
        participant: ParticipantId,
        runs: &HashSet<RunId>,
    ) -> Result<()> {
        let erasure = self.threads.begin_erasure(link, participant).await?;
        for run in self.threads.find_traces(&erasure, runs).await?.runs {
            self.erase_run(run).await?;
        }
        let traces = self.threads.find_traces(&erasure, runs).await?;
        self.threads.erase_texts(&erasure, &traces).await?;
        let traces = self.threads.find_traces(&erasure, runs).await?;
        self.erase_runs_of_others(workflow, &erasure, &traces).await?;
        self.threads.end_erasure(&erasure, &traces).await
    }

    /// Erases the runs of other participants that were given messages of this one. The messages name most of them. A
    /// repeated run may have sent no message, so it is found in the lists.
    async fn erase_runs_of_others(
        &self,
        workflow: WorkflowId,
        erasure: &ThreadErasure,
        traces: &ThreadTraces,
    ) -> Result<()> {
        for run in &traces.other_runs {
            if let Some(run) = self.runs.find(*run).await?.filter(|run| erasure.concerns(run, traces)) {
                self.erase_run(run.id).await?;
            }
        }
        let Some(begin) = traces.begin_at() else { return Ok(()) };
        for other in &traces.others {
            let from = Some(begin.minus(CLOCK_MARGIN));
            let filter = RunFilter { participant: Some(*other), from, ..RunFilter::default() };
            self.erase_listed(workflow, &filter, |run| erasure.concerns(run, traces)).await?;
        }
        Ok(())
    }

    /// Erases a run. One that is in progress is stopped first.
    async fn erase_run(&self, run: RunId) -> Result<()> {
        match self.runs.erase(run).await {
            Err(Error::Conflict { .. }) => {}
            Err(Error::NotFound { .. }) => return Ok(()),
            erased => return erased,
        }
        match self.runs.stop(run).await {
            Ok(()) | Err(Error::Conflict { .. }) => self.runs.erase(run).await,
            Err(error) => Err(error),
        }
    }
}
