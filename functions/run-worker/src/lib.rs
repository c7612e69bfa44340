//! Queue worker: carries out runs of workflows. A message names a run that may need a process.

use std::sync::Arc;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use domain::time::Time;
use effects::NodePerformers;
use engine::drive::SuspectGate;
use runner::{ReleasePlans, RunAdmission, Worker};
use shared::Context;
use shared::queue::each_message;
use shared::secrets::Secrets;
use shared::store::{Runs, Workflows};

/// The stores and clients that the worker uses.
#[derive(Clone)]
pub struct Stores {
    worker: Arc<Worker<RunAdmission, ReleasePlans, NodePerformers>>,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        let worker = Worker {
            runs: Runs::new(context)?.with_vault(Arc::new(Secrets::of_runs(context)?)),
            admission: RunAdmission::new(context)?,
            plans: ReleasePlans::new(Workflows::new(context)?),
            performers: NodePerformers::new(context)?,
            clock: context.clock.clone(),
            suspects: SuspectGate::default(),
        };
        Ok(Self { worker: Arc::new(worker) })
    }
}

/// Carries out the runs of an SQS batch until the shift ends. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent, shift_ends_at: Time) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(event, |hint| Box::pin(stores.worker.handle(hint, shift_ends_at))).await
}
