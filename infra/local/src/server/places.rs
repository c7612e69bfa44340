//! The connections that wait for their client: for the rest of a request, for the next one, or for the client to read the
//! answer. When all places are taken, the one that has waited longest is closed, so clients that never send a whole request
//! cannot lock out the others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// All connections that wait for their client, in the order in which they began to wait.
#[derive(Clone, Default)]
pub struct Places(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    next: u64,
    connections: BTreeMap<u64, CancellationToken>,
}

impl Places {
    /// A place for a new connection, which waits for its first request.
    pub fn add(&self) -> Arc<Place> {
        let place = Place { places: self.clone(), closed: CancellationToken::new(), waits: Mutex::new(None) };
        place.wait();
        Arc::new(place)
    }

    /// Closes the connection that has waited longest for its client. Returns whether there was one.
    pub fn close_longest_waiting(&self) -> bool {
        match self.lock().connections.pop_first() {
            Some((_, closed)) => {
                closed.cancel();
                true
            }
            None => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one connection. It is released when the connection ends.
pub struct Place {
    places: Places,
    closed: CancellationToken,
    /// The number of this connection among those that wait; `None` while the platform works for it.
    waits: Mutex<Option<u64>>,
}

impl Place {
    /// The connection waits for its client from now on. A connection that waits already keeps its turn.
    pub fn wait(&self) {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.is_some() {
            return;
        }
        let mut waiting = self.places.lock();
        let number = waiting.next;
        waiting.next += 1;
        waiting.connections.insert(number, self.closed.clone());
        *waits = Some(number);
    }

    /// The platform works for the connection from now on. Returns `false` if the connection is closed already.
    pub fn work(&self) -> bool {
        if let Some(number) = self.waits.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.places.lock().connections.remove(&number);
        }
        !self.closed.is_cancelled()
    }

    /// Waits until the connection is closed in favour of another one.
    pub async fn closed(&self) {
        self.closed.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.work();
    }
}
