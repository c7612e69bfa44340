//! The protocol of leases over three meters, a lease's item, and its slots in the journal.
//!
//! - `grant` takes the amounts of some calls, in one transaction, from every counter of every meter.
//! - Each call ends in a charge, put into its own slot of the lease if nothing is there yet (`record`).
//! - `close` gives back what was not used and adds the usage, in one transaction that deletes the lease: once.
//! - `sweep` closes the lease of an owner that is gone. It puts a void into every empty slot in the same transaction,
//!   so that of a late charge and the sweep whoever comes second sees the other.
//! - A charge that finds a void is debited as far as there is room (`record_late`).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::claims::{Claim, Claims, Kept};
use super::keys;
use super::meters::{self, Meter, Meters};
use super::table::{Item, Query, Refused, Table, parse};
use super::usage;
use super::write::Write;
use crate::domain::catalog::Pricing;
use crate::domain::id::{ApiKeyId, LeaseId, OrgId, UserId};
use crate::domain::lease::{
    Counter, LONGEST_CALL, Lease, Need, Payer, Room, Shortage, What, admits_until, month, size,
};
use crate::domain::ledger::Charge;
use crate::domain::limits::{Dimension, Level};
use crate::domain::money::Money;
use crate::domain::time::Time;
use crate::domain::usage::Tokens;
use crate::{Context, Error, Result, config};

/// How often a grant sizes itself anew when meters change under it.
const SIZINGS: usize = 12;
/// Voids stand longer than any environment may sleep with a charge in its hands.
const VOID_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The ledger keeps its entries for so long.
pub const LEDGER_FOR: Duration = Duration::from_secs(400 * 24 * 60 * 60);

#[derive(Clone)]
pub struct Leases {
    counters: Table,
    journal: Table,
}

/// What a lease is wanted for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Of the call at hand.
    pub need: Need,
    /// Of calls as they have been lately: what each slot of a wide lease holds. No less than `need`.
    pub typical: Need,
    /// How many calls it should cover, if there is room for them.
    pub slots: u32,
    pub model: String,
    pub pricing: Pricing,
    pub price_version: u64,
}

/// A lease, and the meters as they were before it.
#[derive(Clone, Debug)]
pub struct Granted {
    pub lease: Lease,
    pub rooms: Vec<Room>,
    pub org: Meter,
}

/// What the calls of a lease came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub requests: u64,
    pub tokens: Tokens,
    pub images: u64,
    pub cost: Money,
    pub charged: Money,
}

impl Spent {
    pub fn add(&mut self, charge: &Charge) {
        self.requests += 1;
        self.tokens.input += charge.tokens.input;
        self.tokens.cached += charge.tokens.cached;
        self.tokens.output += charge.tokens.output;
        self.tokens.reasoning += charge.tokens.reasoning;
        self.images += charge.images;
        self.cost += charge.cost;
        self.charged += charge.charged;
    }
}

#[derive(Serialize, Deserialize)]
struct LeaseItem {
    pk: String,
    sk: String,
    due_shard: String,
    due_at: Time,
    lease: LeaseId,
    org: OrgId,
    user: UserId,
    key: Option<ApiKeyId>,
    is_exempt: bool,
    model: String,
    pricing: Pricing,
    price_version: u64,
    unit: Need,
    slots: u32,
    counted: Vec<Counter>,
    granted_at: Time,
    admits_until: Time,
}

impl From<LeaseItem> for Lease {
    fn from(item: LeaseItem) -> Self {
        let LeaseItem { lease, org, user, key, is_exempt, model, pricing, price_version, unit, slots, .. } = item;
        let LeaseItem { counted, granted_at, admits_until, due_at: expires_at, .. } = item;
        Self {
            id: lease,
            org,
            user,
            key,
            is_exempt,
            model,
            pricing,
            price_version,
            unit,
            slots,
            counted,
            granted_at,
            admits_until,
            expires_at,
        }
    }
}

/// What stands in a slot.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Slot {
    Charge(Box<Charge>),
    Void,
}

#[derive(Serialize, Deserialize)]
struct SlotItem {
    pk: String,
    sk: String,
    slot: Slot,
    /// What a late charge could not be debited.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    uncollected: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed_in: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed_at: Option<String>,
    expires_at: i64,
}

/// How a charge came to stand in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    InItsSlot,
    /// Its lease had been closed by a sweep; so much was debited.
    Late {
        collected: Money,
    },
}

