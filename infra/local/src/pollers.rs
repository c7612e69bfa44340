//! The local replacement for Lambda's event source mappings: delivers messages from a queue to its worker, and deletes
//! those that the worker handled. Failed messages are delivered again after the queue's visibility timeout.

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent, SqsMessage, SqsMessageAttribute};
use futures::future::BoxFuture;
use platform::telemetry::TRACEPARENT;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::services::queues::{Queues, ReceivedMessage, arn};

/// Delivers a batch to a worker: in this process, or through `cargo lambda watch`. `None` means that the call failed.
pub type Deliver = Box<dyn Fn(SqsEvent) -> BoxFuture<'static, Option<SqsBatchResponse>> + Send + Sync>;

pub struct Poller {
    /// The function that handles the messages.
    pub function: String,
    pub queues: Queues,
    /// Signals that a message has arrived.
    pub wake: Arc<Notify>,
    /// How often the queue is read without a signal, for messages that become visible again.
    pub look_every: Duration,
    pub queue_url: String,
    pub batch_size: u32,
    /// The maximum number of batches that are handled at once.
    pub max_concurrency: u32,
    pub deliver: Deliver,
}

pub const LOOK_EVERY: Duration = Duration::from_secs(3);

impl Poller {
    /// Polls until the platform stops.
    pub async fn run(self, stop: CancellationToken) {
        let poller = Arc::new(self);
        let slots = Arc::new(Semaphore::new(poller.max_concurrency.max(1) as usize));
        let (mut in_progress, mut is_drained) = (JoinSet::new(), false);
        loop {
            while in_progress.try_join_next().is_some() {}
            // A message is received only when a slot is free, because its visibility timeout begins then.
            let received = async {
                let slot = slots.clone().acquire_owned().await;
                if is_drained {
                    let _ = timeout(poller.look_every, poller.wake.notified()).await;
                }
                (slot, poller.receive().await)
            };
            let (slot, received) = tokio::select! {
                () = stop.cancelled() => break,
                received = received => received,
            };
            // A message that arrives after the call is signalled.
            is_drained = received.as_ref().is_ok_and(|messages| messages.len() < poller.most());
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
    pub async fn receive_now(&self) -> Vec<ReceivedMessage> {
        self.receive().await.unwrap_or_default()
    }

    /// The maximum number of messages that one call receives.
    fn most(&self) -> usize {
        self.batch_size.min(10) as usize
    }

    async fn receive(&self) -> Result<Vec<ReceivedMessage>, ()> {
        self.queues.receive(&self.queue_url, self.most()).await.map_err(|error| {
            tracing::warn!(?error, "a queue could not be polled");
        })
    }

    pub async fn handle(&self, messages: Vec<ReceivedMessage>) {
        if messages.is_empty() {
            return;
        }
        let Some(response) = (self.deliver)(event(&self.queue_url, &messages)).await else { return };
        let failed: Vec<_> = response.batch_item_failures.iter().map(|failure| &failure.item_identifier).collect();
        for message in messages.iter().filter(|message| !failed.contains(&&message.message_id)) {
            if let Err(error) = self.queues.delete(&self.queue_url, &message.receipt_handle).await {
                tracing::warn!(?error, "a handled message cannot be deleted; it will be delivered again");
            }
        }
    }
}

/// The event that Lambda sends for these messages.
fn event(queue_url: &str, messages: &[ReceivedMessage]) -> SqsEvent {
    let queue_arn = arn(queue_url.rsplit('/').next().unwrap_or_default());
    let records = messages.iter().map(|message| {
        let mut record = SqsMessage::default();
        record.message_id = Some(message.message_id.clone());
        record.receipt_handle = Some(message.receipt_handle.clone());
        record.body = Some(message.body.clone());
        record.event_source = Some("aws:sqs".to_owned());
        record.event_source_arn = Some(queue_arn.clone());
        if let Some(traceparent) = message.traceparent() {
            let mut attribute = SqsMessageAttribute::default();
            attribute.string_value = Some(traceparent.to_owned());
            attribute.data_type = Some("String".to_owned());
            record.message_attributes.insert(TRACEPARENT.to_owned(), attribute);
        }
        record
    });
    let mut event = SqsEvent::default();
    event.records = records.collect();
    event
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::sync::mpsc;

    use super::*;
    use crate::data_dir::DataDir;
    use crate::runtime::{Runtime, Setup, THIS_MACHINE};
    use crate::services::{ServiceOptions, SyncMode};

    async fn start(data: &DataDir) -> Runtime {
        let setup = Setup {
            services: ServiceOptions { first_port: None, sync: SyncMode::Normal, count_units: false },
            base_url: "http://127.0.0.1:1",
            issuer_url: "http://127.0.0.1:1",
            outbound_allowed: THIS_MACHINE,
            workbench_capacity: "",
            own_ports: &[],
            max_outbound: 1,
            more_settings: Vec::new(),
        };
        Runtime::start(data, setup).await.unwrap()
    }

    #[tokio::test]
    async fn a_message_wakes_the_poller_also_after_its_delay() {
        let data = DataDir::temporary().unwrap();
        let runtime = start(&data).await;
        let (delivered, mut deliveries) = mpsc::unbounded_channel();
        let pollers = runtime.pollers(|name| {
            let delivered = delivered.clone();
            let deliver = move |event: SqsEvent| {
                event.records.into_iter().for_each(|record| delivered.send(record.body.unwrap_or_default()).unwrap());
                async { Some(SqsBatchResponse::default()) }.boxed()
            };
            (name == "run-worker").then(|| Box::new(deliver) as Deliver)
        });
        // The poller never looks without a signal.
        let poller = pollers.into_iter().next().map(|poller| Poller { look_every: Duration::MAX, ..poller }).unwrap();
        let (queues, queue_url) = (poller.queues.clone(), poller.queue_url.clone());
        let stop = CancellationToken::new();
        let polling = tokio::spawn(poller.run(stop.clone()));
        for (body, delay_s) in [("first", 0), ("second", 1), ("third", 0), ("fourth", 0)] {
            // As another process does.
            let send = runtime.aws.sqs().send_message().queue_url(&queue_url).message_body(body);
            send.delay_seconds(delay_s).send().await.unwrap();
            assert_eq!(deliveries.recv().await.unwrap(), body);
        }
        for number in 0..30 {
            queues.send(&queue_url, number.to_string(), None, 0).await.unwrap();
        }
        let mut burst = Vec::new();
        while burst.len() < 30 {
            burst.push(deliveries.recv().await.unwrap());
        }
        burst.sort_by_key(|body| body.parse::<u32>().unwrap());
        assert_eq!(burst, (0..30).map(|number| number.to_string()).collect::<Vec<_>>());
        stop.cancel();
        polling.await.unwrap();
        runtime.services.stop().await.unwrap();
    }
}
