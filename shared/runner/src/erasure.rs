//! Erases participants: their messages, the runs that these started, and their entry in the list.

use domain::id::{ParticipantId, RunId, ThreadId, WorkflowId};
use domain::{Error, Result};
use shared::store::runs::RunFilter;
use shared::store::{Runs, Threads};

/// The number of runs that one query lists.
const RUNS_PER_PAGE: u32 = 100;

/// How often the threads of a participant are read for one hint.
const MAX_PASSES: usize = 5;

pub struct Erasures {
    pub threads: Threads,
    pub runs: Runs,
}

impl Erasures {
    /// Erases a participant. Each step can be repeated.
    pub async fn carry_out(&self, workflow: WorkflowId, participant: ParticipantId) -> Result<()> {
        let mut threads = self.threads.threads_of(participant).await?;
        for _ in 0..MAX_PASSES {
            for thread in &threads {
                self.erase_thread(*thread, participant).await?;
            }
            // They may have written meanwhile, to a new thread.
            threads = self.threads.threads_of(participant).await?;
            if threads.is_empty() {
                break;
            }
        }
        if !threads.is_empty() {
            // The participant stays due, so the ticker continues.
            return Ok(());
        }
        // Runs are kept longer than the messages that started them.
        let filter = RunFilter { participant: Some(participant), ..RunFilter::default() };
        let mut after = None;
        loop {
            let page = self.runs.list(workflow, &filter, RUNS_PER_PAGE, after).await?;
            for run in page.items {
                self.erase_run(run.id).await?;
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        self.threads.delete_participant(workflow, participant).await
    }

    async fn erase_thread(&self, thread: ThreadId, participant: ParticipantId) -> Result<()> {
        for message in self.threads.messages_of(thread, participant).await? {
            if let Some(run) = message.run {
                self.erase_run(run).await?;
            }
        }
        self.threads.erase_from(thread, participant).await
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
