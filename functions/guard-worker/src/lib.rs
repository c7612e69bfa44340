//! Queue worker: evaluates chats with `guard: true` after their answers, and retries checks of input that failed. A
//! message is one evaluation.

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

/// Makes the evaluations of an SQS batch. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(&stores.telemetry, event, |task| Box::pin(stores.gateway.handle_guard_task(task))).await
}
