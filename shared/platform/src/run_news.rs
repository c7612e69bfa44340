//! Announces within a process what happens in runs. Where the workers run in the process of the caller, as in `local`, a
//! call that waits for a run or follows it is woken and need not poll.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use domain::id::RunId;

/// The runs that calls of this process watch, and whether their ends were announced.
type Watched = HashMap<RunId, watch::Sender<bool>>;

/// The news of the runs that calls of this process watch.
#[derive(Clone, Default)]
pub struct RunNews(Arc<Mutex<Watched>>);

impl RunNews {
    /// Begins to watch a run. Call it before the run is read, so that nothing is missed.
    pub fn watch(&self, id: RunId) -> RunWatcher {
        let receiver = self.lock().entry(id).or_insert_with(|| watch::Sender::new(false)).subscribe();
        RunWatcher { id, receiver, news: self.clone() }
    }

    /// Wakes the calls that watch a run, after events of it were stored.
    pub fn announce_events(&self, id: RunId) {
        if let Some(sender) = self.lock().get(&id) {
            sender.send_modify(|_| {});
        }
    }

    /// Wakes the calls that watch a run, after its end was stored.
    pub fn announce_end(&self, id: RunId) {
        let sender = self.lock().remove(&id);
        if let Some(sender) = sender {
            sender.send_replace(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that watches a run.
pub struct RunWatcher {
    id: RunId,
    receiver: watch::Receiver<bool>,
    news: RunNews,
}

impl RunWatcher {
    /// Returns when the end is announced.
    pub async fn ended(&mut self) {
        // The sender is dropped only after it has announced the end.
        let _ = self.receiver.wait_for(|has_ended| *has_ended).await;
    }

    /// Returns when events or the end are announced, or were since the last call. After the end, it never returns.
    pub async fn changed(&mut self) {
        if self.receiver.changed().await.is_err() {
            pending().await
        }
    }
}

impl Drop for RunWatcher {
    fn drop(&mut self) {
        let mut watched = self.news.lock();
        // This watcher's own receiver is still counted.
        if watched.get(&self.id).is_some_and(|sender| sender.receiver_count() <= 1) {
            watched.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn an_end_wakes_all_watchers_of_the_run_and_no_other() {
        let (news, id) = (RunNews::default(), RunId::new());
        let (mut first, mut second, mut other) = (news.watch(id), news.watch(id), news.watch(RunId::new()));
        assert_eq!(first.ended().now_or_never(), None);
        news.announce_end(id);
        assert_eq!(first.ended().now_or_never(), Some(()));
        assert_eq!((second.changed().now_or_never(), other.ended().now_or_never()), (Some(()), None));
        assert_eq!(second.changed().now_or_never(), None);
    }

    #[test]
    fn events_wake_those_that_follow_the_run() {
        let (news, id) = (RunNews::default(), RunId::new());
        let (mut follower, mut waiter) = (news.watch(id), news.watch(id));
        news.announce_events(id);
        assert_eq!(follower.changed().now_or_never(), Some(()));
        assert_eq!(follower.changed().now_or_never(), None);
        assert_eq!(waiter.ended().now_or_never(), None);
        news.announce_end(id);
        assert_eq!((follower.changed().now_or_never(), waiter.ended().now_or_never()), (Some(()), Some(())));
    }

    #[test]
    fn nothing_is_kept_when_nobody_watches() {
        let (news, id) = (RunNews::default(), RunId::new());
        news.announce_events(id);
        news.announce_end(id);
        let watchers = [news.watch(id), news.watch(id)];
        drop(watchers);
        drop(news.watch(RunId::new()));
        assert!(news.lock().is_empty());
    }
}
