//! The local replacement for Lambda's event source mappings: delivers messages from a queue to its worker, and deletes
//! those that the worker handled. Failed messages are delivered again after the queue's visibility timeout.

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{DeleteMessageBatchRequestEntry, Message};
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Delivers a batch to a worker: in this process, or through `cargo lambda watch`. `None` means that the call failed.
pub type Deliver = Box<dyn Fn(SqsEvent) -> BoxFuture<'static, Option<SqsBatchResponse>> + Send + Sync>;

pub struct Poller {
    pub client: Client,
    pub queue_url: String,
    pub batch_size: u32,
    /// The maximum number of batches that are handled at once.
    pub max_concurrency: u32,
    pub deliver: Deliver,
}

/// The wait time of a long poll. It is well below the timeout of AWS calls: a message of a call that timed out would
/// stay hidden for the visibility timeout.
const WAIT_S: i32 = 3;

impl Poller {
    /// Polls until the platform stops.
    pub async fn run(self, stop: CancellationToken) {
        let poller = Arc::new(self);
        let slots = Arc::new(Semaphore::new(poller.max_concurrency.max(1) as usize));
        let mut in_progress = JoinSet::new();
        loop {
            while in_progress.try_join_next().is_some() {}
            // A message is received only when a slot is free, because its visibility timeout begins then.
            let received = async {
                let slot = slots.clone().acquire_owned().await;
                (slot, poller.receive(WAIT_S).await)
            };
            let (slot, received) = tokio::select! {
                () = stop.cancelled() => break,
                received = received => received,
            };
            match received {
                Ok(messages) if messages.is_empty() => {}
                Ok(messages) => {
                    let poller = poller.clone();
                    in_progress.spawn(async move {
                        poller.handle(messages).await;
                        drop(slot);
                    });
                }
                Err(()) => tokio::time::sleep(Duration::from_secs(1)).await,
            }
        }
        // A received batch is handled to its end, even after `stop`.
        in_progress.join_all().await;
    }

    /// The messages that are in the queue now.
    pub async fn receive_now(&self) -> Vec<Message> {
        self.receive(0).await.unwrap_or_default()
    }

    async fn receive(&self, wait_s: i32) -> Result<Vec<Message>, ()> {
        let most = i32::try_from(self.batch_size.min(10)).unwrap_or(10);
        let call = self.client.receive_message().queue_url(&self.queue_url).max_number_of_messages(most);
        let received = call.wait_time_seconds(wait_s).send().await;
        received.map(|received| received.messages.unwrap_or_default()).map_err(|error| {
            tracing::warn!(?error, "a queue could not be polled");
        })
    }

    pub async fn handle(&self, messages: Vec<Message>) {
        if messages.is_empty() {
            return;
        }
        let Some(response) = (self.deliver)(event(&messages)).await else { return };
        let failed: Vec<_> = response.batch_item_failures.iter().map(|failure| &failure.item_identifier).collect();
        let handled =
            messages.iter().filter(|message| message.message_id.as_ref().is_none_or(|id| !failed.contains(&id)));
        let entries = handled.enumerate().filter_map(|(i, message)| {
            let receipt = message.receipt_handle.clone()?;
            DeleteMessageBatchRequestEntry::builder().id(i.to_string()).receipt_handle(receipt).build().ok()
        });
        let entries: Vec<_> = entries.collect();
        if !entries.is_empty() {
            let call = self.client.delete_message_batch().queue_url(&self.queue_url).set_entries(Some(entries));
            if let Err(error) = call.send().await {
                tracing::warn!(?error, "handled messages cannot be deleted; they will be delivered again");
            }
        }
    }
}

/// The event that Lambda sends for these messages.
fn event(messages: &[Message]) -> SqsEvent {
    let records = messages.iter().map(|message| {
        let mut record = SqsMessage::default();
        record.message_id = message.message_id.clone();
        record.receipt_handle = message.receipt_handle.clone();
        record.body = message.body.clone();
        record.event_source = Some("aws:sqs".to_owned());
        record
    });
    let mut event = SqsEvent::default();
    event.records = records.collect();
    event
}
