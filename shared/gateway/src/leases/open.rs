//! An open lease in the memory of its owner: free slots, calls in flight and the sums of its charges.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::lease::{CounterKind, LEASE_DURATION, Lease, MAX_SLOTS};
use domain::ledger::{Charge, Spent};
use domain::limits::Dimension;
use domain::money::Money;
use domain::spend::LeaseLabels;
use domain::time::Time;
use store::leases::GrantedLease;
use store::meters::Meter;

use super::SlotRequest;
use super::group::Group;
use super::log::LogWriter;

/// The least number of slots of a lease that is renewed before it is used up. Smaller ones are those of a pool whose rate is not
/// known yet, or of one near a limit.
const LEAST_RENEWED: u32 = 16;
/// A lease is renewed within this time before its end.
const RENEWED_BEFORE_MS: i64 = 2_000;

pub struct OpenLease {
    pub lease: Arc<Lease>,
    /// The log of its charges.
    pub log: Group<LogWriter>,
    granted: GrantedLease,
    state: Mutex<OpenLeaseState>,
}

struct OpenLeaseState {
    /// Slots that no call has taken.
    free: Vec<u32>,
    in_flight: u32,
    /// The tags and end users of all calls that have taken a slot.
    labels: LeaseLabels,
    spent: Spent,
    /// The calls that were charged, for the log of calls.
    calls: Vec<Charge>,
    /// Money that finished calls did not need. It covers other calls that cost more than their slots hold.
    spare: Money,
    /// The lease admits no more calls. The last call in flight closes it.
    is_ending: bool,
    /// A call ended without a charge, so the sweep closes the lease.
    is_abandoned: bool,
    /// The next lease was requested.
    has_successor: bool,
}

/// The caller's remaining quota, as the response headers report it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuotaLeft {
    pub requests: Option<Remaining>,
    pub tokens: Option<Remaining>,
    /// None on a billing-exempt plan.
    pub credits: Option<Money>,
    /// Whether the credits are below a tenth of the balance after the last grant of credits.
    pub credits_are_low: bool,
}

/// The rate limit with the least left, over all levels and windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remaining {
    pub limit: u64,
    pub remaining: u64,
    pub resets_at: i64,
}

impl OpenLease {
    pub fn new(granted: GrantedLease, store: store::Leases) -> Self {
        let lease = Arc::new(granted.lease.clone());
        let log = Group::new(LogWriter::new(store, lease.clone()));
        // Slots are popped from the end, so the reversed list hands them out in ascending order.
        let free = (1..=lease.slots).rev().collect();
        let (spent, spare) = (Spent::default(), Money::ZERO);
        let state = OpenLeaseState {
            free,
            in_flight: 0,
            labels: LeaseLabels::default(),
            spent,
            calls: Vec::new(),
            spare,
            is_ending: false,
            is_abandoned: false,
            has_successor: false,
        };
        Self { lease, log, granted, state: Mutex::new(state) }
    }

    /// The lease of a job, in the memory of the worker that carries it out. Its only slot is taken.
    pub fn of_job(lease: Lease, store: store::Leases) -> Self {
        let open = Self::new(GrantedLease { lease, headrooms: Vec::new(), org: Meter::default() }, store);
        open.take_only_slot();
        open
    }

    /// Takes the only slot of a lease that was granted for one call.
    pub fn take_only_slot(&self) {
        let mut state = self.state();
        state.free.clear();
        state.in_flight = 1;
    }

    fn state(&self) -> MutexGuard<'_, OpenLeaseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a free slot, if the lease still admits calls, and has room for this call and its labels.
    pub fn take(&self, SlotRequest { need, labels, .. }: &SlotRequest<'_>, now: Time) -> Option<u32> {
        let mut state = self.state();
        if state.is_ending || now >= self.lease.admits_until || !need.fits(&self.lease.unit) {
            return None;
        }
        if state.free.is_empty() || !state.labels.add(labels) {
            return None;
        }
        state.in_flight += 1;
        state.free.pop()
    }

    /// Sets money of the lease aside for a call that costs `overage` more than its slot holds: spare money first, then
    /// free slots, which no call can take afterwards. Returns the amount found, which may be less than `overage`.
    pub fn cover(&self, overage: Money) -> Money {
        let mut state = self.state();
        while state.spare < overage && state.free.pop().is_some() {
            state.spare += self.lease.unit.money;
        }
        let covered = overage.min(state.spare);
        state.spare = state.spare.less(covered);
        covered
    }

    /// Frees the slot of a call that is not charged, and returns the money set aside for it.
    pub fn put_back(&self, slot: u32, covered: Money) {
        let mut state = self.state();
        state.in_flight -= 1;
        state.spare += covered;
        state.free.push(slot);
    }