impl Leases {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
        })
    }

    /// A lease of at most so many calls as are wanted, or what there is too little of for even one.
    pub async fn grant(&self, payer: &Payer, wanted: &Wanted, now: Time) -> Result<Result<Granted, Shortage>> {
        let mut meters = Meters::read(&self.counters, payer).await?;
        let mut slots = wanted.slots;
        for _ in 0..SIZINGS {
            if let Some((level, _)) = meters.0.iter().find(|(_, meter)| meter.is_revoked()) {
                return Ok(Err(Shortage::Revoked(*level)));
            }
            let (unit, rooms);
            (slots, unit, rooms) = match sized(payer, wanted, slots, &meters, now) {
                Ok(sized) => sized,
                Err(short) => return Ok(Err(shortage(&short, now))),
            };
            let lease = lease(payer, wanted, unit, &rooms, slots, now);
            let writes = self.grant_writes(payer, &lease, &meters, &rooms, now)?;
            match self.counters.transact(lease.id.uuid(), &writes).await? {
                Ok(()) => return Ok(Ok(Granted { lease, rooms, org: meters.org() })),
                Err(refused) => {
                    // Somebody took from this meter meanwhile: size the lease by what there is now, and for one call
                    // when that has happened once.
                    let index =
                        refused.index.checked_sub(1).ok_or_else(|| Error::internal("a new lease's id was taken"))?;
                    meters.0[index].1 = Meter::of(refused.item.unwrap_or_default());
                    slots = if slots > 2 { slots / 2 } else { 1 };
                }
            }
        }
        Err(Error::busy("the meters change faster than a lease can be sized"))
    }

    fn grant_writes(
        &self,
        payer: &Payer,
        lease: &Lease,
        meters: &Meters,
        rooms: &[Room],
        now: Time,
    ) -> Result<Vec<Write>> {
        let mut writes = vec![self.counters.put_new(&lease_item(lease))];
        for (level, meter) in &meters.0 {
            let mut write = self.counters.update(meters::key(payer, *level)?).require("attribute_not_exists(revoked)");
            for counter in lease.counted.iter().filter(|counter| counter.level == *level) {
                write = take(write, lease, counter);
            }
            for room in rooms.iter().filter(|room| room.counter.level == *level) {
                write = require_room(write, room, lease.slots);
            }
            // A cap that an operator changes meanwhile is seen.
            write = match meter.cap() {
                Some(cap) => write.require("cap = :cap").bind(":cap", cap),
                None => write.require("attribute_not_exists(cap)"),
            };
            for attribute in meter.stale(now) {
                write = write.remove(&attribute);
            }
            write = match level {
                Level::Org => write.add("seq", 1),
                // On an exempt plan without limits there is nothing to take here, and an update must do something.
                Level::User if write.changes_nothing() => write.add("seq", 1),
                Level::User => write,
                Level::Key => write.set("last_used_at", now),
            };
            writes.push(write);
        }
        Ok(writes)
    }

    /// Puts a charge into its slot. One that is there already is the same charge, whose first answer was lost.
    pub async fn record(&self, lease: &Lease, charge: &Charge) -> Result<Recorded> {
        let item = slot_item(keys::charge(lease.id, charge.slot), charge, Money::ZERO);
        match self.journal.write(self.journal.put_new(&item)).await? {
            Ok(()) => Ok(Recorded::InItsSlot),
            Err(refused) => self.found_in_slot(lease, charge, refused).await,
        }
    }

    /// The same for a call that is made once: the charge and the answer that is kept are one transaction. None when
    /// the call was another's to make by then; nothing is charged.
    pub async fn record_once(
        &self,
        lease: &Lease,
        charge: &Charge,
        claim: &Claim,
        answer: &Kept,
    ) -> Result<Option<Recorded>> {
        let item = slot_item(keys::charge(lease.id, charge.slot), charge, Money::ZERO);
        let writes = [self.journal.put_new(&item), Claims::answered(&self.counters, claim, answer)];
        match self.counters.transact(charge.id.uuid(), &writes).await? {
            Ok(()) => Ok(Some(Recorded::InItsSlot)),
            Err(refused @ Refused { index: 0, .. }) => {
                let recorded = self.found_in_slot(lease, charge, refused).await?;
                // Late, but charged: the answer is kept for whoever still owns the call.
                let _ = self.counters.write(Claims::answered(&self.counters, claim, answer)).await?;
                Ok(Some(recorded))
            }
            Err(_) => Ok(None),
        }
    }

    async fn found_in_slot(&self, lease: &Lease, charge: &Charge, refused: Refused) -> Result<Recorded> {
        match parse::<SlotItem>(refused.item.unwrap_or_default())?.slot {
            Slot::Charge(there) if there.id == charge.id => Ok(Recorded::InItsSlot),
            Slot::Charge(_) => Err(Error::internal("two calls used one slot")),
            Slot::Void => self.record_late(lease, charge).await,
        }
    }

    /// A charge whose slot was voided and given back: debits what there is, and says what could not be debited.
    async fn record_late(&self, lease: &Lease, charge: &Charge) -> Result<Recorded> {
        let payer = payer_of(lease);
        for _ in 0..SIZINGS {
            let meters = Meters::read(&self.counters, &payer).await?;
            let now = charge.created_at;
            let money = |what| u64::from(matches!(what, What::Balance | What::Spending));
            let rooms = meters.rooms(&payer, money, now);
            let room = rooms.iter().map(|room| room.left).min().unwrap_or(u64::MAX);
            let collected = charge.charged.min(Money::from_pico_usd(room));
            let debited = Charge { charged: collected, ..charge.clone() };
            let uncollected = charge.charged.less(collected);
            let mut writes =
                vec![self.journal.put_new(&slot_item(keys::late_charge(lease.id, charge.slot), &debited, uncollected))];
            for (level, meter) in &meters.0 {
                let mut write = self.counters.update(meters::key(&payer, *level)?);
                for room in rooms.iter().filter(|room| room.counter.level == *level) {
                    write = require_room(write, &Room { per_call: collected.pico_usd(), ..*room }, 1);
                }
                if !lease.is_exempt {
                    write = write.add(&keys::counter(&meters::spending(*level, now)), collected.pico_usd());
                    write = match meter.cap() {
                        Some(cap) => write.require("cap = :cap").bind(":cap", cap),
                        None => write.require("attribute_not_exists(cap)"),
                    };
                }
                if *level == Level::Org {
                    write = write.add("seq", 1);
                    if !lease.is_exempt {
                        write = write.add("balance", format!("-{}", collected.pico_usd()));
                    }
                    writes.push(write);
                } else if !lease.is_exempt {
                    writes.push(write);
                }
            }
            let mut spent = Spent::default();
            spent.add(&debited);
            writes.extend(usage::added(&self.counters, lease, &spent));
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                Ok(()) => return Ok(Recorded::Late { collected }),
                Err(Refused { index: 0, item }) => {
                    let there: SlotItem = parse(item.unwrap_or_default())?;
                    let Slot::Charge(there) = there.slot else { return Err(Error::internal("a void is never late")) };
                    return Ok(Recorded::Late { collected: there.charged });
                }
                Err(_) => {}
            }
        }
        Err(Error::busy("the meters change faster than a late charge can be debited"))
    }

    /// Closes a lease by its owner, who knows that nothing is under way: every charge of `spent` stands in its slot,
    /// and no other slot was ever used. False when a sweep was first.
    pub async fn close(&self, lease: &Lease, spent: &Spent, now: Time) -> Result<bool> {
        let writes = self.close_writes(lease, spent, spent.requests, spent.tokens.total(), now)?;
        Ok(self.counters.transact(Uuid::now_v7(), &writes).await?.is_ok())
    }

    /// The lease's end, the meters' and the usage's. `requests` and `tokens` stay counted against the limits.
    fn close_writes(&self, lease: &Lease, spent: &Spent, requests: u64, tokens: u64, now: Time) -> Result<Vec<Write>> {
        let payer = payer_of(lease);
        let mut writes = vec![self.counters.delete(keys::lease(lease.org, lease.id)).require("attribute_exists(pk)")];
        for level in payer.levels() {
            let mut write = self.counters.update(meters::key(&payer, level)?);
            for counter in lease.counted.iter().filter(|counter| counter.level == level) {
                let stays = match counter.what {
                    What::Balance | What::Spending => spent.charged.pico_usd(),
                    What::Limit(Dimension::Rpm | Dimension::Rpd) => requests,
                    What::Limit(Dimension::Tpm | Dimension::Tpd) => tokens,
                    What::Limit(Dimension::Ipm) => spent.images,
                };
                if is_current(counter, now) {
                    write = give_back(write, lease, counter, stays);
                }
            }
            if level == Level::Org {
                write = write.add("seq", 1);
            }
            if !write.changes_nothing() {
                writes.push(write);
            }
        }
        if spent.requests > 0 {
            writes.extend(usage::added(&self.counters, lease, spent));
        }
        Ok(writes)
    }

    /// Closes a lease that its owner left open, once it has expired.
    pub async fn sweep(&self, org: OrgId, id: LeaseId, now: Time) -> Result<()> {
        for _ in 0..SIZINGS {
            let Some(item) = self.counters.get(&keys::lease(org, id)).await? else { return Ok(()) };
            let lease = Lease::from(parse::<LeaseItem>(item)?);
            if now < lease.expires_at {
                return Ok(());
            }
            let charges = self.charges(&lease).await?;
            let mut spent = Spent::default();
            charges.iter().for_each(|charge| spent.add(charge));
            let empty: Vec<u32> =
                (1..=lease.slots).filter(|slot| charges.iter().all(|charge| charge.slot != *slot)).collect();
            // A lease's calls run side by side, and any that is under way may have reached its provider: what has no
            // charge stays counted against the limits.
            let cut_off = empty.len() as u64;
            let requests = spent.requests + cut_off;
            let tokens = spent.tokens.total().saturating_add(lease.unit.tokens.saturating_mul(cut_off));
            let mut writes = self.close_writes(&lease, &spent, requests, tokens, now)?;
            writes.extend(empty.iter().map(|slot| self.void(&lease, *slot, now)));
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                Ok(()) => {
                    tracing::warn!(lease_id = %id, org_id = %org, calls = spent.requests, slots = lease.slots, "an abandoned lease was closed");
                    return Ok(());
                }
                // The lease is gone, or a charge came into a slot: look again.
                Err(_) => continue,
            }
        }
        Err(Error::busy("the slots of a lease change faster than it can be closed"))
    }

    fn void(&self, lease: &Lease, slot: u32, now: Time) -> Write {
        let key = keys::charge(lease.id, slot);
        let expires_at = now.plus(VOID_FOR).as_seconds();
        let void = SlotItem {
            pk: key.pk,
            sk: key.sk,
            slot: Slot::Void,
            uncollected: Money::ZERO,
            listed_in: None,
            listed_at: None,
            expires_at,
        };
        self.journal.put_new(&void)
    }

    /// The charges that stand in a lease's slots.
    async fn charges(&self, lease: &Lease) -> Result<Vec<Charge>> {
        let items = self.journal.query_all(Query::partition(keys::charges(lease.id))).await?;
        let slots = items.into_iter().map(|item| parse::<SlotItem>(item).map(|item| item.slot));
        let charges = slots.filter_map(|slot| match slot {
            Ok(Slot::Charge(charge)) => Some(Ok(*charge)),
            Ok(Slot::Void) => None,
            Err(error) => Some(Err(error)),
        });
        charges.collect()
    }

    /// What an organization has, its open leases counted as what their calls have spent so far. Read again until
    /// nothing changed under the reading: a query is not one moment, and may find a meter without a lease of its.
    pub async fn standing(&self, org: OrgId) -> Result<(Meter, Money)> {
        const LOOKS: usize = 10;
        let ids = |leases: &[Lease]| leases.iter().map(|lease| lease.id).collect::<Vec<_>>();
        let (mut meter, mut leases) = self.org_money(org).await?;
        for look in 1.. {
            let mut balance = meter.balance();
            for lease in leases.iter().filter(|lease| !lease.is_exempt) {
                let charged: Money = self.charges(lease).await?.iter().map(|charge| charge.charged).sum();
                balance += lease.unit.money.times(lease.slots.into()).less(charged);
            }
            let (meter_again, leases_again) = self.org_money(org).await?;
            let stands_still = meter_again.sequence() == meter.sequence() && ids(&leases_again) == ids(&leases);
            // Where an organization changes all the time, the last look is the answer: true to some milliseconds.
            if stands_still || look == LOOKS {
                return Ok((meter, balance));
            }
            (meter, leases) = (meter_again, leases_again);
        }
        unreachable!("the last look answers")
    }

    async fn org_money(&self, org: OrgId) -> Result<(Meter, Vec<Lease>)> {
        let items = self.counters.query_all(Query::partition(keys::org_money(org))).await?;
        let (mut meter, mut leases) = (Meter::default(), Vec::new());
        for item in items {
            if keys::Key::of(&item).is_some_and(|key| key.sk == keys::METER) {
                meter = Meter::of(item);
            } else {
                leases.push(parse::<LeaseItem>(item)?.into());
            }
        }
        Ok((meter, leases))
    }

    /// Leases that have expired, at most `limit` a shard.
    pub async fn expired(&self, now: Time, limit: u32) -> Result<Vec<(OrgId, LeaseId)>> {
        #[derive(Deserialize)]
        struct DueItem {
            lease: LeaseId,
            org: OrgId,
        }
        let mut expired = Vec::new();
        for shard in 0..keys::DUE_SHARDS {
            for item in self.counters.query_due(keys::due_shard_at(shard), now, limit).await? {
                let DueItem { lease, org } = parse(item)?;
                expired.push((org, lease));
            }
        }
        Ok(expired)
    }
}

