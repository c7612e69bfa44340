//! Usage counters of organizations, for each month: by day and model, and by API key. Closing a lease adds to these
//! counters; `Leases::statement` adds the charges of open leases.

use attributes::Attributes;
use serde::Deserialize;

use super::item::parse;
use super::keys::{self, Key};
use super::query::TableQuery;
use super::table::Table;
use super::write::Write;
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::lease::{Lease, month};
use domain::ledger::{Charge, Spent};
use domain::money::Money;
use domain::time::Time;
use domain::{Error, Result};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Attributes)]
#[serde(default)]
pub struct Figures {
    pub requests: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub images: u64,
    /// The cost of the calls, whether it was deducted or not.
    pub cost: Money,
    /// The amount that was deducted.
    pub charged: Money,
    /// The amount that could not be deducted, because the balance or a cap was used up.
    pub uncollected: Money,
}

impl From<&Charge> for Figures {
    fn from(charge: &Charge) -> Self {
        Self {
            requests: 1,
            tokens_in: charge.tokens.input,
            tokens_out: charge.tokens.output,
            images: charge.images,
            cost: charge.cost,
            charged: charge.charged,
            uncollected: charge.uncollected,
        }
    }
}

impl From<&Spent> for Figures {
    fn from(spent: &Spent) -> Self {
        Self {
            requests: spent.requests,
            tokens_in: spent.tokens.input,
            tokens_out: spent.tokens.output,
            images: spent.images,
            cost: spent.cost,
            charged: spent.charged,
            uncollected: spent.uncollected,
        }
    }
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.images += other.images;
        self.cost += other.cost;
        self.charged += other.charged;
        self.uncollected += other.uncollected;
    }
}

/// The usage of an organization in one month.
#[derive(Clone, Debug, Default)]
pub struct MonthlyUsage {
    /// The figures of each day and model.
    pub days: Vec<(String, String, Figures)>,
    pub keys: Vec<(UserId, Option<ApiKeyId>, Figures)>,
    pub adjusted: AdjustmentSums,
}

/// The sums of the credits that operators gave and took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Attributes)]
#[serde(default)]
pub struct AdjustmentSums {
    pub credit: Money,
    pub debit: Money,
}

impl MonthlyUsage {
    pub fn total(&self) -> Figures {
        let mut total = Figures::default();
        self.days.iter().for_each(|(_, _, figures)| total += *figures);
        total
    }

    /// The sum of one user's figures.
    pub fn of_user(&self, user: UserId) -> Figures {
        let mut total = Figures::default();
        self.keys.iter().filter(|(of, _, _)| *of == user).for_each(|(_, _, figures)| total += *figures);
        total
    }

    /// Adds a charge of an open lease.
    pub(super) fn add(&mut self, lease: &Lease, figures: Figures) {
        let day = lease.granted_at.day();
        match self.days.iter_mut().find(|(of, model, _)| *of == day && *model == lease.model) {
            Some((_, _, sum)) => *sum += figures,
            None => self.days.push((day, lease.model.clone(), figures)),
        }
        match self.keys.iter_mut().find(|(user, key, _)| *user == lease.user && *key == lease.key) {
            Some((_, _, sum)) => *sum += figures,
            None => self.keys.push((lease.user, lease.key, figures)),
        }
    }
}

/// Adds the calls of a lease to the counters of the day and month of `at`.
pub(super) fn add_usage(table: &Table, lease: &Lease, spent: &Spent, at: Time) -> [Write; 2] {
    let month = month(at);
    let of_day = keys::usage_of_day(lease.org, month, &at.day(), &lease.model);
    let of_key = keys::usage_of_key(lease.org, month, lease.user, lease.key);
    [of_day, of_key].map(|key| add_figures(table.update(key), spent.into()))
}

/// Adds up the figures of charges by the items that count them, because a transaction writes an item only once. Each sum is
/// returned with its last charge.
pub(super) fn sum_figures<'a>(charges: impl Iterator<Item = (Key, &'a Charge)>) -> Vec<(Key, Figures, &'a Charge)> {
    let mut sums: Vec<(Key, Figures, &Charge)> = Vec::new();
    for (key, charge) in charges {
        match sums.iter_mut().find(|(of, _, _)| *of == key) {
            Some((_, figures, last)) => {
                *figures += Figures::from(charge);
                *last = charge;
            }
            None => sums.push((key, charge.into(), charge)),
        }
    }
    sums
}

/// Adds figures to an item of counters.
pub(super) fn add_figures(write: Write, figures: Figures) -> Write {
    let Figures { requests, tokens_in, tokens_out, images, cost, charged, uncollected } = figures;
    let write =
        write.add(Figures::REQUESTS, requests).add(Figures::TOKENS_IN, tokens_in).add(Figures::TOKENS_OUT, tokens_out);
    let write = write.add(Figures::COST, cost).add(Figures::CHARGED, charged);
    let write = if images == 0 { write } else { write.add(Figures::IMAGES, images) };
    if uncollected.is_zero() { write } else { write.add(Figures::UNCOLLECTED, uncollected) }
}

/// Reads the counters of a month (`202611`), which hold the usage of closed leases.
pub(super) async fn read_month(table: &Table, org: OrgId, month: i64) -> Result<MonthlyUsage> {
    let mut usage = MonthlyUsage::default();
    for item in table.query_all(TableQuery::partition(keys::usage(org, month))).await? {
        let sk = keys::Key::from_item(&item).map(|key| key.sk).unwrap_or_default();
        if sk == keys::ADJUSTED {
            usage.adjusted = parse(item)?;
            continue;
        }
        let figures: Figures = parse(item)?;
        let unknown = || Error::internal("a usage item has an unknown sort key");
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
