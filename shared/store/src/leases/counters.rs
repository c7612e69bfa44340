//! The changes and conditions of one counter of a meter: take an amount, give it back, or require that there is room.

use crate::keys;
use crate::meters::Meter;
use crate::write::Write;
use domain::lease::{Counter, CounterHeadroom, CounterKind, Lease};
use domain::time::Time;

/// Takes a lease's amount from a counter. The balance goes down; all other counters go up.
pub(super) fn take(mut write: Write, lease: &Lease, counter: &Counter) -> Write {
    let amount = amount(lease, counter);
    let taken = if counter.kind == CounterKind::Balance { -i128::from(amount) } else { amount.into() };
    write = write.add(keys::counter(counter), taken);
    if lease.is_wide() { write.add(keys::counter_wide(counter), amount) } else { write }
}

/// Gives back what a lease took and did not use. `stays` is the amount that it used.
pub(super) fn give_back(mut write: Write, lease: &Lease, counter: &Counter, stays: u64) -> Write {
    let amount = amount(lease, counter);
    let back = i128::from(amount) - i128::from(stays);
    let back = if counter.kind == CounterKind::Balance { back } else { -back };
    if back != 0 {
        write = write.add(keys::counter(counter), back);
    }
    if lease.is_wide() { write.add(keys::counter_wide(counter), -i128::from(amount)) } else { write }
}

fn amount(lease: &Lease, counter: &Counter) -> u64 {
    lease.unit.amount_for(counter.kind).saturating_mul(lease.slots.into())
}

/// Whether the counter's window has not ended. Giving back to an ended window would only leave a stale attribute.
pub(super) fn is_current(counter: &Counter, now: Time) -> bool {
    match (counter.kind, counter.window) {
        (CounterKind::Limit(dimension), Some(window)) => window >= dimension.window(now),
        _ => true,
    }
}

pub(super) fn require_room(write: Write, headroom: &CounterHeadroom, slots: u32) -> Write {
    let counter = keys::counter(&headroom.counter);
    let needed = headroom.needed(slots);
    let write = write.require(match headroom.counter.kind {
        CounterKind::Balance => counter.is_at_least(needed),
        _ => counter.is_missing_or_at_most(headroom.limit.saturating_sub(needed)),
    });
    if slots == 1 {
        return write;
    }
    write.require(keys::counter_wide(&headroom.counter).is_missing_or_at_most(headroom.most_wide(slots)))
}

/// Requires that a counter is unchanged since it was read, so that this write uses up exactly the room that was read.
pub(super) fn require_unchanged(write: Write, meter: &Meter, counter: &Counter) -> Write {
    write.require(meter.is_unchanged(keys::counter(counter)))
}

/// Requires that the cap is unchanged, so that a new cap of an operator takes effect at once.
pub(super) fn require_cap(write: Write, meter: &Meter) -> Write {
    write.require_same(Meter::CAP, meter.cap())
}
