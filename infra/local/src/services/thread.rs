//! The thread of the embedded services' background work: merging the log of the database and writing snapshots block it, and
//! not the functions. It also serves the ports, so that calls of other processes are answered even then.

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

    /// Moves a bound listener to the runtime of the thread, and serves it there.
    pub fn serve<F>(&self, bound: TcpListener, serve: impl FnOnce(TcpListener) -> F) -> Result<(), Failure>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let bound = bound.into_std().map_err(Failure::Thread)?;
        self.enter(|| {
            let listener = TcpListener::from_std(bound).map_err(Failure::Thread)?;
            drop(tokio::spawn(serve(listener)));
            Ok(())
        })
    }
}
