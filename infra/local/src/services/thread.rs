//! The thread of the embedded services. A write to the database does not block the functions, and the CPU time of the
//! services can be measured separately.

use std::thread;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::failure::Failure;

/// How long `end` waits for the thread.
const GRACE: Duration = Duration::from_secs(5);

/// A runtime on a separate thread, which ends when this is dropped.
pub struct RuntimeThread {
    runtime: Handle,
    end: DropGuard,
    ended: oneshot::Receiver<()>,
}

impl RuntimeThread {
    pub fn start(name: &str) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::Thread)?;
        let (handle, end) = (runtime.handle().clone(), CancellationToken::new());
        let ended = end.clone().cancelled_owned();
        let (sender, receiver) = oneshot::channel();
        let run = move || {
            runtime.block_on(ended);
            drop(runtime);
            let _ = sender.send(());
        };
        thread::Builder::new().name(name.to_owned()).spawn(run).map_err(Failure::Thread)?;
        Ok(Self { runtime: handle, end: end.drop_guard(), ended: receiver })
    }

    /// Cancels the tasks of the thread, and waits until the thread has closed its files.
    pub async fn end(self) {
        drop(self.end);
        let _ = tokio::time::timeout(GRACE, self.ended).await;
    }

    /// Runs `start` so that the tasks it spawns run on the thread.
    pub fn enter<T>(&self, start: impl FnOnce() -> T) -> T {
        let _entered = self.runtime.enter();
        start()
    }

    /// Moves a bound listener to the runtime of the thread.
    pub fn listener(&self, bound: TcpListener) -> Result<TcpListener, Failure> {
        bound.into_std().and_then(|bound| self.enter(|| TcpListener::from_std(bound))).map_err(Failure::Thread)
    }
}
