//! Work that goes on after the answer to its caller. A process waits for it before it ends, and a Lambda before it is frozen.

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::telemetry::carry;

/// The tasks of a process.
#[derive(Clone)]
pub struct Tasks(watch::Sender<usize>);

impl Default for Tasks {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

/// A task in progress.
struct InProgress(watch::Sender<usize>);

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.send_modify(|tasks| *tasks -= 1);
    }
}

impl Tasks {
    pub fn spawn<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        self.0.send_modify(|tasks| *tasks += 1);
        let in_progress = InProgress(self.0.clone());
        tokio::spawn(carry(async move {
            let _in_progress = in_progress;
            work.await
        }))
    }

    /// Returns when no task is in progress.
    pub async fn ended(&self) {
        // The sender is not dropped before this receiver.
        let _ = self.0.subscribe().wait_for(|tasks| *tasks == 0).await;
    }
}
