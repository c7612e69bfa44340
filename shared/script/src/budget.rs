//! Counts what an execution uses, and stops it at its limits. A stop is final: nothing that the script does resets it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::limits::{LimitKind, Limits, RESERVE_BYTES};
use crate::memory::{Collector, ENGINE_INTERVAL, Meter, PollCounter};

/// The polls between two checks while the script uses little memory.
const MAX_INTERVAL: usize = 100;
/// One native operation may read the largest block, or all memory, between two polls. These products bound the bytes
/// that are read between two checks.
const BLOCK_BYTES_BETWEEN_CHECKS: usize = 16 << 20;
const HEAP_BYTES_BETWEEN_CHECKS: usize = 1 << 30;
/// An allocation counts as one step for each of these bytes.
const BYTES_PER_STEP: usize = 64;
/// The allocations, and their bytes, between two checks of the clock.
const ALLOCATIONS_BETWEEN_CHECKS: usize = 256;
const ALLOCATED_BYTES_BETWEEN_CHECKS: usize = 256 << 10;
/// After a stop, larger allocations fail if they do not fit in the memory.
const SMALL_BYTES: usize = 4 << 10;
/// After a stop, one small allocation fails each time the use grows by this much, or after this number of allocations. This
/// ends native loops that only allocate, and lets the engine allocate what it needs in between.
const REFUSAL_BYTES: usize = 256 << 10;
const ALLOCATIONS_BETWEEN_REFUSALS: usize = 100_000;
/// What the engine may allocate after the handler stopped it: the error that unwinds the script.
const UNWIND_BYTES: usize = 16 << 10;
/// The real clock is cheap to read. Processor time cannot grow faster, so it is read only after this time.
const CLOCK_PERIOD: Duration = Duration::from_millis(1);

/// The limit that was reached last in this process, for the report of a crash. Zero is none.
static LAST_STOP: AtomicU8 = AtomicU8::new(0);

/// The limit that was reached last in this process, as a number that a crash reports.
pub fn stop_mark() -> u8 {
    LAST_STOP.load(Ordering::Relaxed)
}

/// The limit that a crash reports.
pub fn limit_of_mark(mark: u8) -> Option<LimitKind> {
    usize::from(mark).checked_sub(1).and_then(|index| LimitKind::ALL.get(index).copied())
}

/// The use of one execution and its limits. It is shared by the allocator, the interrupt handler and the host functions.
pub struct Budget {
    limits: Cell<Limits>,
    counter: PollCounter,
    collector: Collector,
    armed: Cell<bool>,
    stopped: Cell<Option<LimitKind>>,
    work: Cell<u64>,
    interval: Cell<i32>,
    used_bytes: Cell<usize>,
    peak_bytes: Cell<usize>,
    largest_block: Cell<usize>,
    next_refusal: Cell<usize>,
    allocations_after_stop: Cell<usize>,
    unwind_bytes: Cell<usize>,
    unchecked_allocations: Cell<usize>,
    unchecked_bytes: Cell<usize>,
    started_cpu: Cell<Duration>,
    checked_at: Cell<Instant>,
}

impl Budget {
    pub fn new() -> Self {
        Self {
            limits: Cell::new(Limits::default()),
            counter: PollCounter::default(),
            collector: Collector::default(),
            armed: Cell::new(false),
            stopped: Cell::new(None),
            work: Cell::new(0),
            interval: Cell::new(ENGINE_INTERVAL),
            used_bytes: Cell::new(0),
            peak_bytes: Cell::new(0),
            largest_block: Cell::new(0),
            next_refusal: Cell::new(0),
            allocations_after_stop: Cell::new(0),
            unwind_bytes: Cell::new(0),
            unchecked_allocations: Cell::new(0),
            unchecked_bytes: Cell::new(0),
            started_cpu: Cell::new(thread_cpu_time()),
            checked_at: Cell::new(Instant::now()),
        }
    }

