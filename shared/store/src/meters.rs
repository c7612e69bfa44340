//! Meters: the balance, the spending, the cap and the rate limit counters of an organization, of a user in it, or of an
//! API key. Each meter is one item, which every lease takes from and gives back to.

use std::collections::HashMap;

use serde::de::DeserializeOwned;

use super::attribute::{Attribute, Number, ValueOf};
use super::condition::Condition;
use super::item::Item;
use super::keys::{self, Key};
use super::table::Table;
use domain::id::{ApiKeyId, OrgId};
use domain::identity::Account;
use domain::lease::{Counter, CounterHeadroom, CounterKind, Payer, effective, month};
use domain::limits::{Dimension, Level, Limits};
use domain::money::Money;
use domain::time::Time;
use domain::{Error, Result};
use platform::{Context, config};

/// A meter as it was read. A meter that was never used has no item and is empty.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    item: Item,
}

/// The attributes, besides the counters of [`keys::counter`].
impl Meter {
    pub(super) const BALANCE: Attribute<Money> = Attribute::new("balance");
    pub(super) const INITIAL: Attribute<Money> = Attribute::new("initial");
    pub(super) const SEQUENCE: Attribute<u64> = Attribute::new("seq");
    pub(super) const REVOKED: Attribute<Time> = Attribute::new("revoked");
    pub(super) const CAP: Attribute<Money> = Attribute::new("cap");
    pub(super) const LIMITS: Attribute<Limits> = Attribute::new("limits");
    pub(super) const LAST_USED_AT: Attribute<Time> = Attribute::new("last_used_at");

    pub(super) fn from_item(item: Item) -> Self {
        Self { item }
    }

    pub(super) fn item(&self) -> &Item {
        &self.item
    }

    /// A copy with another value of an attribute, or without the attribute.
    pub(super) fn with<T>(&self, attribute: Attribute<T>, value: Option<impl ValueOf<T>>) -> Self {
        let mut item = self.item.clone();
        match value {
            Some(value) => drop(item.insert(attribute.name().to_owned(), value.value())),
            None => drop(item.remove(attribute.name())),
        }
        Self { item }
    }

    /// The attribute is still as it was read.
    pub(super) fn is_unchanged<T>(&self, attribute: Attribute<T>) -> Condition {
        let value = attribute.find(&self.item).cloned();
        attribute.is_same_raw(value)
    }

    fn number<T: Number>(&self, attribute: &Attribute<T>) -> u64 {
        let number = attribute.find(&self.item).and_then(|value| value.as_n().ok());
        // A negative number does not parse and counts as zero. It can occur when a late close gives back to a window
        // whose counter was already removed.
        number.and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    fn value<T: DeserializeOwned>(&self, attribute: &Attribute<T>) -> Option<T> {
        serde_dynamo::from_attribute_value(attribute.find(&self.item)?.clone()).ok()
    }

    /// The balance, without the amounts that open leases hold.
    pub fn balance(&self) -> Money {
        Money::from_pico_usd(self.number(&Self::BALANCE))
    }

    /// The balance immediately after credits were last given.
    pub fn initial_credits(&self) -> Money {
        Money::from_pico_usd(self.number(&Self::INITIAL))
    }

    /// The sequence number of the meter. Every change of the balance increases it, which makes it an optimistic lock.
    pub fn sequence(&self) -> u64 {
        self.number(&Self::SEQUENCE)
    }

    pub fn is_revoked(&self) -> bool {
        Self::REVOKED.find(&self.item).is_some()
    }

    /// The maximum spending in a month.
    pub fn cap(&self) -> Option<Money> {
        self.value(&Self::CAP)
    }

    /// The meter's own limits, which take precedence over the plan's.
    pub fn limits(&self) -> Option<Limits> {
        self.value(&Self::LIMITS)
    }

    pub fn last_used_at(&self) -> Option<Time> {
        self.value(&Self::LAST_USED_AT)
    }

    pub fn counted(&self, counter: &Counter) -> u64 {
        self.number(&keys::counter(counter))
    }

    fn wide(&self, counter: &Counter) -> u64 {
        self.number(&keys::counter_wide(counter))
    }

    pub fn spent(&self, level: Level, now: Time) -> Money {
        Money::from_pico_usd(self.counted(&spending(level, now)))
    }

    /// The attributes of ended windows, which can be removed. The previous window is kept, because other clocks may be
    /// behind.
    pub(super) fn stale(&self, now: Time) -> Vec<Attribute<u64>> {
        let is_stale = |attribute: &&String| {
            let name = attribute.strip_suffix("_wide").unwrap_or(attribute);
            let Some((name, window)) = name.split_once('_') else { return false };
            let Ok(window) = window.parse::<i64>() else { return false };
            match Dimension::ALL.iter().find(|dimension| dimension.as_str() == name) {
                Some(dimension) => window < dimension.window(now) - 1,
                None => name == "spent" && months_between(window, month(now)) > 1,
            }
        };
        self.item.keys().filter(is_stale).cloned().map(Attribute::named).collect()
    }
}

fn months_between(earlier: i64, later: i64) -> i64 {
    let months = |month: i64| month / 100 * 12 + month % 100;
    months(later) - months(earlier)
}

pub(super) fn spending(level: Level, now: Time) -> Counter {
    Counter { level, kind: CounterKind::Spending, window: Some(month(now)) }
}

/// The attribute that holds a meter's spending of this month.
pub(super) fn spending_attribute(now: Time) -> Attribute<u64> {
    keys::counter(&spending(Level::Org, now))
}

/// The owner of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterOwner {
    Org(OrgId),
    User(Account),
    Key(ApiKeyId),
}

