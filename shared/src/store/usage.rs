//! What organizations used in a month: by day and model, and by key. The close of a lease adds to it, so it lags open
//! leases by their age.

use serde::Deserialize;

use super::keys;
use super::leases::Spent;
use super::table::{Query, Table, parse};
use super::write::Write;
use crate::domain::id::{ApiKeyId, OrgId, UserId};
use crate::domain::lease::{Lease, month};
use crate::domain::money::Money;
use crate::{Context, Error, Result, config};

#[derive(Clone)]
pub struct Usage {
    table: Table,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Figures {
    pub requests: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// What the calls cost, be it deducted or not.
    pub cost: Money,
    /// What was deducted.
    pub charged: Money,
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.cost += other.cost;
        self.charged += other.charged;
    }
}

/// A month of an organization.
#[derive(Clone, Debug, Default)]
pub struct MonthOfUsage {
    /// Day, model, figures; in the order of days.
    pub days: Vec<(String, String, Figures)>,
    pub keys: Vec<(UserId, Option<ApiKeyId>, Figures)>,
    pub adjusted: AdjustedSums,
}

/// What operators gave and took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AdjustedSums {
    pub credit: Money,
    pub debit: Money,
}

impl MonthOfUsage {
    pub fn total(&self) -> Figures {
        let mut total = Figures::default();
        self.days.iter().for_each(|(_, _, figures)| total += *figures);
        total
    }
}

/// What the calls of a lease add, in the transaction that closes it.
pub(super) fn added(table: &Table, lease: &Lease, spent: &Spent) -> [Write; 2] {
    let month = month(lease.granted_at);
    let of_day = keys::usage_of_day(lease.org, month, &lease.granted_at.day(), &lease.model);
    let of_key = keys::usage_of_key(lease.org, month, lease.user, lease.key);
    [of_day, of_key].map(|key| {
        table
            .update(key)
            .add("requests", spent.requests)
            .add("tokens_in", spent.tokens.input)
            .add("tokens_out", spent.tokens.output)
            .add("cost", spent.cost.pico_usd())
            .add("charged", spent.charged.pico_usd())
    })
}

impl Usage {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_COUNTERS)? })
    }

    /// `month` as `202611`.
    pub async fn of_month(&self, org: OrgId, month: i64) -> Result<MonthOfUsage> {
        let mut usage = MonthOfUsage::default();
        for item in self.table.query_all(Query::partition(keys::usage(org, month))).await? {
            let sk = keys::Key::of(&item).map(|key| key.sk).unwrap_or_default();
            if sk == keys::ADJUSTED {
                usage.adjusted = parse(item)?;
                continue;
            }
            let figures: Figures = parse(item)?;
            let unknown = || Error::internal("an item of usage has a key of another form");
            match sk.split_once('#').ok_or_else(unknown)? {
                ("DAY", rest) => {
                    let (day, model) = rest.split_once('#').ok_or_else(unknown)?;
                    usage.days.push((day.to_owned(), model.to_owned(), figures));
                }
                (_, rest) => {
                    let (user, key) = rest.split_once('#').ok_or_else(unknown)?;
                    let user = user.parse().map_err(|_| unknown())?;
                    let key = if key == "-" { None } else { Some(key.parse().map_err(|_| unknown())?) };
                    usage.keys.push((user, key, figures));
                }
            }
        }
        Ok(usage)
    }
}
