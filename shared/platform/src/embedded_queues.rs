//! Queues in this process, which take the place of SQS: `local` implements them.

use std::fmt::Debug;

use domain::Result;
use futures::future::BoxFuture;

pub trait EmbeddedQueues: Debug + Send + Sync {
    /// Sends a message that arrives after a delay. `traceparent` is the span of the sender.
    fn send<'a>(
        &'a self,
        queue_url: &'a str,
        body: String,
        traceparent: Option<String>,
        delay_s: u32,
    ) -> BoxFuture<'a, Result<()>>;
}
