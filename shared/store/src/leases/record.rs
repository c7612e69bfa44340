//! Recording a charge in its slot, exactly once. The part that the lease does not hold, the overage, is debited from
//! the meters in the same transaction. A call for a step of a run also adds to the usage of the step there.

use uuid::Uuid;

use super::counters::{require_cap, require_room, require_unchanged};
use super::items::{SlotContent, SlotItem, payer_of, slot_item};
use super::{Leases, Recorded};
use crate::backoff::Backoff;
use crate::claims::{Claim, Claims, StoredAnswer};
use crate::guard_events::event_write;
use crate::image_job_item::end_write;
use crate::item::parse;
use crate::keys::{self, Key};
use crate::meters::{self, Meter, Meters};
use crate::table::{RefusedWrite, Table, WriteOutcome};
use crate::write::Write;
use crate::{run_statistics, run_usage, usage};
use domain::guard::GuardEvent;
use domain::image::{GeneratedImages, ImageJob, ImageJobEnd};
use domain::lease::{CounterHeadroom, CounterKind, Lease};
use domain::ledger::{Charge, Spent};
use domain::limits::Level;
use domain::money::Money;
use domain::time::Time;
use domain::{Error, Result};

/// The labels of the row of the charge, and of the end of the call.
const ROW: &str = "charge";
const END: &str = "end";

/// What the transaction of a charge also writes, on condition that this process still owns the call.
#[derive(Clone, Copy)]
pub enum CallEnd<'a> {
    /// The answer of a call with an idempotency key.
    Answer(&'a Claim, &'a StoredAnswer),
    /// The result of a job.
    Images(&'a ImageJob, &'a GeneratedImages),
    /// The event of an evaluation, and the answer if its request has an idempotency key.
    Evaluation(&'a GuardEvent, Option<(&'a Claim, &'a StoredAnswer)>),
}

impl CallEnd<'_> {
    fn writes(self, counters: &Table, journal: &Table, charge: &Charge) -> Vec<Write> {
        let answer_write = |(claim, answer)| Claims::answer_write(counters, claim, answer);
        let writes = match self {
            Self::Answer(claim, answer) => vec![answer_write((claim, answer))],
            Self::Images(job, images) => {
                vec![end_write(counters, job, &ImageJobEnd::Succeeded(images.clone()), charge.created_at)]
            }
            Self::Evaluation(event, answer) => {
                answer.map(answer_write).into_iter().chain([event_write(journal, event)]).collect()
            }
        };
        writes.into_iter().map(|write| write.labeled(END)).collect()
    }
}

/// The row that a charge is written to.
#[derive(Clone, Copy)]
enum ChargeRow {
    /// The charge's slot. The lease holds the amount `held` for it.
    Slot { held: Money },
    /// The row beside the slot, because a sweep has voided the slot.
    Late,
}

enum RowOutcome {
    Written(Box<Charge>),
    /// The row exists already, with this content.
    Existing(SlotContent),
    TakenOver,
}

impl Leases {
    /// Records a charge, for which the lease holds `held`. If the slot already holds the same charge, the response to
    /// an earlier attempt was lost, and the stored charge is returned. The end of the call is written in the same
    /// transaction.
    pub async fn record(
        &self,
        lease: &Lease,
        charge: &Charge,
        held: Money,
        end: Option<CallEnd<'_>>,
    ) -> Result<Recorded> {
        let end = end.map(|end| end.writes(&self.counters, &self.journal, charge)).unwrap_or_default();
        let outcome = if charge.charged <= held {
            self.write_row(lease, charge, end.clone()).await?
        } else {
            self.write_with_debit(lease, charge, ChargeRow::Slot { held }, end.clone()).await?
        };
        match outcome {
            RowOutcome::Written(charge) => return Ok(Recorded::InItsSlot(*charge)),
            RowOutcome::TakenOver => return Ok(Recorded::TakenOver),
            RowOutcome::Existing(SlotContent::Charge(there)) if there.id == charge.id => {
                return Ok(Recorded::InItsSlot(*there));
            }
            // Another worker of the job was faster.
            RowOutcome::Existing(SlotContent::Charge(_)) if !end.is_empty() => return Ok(Recorded::TakenOver),
            RowOutcome::Existing(SlotContent::Charge(_)) => return Err(Error::internal("two calls used one slot")),
            RowOutcome::Existing(SlotContent::Void) => {}
        }
        match self.write_with_debit(lease, charge, ChargeRow::Late, end).await? {
            RowOutcome::Written(charge) => Ok(Recorded::Late(*charge)),
            RowOutcome::TakenOver => Ok(Recorded::TakenOver),
            RowOutcome::Existing(SlotContent::Charge(there)) => Ok(Recorded::Late(*there)),
            RowOutcome::Existing(SlotContent::Void) => Err(Error::internal("a late row holds a void")),
        }
    }

