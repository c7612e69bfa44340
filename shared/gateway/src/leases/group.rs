//! Group commit: while one write is in flight, entries wait, and one of their callers writes them together next. There is no
//! task and no timer, and a caller that finds no write in flight writes at once.
//!
//! A caller may be dropped at any time. If it was writing, the outcome is unknown: the entries of the others still wait, and
//! one of their callers writes them again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use tokio::sync::oneshot;

/// What writes entries. One caller has it at a time.
pub trait Writer: Send {
    type Entry: Send + Sync;
    type Outcome: Send;

    /// Chooses the entries of a write: the caller's own first, and any of the others, which are in the order of arrival.
    fn choose(own: Arc<Self::Entry>, others: Vec<Arc<Self::Entry>>) -> Vec<Arc<Self::Entry>>;

    /// Returns the outcome of each entry, in their order.
    fn write<'a>(&'a mut self, entries: &'a [Arc<Self::Entry>]) -> BoxFuture<'a, Vec<Self::Outcome>>;
}

pub struct Group<W: Writer> {
    state: Arc<Mutex<GroupState<W>>>,
}

struct GroupState<W: Writer> {
    /// None while a caller has its turn.
    writer: Option<W>,
    waiting: Vec<Waiting<W>>,
}

struct Waiting<W: Writer> {
    entry: Arc<W::Entry>,
    /// None for the caller that has its turn.
    caller: Option<oneshot::Sender<Wake<W>>>,
}

/// How a caller joins the group.
enum Joined<W: Writer> {
    /// No write is in flight, so it is the caller's turn.
    First(Turn<W>),
    Waits(oneshot::Receiver<Wake<W>>),
}

/// What wakes a caller that waits.
enum Wake<W: Writer> {
    /// Another caller has written its entry.
    Written(W::Outcome),
    Turn(Turn<W>),
}

/// The right to write. If it is dropped, it goes to the next caller that waits.
struct Turn<W: Writer> {
    writer: Option<W>,
    state: Arc<Mutex<GroupState<W>>>,
}

/// The place of an entry among those that wait, while its caller exists.
struct Place<W: Writer> {
    entry: Arc<W::Entry>,
    state: Arc<Mutex<GroupState<W>>>,
}

fn lock<W: Writer>(state: &Mutex<GroupState<W>>) -> MutexGuard<'_, GroupState<W>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W: Writer> Group<W> {
    pub fn new(writer: W) -> Self {
        Self { state: Arc::new(Mutex::new(GroupState { writer: Some(writer), waiting: Vec::new() })) }
    }

    /// Writes an entry, together with others that wait.
    pub async fn write(&self, entry: W::Entry) -> W::Outcome {
        let (place, joined) = self.join(entry);
        let turn = match joined {
            Joined::First(turn) => turn,
            Joined::Waits(woken) => {
                match woken.await.expect("an entry is removed only with its outcome or by its caller") {
                    Wake::Written(outcome) => return outcome,
                    Wake::Turn(turn) => turn,
                }
            }
        };
        turn.write(&place).await
    }

    /// Adds an entry.
    fn join(&self, entry: W::Entry) -> (Place<W>, Joined<W>) {
        let place = Place { entry: Arc::new(entry), state: self.state.clone() };
        let mut state = lock(&self.state);
        let (caller, joined) = match state.writer.take() {
            Some(writer) => (None, Joined::First(Turn { writer: Some(writer), state: self.state.clone() })),
            None => {
                let (caller, woken) = oneshot::channel();
                (Some(caller), Joined::Waits(woken))
            }
        };
        state.waiting.push(Waiting { entry: place.entry.clone(), caller });
        drop(state);
        (place, joined)
    }
}

impl<W: Writer> Turn<W> {
    async fn write(mut self, own: &Place<W>) -> W::Outcome {
        let others = {
            let state = lock(&self.state);
            let others = state.waiting.iter().filter(|waiting| !Arc::ptr_eq(&waiting.entry, &own.entry));
            others.map(|waiting| waiting.entry.clone()).collect()
        };
        let batch = W::choose(own.entry.clone(), others);
        let writer = self.writer.as_mut().expect("a turn has the writer");
        let mut outcomes = writer.write(&batch).await.into_iter();
        let callers: Vec<_> = {
            let mut state = lock(&self.state);
            batch.iter().map(|entry| state.remove(entry).and_then(|waiting| waiting.caller)).collect()
        };
        // The next write begins before the callers of this one go on.
        drop(self);
        let own = outcomes.next().expect("a write has an outcome for each entry");
        for (caller, outcome) in callers.into_iter().skip(1).zip(outcomes) {
            // A caller may be gone.
            caller.map(|caller| caller.send(Wake::Written(outcome)));
        }
        own
    }
}

