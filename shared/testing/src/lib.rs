//! What the tests of several crates need. Here is a timeout for tests with hostile input: work that does not finish fails
//! its test instead of blocking the test run.

pub mod databases;
pub mod mail;
pub mod mcp;

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Linear work finishes well within this time even on a busy machine; work of a higher complexity does not.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Returns the result of the work. Panics if it does not finish in time.
pub fn run_with_timeout<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = channel();
    let worker = thread::spawn(move || drop(send.send(work())));
    match receive.recv_timeout(TIMEOUT) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("{name} still runs after {TIMEOUT:?}"),
        Err(RecvTimeoutError::Disconnected) => resume_unwind(worker.join().expect_err("it sends unless it panics")),
    }
}
