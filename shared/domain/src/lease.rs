//! Leases: money and requests that are reserved before a call, so that concurrent calls cannot overspend. This module
//! has the types and the arithmetic; the protocol is in `store/leases`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::catalog::Pricing;
use super::id::{ApiKeyId, LeaseId, OrgId, UserId};
use super::limits::{Dimension, Level, Limits, PlanLimits};
use super::money::Money;
use super::time::Time;

/// The longest time in which a lease accepts calls. It also ends with the windows in which it is counted.
pub const LEASE_DURATION: Duration = Duration::from_secs(10);
/// Longer than any call. After this time, any process may close an abandoned lease.
pub const LONGEST_CALL: Duration = Duration::from_secs(330);
/// The maximum number of calls of a lease. Closing it with a void for each slot still fits into one transaction.
pub const MAX_SLOTS: u32 = 64;
/// A wide lease (of more than one call) takes at most this fraction (1/100) of what a counter has left.
const PART_OF_LEFT: u64 = 100;
/// All wide leases together take at most this fraction (1/20) of what a counter has left.
const PART_OF_ALL: u64 = 20;

/// The payer of a call and its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payer {
    pub org: OrgId,
    pub user: UserId,
    /// `None` for model calls that the platform makes in process for a user.
    pub key: Option<ApiKeyId>,
    /// Exempt from billing: nothing is deducted and no spending cap applies.
    pub is_exempt: bool,
    /// The limits of the plan. The limits of a meter take precedence.
    pub limits: PlanLimits,
}

impl Payer {
    pub fn levels(&self) -> impl Iterator<Item = Level> {
        [Level::Org, Level::User].into_iter().chain(self.key.map(|_| Level::Key))
    }
}

/// The maximum that one call can use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLimits {
    pub money: Money,
    pub tokens: u64,
    pub images: u64,
}

impl CallLimits {
    pub fn fits(&self, unit: &Self) -> bool {
        self.money <= unit.money && self.tokens <= unit.tokens && self.images <= unit.images
    }

    pub fn max(&self, other: &Self) -> Self {
        Self {
            money: self.money.max(other.money),
            tokens: self.tokens.max(other.tokens),
            images: self.images.max(other.images),
        }
    }

    /// The amount that one call takes from a counter.
    pub fn amount_for(&self, what: CounterKind) -> u64 {
        match what {
            CounterKind::Balance | CounterKind::Spending => self.money.pico_usd(),
            CounterKind::Limit(Dimension::Rpm | Dimension::Rpd) => 1,
            CounterKind::Limit(Dimension::Tpm | Dimension::Tpd) => self.tokens,
            CounterKind::Limit(Dimension::Ipm) => self.images,
        }
    }
}

/// The quantity that a counter of a meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CounterKind {
    /// The credits of an organization.
    Balance,
    /// The spending of a month, limited by a cap if there is one.
    Spending,
    Limit(Dimension),
}

/// A counter of a meter from which a lease has reserved an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    pub level: Level,
    #[serde(rename = "what")]
    pub kind: CounterKind,
    /// The number of its window: a minute, a day or a month (`202611`). `None` for counters without a window.
    pub window: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    pub id: LeaseId,
    pub org: OrgId,
    pub user: UserId,
    pub key: Option<ApiKeyId>,
    pub is_exempt: bool,
    pub model: String,
    /// The prices for its calls, even if the catalog changes later.
    pub pricing: Pricing,
    pub price_version: u64,
    pub unit: CallLimits,
    pub slots: u32,
    pub counted: Vec<Counter>,
    pub granted_at: Time,
    pub admits_until: Time,
    pub expires_at: Time,
}

impl Lease {
    /// Whether the lease covers more than one call. Wide leases are granted only with a margin to every limit.
    pub fn is_wide(&self) -> bool {
        self.slots > 1
    }
}

/// The month of a time, as `202611`.
pub fn month(at: Time) -> i64 {
    let text = at.to_string();
    text[..4].parse::<i64>().unwrap_or_default() * 100 + text[5..7].parse::<i64>().unwrap_or_default()
}

