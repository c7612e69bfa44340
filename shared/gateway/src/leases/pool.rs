//! The lease pool of one API key and one model in this process. One lease is open at a time, and the next one may be granted
//! ahead of need.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::close::{close, close_later};
use super::open::OpenLease;
use super::slot::LeaseSlot;
use super::{LeaseSource, SlotRequest, Taken};
use domain::lease::{CallLimits, MAX_SLOTS};
use domain::money::Money;
use domain::{Error, Result};
use store::leases::{Grant, GrantedLease, LeaseRequest};

/// Maximum grants for one call. A grant is repeated when the lease ends before the call takes a slot.
const MAX_GRANTS: usize = 3;

pub struct LeasePool {
    source: LeaseSource,
    state: Mutex<PoolState>,
    /// Serializes grants. Calls that wait for the lock take slots of the lease that was granted meanwhile.
    granting: tokio::sync::Mutex<()>,
    /// Held while a lease is granted ahead of need.
    renewing: Arc<tokio::sync::Mutex<()>>,
    waiting: AtomicU32,
}

struct PoolState {
    open: Option<Arc<OpenLease>>,
    /// The lease that follows the open one. No call has taken a slot of it.
    next: Option<Arc<OpenLease>>,
    /// Number of slots for the next lease. It doubles after a lease was used up, and shrinks to the used slots after one
    /// was not.
    next_slots: u32,
    /// The need of recent calls. It sizes the slots so that most calls fit one.
    typical: CallLimits,
}