impl<W: Writer> GroupState<W> {
    fn remove(&mut self, entry: &Arc<W::Entry>) -> Option<Waiting<W>> {
        let index = self.waiting.iter().position(|waiting| Arc::ptr_eq(&waiting.entry, entry))?;
        Some(self.waiting.remove(index))
    }
}

impl<W: Writer> Drop for Turn<W> {
    fn drop(&mut self) {
        while let Some(writer) = self.writer.take() {
            let caller = {
                let mut state = lock(&self.state);
                match state.waiting.iter_mut().find_map(|waiting| waiting.caller.take()) {
                    Some(caller) => caller,
                    None => {
                        state.writer = Some(writer);
                        return;
                    }
                }
            };
            let turn = Self { writer: Some(writer), state: self.state.clone() };
            if let Err(Wake::Turn(mut turn)) = caller.send(Wake::Turn(turn)) {
                // This caller is gone, so the turn goes to the next one.
                self.writer = turn.writer.take();
            }
        }
    }
}

impl<W: Writer> Drop for Place<W> {
    fn drop(&mut self) {
        lock(&self.state).remove(&self.entry);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::poll;
    use tokio::sync::Semaphore;

    use super::*;

    /// Writes numbers, when the test permits it.
    struct Numbers {
        permits: Arc<Semaphore>,
        written: Written,
    }

    impl Writer for Numbers {
        type Entry = u32;
        type Outcome = u32;

        fn choose(own: Arc<u32>, others: Vec<Arc<u32>>) -> Vec<Arc<u32>> {
            [own].into_iter().chain(others).collect()
        }

        fn write<'a>(&'a mut self, entries: &'a [Arc<u32>]) -> BoxFuture<'a, Vec<u32>> {
            Box::pin(async {
                self.permits.acquire().await.unwrap().forget();
                let entries: Vec<u32> = entries.iter().map(|entry| **entry).collect();
                self.written.lock().unwrap().push(entries.clone());
                entries
            })
        }
    }

    /// What was written, in groups.
    type Written = Arc<Mutex<Vec<Vec<u32>>>>;

    fn group() -> (Group<Numbers>, Arc<Semaphore>, Written) {
        let (permits, written) = (Arc::new(Semaphore::new(0)), Arc::new(Mutex::default()));
        (Group::new(Numbers { permits: permits.clone(), written: written.clone() }), permits, written)
    }

    #[tokio::test]
    async fn entries_that_wait_are_written_together() {
        let (group, permits, written) = group();
        let (mut one, mut two, mut three) = (pin!(group.write(1)), pin!(group.write(2)), pin!(group.write(3)));
        assert!(poll!(&mut one).is_pending() && poll!(&mut two).is_pending() && poll!(&mut three).is_pending());
        permits.add_permits(2);
        assert_eq!(
            (one.await, two.await, three.await, written.lock().unwrap().clone()),
            (1, 2, 3, vec![vec![1], vec![2, 3]])
        );
        permits.add_permits(1);
        assert_eq!(poll!(pin!(group.write(4))), std::task::Poll::Ready(4));
    }

    #[tokio::test]
    async fn a_writer_that_is_dropped_leaves_its_turn_to_the_next_caller() {
        let (group, permits, written) = group();
        let mut one = Box::pin(group.write(1));
        let (mut two, mut three) = (pin!(group.write(2)), pin!(group.write(3)));
        assert!(poll!(&mut one).is_pending() && poll!(&mut two).is_pending() && poll!(&mut three).is_pending());
        drop(one);
        permits.add_permits(1);
        assert_eq!((two.await, three.await, written.lock().unwrap().clone()), (2, 3, vec![vec![2, 3]]));
    }

    #[tokio::test]
    async fn a_caller_that_is_dropped_when_its_turn_comes_leaves_it_to_the_next_one() {
        let (group, permits, written) = group();
        let mut one = pin!(group.write(1));
        let mut two = Box::pin(group.write(2));
        let mut three = pin!(group.write(3));
        assert!(poll!(&mut one).is_pending() && poll!(&mut two).is_pending() && poll!(&mut three).is_pending());
        permits.add_permits(2);
        assert_eq!(one.await, 1);
        drop(two);
        assert_eq!((three.await, written.lock().unwrap().clone()), (3, vec![vec![1], vec![3]]));
    }

    #[tokio::test]
    async fn a_caller_that_is_dropped_while_it_waits_is_not_written() {
        let (group, permits, written) = group();
        let mut one = pin!(group.write(1));
        let mut two = Box::pin(group.write(2));
        let mut three = pin!(group.write(3));
        assert!(poll!(&mut one).is_pending() && poll!(&mut two).is_pending() && poll!(&mut three).is_pending());
        drop(two);
        permits.add_permits(2);
        assert_eq!((one.await, three.await, written.lock().unwrap().clone()), (1, 3, vec![vec![1], vec![3]]));
        permits.add_permits(1);
        assert_eq!(group.write(4).await, 4);
    }
}