/// A wide lease if there is room for one, else one for the call at hand.
fn sized(
    payer: &Payer,
    wanted: &Wanted,
    slots: u32,
    meters: &Meters,
    now: Time,
) -> Result<(u32, Need, Vec<Room>), Room> {
    if slots > 1 {
        let rooms = meters.rooms(payer, |what| wanted.typical.of(what), now);
        if let Ok(slots @ 2..) = size(&rooms, slots) {
            return Ok((slots, wanted.typical, rooms));
        }
    }
    let rooms = meters.rooms(payer, |what| wanted.need.of(what), now);
    size(&rooms, 1).map(|slots| (slots, wanted.need, rooms))
}

fn lease(payer: &Payer, wanted: &Wanted, unit: Need, rooms: &[Room], slots: u32, now: Time) -> Lease {
    let limits = rooms.iter().filter_map(|room| match room.counter.what {
        What::Limit(dimension) => Some(dimension),
        What::Balance | What::Spending => None,
    });
    let admits_until = admits_until(now, limits);
    let mut counted: Vec<Counter> = rooms.iter().map(|room| room.counter).collect();
    if !payer.is_exempt && !unit.money.is_zero() {
        // What is spent counts in its month, be there a cap today or not.
        let spending = payer.levels().map(|level| meters::spending(level, now));
        counted.extend(spending.filter(|counter| rooms.iter().all(|room| room.counter != *counter)));
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

fn lease_item(lease: &Lease) -> LeaseItem {
    let key = keys::lease(lease.org, lease.id);
    LeaseItem {
        pk: key.pk,
        sk: key.sk,
        due_shard: keys::due_shard(lease.id.uuid()),
        due_at: lease.expires_at,
        lease: lease.id,
        org: lease.org,
        user: lease.user,
        key: lease.key,
        is_exempt: lease.is_exempt,
        model: lease.model.clone(),
        pricing: lease.pricing,
        price_version: lease.price_version,
        unit: lease.unit,
        slots: lease.slots,
        counted: lease.counted.clone(),
        granted_at: lease.granted_at,
        admits_until: lease.admits_until,
    }
}

/// Who a lease belongs to. Limits do not matter to what has been granted.
fn payer_of(lease: &Lease) -> Payer {
    Payer { org: lease.org, user: lease.user, key: lease.key, is_exempt: lease.is_exempt, limits: Default::default() }
}

fn slot_item(key: keys::Key, charge: &Charge, uncollected: Money) -> SlotItem {
    // On an exempt plan nothing moves: the charge is a receipt, not a transaction.
    let is_listed = !charge.charged.is_zero() || !uncollected.is_zero();
    SlotItem {
        pk: key.pk,
        sk: key.sk,
        slot: Slot::Charge(Box::new(charge.clone())),
        uncollected,
        listed_in: is_listed.then(|| keys::ledger(charge.org, month(charge.created_at))),
        listed_at: is_listed.then(|| keys::listed_at(charge.created_at, charge.id)),
        expires_at: charge.created_at.plus(LEDGER_FOR).as_seconds(),
    }
}

/// What a counter gives a lease; the balance goes down, all others go up.
fn take(mut write: Write, lease: &Lease, counter: &Counter) -> Write {
    let amount = amount(lease, counter);
    let sign = if counter.what == What::Balance { "-" } else { "" };
    write = write.add(&keys::counter(counter), format!("{sign}{amount}"));
    if lease.is_wide() { write.add(&keys::counter_wide(counter), amount) } else { write }
}

/// What a lease did not use comes back; `stays` is what it did.
fn give_back(mut write: Write, lease: &Lease, counter: &Counter, stays: u64) -> Write {
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
fn is_current(counter: &Counter, now: Time) -> bool {
    match (counter.what, counter.window) {
        (What::Limit(dimension), Some(window)) => window >= dimension.window(now),
        _ => true,
    }
}

fn require_room(write: Write, room: &Room, slots: u32) -> Write {
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

fn shortage(short: &Room, now: Time) -> Shortage {
    let level = short.counter.level;
    match short.counter.what {
        What::Balance => Shortage::Credits,
        What::Spending => Shortage::Cap(level),
        What::Limit(dimension) => {
            Shortage::Rate { level, dimension, limit: short.limit, resets_at: dimension.resets_at(now) }
        }
    }
}

/// A charge as the ledger lists it, and what could not be collected of it.
pub(super) fn listed_charge(item: Item) -> Result<(Charge, Money)> {
    let item: SlotItem = parse(item)?;
    match item.slot {
        Slot::Charge(charge) => Ok((*charge, item.uncollected)),
        Slot::Void => Err(Error::internal("a void is never listed")),
    }
}