    /// Writes a charge that its lease can pay.
    async fn write_row(&self, lease: &Lease, charge: &Charge, end: Vec<Write>) -> Result<RowOutcome> {
        let mut writes = vec![self.row(keys::charge(lease.id, charge.slot), charge, lease.granted_at)];
        writes.extend(end);
        writes.extend(run_usage::add_charge(&self.counters, charge));
        writes.extend(run_statistics::count_charge(&self.counters, charge));
        match self.counters.write_all(charge.id.uuid(), writes).await? {
            WriteOutcome::Written => Ok(RowOutcome::Written(Box::new(charge.clone()))),
            WriteOutcome::Refused(refused) if refused.label == ROW => existing_row(refused),
            WriteOutcome::Refused(_) => Ok(RowOutcome::TakenOver),
        }
    }

    /// Writes a charge, and debits the part that the lease does not hold, as far as the meters have room.
    async fn write_with_debit(
        &self,
        lease: &Lease,
        charge: &Charge,
        target: ChargeRow,
        end: Vec<Write>,
    ) -> Result<RowOutcome> {
        let (key, held, counts_at) = match target {
            ChargeRow::Slot { held } => (keys::charge(lease.id, charge.slot), held, lease.granted_at),
            ChargeRow::Late => (keys::late_charge(lease.id, charge.slot), Money::ZERO, charge.created_at),
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
            let mut writes = vec![self.row(key.clone(), &charge, counts_at)];
            writes.extend(end.clone());
            writes.extend(run_usage::add_charge(&self.counters, &charge));
            writes.extend(run_statistics::count_charge(&self.counters, &charge));
            for (level, meter) in &meters.0 {
                let headrooms = headrooms.iter().filter(|headroom| headroom.counter.level == *level);
                let write = self.counters.update(meters::key(&payer, *level)?);
                match (lease.is_exempt, level) {
                    (false, _) => writes.push(debit.write(write, *level, meter, headrooms, counts_at)),
                    (true, Level::Org) => writes.push(write.add(Meter::SEQUENCE, 1)),
                    (true, _) => {}
                }
            }
            if matches!(target, ChargeRow::Late) {
                let mut spent = Spent::default();
                spent.add(&charge);
                writes.extend(usage::add_usage(&self.counters, lease, &spent, counts_at));
            }
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                WriteOutcome::Written => return Ok(RowOutcome::Written(Box::new(charge))),
                WriteOutcome::Refused(refused) => match refused.label {
                    ROW => return existing_row(refused),
                    END => return Ok(RowOutcome::TakenOver),
                    _ => backoff.next("the meters keep changing while a charge is debited").await?,
                },
            }
        }
    }

    fn row(&self, key: Key, charge: &Charge, counts_at: Time) -> Write {
        self.journal.put_new(&slot_item(key, charge, counts_at)).labeled(ROW)
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

/// The content of an existing row, from the refusal to write it again.
fn existing_row(refused: RefusedWrite) -> Result<RowOutcome> {
    parse::<SlotItem>(refused.item.unwrap_or_default()).map(|item| RowOutcome::Existing(item.slot))
}
