//! Runs CPU-bound work on users' input (expressions, compilation of graphs, imports) on the blocking thread pool. The
//! async workers keep serving other requests.

use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tracing::Span;

use domain::{Error, Result};

/// How many pieces of work run at once: one per core except one, and at least one. Others wait for a free slot.
pub static SLOTS: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, |cores| cores.get() - 1).max(1));

static FREE: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(*SLOTS)));

/// Runs the work on a blocking thread. If it panics, the panic continues in the caller.
pub async fn offload<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    run_in(&FREE, work).await
}

async fn run_in<T: Send + 'static>(
    slots: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let slot = slots.clone().acquire_owned().await.map_err(Error::internal)?;
    let span = Span::current();
    let running = spawn_blocking(move || {
        // The work owns its slot, because it continues after its caller was cancelled.
        let _slot = slot;
        span.in_scope(work)
    });
    match running.await {
        Ok(outcome) => outcome,
        Err(failure) => match failure.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(cancelled) => Err(Error::internal(cancelled)),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;
    use std::sync::mpsc::sync_channel;
    use std::thread::current;

    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn async_worker_is_not_blocked_while_all_slots_are_in_use() {
        const SLOTS: usize = 2;
        const WORKS: usize = 5;
        let slots = Arc::new(Semaphore::new(SLOTS));
        let (started, starts) = sync_channel(WORKS);
        let (mut works, mut gates) = (Vec::new(), Vec::new());
        for _ in 0..WORKS {
            let (open, gate) = sync_channel::<()>(1);
            let (slots, started) = (slots.clone(), started.clone());
            gates.push(open);
            works.push(tokio::spawn(async move {
                let work = move || {
                    started.send(current().id()).map_err(Error::internal)?;
                    // Only the async worker opens the gate, so work that blocks the worker would never finish.
                    gate.recv().map_err(Error::internal)
                };
                run_in(&slots, work).await
            }));
        }
        // Every task gets a turn on the single worker, although no work has finished.
        for _ in 0..WORKS {
            tokio::task::yield_now().await;
        }
        for _ in 0..SLOTS {
            assert_ne!(starts.recv().unwrap(), current().id());
        }
        assert!(starts.try_recv().is_err(), "more work runs at once than there are slots");
        for gate in &gates {
            gate.send(()).unwrap();
        }
        for work in works {
            work.await.unwrap().unwrap();
        }
        assert_eq!(starts.try_iter().count(), WORKS - SLOTS);
    }

    #[tokio::test]
    async fn panic_of_the_work_reaches_the_caller_and_frees_its_slot() {
        let slots = Arc::new(Semaphore::new(1));
        for _ in 0..3 {
            let panicked = AssertUnwindSafe(run_in::<()>(&slots, || panic!("of the work"))).catch_unwind().await;
            assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "of the work");
        }
        assert_eq!(run_in(&slots, || Ok(7)).await.unwrap(), 7);
    }
}
