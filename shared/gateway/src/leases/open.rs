//! A lease that this process holds: its free slots, and what its calls have come to.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::lease::{Lease, Need, What};
use domain::ledger::Charge;
use domain::limits::Dimension;
use domain::money::Money;
use domain::time::Time;
use shared::store::leases::{Granted, Spent};

pub struct Open {
    pub lease: Lease,
    granted: Granted,
    state: Mutex<State>,
}

struct State {
    /// Slots that no call has used.
    free: Vec<u32>,
    under_way: u32,
    spent: Spent,
    /// Money of ended calls that they did not need; it covers what other calls cost above their slots.
    spare: Money,
    /// No call takes a slot any more; whoever ends last closes the lease.
    is_ending: bool,
    /// A call ended without a word: what it came to is for the sweep to find.
    is_abandoned: bool,
}

/// What the caller has left, as the headers of an answer tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    pub requests: Option<Remaining>,
    pub tokens: Option<Remaining>,
    /// None on an exempt plan.
    pub credits: Option<Money>,
    /// Below a tenth of what the organization was last given.
    pub credits_are_low: bool,
}

/// Of the level and window that has the least left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remaining {
    pub limit: u64,
    pub remaining: u64,
    pub resets_at: i64,
}

impl Open {
    pub fn new(granted: Granted) -> Self {
        let lease = granted.lease.clone();
        // Taken from the end: slots are used in order.
        let free = (1..=lease.slots).rev().collect();
        let (spent, spare) = (Spent::default(), Money::ZERO);
        let state = State { free, under_way: 0, spent, spare, is_ending: false, is_abandoned: false };
        Self { lease, granted, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot for a call, if there is one that it fits and the lease still takes calls.
    pub fn take(&self, need: &Need, now: Time) -> Option<u32> {
        let mut state = self.state();
        if state.is_ending || now >= self.lease.admits_until || !need.fits(&self.lease.unit) {
            return None;
        }
        let slot = state.free.pop()?;
        state.under_way += 1;
        Some(slot)
    }

    /// Sets money of the lease aside for a call that costs this much more than its slot holds: what ended calls left
    /// over, then free slots, which no call takes any more. What was found, which may be less.
    pub fn cover(&self, overage: Money) -> Money {
        let mut state = self.state();
        while state.spare < overage && state.free.pop().is_some() {
            state.spare += self.lease.unit.money;
        }
        let covered = overage.min(state.spare);
        state.spare = state.spare.less(covered);
        covered
    }

    /// A call that is not charged leaves its slot to another, and what was set aside for it.
    pub fn put_back(&self, slot: u32, covered: Money) {
        let mut state = self.state();
        state.under_way -= 1;
        state.spare += covered;
        state.free.push(slot);
    }

    /// A call was charged, for which `covered` was set aside besides its slot.
    pub fn add(&self, charge: &Charge, covered: Money) {
        let mut state = self.state();
        state.under_way -= 1;
        state.spare += (self.lease.unit.money + covered).less(charge.from_lease());
        state.spent.add(charge);
    }

    /// A call whose end is not known.
    pub fn abandon(&self) {
        let mut state = self.state();
        state.under_way -= 1;
        state.is_abandoned = true;
        state.is_ending = true;
    }

    /// For how long it still takes calls.
    pub fn admits_for(&self, now: Time) -> Duration {
        if self.state().is_ending {
            return Duration::ZERO;
        }
        let left_ms = self.lease.admits_until.as_millis() - now.as_millis();
        Duration::from_millis(left_ms.try_into().unwrap_or_default())
    }

    /// No further call; the unused slots, of how many.
    pub fn end(&self) -> (u32, u32) {
        let mut state = self.state();
        state.is_ending = true;
        (state.free.len() as u32, self.lease.slots)
    }

    /// What to close the lease with, for whoever asks first once nothing is under way and it is used up, old, or ending.
    pub fn to_close(&self, now: Time) -> Option<Spent> {
        let mut state = self.state();
        let is_over = state.is_ending || state.free.is_empty() || now >= self.lease.admits_until;
        if state.under_way > 0 || !is_over || state.is_abandoned {
            return None;
        }
        // Asked once only: an abandoned lease is nobody's to close.
        state.is_ending = true;
        state.is_abandoned = true;
        Some(state.spent)
    }

    pub fn is_idle(&self) -> bool {
        let state = self.state();
        state.under_way == 0 && !state.is_ending
    }

    /// What is left by what the lease found, what it has spent, and what its calls under way may spend.
    pub fn standing(&self) -> Standing {
        let state = self.state();
        let under_way = u64::from(state.under_way);
        let unit = &self.lease.unit;
        let least = |dimensions: [Dimension; 2], used: u64| {
            let rooms = self.granted.rooms.iter().filter_map(|room| match room.counter.what {
                What::Limit(dimension) if dimensions.contains(&dimension) => Some((dimension, room)),
                _ => None,
            });
            let left = rooms.map(|(dimension, room)| Remaining {
                limit: room.limit,
                remaining: room.left.saturating_sub(used),
                resets_at: dimension.resets_at(self.lease.granted_at),
            });
            left.min_by_key(|room| room.remaining)
        };
        let credits = self.granted.org.balance().less(state.spent.charged + unit.money.times(under_way));
        Standing {
            requests: least([Dimension::Rpm, Dimension::Rpd], state.spent.requests + under_way),
            tokens: least(
                [Dimension::Tpm, Dimension::Tpd],
                state.spent.tokens.total() + unit.tokens.saturating_mul(under_way),
            ),
            credits: (!self.lease.is_exempt).then_some(credits),
            credits_are_low: !self.lease.is_exempt && credits.times(10) < self.granted.org.initial_credits(),
        }
    }
}