    /// The limit that was reached first.
    pub fn stopped(&self) -> Option<LimitKind> {
        self.stopped.get()
    }

    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// The most memory that was in use at once.
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes.get()
    }

    pub fn collector(&self) -> &Collector {
        &self.collector
    }

    /// Starts to enforce the limits. The engine cannot handle a failure while it creates a context, so this comes after it.
    pub fn arm(&self, limits: &Limits) {
        self.limits.set(*limits);
        self.next_refusal.set(limits.memory_bytes + RESERVE_BYTES / 8);
        self.started_cpu.set(thread_cpu_time());
        self.armed.set(true);
        self.work.set(0);
        if self.used_bytes.get() > limits.memory_bytes {
            self.stop(LimitKind::Memory);
        }
    }

    /// Starts to count the steps of the user's program. The steps before it, which prepare the context, are free.
    pub fn begin(&self, counter: &PollCounter) {
        self.counter.adopt(counter);
        self.work.set(0);
        self.set_interval();
    }

    /// Forgets the counter and the collector, because their context is about to be freed.
    pub fn end(&self) {
        self.counter.adopt(&PollCounter::default());
        self.collector.detach();
    }

    /// Stops the execution. The engine polls again at the next call or turn of a loop.
    pub fn stop(&self, kind: LimitKind) {
        if self.stopped.get().is_none() {
            self.stopped.set(Some(kind));
            LAST_STOP.store(kind as u8 + 1, Ordering::Relaxed);
            self.collector.disable();
        }
        self.counter.set(1);
    }

    /// Adds steps, and reports whether the execution may go on.
    pub fn charge(&self, steps: u64) -> bool {
        self.add_work(steps);
        self.check_time();
        self.stopped.get().is_none()
    }

    /// Handles an interrupt. Returns whether the engine must stop the script.
    pub fn poll(&self) -> bool {
        // The engine also polls in the search of regular expressions, which has a counter of its own.
        let in_search = self.counter.get().is_some_and(|left| left != ENGINE_INTERVAL);
        let steps = if in_search { ENGINE_INTERVAL } else { self.interval.get() };
        self.add_work(steps as u64);
        self.check_time();
        if self.stopped.get().is_some() {
            self.counter.set(1);
            self.unwind_bytes.set(UNWIND_BYTES);
            return true;
        }
        if !in_search {
            self.set_interval();
        }
        false
    }

    /// Lets the engine allocate what it needs to unwind the script, and ends native loops that only allocate.
    fn allow_after_stop(&self, size: usize) -> bool {
        let memory_bytes = self.limits.get().memory_bytes;
        if size <= self.unwind_bytes.get() {
            self.unwind_bytes.set(self.unwind_bytes.get() - size);
            return true;
        }
        // Some parts of the engine cannot handle a failure, so what fits in the memory is still allowed.
        if size > SMALL_BYTES {
            return size <= memory_bytes / 2 && self.used_bytes.get().saturating_add(size) <= memory_bytes;
        }
        self.allocations_after_stop.set(self.allocations_after_stop.get() + 1);
        if self.allocations_after_stop.get().is_multiple_of(ALLOCATIONS_BETWEEN_REFUSALS) {
            return false;
        }
        let after = self.used_bytes.get() + size;
        if after <= self.next_refusal.get() {
            return true;
        }
        if self.next_refusal.get() < memory_bytes + RESERVE_BYTES {
            self.next_refusal.set(after + REFUSAL_BYTES);
        }
        false
    }

    fn add_work(&self, steps: u64) {
        self.work.set(self.work.get().saturating_add(steps));
        if self.work.get() > self.limits.get().steps {
            self.stop(LimitKind::Steps);
        }
    }

    fn check_time(&self) {
        let now = Instant::now();
        if now.duration_since(self.checked_at.get()) < CLOCK_PERIOD {
            return;
        }
        self.checked_at.set(now);
        if thread_cpu_time().saturating_sub(self.started_cpu.get()) > self.limits.get().cpu_time {
            self.stop(LimitKind::Time);
        }
    }

    /// The number of polls until the next check.
    fn compute_interval(&self) -> i32 {
        let by_block = BLOCK_BYTES_BETWEEN_CHECKS / self.largest_block.get().max(1);
        let by_heap = HEAP_BYTES_BETWEEN_CHECKS / self.peak_bytes.get().max(1);
        by_block.min(by_heap).clamp(1, MAX_INTERVAL) as i32
    }

    fn set_interval(&self) {
        if self.counter.get().is_some() {
            self.interval.set(self.compute_interval());
            self.counter.set(self.interval.get());
        }
    }

    /// Brings the next check forward when a larger block appears.
    fn shorten_interval(&self) {
        let Some(left) = self.counter.get() else { return };
        let (past, next) = (self.interval.get() - left, self.compute_interval());
        if self.stopped.get().is_none() && next < left && past >= 0 {
            self.work.set(self.work.get() + past as u64);
            self.interval.set(next);
            self.counter.set(next);
        }
    }
}

impl Meter for Budget {
    fn allow(&self, size: usize) -> bool {
        if !self.armed.get() {
            return true;
        }
        self.add_work((1 + size / BYTES_PER_STEP) as u64);
        self.unchecked_allocations.set(self.unchecked_allocations.get() + 1);
        self.unchecked_bytes.set(self.unchecked_bytes.get().saturating_add(size));
        if self.unchecked_allocations.get() >= ALLOCATIONS_BETWEEN_CHECKS
            || self.unchecked_bytes.get() >= ALLOCATED_BYTES_BETWEEN_CHECKS
        {
            self.unchecked_allocations.set(0);
            self.unchecked_bytes.set(0);
            self.check_time();
        }
        let memory_bytes = self.limits.get().memory_bytes;
        if size > memory_bytes / 2 || self.used_bytes.get().saturating_add(size) > memory_bytes {
            self.stop(LimitKind::Memory);
        }
        self.stopped.get().is_none() || self.allow_after_stop(size)
    }

    fn add_block(&self, size: usize) {
        let used = self.used_bytes.get() + size;
        self.used_bytes.set(used);
        self.peak_bytes.set(self.peak_bytes.get().max(used));
        if size > self.largest_block.get() {
            self.largest_block.set(size);
            self.shorten_interval();
        }
    }

    fn remove_block(&self, size: usize) {
        self.used_bytes.set(self.used_bytes.get() - size);
    }
}

fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
