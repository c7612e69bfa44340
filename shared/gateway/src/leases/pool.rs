//! The lease pool of one API key and one model in this process. One lease is open at a time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::close::{close, close_later};
use super::open::OpenLease;
use super::slot::LeaseSlot;
use super::{LeaseSource, Taken};
use domain::Result;
use domain::catalog::Model;
use domain::lease::{CallLimits, MAX_SLOTS, Payer};
use domain::money::Money;
use store::leases::{Grant, LeaseRequest};

/// Maximum grants for one call. A grant is repeated when the lease ends before the call takes a slot.
const MAX_GRANTS: usize = 3;

pub struct LeasePool {
    source: LeaseSource,
    state: Mutex<PoolState>,
    /// Serializes grants. Calls that wait for the lock take slots of the lease that was granted meanwhile.
    granting: tokio::sync::Mutex<()>,
    waiting: AtomicU32,
}

struct PoolState {
    open: Option<Arc<OpenLease>>,
    /// Number of slots for the next lease. It doubles after a lease was used up, and shrinks to the used slots after one
    /// was not.
    next_slots: u32,
    /// The need of recent calls. It sizes the slots so that most calls fit one.
    typical: CallLimits,
}

impl LeasePool {
    pub fn new(source: LeaseSource) -> Self {
        let state = Mutex::new(PoolState { open: None, next_slots: 1, typical: CallLimits::default() });
        Self { source, state, granting: tokio::sync::Mutex::default(), waiting: AtomicU32::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_open(&self) -> bool {
        self.state().open.is_some()
    }

    pub async fn take(self: &Arc<Self>, payer: &Payer, model: &Model, need: CallLimits) -> Result<Taken> {
        if let Some(slot) = self.take_from_open_lease(model, &need) {
            return Ok(Taken::Slot(slot));
        }
        let waits = Waits::new(&self.waiting);
        let _granting = self.granting.lock().await;
        let waiting = self.waiting.load(Ordering::Relaxed);
        drop(waits);
        // Another call may have granted a lease while this one waited.
        if let Some(slot) = self.take_from_open_lease(model, &need) {
            return Ok(Taken::Slot(slot));
        }
        for _ in 0..MAX_GRANTS {
            let request = self.next_request(model, need, waiting);
            let granted = match self.source.store.grant(payer, &request, self.source.clock.now()).await? {
                Grant::Granted(granted) => *granted,
                Grant::Short(shortage) => return Ok(Taken::Short(shortage)),
            };
            let open = Arc::new(OpenLease::new(granted, self.source.store.clone()));
            // The lease was sized for this call, so the call fits, unless the lease's window ended during the grant.
            let slot = open.take(&need, self.source.clock.now());
            self.replace(&open);
            if let Some(number) = slot {
                return Ok(Taken::Slot(LeaseSlot::new(self.source.clone(), open, number)));
            }
        }
        Err(domain::Error::busy("the granted leases ended before they could be used"))
    }

    fn take_from_open_lease(&self, model: &Model, need: &CallLimits) -> Option<LeaseSlot> {
        let open = self.state().open.clone().filter(|open| open.lease.price_version == model.version)?;
        let number = open.take(need, self.source.clock.now())?;
        Some(LeaseSlot::new(self.source.clone(), open, number))
    }

    fn next_request(&self, model: &Model, need: CallLimits, waiting: u32) -> LeaseRequest {
        let mut state = self.state();
        if let Some(open) = state.open.take() {
            // The lease ends also when it has free slots that are too small for this call.
            let (unused, of) = open.end();
            state.next_slots = if unused == 0 { of * 2 } else { (of - unused).max(1) }.min(MAX_SLOTS);
            close_later(self.source.clone(), open, Duration::ZERO);
        }
        let slots = state.next_slots.max(waiting).min(MAX_SLOTS);
        // The money and tokens of the typical need decay by an eighth per grant, so that one large call does not inflate the slots for long.
        let typical = state.typical;
        let lately = CallLimits {
            money: typical.money.less(Money::from_pico_usd(typical.money.pico_usd() / 8)),
            tokens: typical.tokens - typical.tokens / 8,
            images: typical.images,
        };
        state.typical = lately.max(&need);
        LeaseRequest {
            need,
            typical: state.typical,
            slots,
            model: model.name.clone(),
            pricing: model.pricing,
            price_version: model.version,
        }
    }

    fn replace(&self, open: &Arc<OpenLease>) {
        self.state().open = Some(open.clone());
        let admits_for = open.admits_for(self.source.clock.now());
        if admits_for.is_zero() || open.lease.is_wide() {
            close_later(self.source.clone(), open.clone(), admits_for);
        }
    }

    /// Ends and closes the open lease if it has no calls in flight. Returns whether there was one; if closing it fails, the
    /// sweep closes it.
    pub async fn close_idle(&self) -> Result<bool> {
        let Some(open) = ({
            let mut state = self.state();
            state.open.take_if(|open| open.is_idle())
        }) else {
            return Ok(false);
        };
        open.end();
        close(&self.source, &open).await;
        Ok(true)
    }
}

/// Counts one waiting call while it exists. Dropping it decrements the count, also when the call is cancelled.
struct Waits<'a>(&'a AtomicU32);

impl<'a> Waits<'a> {
    fn new(waiting: &'a AtomicU32) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
