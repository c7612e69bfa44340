//! Statements: the balance and the monthly usage of an organization, including its open leases.

use super::charge_items::read_charges;
use super::items::LeaseItem;
use super::{BillingStatement, Leases};
use crate::item::parse;
use crate::meters::Meter;
use crate::query::TableQuery;
use crate::usage::{Figures, MonthlyUsage};
use crate::{keys, usage};
use domain::Result;
use domain::id::OrgId;
use domain::lease::{Lease, month};
use domain::ledger::Charge;
use domain::money::Money;

/// The maximum number of readings of an organization that changes all the time. The last reading may be inconsistent by
/// what changed during it.
const READINGS: usize = 10;

/// The charges of a lease, and the number of its records.
#[derive(Default)]
pub(super) struct LeaseLog {
    pub charges: Vec<Charge>,
    pub records: u32,
}

impl Leases {
    /// Reads an organization's meter and its balance. The balance includes what its open leases hold and have not
    /// spent.
    pub async fn balance(&self, org: OrgId) -> Result<(Meter, Money)> {
        let BillingStatement { meter, balance, .. } = self.read_statement(org, None).await?;
        Ok((meter, balance))
    }

    /// Reads the balance, and the usage of a month (`202611`): the counters, and the charges of open leases.
    pub async fn statement(&self, org: OrgId, month: i64) -> Result<BillingStatement> {
        self.read_statement(org, Some(month)).await
    }

    /// Reads until the organization's sequence number did not change during a reading. A reading is several queries,
    /// and a lease that is closed between two of them would count twice or not at all.
    async fn read_statement(&self, org: OrgId, in_month: Option<i64>) -> Result<BillingStatement> {
        let ids = |leases: &[Lease]| leases.iter().map(|lease| lease.id).collect::<Vec<_>>();
        let (mut meter, mut leases) = self.org_money(org).await?;
        for reading in 1.. {
            let mut usage = match in_month {
                Some(month) => usage::read_month(&self.counters, org, month).await?,
                None => MonthlyUsage::default(),
            };
            let mut balance = meter.balance();
            for lease in &leases {
                let charges = self.read_log(lease).await?.charges;
                if !lease.is_exempt {
                    let spent = charges.iter().map(Charge::from_lease).sum();
                    balance += lease.unit.money.times(lease.slots.into()).less(spent);
                }
                if in_month == Some(month(lease.granted_at)) {
                    charges.iter().for_each(|charge| usage.add(lease, Figures::from(charge)));
                }
            }
            let (meter_again, leases_again) = self.org_money(org).await?;
            let is_unchanged = meter_again.sequence() == meter.sequence() && ids(&leases_again) == ids(&leases);
            if is_unchanged || reading == READINGS {
                return Ok(BillingStatement { meter, balance, usage });
            }
            (meter, leases) = (meter_again, leases_again);
        }
        unreachable!("the last reading returns")
    }

    async fn org_money(&self, org: OrgId) -> Result<(Meter, Vec<Lease>)> {
        let items = self.counters.query_all(TableQuery::partition(keys::org_money(org))).await?;
        let (mut meter, mut leases) = (Meter::default(), Vec::new());
        for item in items {
            if keys::Key::from_item(&item).is_some_and(|key| key.sk == keys::METER) {
                meter = Meter::from_item(item);
            } else {
                leases.push(parse::<LeaseItem>(item)?.into());
            }
        }
        Ok((meter, leases))
    }

    /// Reads the log of a lease.
    pub(super) async fn read_log(&self, lease: &Lease) -> Result<LeaseLog> {
        let mut log = LeaseLog::default();
        for item in self.journal.query_all(TableQuery::partition(keys::charges(lease.id))).await? {
            if keys::Key::from_item(&item).is_some_and(|key| key.sk.starts_with(keys::RECORD)) {
                log.records += 1;
            }
            log.charges.append(&mut read_charges(item)?);
        }
        Ok(log)
    }
}
