//! SQS queues. Most messages only signal that work exists, and a table stores the work. The tasks of the guard are the
//! exception: their messages have the conversation to evaluate, which is needed only once.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::MessageAttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::embedded_queues::EmbeddedQueues;
use crate::telemetry::attributes::{
    MESSAGING_DESTINATION_NAME, MESSAGING_MESSAGE_ID, MESSAGING_OPERATION_NAME, MESSAGING_OPERATION_TYPE,
    MESSAGING_SYSTEM,
};
use crate::telemetry::metrics::Metric;
use crate::telemetry::{Span, SpanKind, TRACEPARENT, Telemetry, TraceContext};
use crate::{Context, aws};
use domain::{Error, Result};

/// The longest delay of SQS.
const MAX_DELAY_S: u128 = 900;
/// The data type of an attribute of a message.
const TEXT: &str = "String";

#[derive(Clone)]
pub struct Queue {
    backend: Backend,
    url: Arc<str>,
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
        let url = context.config.required(setting).map_err(Error::internal)?.into();
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
        // A delayed message begins a trace of its own. A workbench sends itself one each minute, so its trace would never end.
        let sender = TraceContext::current().filter(|_| delay_s == 0);
        let traceparent = sender.map(|context| context.traceparent());
        let client = match &self.backend {
            Backend::Sqs(client) => client,
            Backend::Embedded(queues) => return queues.send(&self.url, body, traceparent, delay_s).await,
        };
        let delay_s = (delay_s > 0).then_some(delay_s.cast_signed());
        let mut call = client.send_message().queue_url(&*self.url).message_body(body);
        if let Some(traceparent) = traceparent {
            let value = MessageAttributeValue::builder().data_type(TEXT).string_value(traceparent);
            call = call.message_attributes(TRACEPARENT, value.build().map_err(Error::internal)?);
        }
        let sent = Box::pin(call.set_delay_seconds(delay_s).send()).await;
        sent.map(drop).map_err(aws::convert_error)
    }
}

/// Handles the messages of a batch one by one and reports the failed ones, so that SQS redelivers only those. A message
/// continues the trace of its sender.
pub async fn each_message<M, F>(telemetry: &Telemetry, event: SqsEvent, handle: impl Fn(M) -> F) -> SqsBatchResponse
where
    M: DeserializeOwned,
    F: Future<Output = Result<()>>,
{
    let mut response = SqsBatchResponse::default();
    for record in event.records {
        let mut span = start_span(telemetry, &record);
        let message_id = record.message_id.unwrap_or_default();
        let message = serde_json::from_str(record.body.as_deref().unwrap_or_default());
        let handled = match message {
            Ok(message) => span.scope(handle(message)).await,
            Err(error) => Err(Error::internal(error)),
        };
        telemetry.count(Metric::Messages, &[if handled.is_ok() { "handled" } else { "failed" }], 1);
        if let Err(error) = handled {
            span.fail(error.code().into_owned());
            tracing::error!(?error, message_id, "a message failed and will be redelivered");
            response.add_failure(message_id);
        }
    }
    response
}

/// Starts the span of a message.
fn start_span(telemetry: &Telemetry, message: &SqsMessage) -> Span {
    if telemetry.exporter().is_none() {
        return Span::default();
    }
    let sender = message.message_attributes.get(TRACEPARENT).and_then(|value| value.string_value.as_deref());
    let queue = message.event_source_arn.as_deref().and_then(|arn| arn.rsplit(':').next()).unwrap_or_default();
    let sender = sender.and_then(TraceContext::read);
    let mut span = telemetry.start_span_below(sender, SpanKind::Consumer, format_args!("process {queue}"));
    if span.is_recording() {
        span.set(MESSAGING_SYSTEM, "aws_sqs");
        span.set(MESSAGING_OPERATION_NAME, "process");
        span.set(MESSAGING_OPERATION_TYPE, "process");
        span.set(MESSAGING_DESTINATION_NAME, queue.to_owned());
        span.set(MESSAGING_MESSAGE_ID, message.message_id.clone().unwrap_or_default());
    }
    span
}
