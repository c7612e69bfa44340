//! An in-memory cache with a time to live. Concurrent misses of one key share a single load.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

type CacheSlot<V> = (Instant, Arc<OnceCell<V>>);

pub struct Cache<K, V> {
    ttl: Duration,
    capacity: usize,
    slots: Mutex<HashMap<K, CacheSlot<V>>>,
}

impl<K: Eq + Hash + Clone, V: Clone> Cache<K, V> {
    pub fn new(ttl: Duration, capacity: usize) -> Self {
        Self { ttl, capacity, slots: Mutex::default() }
    }

    /// Returns the value of `key` and loads it if it is missing or expired. A failed load is not cached.
    pub async fn get_or_load<E>(&self, key: &K, load: impl AsyncFnOnce() -> Result<V, E>) -> Result<V, E> {
        let slot = self.slot(key);
        // Boxed, so that a read of the cache does not have the size of a load.
        slot.get_or_try_init(|| Box::pin(async { load().await })).await.cloned()
    }

    /// Removes `key`, so that the next read loads it again.
    pub fn forget(&self, key: &K) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// Returns the value of `key` if it is cached and not expired.
    pub fn get(&self, key: &K) -> Option<V> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let (born, slot) = slots.get(key)?;
        if born.elapsed() < self.ttl { slot.get().cloned() } else { None }
    }

    /// Stores a value and replaces the previous one.
    pub fn put(&self, key: &K, value: V) {
        let slot = Arc::new(OnceCell::new_with(Some(value)));
        self.insert(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner), key, slot);
    }

    fn slot(&self, key: &K) -> Arc<OnceCell<V>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((born, slot)) = slots.get(key)
            && now.duration_since(*born) < self.ttl
        {
            return slot.clone();
        }
        let slot = Arc::new(OnceCell::new());
        self.insert(&mut slots, key, slot.clone());
        slot
    }

    fn insert(&self, slots: &mut HashMap<K, CacheSlot<V>>, key: &K, slot: Arc<OnceCell<V>>) {
        let now = Instant::now();
        if slots.len() >= self.capacity {
            slots.retain(|_, (born, _)| now.duration_since(*born) < self.ttl);
        }
        if slots.len() >= self.capacity {
            slots.clear();
        }
        slots.insert(key.clone(), (now, slot));
    }
}
