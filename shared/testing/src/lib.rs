//! A guard for tests of hostile input: work that does not end is reported, and does not stop the run.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Far more than a busy machine needs for work that grows with its input, and far less than work that grows faster takes.
const PATIENCE: Duration = Duration::from_secs(300);

/// The result of the work. Panics when it hangs.
pub fn ends<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = channel();
    let worker = thread::spawn(move || drop(send.send(work())));
    match receive.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("{name} still runs after {PATIENCE:?}"),
        Err(RecvTimeoutError::Disconnected) => resume_unwind(worker.join().expect_err("it sends unless it panics")),
    }
}
