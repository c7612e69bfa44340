//! Starts runs of threads.

use uuid::Uuid;

use super::Runs;
use crate::revision;
use crate::run_statistics;
use crate::table::{RefusedWrite, WriteOutcome};
use crate::threads::{MESSAGE, StoredThread, Threads};
use domain::Result;
use domain::run::NewRun;
use domain::thread::BusyPolicy;

impl Runs {
    /// Stores the run of the first message that waits in a thread, in one transaction with the thread. `number` is the
    /// number of the message. No hint is sent, because the caller carries out the run. Returns false if the thread has
    /// changed since it was read; then nothing is stored.
    pub async fn start_in_thread(
        &self,
        new: NewRun,
        threads: &Threads,
        thread: &StoredThread,
        busy: BusyPolicy,
        number: u64,
    ) -> Result<bool> {
        let id = new.id;
        // The writes of the run come first. If they are refused, an earlier attempt of this transaction has written them.
        let (item, mut writes) = self.new_run(new, Vec::new(), None).await?;
        writes.extend(run_statistics::count_starts(&self.counters, &[item.place()]));
        writes.extend(threads.start_run(thread, id, busy, number));
        match self.entities.transact(Uuid::now_v7(), &writes).await? {
            WriteOutcome::Refused(RefusedWrite { label: revision::ENTITY | MESSAGE, .. }) => return Ok(false),
            WriteOutcome::Written | WriteOutcome::Refused(_) => {}
        }
        Ok(true)
    }
}
