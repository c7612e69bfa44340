//! Queue worker: carries out runs of workflows, starts the runs of conversations, and erases participants. A message names
//! what may need a process.

use std::sync::Arc;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use domain::time::Time;
use effects::NodePerformers;
use engine::drive::SuspectGate;
use platform::Context;
use platform::queue::each_message;
use platform::telemetry::Telemetry;
use runner::{ActiveReleases, Erasures, HintHandler, ReleasePlans, RunAdmission, ThreadRuns, Worker};
use sql::SqlClients;
use store::{Runs, Threads, Workflows};

/// The stores and clients that the worker uses.
#[derive(Clone)]
pub struct Stores {
    handler: Arc<HintHandler<RunAdmission, Arc<ReleasePlans>, NodePerformers, ActiveReleases>>,
    telemetry: Telemetry,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        let clock = context.clock.clone();
        let runs = Runs::with_keys(context)?;
        let threads = Threads::new(context)?;
        let plans = Arc::new(ReleasePlans::new(Workflows::new(context)?, script::interpreter()));
        let handler = HintHandler {
            erasures: Erasures { threads: threads.clone(), runs: runs.clone() },
            threads: ThreadRuns {
                threads,
                runs: runs.clone(),
                answerers: ActiveReleases::new(context, plans.clone())?,
                clock: clock.clone(),
            },
            worker: Worker {
                runs,
                admission: RunAdmission::new(context)?,
                performers: NodePerformers::of_runs(context, plans.clone(), Arc::new(SqlClients))?,
                plans,
                clock,
                stop: context.stop.clone(),
                suspects: SuspectGate::default(),
            },
        };
        Ok(Self { handler: Arc::new(handler), telemetry: context.telemetry.clone() })
    }
}

/// Carries out the runs of an SQS batch until the shift ends. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent, shift_ends_at: Time) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(&stores.telemetry, event, |hint| Box::pin(stores.handler.handle(hint, shift_ends_at))).await
}
