//! A thread that is not the functions': a row that is being written holds up no call beside it, and the system's own
//! counters tell the time of the services from the time of the functions.

use std::thread;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::failure::Failure;

/// How long what is under way there may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// A runtime on one thread, which ends with this.
pub struct OwnThread {
    runtime: Handle,
    end: DropGuard,
    ended: oneshot::Receiver<()>,
}

impl OwnThread {
    pub fn start(name: &str) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::Thread)?;
        let (handle, end) = (runtime.handle().clone(), CancellationToken::new());
        let ended = end.clone().cancelled_owned();
        let (say, heard) = oneshot::channel();
        let run = move || {
            runtime.block_on(ended);
            drop(runtime);
            let _ = say.send(());
        };
        thread::Builder::new().name(name.to_owned()).spawn(run).map_err(Failure::Thread)?;
        Ok(Self { runtime: handle, end: end.drop_guard(), ended: heard })
    }

    /// Ends what runs there and waits until it is gone, with the files it had open.
    pub async fn end(self) {
        drop(self.end);
        let _ = tokio::time::timeout(GRACE, self.ended).await;
    }

    /// What `start` spawns runs there.
    pub fn enter<T>(&self, start: impl FnOnce() -> T) -> T {
        let _entered = self.runtime.enter();
        start()
    }

    /// A listener that was bound elsewhere, as one of this thread's.
    pub fn listener(&self, bound: TcpListener) -> Result<TcpListener, Failure> {
        bound.into_std().and_then(|bound| self.enter(|| TcpListener::from_std(bound))).map_err(Failure::Thread)
    }
}