impl LeasePool {
    pub fn new(source: LeaseSource) -> Self {
        let state = Mutex::new(PoolState { open: None, next: None, next_slots: 1, typical: CallLimits::default() });
        let (granting, renewing) = (tokio::sync::Mutex::default(), Arc::default());
        Self { source, state, granting, renewing, waiting: AtomicU32::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_open(&self) -> bool {
        let state = self.state();
        state.open.is_some() || state.next.is_some()
    }

    pub async fn take(self: &Arc<Self>, call: SlotRequest<'_>) -> Result<Taken> {
        if let Some(slot) = self.take_from_lease(call) {
            return Ok(Taken::Slot(slot));
        }
        let waits = Waits::new(&self.waiting);
        let _granting = self.granting.lock().await;
        let waiting = self.waiting.load(Ordering::Relaxed);
        drop(waits);
        drop(self.renewing.lock().await);
        // A lease may have been granted while this call waited.
        if let Some(slot) = self.take_from_lease(call) {
            return Ok(Taken::Slot(slot));
        }
        for _ in 0..MAX_GRANTS {
            let request = self.next_request(call, waiting);
            let granted = match self.source.store.grant(call.payer, &request, self.source.clock.now()).await? {
                Grant::Granted(granted) => *granted,
                Grant::Short(shortage) => return Ok(Taken::Short(shortage)),
                Grant::TooFew => return Err(Error::internal("a lease for one call covers none")),
            };
            let open = Arc::new(OpenLease::new(granted, self.source.store.clone()));
            // The lease was sized for this call, so the call fits, unless the lease's window ended during the grant.
            let slot = open.take(&call, self.source.clock.now());
            self.replace(&open);
            if let Some(number) = slot {
                return Ok(Taken::Slot(LeaseSlot::new(self.source.clone(), open, number)));
            }
        }
        Err(Error::busy("the granted leases ended before they could be used"))
    }

    /// Takes a slot of the open lease, or of the next one.
    fn take_from_lease(self: &Arc<Self>, call: SlotRequest<'_>) -> Option<LeaseSlot> {
        let (open, number) = {
            let (mut state, now) = (self.state(), self.source.clock.now());
            let take = |lease: &Option<Arc<OpenLease>>| {
                let lease = lease.as_ref().filter(|lease| lease.lease.price_version == call.model.version)?;
                Some((lease.clone(), lease.take(&call, now)?))
            };
            take(&state.open).or_else(|| {
                let taken = take(&state.next)?;
                let next = state.next.take();
                if let Some(over) = std::mem::replace(&mut state.open, next) {
                    over.end();
                    close_later(self.source.clone(), over, Duration::ZERO);
                }
                Some(taken)
            })?
        };
        self.renew(&open, call);
        Some(LeaseSlot::new(self.source.clone(), open, number))
    }

    /// Requests the next lease in the background, if the open one asks for it. It must have room for more than one call: near
    /// a limit, no lease is granted that no call waits for.
    fn renew(self: &Arc<Self>, open: &Arc<OpenLease>, call: SlotRequest<'_>) {
        let Some(slots) = open.request_successor(self.source.clock.now()) else { return };
        let Ok(renewing) = self.renewing.clone().try_lock_owned() else { return };
        let request = {
            let mut state = self.state();
            state.next_slots = slots;
            LeaseRequest { least: 2, ..state.request(call, 0) }
        };
        let (pool, open, payer) = (self.clone(), open.clone(), call.payer.clone());
        tokio::spawn(async move {
            match pool.source.store.grant(&payer, &request, pool.source.clock.now()).await {
                Ok(Grant::Granted(granted)) => pool.add_next(&open, *granted),
                // The call that needs it asks again, and gets the reason.
                Ok(Grant::Short(_) | Grant::TooFew) => {}
                Err(error) => tracing::warn!(?error, "a lease could not be renewed ahead of need"),
            }
            drop(renewing);
        });
    }

    fn add_next(&self, open: &Arc<OpenLease>, granted: GrantedLease) {
        let next = Arc::new(OpenLease::new(granted, self.source.store.clone()));
        let mut state = self.state();
        let follows = state.open.as_ref().is_some_and(|now_open| Arc::ptr_eq(now_open, open));
        if follows {
            state.next = Some(next.clone());
        } else {
            next.end();
        }
        close_later(self.source.clone(), next.clone(), next.admits_for(self.source.clock.now()));
    }

    fn next_request(&self, call: SlotRequest<'_>, waiting: u32) -> LeaseRequest {
        let mut state = self.state();
        if let Some(open) = state.open.take() {
            // The lease ends also when it has free slots that are too small for this call.
            let (unused, of) = open.end();
            state.next_slots = if unused == 0 { of * 2 } else { (of - unused).max(1) }.min(MAX_SLOTS);
            close_later(self.source.clone(), open, Duration::ZERO);
        }
        if let Some(next) = state.next.take() {
            next.end();
            close_later(self.source.clone(), next, Duration::ZERO);
        }
        state.request(call, waiting)
    }

    fn replace(&self, open: &Arc<OpenLease>) {
        self.state().open = Some(open.clone());
        let admits_for = open.admits_for(self.source.clock.now());
        if admits_for.is_zero() || open.lease.is_wide() {
            close_later(self.source.clone(), open.clone(), admits_for);
        }
    }

    /// Ends and closes the open lease if it has no calls in flight, and the next one. Returns whether there was any; if closing
    /// fails, the sweep closes it.
    pub async fn close_idle(&self) -> Result<bool> {
        drop(self.renewing.lock().await);
        let idle = {
            let mut state = self.state();
            [state.open.take_if(|open| open.is_idle()), state.next.take()]
        };
        let mut any = false;
        for lease in idle.into_iter().flatten() {
            lease.end();
            close(&self.source, &lease).await;
            any = true;
        }
        Ok(any)
    }
}

impl PoolState {
    fn request(&mut self, SlotRequest { model, need, .. }: SlotRequest<'_>, waiting: u32) -> LeaseRequest {
        // The money and tokens of the typical need decay by an eighth per grant, so that one large call does not inflate the slots for long.
        let typical = self.typical;
        let lately = CallLimits {
            money: typical.money.less(Money::from_pico_usd(typical.money.pico_usd() / 8)),
            tokens: typical.tokens - typical.tokens / 8,
            images: typical.images,
        };
        self.typical = lately.max(&need);
        LeaseRequest {
            need,
            typical: self.typical,
            slots: self.next_slots.max(waiting).min(MAX_SLOTS),
            least: 1,
            model: model.name.to_owned(),
            pricing: model.pricing,
            price_version: model.version,
        }
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
