//! What an organization has, while leases are open.

use super::Leases;
use super::items::{LeaseItem, Slot, SlotItem};
use crate::Result;
use crate::domain::id::OrgId;
use crate::domain::lease::Lease;
use crate::domain::ledger::Charge;
use crate::domain::money::Money;
use crate::store::keys;
use crate::store::meters::Meter;
use crate::store::table::{Query, parse};

impl Leases {
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

    /// The charges that stand in a lease's slots.
    pub(super) async fn charges(&self, lease: &Lease) -> Result<Vec<Charge>> {
        let items = self.journal.query_all(Query::partition(keys::charges(lease.id))).await?;
        let slots = items.into_iter().map(|item| parse::<SlotItem>(item).map(|item| item.slot));
        let charges = slots.filter_map(|slot| match slot {
            Ok(Slot::Charge(charge)) => Some(Ok(*charge)),
            Ok(Slot::Void) => None,
            Err(error) => Some(Err(error)),
        });
        charges.collect()
    }
}
