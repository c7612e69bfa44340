//! Queue worker: moves the environments of workbenches towards what their users want. A message names a workbench that may
//! need a step.

use std::sync::Arc;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use labs::{Backend, Provisioner};
use platform::Context;
use platform::queue::each_message;
use platform::telemetry::Telemetry;

#[derive(Clone)]
pub struct Stores {
    provisioner: Provisioner,
    telemetry: Telemetry,
}

impl Stores {
    pub fn new(context: &Context, backend: Arc<dyn Backend>) -> Result<Self> {
        Ok(Self { provisioner: Provisioner::new(context, backend)?, telemetry: context.telemetry.clone() })
    }
}

/// Makes the next steps of the workbenches of an SQS batch. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    let advance = |hint| async move { stores.provisioner.advance(hint).await.map(drop) };
    each_message(&stores.telemetry, event, |hint| Box::pin(advance(hint))).await
}
