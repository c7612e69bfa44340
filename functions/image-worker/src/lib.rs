//! Queue worker: generates images. A message names a job that may need a worker.

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use gateway::Gateway;
use platform::Context;
use platform::queue::each_message;

#[derive(Clone)]
pub struct Stores {
    gateway: Gateway,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { gateway: Gateway::new(context)? })
    }
}

/// Carries out the jobs of an SQS batch. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(event, |hint| Box::pin(stores.gateway.generate_images(hint))).await
}
