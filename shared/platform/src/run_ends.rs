//! Announces the ends of runs within a process. Where the workers run in the process of the caller, as in `local`, a call
//! that waits for a run is woken and need not poll.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use domain::id::RunId;

/// The runs that calls of this process wait for.
#[derive(Clone, Default)]
pub struct RunEnds(Arc<Mutex<HashMap<RunId, watch::Sender<bool>>>>);

impl RunEnds {
    /// Begins to wait for the end of a run. Call it before the run is read, so that no end is missed.
    pub fn subscribe(&self, id: RunId) -> RunEndWaiter {
        let mut awaited = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = awaited.entry(id).or_insert_with(|| watch::Sender::new(false)).subscribe();
        RunEndWaiter { id, receiver, ends: self.clone() }
    }

    /// Wakes the calls that wait for a run whose end is stored.
    pub fn announce(&self, id: RunId) {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(sender) = sender {
            sender.send_replace(true);
        }
    }
}

/// A call that waits for the end of a run.
pub struct RunEndWaiter {
    id: RunId,
    receiver: watch::Receiver<bool>,
    ends: RunEnds,
}

impl RunEndWaiter {
    /// Returns when the end is announced.
    pub async fn ended(&mut self) {
        // The sender is dropped only after it has announced the end.
        let _ = self.receiver.wait_for(|has_ended| *has_ended).await;
    }
}

impl Drop for RunEndWaiter {
    fn drop(&mut self) {
        let mut awaited = self.ends.0.lock().unwrap_or_else(PoisonError::into_inner);
        // This waiter's own receiver is still counted.
        if awaited.get(&self.id).is_some_and(|sender| sender.receiver_count() <= 1) {
            awaited.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn an_end_wakes_all_waiters_of_the_run_and_no_other() {
        let (ends, id) = (RunEnds::default(), RunId::new());
        let (mut first, mut second, mut other) = (ends.subscribe(id), ends.subscribe(id), ends.subscribe(RunId::new()));
        assert_eq!(first.ended().now_or_never(), None);
        ends.announce(id);
        assert_eq!(first.ended().now_or_never(), Some(()));
        assert_eq!((second.ended().now_or_never(), other.ended().now_or_never()), (Some(()), None));
    }

    #[test]
    fn nothing_is_kept_when_nobody_waits() {
        let (ends, id) = (RunEnds::default(), RunId::new());
        ends.announce(id);
        let waiters = [ends.subscribe(id), ends.subscribe(id)];
        drop(waiters);
        drop(ends.subscribe(RunId::new()));
        assert!(ends.0.lock().unwrap().is_empty());
    }
}
