//! The queues as one function sees them: limited to the permissions of the template, and recorded for tests.

use std::fmt;

use domain::Result;
use futures::FutureExt;
use futures::future::BoxFuture;
use platform::embedded_queues::EmbeddedQueues;

use crate::permissions::Permissions;
use crate::recorder::{Call, Recorder};
use crate::services::queues::Queues;

#[derive(Clone)]
pub struct FunctionQueues {
    pub queues: Queues,
    /// Tools and tests have none: they may do everything.
    pub permissions: Option<Permissions>,
    pub recorder: Option<Recorder>,
}

impl fmt::Debug for FunctionQueues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionQueues").finish_non_exhaustive()
    }
}

impl EmbeddedQueues for FunctionQueues {
    fn send<'a>(&'a self, queue_url: &'a str, body: String, delay_s: u32) -> BoxFuture<'a, Result<()>> {
        async move {
            if let Some(permissions) = &self.permissions {
                permissions.check_queue("SendMessage", queue_url)?;
            }
            self.queues.send(queue_url, body, delay_s).await?;
            if let Some(recorder) = &self.recorder {
                recorder.record(Call::new("SQS", "SendMessage"));
                // Tests stop a task at any call, as a crash would, so there each call pauses.
                tokio::task::yield_now().await;
            }
            Ok(())
        }
        .boxed()
    }
}
