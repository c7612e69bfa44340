//! SQS queues. Most messages only signal that work exists, and a table stores the work. The tasks of the guard are the
//! exception: their messages have the conversation to evaluate, which is needed only once.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use aws_sdk_sqs::Client;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::embedded_queues::EmbeddedQueues;
use crate::{Context, aws};
use domain::{Error, Result};

/// The longest delay of SQS.
const MAX_DELAY_S: u128 = 900;

#[derive(Clone)]
pub struct Queue {
    backend: Backend,
    url: String,
}

/// What carries out the calls.
#[derive(Clone)]
enum Backend {
    Sqs(Client),
    Embedded(Arc<dyn EmbeddedQueues>),
}

impl Queue {
    /// The queue whose URL is in the given setting.
    pub fn new(context: &Context, setting: &'static str) -> Result<Self> {
        let url = context.config.required(setting).map_err(Error::internal)?.to_owned();
        let backend = match context.aws.queues() {
            Some(queues) => Backend::Embedded(queues),
            None => Backend::Sqs(context.aws.sqs()),
        };
        Ok(Self { backend, url })
    }

    pub async fn send(&self, message: &impl Serialize) -> Result<()> {
        self.send_after(message, Duration::ZERO).await
    }

    /// Sends the hint that stored work is due after a delay. A failure is only logged: the ticker sends the hint again.
    pub async fn send_hint(&self, hint: &(impl Serialize + Debug), delay: Duration) {
        if let Err(error) = self.send_after(hint, delay).await {
            tracing::warn!(?error, ?hint, "a hint was not sent; the ticker will send it again");
        }
    }

    /// Sends a message that arrives after a delay, at most 15 minutes. The delay is rounded up to seconds: a message that
    /// arrives too early would have to be sent again.
    pub async fn send_after(&self, message: &impl Serialize, delay: Duration) -> Result<()> {
        let body = serde_json::to_string(message).map_err(Error::internal)?;
        let delay_s = delay.as_millis().div_ceil(1_000).min(MAX_DELAY_S) as u32;
        let client = match &self.backend {
            Backend::Sqs(client) => client,
            Backend::Embedded(queues) => return queues.send(&self.url, body, delay_s).await,
        };
        let delay_s = (delay_s > 0).then_some(delay_s.cast_signed());
        let call = client.send_message().queue_url(&self.url).message_body(body);
        let sent = call.set_delay_seconds(delay_s).send().await;
        sent.map(drop).map_err(aws::convert_error)
    }
}

/// Handles the messages of a batch one by one and reports the failed ones, so that SQS redelivers only those.
pub async fn each_message<M, F>(event: SqsEvent, handle: impl Fn(M) -> F) -> SqsBatchResponse
where
    M: DeserializeOwned,
    F: Future<Output = Result<()>>,
{
    let mut response = SqsBatchResponse::default();
    for record in event.records {
        let message_id = record.message_id.unwrap_or_default();
        let message = serde_json::from_str(record.body.as_deref().unwrap_or_default());
        let handled = match message {
            Ok(message) => handle(message).await,
            Err(error) => Err(Error::internal(error)),
        };
        if let Err(error) = handled {
            tracing::error!(?error, message_id, "a message failed and will be redelivered");
            response.add_failure(message_id);
        }
    }
    response
}
