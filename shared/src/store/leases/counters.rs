//! What a write does to one counter of a meter: it takes, gives back, or requires that there is room.

use crate::store::keys;
use crate::store::meters::Meter;
use crate::store::write::Write;
use domain::lease::{Counter, Lease, Room, What};
use domain::time::Time;

/// What a counter gives a lease; the balance goes down, all others go up.
pub(super) fn take(mut write: Write, lease: &Lease, counter: &Counter) -> Write {
    let amount = amount(lease, counter);
    let sign = if counter.what == What::Balance { "-" } else { "" };
    write = write.add(&keys::counter(counter), format!("{sign}{amount}"));
    if lease.is_wide() { write.add(&keys::counter_wide(counter), amount) } else { write }
}

/// What a lease did not use comes back; `stays` is what it did.
pub(super) fn give_back(mut write: Write, lease: &Lease, counter: &Counter, stays: u64) -> Write {
    let amount = amount(lease, counter);
    let back = i128::from(amount) - i128::from(stays);
    let back = if counter.what == What::Balance { back } else { -back };
    if back != 0 {
        write = write.add(&keys::counter(counter), back);
    }
    if lease.is_wide() { write.add(&keys::counter_wide(counter), -i128::from(amount)) } else { write }
}

fn amount(lease: &Lease, counter: &Counter) -> u64 {
    lease.unit.of(counter.what).saturating_mul(lease.slots.into())
}

/// Whether anybody may still count in this window. To give back to one that is gone would only make litter.
pub(super) fn is_current(counter: &Counter, now: Time) -> bool {
    match (counter.what, counter.window) {
        (What::Limit(dimension), Some(window)) => window >= dimension.window(now),
        _ => true,
    }
}

pub(super) fn require_room(write: Write, room: &Room, slots: u32) -> Write {
    let attribute = keys::counter(&room.counter);
    let (value, wide) = (format!(":{attribute}"), format!(":{attribute}_wide"));
    let needed = room.needed(slots);
    let write = if room.counter.what == What::Balance {
        write.require(&format!("{attribute} >= {value}")).bind(&value, needed)
    } else {
        let most = room.limit.saturating_sub(needed);
        write.require(&format!("attribute_not_exists({attribute}) OR {attribute} <= {value}")).bind(&value, most)
    };
    if slots == 1 {
        return write;
    }
    let attribute = keys::counter_wide(&room.counter);
    let write = write.require(&format!("attribute_not_exists({attribute}) OR {attribute} <= {wide}"));
    write.bind(&wide, room.most_wide(slots))
}

/// The counter is as it was read: whoever uses up its room does so with this write.
pub(super) fn require_unchanged(write: Write, meter: &Meter, counter: &Counter) -> Write {
    let attribute = keys::counter(counter);
    match meter.raw(&attribute) {
        Some(value) => {
            let placeholder = format!(":{attribute}");
            write.require(&format!("{attribute} = {placeholder}")).bind_raw(&placeholder, value)
        }
        None => write.require(&format!("attribute_not_exists({attribute})")),
    }
}

/// A cap that an operator changes meanwhile is seen.
pub(super) fn require_cap(write: Write, meter: &Meter) -> Write {
    match meter.cap() {
        Some(cap) => write.require("cap = :cap").bind(":cap", cap),
        None => write.require("attribute_not_exists(cap)"),
    }
}
