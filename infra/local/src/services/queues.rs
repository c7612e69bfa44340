//! Embedded SQS for this process: messages are sent, received and deleted without HTTP, and each one wakes the poller of its
//! queue. Calls of other processes reach the same queues through SQS's API.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use awsim_core::{AwsError, Protocol, RequestContext, ServiceHandler};
use awsim_sqs::SqsService;
use domain::{Error, Result};
use platform::telemetry::TRACEPARENT;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::{ACCOUNT, REGION};

/// The queues, by awsim.
#[derive(Clone)]
pub struct Queues(Arc<Shared>);

struct Shared {
    sqs: SqsService,
    context: RequestContext,
    /// The signals of all queues, by name.
    wakes: Mutex<HashMap<String, Arc<Notify>>>,
}

/// A message that a poller has received.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ReceivedMessage {
    pub message_id: String,
    pub receipt_handle: String,
    pub body: String,
    #[serde(default)]
    message_attributes: HashMap<String, TextAttribute>,
}

impl ReceivedMessage {
    /// The span of the sender.
    pub fn traceparent(&self) -> Option<&str> {
        self.message_attributes.get(TRACEPARENT).map(|attribute| attribute.string_value.as_str())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TextAttribute {
    string_value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Received {
    #[serde(default)]
    messages: Vec<ReceivedMessage>,
}

impl Default for Queues {
    fn default() -> Self {
        let (sqs, context) = (SqsService::new(), RequestContext::new("sqs", REGION));
        Self(Arc::new(Shared { sqs, context, wakes: Mutex::default() }))
    }
}

impl Queues {
    pub async fn send(&self, queue_url: &str, body: String, traceparent: Option<String>, delay_s: u32) -> Result<()> {
        let mut request = json!({"QueueUrl": queue_url, "MessageBody": body, "DelaySeconds": delay_s});
        if let Some(traceparent) = traceparent {
            request["MessageAttributes"] = json!({TRACEPARENT: {"DataType": "String", "StringValue": traceparent}});
        }
        self.call("SendMessage", request).await.map(drop)
    }

    /// Receives the messages that are visible now. They are invisible to others until the timeout of the queue.
    pub async fn receive(&self, queue_url: &str, most: usize) -> Result<Vec<ReceivedMessage>> {
        let request = json!({"QueueUrl": queue_url, "MaxNumberOfMessages": most, "WaitTimeSeconds": 0,
                             "MessageAttributeNames": [TRACEPARENT]});
        let received = self.call("ReceiveMessage", request).await?;
        Ok(Received::deserialize(received).map_err(Error::internal)?.messages)
    }

    pub async fn delete(&self, queue_url: &str, receipt_handle: &str) -> Result<()> {
        self.call("DeleteMessage", json!({"QueueUrl": queue_url, "ReceiptHandle": receipt_handle})).await.map(drop)
    }

    async fn call(&self, operation: &str, request: Value) -> Result<Value> {
        let answer = self.handle(operation, request, &self.0.context).await;
        answer.map_err(|error| Error::internal(format!("{operation}: {}: {}", error.code, error.message)))
    }

    /// The signal of a queue. It keeps one wake-up while nobody waits for it.
    pub fn wake_of(&self, queue: &str) -> Arc<Notify> {
        let mut wakes = self.0.wakes.lock().unwrap_or_else(PoisonError::into_inner);
        wakes.entry(queue.to_owned()).or_default().clone()
    }

    /// Wakes the poller of a queue when a message becomes visible.
    fn wake(&self, queue: &str, delay_s: u64) {
        let wake = self.wake_of(queue);
        match delay_s {
            0 => wake.notify_one(),
            delay_s => drop(tokio::spawn(async move {
                sleep(Duration::from_secs(delay_s)).await;
                wake.notify_one();
            })),
        }
    }
}

/// The ARN of a queue.
pub fn arn(queue: &str) -> String {
    format!("arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}")
}

/// The redrive policy of a queue whose messages become dead letters after some tries.
pub fn dead_letter_policy(dead_letters: &str, tries: u32) -> Value {
    // awsim-sqs 0.8 counts every receive after the first twice, so that 5 would mean 3.
    let counted = 2 * tries - 1;
    json!({"deadLetterTargetArn": arn(dead_letters), "maxReceiveCount": counted})
}

/// SQS's API: the calls of this process, and those that the gateway of awsim parses.
#[async_trait]
impl ServiceHandler for Queues {
    fn service_name(&self) -> &str {
        self.0.sqs.service_name()
    }

    fn protocol(&self) -> Protocol {
        self.0.sqs.protocol()
    }

    async fn handle(
        &self,
        operation: &str,
        request: Value,
        context: &RequestContext,
    ) -> std::result::Result<Value, AwsError> {
        let sent = (operation == "SendMessage").then(|| {
            let url = request["QueueUrl"].as_str().unwrap_or_default();
            (url.rsplit('/').next().unwrap_or_default().to_owned(), request["DelaySeconds"].as_u64().unwrap_or(0))
        });
        let answer = self.0.sqs.handle(operation, request, context).await?;
        if let Some((queue, delay_s)) = sent {
            self.wake(&queue, delay_s);
        }
        Ok(answer)
    }

    fn snapshot(&self) -> Option<Vec<u8>> {
        self.0.sqs.snapshot()
    }

    fn restore(&self, data: &[u8]) -> std::result::Result<(), String> {
        self.0.sqs.restore(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://awsim.local/000000000000/work";
    const DEAD_LETTERS: &str = "http://awsim.local/000000000000/dead";
    const TRIES: usize = 3;

    /// A queue whose messages are visible again at once, and move to another queue after three tries.
    async fn queues() -> Queues {
        let queues = Queues::default();
        queues.call("CreateQueue", json!({"QueueName": "dead"})).await.unwrap();
        let policy = dead_letter_policy("dead", TRIES as u32).to_string();
        let attributes = json!({"VisibilityTimeout": "0", "RedrivePolicy": policy});
        queues.call("CreateQueue", json!({"QueueName": "work", "Attributes": attributes})).await.unwrap();
        queues
    }

    async fn receive(queues: &Queues, url: &str) -> Vec<String> {
        queues.receive(url, 10).await.unwrap().into_iter().map(|message| message.body).collect()
    }

    #[tokio::test]
    async fn a_message_that_is_never_deleted_becomes_a_dead_letter_after_its_tries() {
        let queues = queues().await;
        queues.send(URL, "poison".to_owned(), None, 0).await.unwrap();
        for attempt in 1..=TRIES {
            assert_eq!(receive(&queues, URL).await, ["poison"], "attempt {attempt}");
        }
        assert_eq!(receive(&queues, URL).await, [""; 0]);
        assert_eq!(receive(&queues, DEAD_LETTERS).await, ["poison"]);
    }

    #[tokio::test]
    async fn a_deleted_message_does_not_come_again() {
        let queues = queues().await;
        queues.send(URL, "done".to_owned(), None, 0).await.unwrap();
        let received = queues.receive(URL, 10).await.unwrap().remove(0);
        queues.delete(URL, &received.receipt_handle).await.unwrap();
        assert_eq!(receive(&queues, URL).await, [""; 0]);
    }

    #[tokio::test]
    async fn messages_in_flight_and_waiting_ones_survive_a_restart() {
        let before = queues().await;
        before.send(URL, "in flight".to_owned(), None, 0).await.unwrap();
        before.receive(URL, 1).await.unwrap();
        before.send(URL, "waiting".to_owned(), None, 0).await.unwrap();
        let after = Queues::default();
        after.restore(&before.snapshot().unwrap()).unwrap();
        let mut found = receive(&after, URL).await;
        found.sort();
        assert_eq!(found, ["in flight", "waiting"]);
    }
}
