//! Granting a lease: its amounts are deducted from every meter in one transaction, on condition that each has room. The
//! lease is smaller when the meters have less room.

use super::counters::{require_cap, require_room, take};
use super::items::lease_item;
use super::{Grant, GrantedLease, LeaseRequest, Leases, MAX_ATTEMPTS};
use crate::meters::{self, Meter, Meters};
use crate::table::WriteOutcome;
use crate::write::Write;
use domain::id::LeaseId;
use domain::lease::{
    CallLimits, Counter, CounterHeadroom, CounterKind, LONGEST_CALL, Lease, Payer, Shortage, admits_until, size_lease,
};
use domain::limits::Level;
use domain::money::Money;
use domain::time::Time;
use domain::{Error, Result};

/// The label of the write to a level's meter.
fn label(level: Level) -> &'static str {
    match level {
        Level::Org => "organization's meter",
        Level::User => "user's meter",
        Level::Key => "key's meter",
    }
}

impl Leases {
    /// Grants a lease for at most `wanted.slots` calls, or returns the shortage that refuses even one call.
    pub async fn grant(&self, payer: &Payer, wanted: &LeaseRequest, now: Time) -> Result<Grant> {
        let mut meters = Meters::read(&self.counters, payer).await?;
        let mut slots = wanted.slots;
        for _ in 0..MAX_ATTEMPTS {
            if let Some((level, _)) = meters.0.iter().find(|(_, meter)| meter.is_revoked()) {
                return Ok(Grant::Short(Shortage::Revoked(*level)));
            }
            let (unit, headrooms);
            (slots, unit, headrooms) = match sized(payer, wanted, slots, &meters, now) {
                Ok(sized) => sized,
                Err(short) => return Ok(Grant::Short(shortage(&short, now))),
            };
            if slots < wanted.least {
                return Ok(Grant::TooFew);
            }
            let lease = lease(payer, wanted, unit, &headrooms, slots, now);
            let writes = self.grant_writes(payer, &lease, &meters, &headrooms, now)?;
            match self.counters.transact(lease.id.uuid(), &writes).await? {
                WriteOutcome::Written => {
                    return Ok(Grant::Granted(Box::new(GrantedLease { lease, headrooms, org: meters.org() })));
                }
                WriteOutcome::Refused(refused) => {
                    // Another lease took from this meter after it was read. Size the lease again by the meter's current
                    // state, with half as many slots.
                    let found = meters.0.iter_mut().find(|(level, _)| refused.label == label(*level));
                    let (_, meter) = found.ok_or_else(|| Error::internal("a new lease's id is in use"))?;
                    *meter = Meter::from_item(refused.item.unwrap_or_default());
                    slots = if slots > 2 { slots / 2 } else { 1 };
                }
            }
        }
        Err(Error::busy("the meters keep changing while a lease is sized"))
    }

    fn grant_writes(
        &self,
        payer: &Payer,
        lease: &Lease,
        meters: &Meters,
        headrooms: &[CounterHeadroom],
        now: Time,
    ) -> Result<Vec<Write>> {
        let mut writes = vec![self.counters.put_new(&lease_item(lease))];
        for (level, meter) in &meters.0 {
            let mut write = self.counters.update(meters::key(payer, *level)?).require(Meter::REVOKED.is_missing());
            for counter in lease.counted.iter().filter(|counter| counter.level == *level) {
                write = take(write, lease, counter);
            }
            for headroom in headrooms.iter().filter(|headroom| headroom.counter.level == *level) {
                write = require_room(write, headroom, lease.slots);
            }
            write = require_cap(write, meter);
            for attribute in meter.stale(now) {
                write = write.remove(attribute);
            }
            write = match level {
                Level::Org => write.add(Meter::SEQUENCE, 1),
                // An exempt plan without limits takes nothing here, and DynamoDB refuses an update without an action.
                Level::User if write.changes_nothing() => write.add(Meter::SEQUENCE, 1),
                Level::User => write,
                Level::Key => write.set(Meter::LAST_USED_AT, now),
            };
            writes.push(write.labeled(label(*level)));
        }
        Ok(writes)
    }
}

/// Sizes a wide lease if the meters have room for one, else a lease for the one call.
fn sized(
    payer: &Payer,
    wanted: &LeaseRequest,
    slots: u32,
    meters: &Meters,
    now: Time,
) -> Result<(u32, CallLimits, Vec<CounterHeadroom>), CounterHeadroom> {
    if slots > 1 {
        let headrooms = meters.headrooms(payer, |what| wanted.typical.amount_for(what), now);
        if let Ok(slots @ 2..) = size_lease(&headrooms, slots) {
            return Ok((slots, wanted.typical, headrooms));
        }
    }
    let headrooms = meters.headrooms(payer, |what| wanted.need.amount_for(what), now);
    size_lease(&headrooms, 1).map(|slots| (slots, wanted.need, headrooms))
}

fn lease(
    payer: &Payer,
    wanted: &LeaseRequest,
    unit: CallLimits,
    headrooms: &[CounterHeadroom],
    slots: u32,
    now: Time,
) -> Lease {
    let limits = headrooms.iter().filter_map(|headroom| match headroom.counter.kind {
        CounterKind::Limit(dimension) => Some(dimension),
        CounterKind::Balance | CounterKind::Spending => None,
    });
    let admits_until = admits_until(now, limits);
    let mut counted: Vec<Counter> = headrooms.iter().map(|headroom| headroom.counter).collect();
    if !payer.is_exempt && !unit.money.is_zero() {
        // Spending is counted even without a cap, because an operator may set a cap later in the month.
        let spending = payer.levels().map(|level| meters::spending(level, now));
        counted.extend(spending.filter(|counter| headrooms.iter().all(|headroom| headroom.counter != *counter)));
    }
    Lease {
        id: LeaseId::new(),
        org: payer.org,
        user: payer.user,
        key: payer.key,
        is_exempt: payer.is_exempt,
        model: wanted.model.clone(),
        pricing: wanted.pricing,
        price_version: wanted.price_version,
        unit,
        slots,
        counted,
        granted_at: now,
        admits_until,
        expires_at: admits_until.plus(LONGEST_CALL),
    }
}

fn shortage(short: &CounterHeadroom, now: Time) -> Shortage {
    let level = short.counter.level;
    match short.counter.kind {
        CounterKind::Balance => Shortage::Credits { left: Money::from_pico_usd(short.left) },
        CounterKind::Spending => Shortage::Cap { level, left: Money::from_pico_usd(short.left) },
        CounterKind::Limit(dimension) => {
            Shortage::Rate { level, dimension, limit: short.limit, resets_at: dimension.resets_at(now) }
        }
    }
}