/// The month before: `202512` for `202601`.
pub fn month_before(month: i64) -> i64 {
    if month % 100 == 1 { month - 100 + 11 } else { month - 1 }
}

/// The end of a month (`202611`).
pub fn end_of_month(month: i64) -> Time {
    let (year, number) = (month.div_euclid(100), month.rem_euclid(100));
    let (year, number) = if number >= 12 { (year + 1, 1) } else { (year, number + 1) };
    let first = i16::try_from(year).ok().zip(i8::try_from(number).ok());
    let first = first.and_then(|(year, number)| jiff::civil::Date::new(year, number, 1).ok());
    let end = first.and_then(|first| first.to_zoned(jiff::tz::TimeZone::UTC).ok());
    end.map_or(Time::from_millis(0), |end| end.timestamp().into())
}

/// Until when a lease granted now accepts calls: at most until the first of its windows ends.
pub fn admits_until(now: Time, limits: impl IntoIterator<Item = Dimension>) -> Time {
    let latest = now.plus(LEASE_DURATION);
    let ends = limits.into_iter().map(|dimension| Time::from_millis(dimension.resets_at(now) * 1_000));
    // Spending is counted per month, and a month ends at the end of a day.
    let end_of_day = Time::from_millis(Dimension::Rpd.resets_at(now) * 1_000);
    ends.chain([end_of_day]).fold(latest, Time::min)
}

/// The amount that a counter has left for a lease.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterHeadroom {
    pub counter: Counter,
    /// The limit of the counter. For the balance, it is the balance itself.
    pub limit: u64,
    pub left: u64,
    /// The amount that open wide leases hold.
    pub wide: u64,
    pub per_call: u64,
}

impl CounterHeadroom {
    /// The number of calls that a wide lease may cover on this counter.
    fn wide_calls(&self) -> u64 {
        let by_left = self.left / PART_OF_LEFT / self.per_call;
        let by_all = (self.floor(0) / PART_OF_ALL).saturating_sub(self.wide) / self.per_call;
        by_left.min(by_all)
    }

    /// The amount that the counter must have left when the lease is written. For one call it is what the call takes. A
    /// wide lease requires a much higher amount, because a DynamoDB condition cannot compute a part of an attribute.
    pub fn needed(&self, slots: u32) -> u64 {
        let amount = self.per_call.saturating_mul(slots.into());
        if slots > 1 { self.floor(amount) } else { amount }
    }

    fn floor(&self, amount: u64) -> u64 {
        amount.saturating_mul(PART_OF_LEFT).max(self.left - self.left / 4)
    }

    /// The maximum that open wide leases may hold for a lease of `slots` calls to be granted.
    pub fn most_wide(&self, slots: u32) -> u64 {
        (self.needed(slots) / PART_OF_ALL).saturating_sub(self.per_call.saturating_mul(slots.into()))
    }
}

/// The number of calls that a lease may cover, at most `wish`. Fails with a counter that has no room for a single call.
pub fn size_lease(headrooms: &[CounterHeadroom], wish: u32) -> Result<u32, CounterHeadroom> {
    if let Some(short) = headrooms.iter().find(|headroom| headroom.left < headroom.per_call) {
        return Err(*short);
    }
    let wide = headrooms.iter().map(CounterHeadroom::wide_calls).min().unwrap_or(u64::MAX);
    let wide = u32::try_from(wide).unwrap_or(u32::MAX).min(wish).min(MAX_SLOTS);
    Ok(wide.max(1))
}

/// Why a lease was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// `left` is the rest of the balance.
    Credits {
        left: Money,
    },
    Cap {
        level: Level,
        left: Money,
    },
    Rate {
        level: Level,
        dimension: Dimension,
        limit: u64,
        resets_at: i64,
    },
    /// The key was revoked, or the user or the organization is suspended.
    Revoked(Level),
}

