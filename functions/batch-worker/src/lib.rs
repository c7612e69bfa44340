//! Queue worker: makes the calls of batches. A message names a batch that may need a worker.

mod calls;
mod results;
mod worker;

use std::sync::Arc;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use platform::Context;
use platform::queue::each_message;
use platform::telemetry::Telemetry;

pub use calls::{Calls, LineAnswer, Outcome, idempotency_key};
pub use worker::Worker;

#[derive(Clone)]
pub struct Stores {
    worker: Arc<Worker>,
    telemetry: Telemetry,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { worker: Arc::new(Worker::new(context)?), telemetry: context.telemetry.clone() })
    }
}

/// Carries out a part of each batch of an SQS batch. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(&stores.telemetry, event, |hint| Box::pin(stores.worker.handle_hint(hint))).await
}
