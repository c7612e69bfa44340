//! A charge is put into its slot.

use uuid::Uuid;

use super::counters::{require_cap, require_room};
use super::items::{Slot, SlotItem, payer_of, slot_item};
use super::{Leases, Recorded, SIZINGS, Spent};
use crate::domain::lease::{Lease, Room, What};
use crate::domain::ledger::Charge;
use crate::domain::limits::Level;
use crate::domain::money::Money;
use crate::store::claims::{Claim, Claims, Kept};
use crate::store::meters::{self, Meters};
use crate::store::table::{Refused, parse};
use crate::store::write::Write;
use crate::store::{keys, usage};
use crate::{Error, Result};

impl Leases {
    /// Puts a charge into its slot. One that is there already is the same charge, whose first answer was lost.
    pub async fn record(&self, lease: &Lease, charge: &Charge) -> Result<Recorded> {
        let item = slot_item(keys::charge(lease.id, charge.slot), charge, Money::ZERO);
        match self.journal.write(self.journal.put_new(&item)).await? {
            Ok(()) => Ok(Recorded::InItsSlot),
            Err(refused) => {
                let recorded = self.found_in_slot(lease, charge, None, refused).await?;
                recorded.ok_or_else(|| Error::internal("a charge without a claim lost it"))
            }
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
        let answered = Claims::answered(&self.counters, claim, answer);
        let writes = [self.journal.put_new(&item), answered.clone()];
        match self.counters.transact(charge.id.uuid(), &writes).await? {
            Ok(()) => Ok(Some(Recorded::InItsSlot)),
            Err(refused @ Refused { index: 0, .. }) => self.found_in_slot(lease, charge, Some(answered), refused).await,
            Err(_) => Ok(None),
        }
    }

    async fn found_in_slot(
        &self,
        lease: &Lease,
        charge: &Charge,
        answered: Option<Write>,
        refused: Refused,
    ) -> Result<Option<Recorded>> {
        match parse::<SlotItem>(refused.item.unwrap_or_default())?.slot {
            Slot::Charge(there) if there.id == charge.id => Ok(Some(Recorded::InItsSlot)),
            Slot::Charge(_) => Err(Error::internal("two calls used one slot")),
            Slot::Void => self.record_late(lease, charge, answered).await,
        }
    }

    /// A charge whose slot was voided and given back: debits what there is, and says what could not be debited. Of a
    /// call that is made once, the answer is kept in the same transaction.
    async fn record_late(&self, lease: &Lease, charge: &Charge, answered: Option<Write>) -> Result<Option<Recorded>> {
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
                    write = require_cap(write, meter);
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
            let claimed_at = answered.as_ref().map(|_| writes.len());
            writes.extend(answered.clone());
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                Ok(()) => return Ok(Some(Recorded::Late { collected })),
                Err(Refused { index: 0, item }) => {
                    let there: SlotItem = parse(item.unwrap_or_default())?;
                    let Slot::Charge(there) = there.slot else { return Err(Error::internal("a void is never late")) };
                    return Ok(Some(Recorded::Late { collected: there.charged }));
                }
                Err(refused) if Some(refused.index) == claimed_at => return Ok(None),
                Err(_) => {}
            }
        }
        Err(Error::busy("the meters change faster than a late charge can be debited"))
    }
}
