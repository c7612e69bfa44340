//! Writing charges: a record of the log of a lease, or the row of a late charge. The part of a charge that the lease does not
//! hold, the overage, is debited from the meters in the same transaction. A call for a step of a run also adds to the usage
//! of the step there.

use uuid::Uuid;

use super::Leases;
use super::charge_items::{read_charges, record_item};
use super::counters::{require_cap, require_room, require_unchanged};
use super::end::{CallEnd, END};
use super::items::payer_of;
use crate::backoff::Backoff;
use crate::keys::{self, Key};
use crate::meters::{self, Meter, Meters};
use crate::table::{RefusedWrite, WriteOutcome};
use crate::write::Write;
use crate::{run_statistics, run_usage};
use domain::lease::{CounterHeadroom, CounterKind, Lease};
use domain::ledger::{Charge, Spent};
use domain::limits::Level;
use domain::money::Money;
use domain::time::Time;
use domain::{Error, Result};

/// The label of the record.
const RECORD: &str = "record";

/// A charge that waits to be appended to the log of its lease.
#[derive(Debug)]
pub struct PendingCharge {
    pub charge: Charge,
    /// The money that the lease holds for it.
    held: Money,
    end: Vec<Write>,
}

impl PendingCharge {
    /// Whether it costs more than its lease holds.
    pub(super) fn needs_debit(&self) -> bool {
        self.charge.charged > self.held
    }

    /// The maximum number of writes that are stored with it, besides its record.
    pub(super) fn other_writes(&self) -> usize {
        let of_step = if self.charge.step.is_some() { 2 } else { 0 };
        self.end.len() + of_step
    }

    /// Whether the ends of both calls write the same item.
    pub(super) fn ends_with_same_item(&self, other: &Self) -> bool {
        self.end.iter().any(|end| other.end.iter().any(|its| end.table == its.table && end.key() == its.key()))
    }
}

pub(super) enum RecordOutcome {
    Written(Vec<Charge>),
    /// The record exists already, with these charges. A void has none.
    Existing(Vec<Charge>),
    /// Another process owns the call of this charge now.
    TakenOver(usize),
}

/// Where a charge with a debit is written.
#[derive(Clone, Copy)]
enum Target {
    /// The record of this number. The lease pays what it holds.
    Record(u32),
    /// A row of its own, because the log is closed.
    Late,
}

impl Leases {
    /// A charge that is appended together with the end of its call. `held` is the money that the lease holds for it.
    pub fn pending(&self, charge: &Charge, held: Money, end: Option<CallEnd<'_>>) -> PendingCharge {
        let end = end.map(|end| end.writes(&self.counters, &self.journal, charge)).unwrap_or_default();
        PendingCharge { charge: charge.clone(), held, end }
    }

    /// Writes charges to the record of this number, if there is none.
    pub(super) async fn write_record(
        &self,
        lease: &Lease,
        number: u32,
        batch: &[&PendingCharge],
    ) -> Result<RecordOutcome> {
        if let [pending] = batch
            && pending.needs_debit()
        {
            return self.write_with_debit(lease, pending, Target::Record(number)).await;
        }
        let charges: Vec<&Charge> = batch.iter().map(|pending| &pending.charge).collect();
        let ends = batch.iter().flat_map(|pending| &pending.end);
        let writes = self.record_writes(keys::record(lease.id, number), &charges, ends, lease.granted_at);
        match self.counters.write_all(Uuid::now_v7(), writes).await? {
            WriteOutcome::Written => Ok(RecordOutcome::Written(charges.into_iter().cloned().collect())),
            WriteOutcome::Refused(refused) => read_refusal(refused, batch),
        }
    }

