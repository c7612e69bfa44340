//! Leases: money and requests taken beforehand, so that what is spent was there, whatever the concurrency.
//! `store/leases` has the protocol; here are its words and its arithmetic.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::catalog::Pricing;
use super::id::{ApiKeyId, LeaseId, OrgId, UserId};
use super::limits::{Dimension, Level, Limits, PlanLimits};
use super::money::Money;
use super::time::Time;

/// A lease takes calls for so long at most, and only within the windows it was counted in.
pub const ADMITS_FOR: Duration = Duration::from_secs(10);
/// Longer than the longest call: after it, whoever finds the lease may close it.
pub const LONGEST_CALL: Duration = Duration::from_secs(330);
/// The most calls of one lease; with a void for each, its close still fits one transaction.
pub const MOST_SLOTS: u32 = 64;
/// A lease of many calls takes at most one part in so many of what a counter has left …
const PART_OF_LEFT: u64 = 100;
/// … and all of them together at most one part in so many.
const PART_OF_ALL: u64 = 20;

/// Who pays for a call, and is held to what.
#[derive(Clone, Debug, PartialEq)]
pub struct Payer {
    pub org: OrgId,
    pub user: UserId,
    /// None for what the platform calls for a user in process.
    pub key: Option<ApiKeyId>,
    /// Nothing is deducted, and no cap holds.
    pub is_exempt: bool,
    /// The plan's; a meter may have its own.
    pub limits: PlanLimits,
}

impl Payer {
    pub fn levels(&self) -> impl Iterator<Item = Level> {
        [Level::Org, Level::User].into_iter().chain(self.key.map(|_| Level::Key))
    }
}

/// The most that one call can take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    pub money: Money,
    pub tokens: u64,
    pub images: u64,
}

impl Need {
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

    /// How much of a counter one call takes.
    pub fn of(&self, what: What) -> u64 {
        match what {
            What::Balance | What::Spending => self.money.pico_usd(),
            What::Limit(Dimension::Rpm | Dimension::Rpd) => 1,
            What::Limit(Dimension::Tpm | Dimension::Tpd) => self.tokens,
            What::Limit(Dimension::Ipm) => self.images,
        }
    }
}

/// What a meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// The credits of an organization.
    Balance,
    /// What was spent in a month, against a cap where there is one.
    Spending,
    Limit(Dimension),
}

/// Something that a lease has taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    pub level: Level,
    pub what: What,
    /// The number of its window: a minute, a day, a month (`202611`). None for what has no window.
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
    /// The prices its calls are charged at, whatever the catalog says later.
    pub pricing: Pricing,
    pub price_version: u64,
    pub unit: Need,
    pub slots: u32,
    pub counted: Vec<Counter>,
    pub granted_at: Time,
    pub admits_until: Time,
    pub expires_at: Time,
}

impl Lease {
    /// A lease of many calls keeps its distance from every limit.
    pub fn is_wide(&self) -> bool {
        self.slots > 1
    }
}

/// The month of a moment, as `202611`.
pub fn month(at: Time) -> i64 {
    let text = at.to_string();
    text[..4].parse::<i64>().unwrap_or_default() * 100 + text[5..7].parse::<i64>().unwrap_or_default()
}

/// Until when a lease granted now may take calls: not beyond any window it is counted in.
pub fn admits_until(now: Time, limits: impl IntoIterator<Item = Dimension>) -> Time {
    let latest = now.plus(ADMITS_FOR);
    let ends = limits.into_iter().map(|dimension| Time::from_millis(dimension.resets_at(now) * 1_000));
    // Every spending is counted in its month, which ends with a day.
    let end_of_day = Time::from_millis(Dimension::Rpd.resets_at(now) * 1_000);
    ends.chain([end_of_day]).fold(latest, Time::min)
}

/// What a counter has left for a lease.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    pub counter: Counter,
    /// The limit that it counts against; the balance's is its own height.
    pub limit: u64,
    pub left: u64,
    /// What wide leases hold of it now.
    pub wide: u64,
    pub per_call: u64,
}

impl Room {
    /// How many calls a wide lease may cover here.
    fn wide_calls(&self) -> u64 {
        let by_left = self.left / PART_OF_LEFT / self.per_call;
        let by_all = (self.floor(0) / PART_OF_ALL).saturating_sub(self.wide) / self.per_call;
        by_left.min(by_all)
    }

    /// What must be left for the lease to be granted. For one call that is what it takes; a wide lease names a height
    /// well above, since a condition can compare with a number, not with a part of another attribute.
    pub fn needed(&self, slots: u32) -> u64 {
        let amount = self.per_call.saturating_mul(slots.into());
        if slots > 1 { self.floor(amount) } else { amount }
    }

    fn floor(&self, amount: u64) -> u64 {
        amount.saturating_mul(PART_OF_LEFT).max(self.left - self.left / 4)
    }

