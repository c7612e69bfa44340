//! The messages of `QUEUE_RUNS`: what may need a worker.

use domain::Result;
use domain::time::Time;
use serde::Deserialize;
use store::runs::RunHint;
use store::threads::{ErasureHint, ThreadHint};

use crate::admission::Admission;
use crate::answerers::Answerers;
use crate::erasure::Erasures;
use crate::plans::Plans;
use crate::threads::ThreadRuns;
use crate::worker::{Performers, Worker};

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub enum Hint {
    Run(RunHint),
    Thread(ThreadHint),
    Erasure(ErasureHint),
}

/// Handles hints. A hint that comes twice or too late does nothing.
pub struct HintHandler<A, P, E, T> {
    pub worker: Worker<A, P, E>,
    pub threads: ThreadRuns<T>,
    pub erasures: Erasures,
}

impl<A: Admission, P: Plans, E: Performers, T: Answerers> HintHandler<A, P, E, T> {
    pub async fn handle(&self, hint: Hint, shift_ends_at: Time) -> Result<()> {
        match hint {
            Hint::Run(hint) => self.worker.handle(hint, shift_ends_at).await,
            Hint::Thread(ThreadHint { thread_id }) => match self.threads.advance(thread_id).await? {
                Some(run_id) => self.worker.handle(RunHint { run_id }, shift_ends_at).await,
                None => Ok(()),
            },
            Hint::Erasure(ErasureHint { workflow_id, participant_id }) => {
                self.erasures.carry_out(workflow_id, participant_id).await
            }
        }
    }
}