    /// The writes of a record: its charges, the ends of their calls, and what they add to the usage of steps.
    fn record_writes<'a>(
        &self,
        key: Key,
        charges: &[&Charge],
        ends: impl IntoIterator<Item = &'a Write>,
        counts_at: Time,
    ) -> Vec<Write> {
        let record = record_item(key, charges, counts_at);
        let mut writes = vec![self.journal.put_new(&record).labeled(RECORD)];
        writes.extend(ends.into_iter().cloned());
        writes.extend(run_usage::add_charges(&self.counters, charges));
        writes.extend(run_statistics::count_charges(&self.counters, charges));
        writes
    }

    /// Writes a charge that found the log closed. All of it is debited from the meters. Returns the stored charge, or `None`
    /// if a retry of the same request owns the call now.
    pub async fn record_late(&self, lease: &Lease, pending: &PendingCharge) -> Result<Option<Charge>> {
        match self.write_with_debit(lease, pending, Target::Late).await? {
            RecordOutcome::Written(charges) | RecordOutcome::Existing(charges) => {
                charges.into_iter().next().map(Some).ok_or_else(|| Error::internal("a late row holds a void"))
            }
            RecordOutcome::TakenOver(_) => Ok(None),
        }
    }

    /// Writes a charge, and debits the part that the lease does not hold, as far as the meters have room.
    async fn write_with_debit(&self, lease: &Lease, pending: &PendingCharge, target: Target) -> Result<RecordOutcome> {
        let charge = &pending.charge;
        let (key, held, counts_at) = match target {
            Target::Record(number) => (keys::record(lease.id, number), pending.held, lease.granted_at),
            Target::Late => (keys::late_charge(lease.id, charge.slot), Money::ZERO, charge.created_at),
        };
        let (payer, owed) = (payer_of(lease), charge.charged.less(held));
        let mut backoff = Backoff::short();
        loop {
            let meters = Meters::read(&self.counters, &payer).await?;
            let is_money = |what| u64::from(matches!(what, CounterKind::Balance | CounterKind::Spending));
            let headrooms = meters.headrooms(&payer, is_money, counts_at);
            let available =
                headrooms.iter().map(|headroom| headroom.left).min().map_or(Money::MAX, Money::from_pico_usd);
            let debit = Debit { owed, collected: owed.min(available) };
            let charge = Charge {
                charged: charge.charged.less(debit.uncollected()),
                uncollected: debit.uncollected(),
                overage: debit.collected,
                ..charge.clone()
            };
            let mut writes = self.record_writes(key.clone(), &[&charge], &pending.end, counts_at);
            for (level, meter) in &meters.0 {
                let headrooms = headrooms.iter().filter(|headroom| headroom.counter.level == *level);
                let write = self.counters.update(meters::key(&payer, *level)?);
                match (lease.is_exempt, level) {
                    (false, _) => writes.push(debit.write(write, *level, meter, headrooms, counts_at)),
                    (true, Level::Org) => writes.push(write.add(Meter::SEQUENCE, 1)),
                    (true, _) => {}
                }
            }
            if matches!(target, Target::Late) {
                let mut spent = Spent::default();
                spent.add(&charge);
                writes.extend(self.usage_writes(lease, &spent, std::slice::from_ref(&charge), counts_at));
                writes.extend(self.late_rows(&charge));
            }
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                WriteOutcome::Written => return Ok(RecordOutcome::Written(vec![charge])),
                WriteOutcome::Refused(refused) if [RECORD, END].contains(&refused.label) => {
                    return read_refusal(refused, &[pending]);
                }
                WriteOutcome::Refused(_) => backoff.next("the meters keep changing while a charge is debited").await?,
            }
        }
    }
}

/// The part of a charge that is debited from the meters.
#[derive(Clone, Copy)]
struct Debit {
    owed: Money,
    collected: Money,
}

impl Debit {
    fn uncollected(self) -> Money {
        self.owed.less(self.collected)
    }

    /// The debit of one meter, on condition that each counter has room for it. A partial debit instead requires that
    /// the counter which it uses up is unchanged; otherwise it could miss an amount that was given back after the
    /// reading.
    fn write<'a>(
        self,
        mut write: Write,
        level: Level,
        meter: &Meter,
        headrooms: impl Iterator<Item = &'a CounterHeadroom>,
        counts_at: Time,
    ) -> Write {
        let amount = self.collected.pico_usd();
        for headroom in headrooms {
            if !self.uncollected().is_zero() && headroom.left == amount {
                write = require_unchanged(write, meter, &headroom.counter);
            } else if amount > 0 {
                write = require_room(write, &CounterHeadroom { per_call: amount, ..*headroom }, 1);
            }
        }
        write = require_cap(write, meter).add(keys::counter(&meters::spending(level, counts_at)), amount);
        if level == Level::Org { write.add(Meter::BALANCE, -i128::from(amount)).add(Meter::SEQUENCE, 1) } else { write }
    }
}

/// What refused a record: one that exists, or a call that another process owns.
fn read_refusal(refused: RefusedWrite, batch: &[&PendingCharge]) -> Result<RecordOutcome> {
    if refused.label == RECORD {
        return Ok(RecordOutcome::Existing(read_charges(refused.item.unwrap_or_default())?));
    }
    let is_end = |pending: &&PendingCharge| pending.end.iter().any(|end| end.key() == refused.key);
    let index = batch.iter().position(is_end);
    index.map(RecordOutcome::TakenOver).ok_or_else(|| Error::internal("a write without a condition was refused"))
}