impl MeterOwner {
    pub(super) fn key(self) -> Key {
        match self {
            Self::Org(org) => keys::org_meter(org),
            Self::User(account) => keys::user_meter(account),
            Self::Key(key) => keys::key_meter(key),
        }
    }

    pub fn level(self) -> Level {
        match self {
            Self::Org(_) => Level::Org,
            Self::User(_) => Level::User,
            Self::Key(_) => Level::Key,
        }
    }
}

/// Read access to meters.
#[derive(Clone)]
pub struct MeterBook {
    table: Table,
}

impl MeterBook {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_COUNTERS)? })
    }

    /// Reads meters, in the order of their owners. A meter that was never used is empty.
    pub async fn read(&self, of: &[MeterOwner]) -> Result<Vec<Meter>> {
        Meters::read_all(&self.table, of).await
    }
}

/// The meters of a payer, each with its level.
#[derive(Clone, Debug)]
pub struct Meters(pub Vec<(Level, Meter)>);

pub(super) fn key(payer: &Payer, level: Level) -> Result<Key> {
    match (level, payer.key) {
        (Level::Org, _) => Ok(keys::org_meter(payer.org)),
        (Level::User, _) => Ok(keys::user_meter(Account { org: payer.org, user: payer.user })),
        (Level::Key, Some(key)) => Ok(keys::key_meter(key)),
        (Level::Key, None) => Err(Error::internal("a payer without a key has no key meter")),
    }
}

impl Meters {
    /// Reads all meters of a payer in one call.
    pub(super) async fn read(table: &Table, payer: &Payer) -> Result<Self> {
        let wanted: Vec<(Level, Key)> =
            payer.levels().map(|level| Ok((level, key(payer, level)?))).collect::<Result<_>>()?;
        let keys: Vec<Key> = wanted.iter().map(|(_, key)| key.clone()).collect();
        let found: HashMap<Key, Item> =
            table.batch_get(&keys).await?.into_iter().filter_map(|item| Some((Key::from_item(&item)?, item))).collect();
        let meters = wanted
            .into_iter()
            .map(|(level, key)| (level, Meter::from_item(found.get(&key).cloned().unwrap_or_default())));
        Ok(Self(meters.collect()))
    }

    /// Reads the meters of several owners, in the order of the owners. A meter that was never used is empty.
    pub(super) async fn read_all(table: &Table, of: &[MeterOwner]) -> Result<Vec<Meter>> {
        let keys: Vec<Key> = of.iter().map(|of| of.key()).collect();
        let mut found: HashMap<Key, Item> =
            table.batch_get(&keys).await?.into_iter().filter_map(|item| Some((Key::from_item(&item)?, item))).collect();
        Ok(keys.iter().map(|place| Meter::from_item(found.remove(place).unwrap_or_default())).collect())
    }

    pub fn org(&self) -> Meter {
        self.0.iter().find(|(level, _)| *level == Level::Org).map(|(_, meter)| meter.clone()).unwrap_or_default()
    }

    /// The room in every counter that a call of the payer takes from: the balance, the caps and the rate limits.
    pub fn headrooms(&self, payer: &Payer, per_call: impl Fn(CounterKind) -> u64, now: Time) -> Vec<CounterHeadroom> {
        let mut headrooms = Vec::new();
        for (level, meter) in &self.0 {
            let mut add = |counter: Counter, limit: u64, left: u64| {
                let per_call = per_call(counter.kind);
                if per_call > 0 {
                    headrooms.push(CounterHeadroom { counter, limit, left, wide: meter.wide(&counter), per_call });
                }
            };
            if *level == Level::Org && !payer.is_exempt {
                let balance = meter.balance().pico_usd();
                add(Counter { level: *level, kind: CounterKind::Balance, window: None }, balance, balance);
            }
            if let Some(cap) = meter.cap().filter(|_| !payer.is_exempt) {
                let counter = spending(*level, now);
                add(counter, cap.pico_usd(), cap.pico_usd().saturating_sub(meter.counted(&counter)));
            }
            let limits = effective(meter.limits(), payer.limits.get(*level));
            for dimension in Dimension::ALL {
                let Some(limit) = limits.get(dimension) else { continue };
                let counter =
                    Counter { level: *level, kind: CounterKind::Limit(dimension), window: Some(dimension.window(now)) };
                add(counter, limit, limit.saturating_sub(meter.counted(&counter)));
            }
        }
        headrooms
    }
}
