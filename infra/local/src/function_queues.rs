//! The queues as one function sees them: limited to the permissions of the template, and recorded for tests.

use std::fmt;

use domain::Result;
use futures::FutureExt;
use futures::future::BoxFuture;
use platform::embedded_queues::EmbeddedQueues;

use crate::function_access::FunctionAccess;
use crate::recorder::Call;
use crate::services::queues::Queues;

#[derive(Clone)]
pub struct FunctionQueues {
    pub queues: Queues,
    pub access: FunctionAccess,
}

impl fmt::Debug for FunctionQueues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionQueues").finish_non_exhaustive()
    }
}

impl EmbeddedQueues for FunctionQueues {
    fn send<'a>(
        &'a self,
        queue_url: &'a str,
        body: String,
        traceparent: Option<String>,
        delay_s: u32,
    ) -> BoxFuture<'a, Result<()>> {
        async move {
            self.access.require("sqs", "SendMessage", queue_url)?;
            self.queues.send(queue_url, body, traceparent, delay_s).await?;
            self.access.finish_call(|| Call::new("SQS", "SendMessage")).await;
            Ok(())
        }
        .boxed()
    }
}