/// The effective limits of a level: those of the meter take precedence over those of the plan.
pub fn effective(own: Option<Limits>, plan: Limits) -> Limits {
    own.unwrap_or(Limits::NONE).or(plan)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn headroom(left: u64, wide: u64, per_call: u64) -> CounterHeadroom {
        let counter = Counter { level: Level::Org, kind: CounterKind::Balance, window: None };
        CounterHeadroom { counter, limit: left, left, wide, per_call }
    }

    #[test]
    fn near_a_limit_a_lease_covers_one_call() {
        assert_eq!(size_lease(&[headroom(199, 0, 1)], 64), Ok(1));
        assert_eq!(size_lease(&[headroom(200, 0, 1)], 64), Ok(2));
        assert_eq!(size_lease(&[headroom(1_000_000, 0, 1)], 64), Ok(64));
        assert_eq!(size_lease(&[headroom(1_000_000, 0, 1), headroom(300, 0, 1)], 64), Ok(3));
        assert_eq!(size_lease(&[headroom(1, 0, 1)], 64), Ok(1));
        assert!(size_lease(&[headroom(1_000, 0, 1), headroom(0, 0, 1)], 64).is_err());
    }

    #[test]
    fn wide_leases_together_hold_at_most_a_twentieth() {
        // The condition requires three quarters of 10,000 to be left; a twentieth of that is 375.
        assert_eq!(size_lease(&[headroom(10_000, 360, 1)], 64), Ok(15));
        assert_eq!(size_lease(&[headroom(10_000, 375, 1)], 64), Ok(1));
        let headroom = headroom(10_000, 360, 1);
        assert!(headroom.most_wide(15) >= headroom.wide);
        assert!(headroom.needed(15) <= headroom.left);
    }

    #[test]
    fn lease_covers_at_most_the_requested_calls() {
        assert_eq!(size_lease(&[headroom(1_000_000, 0, 1)], 1), Ok(1));
        assert_eq!(size_lease(&[], 3), Ok(3));
        assert_eq!(size_lease(&[], 1_000), Ok(MAX_SLOTS));
    }

    #[test]
    fn lease_ends_with_its_windows() {
        let at = Time::from_millis(86_400_000 - 3_000);
        assert_eq!(admits_until(at, []), Time::from_millis(86_400_000));
        let at = Time::from_millis(55_000);
        assert_eq!(admits_until(at, [Dimension::Rpm]), Time::from_millis(60_000));
        assert_eq!(admits_until(at, []), Time::from_millis(65_000));
        assert_eq!(month(Time::from_millis(1_772_357_400_120)), 202_603);
    }

    proptest! {
        #[test]
        fn wide_lease_keeps_a_margin_to_every_limit(
            states in vec((0..=u64::MAX / 256, 0..=10_000u64, 1..=1_000_000u64), 1..6), wish in 1..=100u32,
        ) {
            let headrooms: Vec<CounterHeadroom> = states.iter().map(|(left, wide, per_call)| headroom(*left, *wide, *per_call)).collect();
            let Ok(slots) = size_lease(&headrooms, wish) else {
                prop_assert!(headrooms.iter().any(|headroom| headroom.left < headroom.per_call));
                return Ok(());
            };
            prop_assert!(slots >= 1 && slots <= wish.min(MAX_SLOTS));
            for headroom in headrooms {
                let amount = headroom.per_call * u64::from(slots);
                prop_assert!(headroom.needed(slots) <= headroom.left, "the amount left meets the condition");
                prop_assert!(slots == 1 || headroom.wide <= headroom.most_wide(slots), "the amount of other wide leases meets the condition");
                prop_assert!(slots == 1 || amount <= headroom.left / PART_OF_LEFT);
            }
        }

        /// The conditions contain numbers that were read earlier. They must be sufficient for every later state.
        #[test]
        fn every_state_that_meets_the_conditions_has_room_for_the_lease(
            left in 200..=1_000_000_000u64, per_call in 1..=1_000_000u64, slots in 2..=MAX_SLOTS,
            later_left: u64, later_wide: u64,
        ) {
            let headroom = headroom(left, 0, per_call);
            let amount = per_call * u64::from(slots);
            let later_left = later_left.max(headroom.needed(slots));
            let later_wide = later_wide.min(headroom.most_wide(slots));
            prop_assert!(amount <= later_left / PART_OF_LEFT);
            prop_assert!(later_wide + amount <= later_left / PART_OF_ALL);
        }
    }
}
