//! Queue worker: carries out runs of workflows, starts the runs of conversations, and erases participants. A message names
//! what may need a process.

use std::sync::Arc;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use domain::time::Time;
use effects::NodePerformers;
use engine::drive::SuspectGate;
use runner::{ActiveReleases, Erasures, Hint, ReleasePlans, RunAdmission, ThreadRuns, Worker};
use shared::Context;
use shared::queue::each_message;
use shared::secrets::Secrets;
use shared::store::runs::RunHint;
use shared::store::threads::{ErasureHint, ThreadHint};
use shared::store::{Runs, Threads, Workflows};

/// The stores and clients that the worker uses.
#[derive(Clone)]
pub struct Stores {
    worker: Arc<Worker<RunAdmission, Arc<ReleasePlans>, NodePerformers>>,
    threads: Arc<ThreadRuns<ActiveReleases>>,
    erasures: Arc<Erasures>,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        let runs = Runs::new(context)?.with_vault(Arc::new(Secrets::of_runs(context)?));
        let plans = Arc::new(ReleasePlans::new(Workflows::new(context)?));
        let threads = Threads::new(context)?;
        let erasures = Arc::new(Erasures { threads: threads.clone(), runs: runs.clone() });
        let answerers = ActiveReleases::new(context, plans.clone())?;
        let threads = ThreadRuns { threads, runs: runs.clone(), answerers, clock: context.clock.clone() };
        let worker = Worker {
            runs,
            admission: RunAdmission::new(context)?,
            performers: NodePerformers::of_runs(context, plans.clone())?,
            plans,
            clock: context.clock.clone(),
            suspects: SuspectGate::default(),
        };
        Ok(Self { worker: Arc::new(worker), threads: Arc::new(threads), erasures })
    }

    async fn handle(&self, hint: Hint, shift_ends_at: Time) -> Result<()> {
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

/// Carries out the runs of an SQS batch until the shift ends. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent, shift_ends_at: Time) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(event, |hint| Box::pin(stores.handle(hint, shift_ends_at))).await
}