    /// What wide leases may hold already, for one of so many calls to be granted.
    pub fn most_wide(&self, slots: u32) -> u64 {
        (self.needed(slots) / PART_OF_ALL).saturating_sub(self.per_call.saturating_mul(slots.into()))
    }
}

/// How many calls a lease may cover, at most as many as are wished for; or the counter that has not even room for one.
pub fn size(rooms: &[Room], wish: u32) -> Result<u32, Room> {
    if let Some(short) = rooms.iter().find(|room| room.left < room.per_call) {
        return Err(*short);
    }
    let wide = rooms.iter().map(Room::wide_calls).min().unwrap_or(u64::MAX);
    let wide = u32::try_from(wide).unwrap_or(u32::MAX).min(wish).min(MOST_SLOTS);
    Ok(wide.max(1))
}

/// Why a call cannot be paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// `left` is what the balance can still bear.
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

/// The limits that hold at a level: the meter's own before the plan's.
pub fn effective(own: Option<Limits>, plan: Limits) -> Limits {
    own.unwrap_or(Limits::NONE).or(plan)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn room(left: u64, wide: u64, per_call: u64) -> Room {
        let counter = Counter { level: Level::Org, what: What::Balance, window: None };
        Room { counter, limit: left, left, wide, per_call }
    }

    #[test]
    fn near_a_limit_each_call_is_exact() {
        assert_eq!(size(&[room(199, 0, 1)], 64), Ok(1));
        assert_eq!(size(&[room(200, 0, 1)], 64), Ok(2));
        assert_eq!(size(&[room(1_000_000, 0, 1)], 64), Ok(64));
        assert_eq!(size(&[room(1_000_000, 0, 1), room(300, 0, 1)], 64), Ok(3));
        assert_eq!(size(&[room(1, 0, 1)], 64), Ok(1));
        assert!(size(&[room(1_000, 0, 1), room(0, 0, 1)], 64).is_err());
    }

    #[test]
    fn wide_leases_together_hold_a_twentieth_at_most() {
        // Three quarters of 10,000 is the height that a writer can count on; a twentieth of it is 375.
        assert_eq!(size(&[room(10_000, 360, 1)], 64), Ok(15));
        assert_eq!(size(&[room(10_000, 375, 1)], 64), Ok(1));
        let room = room(10_000, 360, 1);
        assert!(room.most_wide(15) >= room.wide);
        assert!(room.needed(15) <= room.left);
    }

    #[test]
    fn what_is_wished_for_bounds_a_lease() {
        assert_eq!(size(&[room(1_000_000, 0, 1)], 1), Ok(1));
        assert_eq!(size(&[], 3), Ok(3));
        assert_eq!(size(&[], 1_000), Ok(MOST_SLOTS));
    }

    #[test]
    fn a_lease_ends_with_its_windows() {
        let at = Time::from_millis(86_400_000 - 3_000);
        assert_eq!(admits_until(at, []), Time::from_millis(86_400_000));
        let at = Time::from_millis(55_000);
        assert_eq!(admits_until(at, [Dimension::Rpm]), Time::from_millis(60_000));
        assert_eq!(admits_until(at, []), Time::from_millis(65_000));
        assert_eq!(month(Time::from_millis(1_772_357_400_120)), 202_603);
    }

    proptest! {
        #[test]
        fn a_wide_lease_keeps_its_distance_from_every_limit(
            states in vec((0..=u64::MAX / 256, 0..=10_000u64, 1..=1_000_000u64), 1..6), wish in 1..=100u32,
        ) {
            let rooms: Vec<Room> = states.iter().map(|(left, wide, per_call)| room(*left, *wide, *per_call)).collect();
            let Ok(slots) = size(&rooms, wish) else {
                prop_assert!(rooms.iter().any(|room| room.left < room.per_call));
                return Ok(());
            };
            prop_assert!(slots >= 1 && slots <= wish.min(MOST_SLOTS));
            for room in rooms {
                let amount = room.per_call * u64::from(slots);
                prop_assert!(room.needed(slots) <= room.left, "what it was sized by is enough");
                prop_assert!(slots == 1 || room.wide <= room.most_wide(slots), "and so is what others hold");
                prop_assert!(slots == 1 || amount <= room.left / PART_OF_LEFT);
            }
        }

        /// The conditions compare with numbers that were read before: they must do for any state that meets them.
        #[test]
        fn whatever_meets_the_conditions_of_a_wide_lease_has_room(
            left in 200..=1_000_000_000u64, per_call in 1..=1_000_000u64, slots in 2..=MOST_SLOTS,
            later_left: u64, later_wide: u64,
        ) {
            let room = room(left, 0, per_call);
            let amount = per_call * u64::from(slots);
            let later_left = later_left.max(room.needed(slots));
            let later_wide = later_wide.min(room.most_wide(slots));
            prop_assert!(amount <= later_left / PART_OF_LEFT);
            prop_assert!(later_wide + amount <= later_left / PART_OF_ALL);
        }
    }
}
