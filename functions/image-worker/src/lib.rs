//! Queue worker: generates images. A message names a job that may need a worker.

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use gateway::Gateway;
use platform::Context;
use platform::queue::each_message;
use platform::telemetry::Telemetry;

#[derive(Clone)]
pub struct Stores {
    gateway: Gateway,
    telemetry: Telemetry,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { gateway: Gateway::new(context)?, telemetry: context.telemetry.clone() })
    }
}

/// Carries out the jobs of an SQS batch. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(&stores.telemetry, event, |hint| Box::pin(stores.gateway.generate_images(hint))).await
}