    /// Adds the charge of a finished call. `covered` is the money that was set aside for it besides its slot.
    pub fn add(&self, charge: Charge, covered: Money) {
        let mut state = self.state();
        state.in_flight -= 1;
        state.spare += (self.lease.unit.money + covered).less(charge.from_lease());
        state.spent.add(&charge);
        state.calls.push(charge);
    }

    /// Ends the lease after a call with an unknown end. The sweep closes it.
    pub fn abandon(&self) {
        let mut state = self.state();
        state.in_flight -= 1;
        state.is_abandoned = true;
        state.is_ending = true;
    }

    /// The time for which the lease still admits calls.
    pub fn admits_for(&self, now: Time) -> Duration {
        if self.state().is_ending {
            return Duration::ZERO;
        }
        let left_ms = self.lease.admits_until.as_millis() - now.as_millis();
        Duration::from_millis(left_ms.try_into().unwrap_or_default())
    }

    /// Whether the next lease should be requested now: this one is nearly used up or near its end, and calls come at a rate
    /// that will need another. Returns the number of its slots once, and then never again.
    pub fn request_successor(&self, now: Time) -> Option<u32> {
        let lease = &self.lease;
        let mut state = self.state();
        if state.has_successor || state.is_ending || !lease.is_wide() {
            return None;
        }
        let (free, used) = (state.free.len() as i64, i64::from(lease.slots) - state.free.len() as i64);
        let elapsed = (now.as_millis() - lease.granted_at.as_millis()).max(1);
        let left = lease.admits_until.as_millis() - now.as_millis();
        let is_used_up_soon =
            lease.slots >= LEAST_RENEWED && free * 4 <= i64::from(lease.slots) && free * elapsed < used * left;
        // A lease that ends with a window of a limit has no successor before the next window.
        let ends_with_window = lease.admits_until < lease.granted_at.plus(LEASE_DURATION);
        let is_over_soon = left <= RENEWED_BEFORE_MS && !ends_with_window && used * 1_000 >= elapsed;
        if !is_used_up_soon && !is_over_soon {
            return None;
        }
        state.has_successor = true;
        let used = if is_used_up_soon { lease.slots * 2 } else { u32::try_from(used).unwrap_or(lease.slots) };
        Some(used.min(MAX_SLOTS))
    }

    /// Stops admitting calls. Returns the number of free slots and the number of all slots.
    pub fn end(&self) -> (u32, u32) {
        let mut state = self.state();
        state.is_ending = true;
        (state.free.len() as u32, self.lease.slots)
    }

    /// Returns the sums and the calls to close the lease with, if it can be closed: no call is in flight, and the lease is used
    /// up, expired or ending. Only the first caller gets them.
    pub fn take_closing_sums(&self, now: Time) -> Option<(Spent, Vec<Charge>)> {
        let mut state = self.state();
        let is_over = state.is_ending || state.free.is_empty() || now >= self.lease.admits_until;
        if state.in_flight > 0 || !is_over || state.is_abandoned {
            return None;
        }
        // Marking the lease as abandoned makes every later call return None.
        state.is_ending = true;
        state.is_abandoned = true;
        Some((state.spent, std::mem::take(&mut state.calls)))
    }

    pub fn is_idle(&self) -> bool {
        let state = self.state();
        state.in_flight == 0 && !state.is_ending
    }

    /// Computes the remaining quota: the amounts left when the lease was granted, less the usage of finished calls and
    /// the maximum usage of calls in flight.
    pub fn quota_left(&self) -> QuotaLeft {
        let state = self.state();
        let in_flight = u64::from(state.in_flight);
        let unit = &self.lease.unit;
        let least = |dimensions: [Dimension; 2], used: u64| {
            let headrooms = self.granted.headrooms.iter().filter_map(|headroom| match headroom.counter.kind {
                CounterKind::Limit(dimension) if dimensions.contains(&dimension) => Some((dimension, headroom)),
                _ => None,
            });
            let left = headrooms.map(|(dimension, headroom)| Remaining {
                limit: headroom.limit,
                remaining: headroom.left.saturating_sub(used),
                resets_at: dimension.resets_at(self.lease.granted_at),
            });
            left.min_by_key(|headroom| headroom.remaining)
        };
        let credits = self.granted.org.balance().less(state.spent.charged + unit.money.times(in_flight));
        QuotaLeft {
            requests: least([Dimension::Rpm, Dimension::Rpd], state.spent.requests + in_flight),
            tokens: least(
                [Dimension::Tpm, Dimension::Tpd],
                state.spent.tokens.total() + unit.tokens.saturating_mul(in_flight),
            ),
            credits: (!self.lease.is_exempt).then_some(credits),
            credits_are_low: !self.lease.is_exempt && credits.times(10) < self.granted.org.initial_credits(),
        }
    }
}
