//! Money as an integer of pico-USD (10⁻¹² USD), never a float.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const PICO_IN_USD: u64 = 1_000_000_000_000;
const DECIMALS: usize = 12;

/// An amount that is never negative. Arithmetic saturates, so an overflow becomes too expensive instead of cheap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(u64);

impl Money {
    pub const ZERO: Self = Self(0);
    pub const MAX: Self = Self(u64::MAX);
    /// The maximum balance of an organization. Smaller amounts also fit into signed 64-bit integers.
    pub const MAX_CREDIT: Self = Self(9_000_000 * PICO_IN_USD);

    pub const fn from_pico_usd(pico: u64) -> Self {
        Self(pico)
    }

    pub const fn from_micro_usd(micro: u64) -> Self {
        Self(micro.saturating_mul(1_000_000))
    }

    pub const fn from_usd(usd: u64) -> Self {
        Self(usd.saturating_mul(PICO_IN_USD))
    }

    pub const fn pico_usd(self) -> u64 {
        self.0
    }

    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// A share of the amount, rounded down.
    pub const fn percent(self, percent: u8) -> Self {
        Self((self.0 as u128 * percent as u128 / 100) as u64)
    }

    /// The amount for `count` of the `whole` that it pays for, rounded up.
    pub fn prorated(self, count: u64, whole: u64) -> Self {
        let pico = (u128::from(self.0) * u128::from(count)).div_ceil(u128::from(whole));
        Self(pico.try_into().unwrap_or(u64::MAX))
    }

    /// Subtracts `other`; the result is at least zero.
    pub const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// Prints US dollars without trailing zeros: `25`, `0.000041`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / PICO_IN_USD, self.0 % PICO_IN_USD);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{part:0DECIMALS$}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an amount of US dollars, not negative and with at most 12 decimals")]
pub struct NotAnAmount;

/// Parses US dollars in decimal digits, optionally with an exponent like a JSON number.
impl FromStr for Money {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<Self, NotAnAmount> {
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().map_err(|_| NotAnAmount)?),
            None => (text, 0),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
        if whole.is_empty() || text.len() > 40 || !is_number(whole) || !is_number(part) || exponent.abs() > 40 {
            return Err(NotAnAmount);
        }
        let digits: u128 = format!("{whole}{part}").parse().map_err(|_| NotAnAmount)?;
        let shift = DECIMALS as i32 + exponent - part.len() as i32;
        let scale = 10u128.checked_pow(shift.unsigned_abs()).ok_or(NotAnAmount)?;
        let pico = match shift {
            0.. => digits.checked_mul(scale).ok_or(NotAnAmount)?,
            _ if digits.is_multiple_of(scale) => digits / scale,
            _ => return Err(NotAnAmount),
        };
        u64::try_from(pico).map(Self).map_err(|_| NotAnAmount)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_print_without_trailing_zeros_and_parse_back() {
        for (pico, text) in [
            (0, "0"),
            (1, "0.000000000001"),
            (41_000_000, "0.000041"),
            (25 * PICO_IN_USD, "25"),
            (1_500_000_000_000, "1.5"),
        ] {
            assert_eq!(Money(pico).to_string(), text);
            assert_eq!(text.parse(), Ok(Money(pico)));
        }
        assert_eq!("1e-6".parse(), Ok(Money(1_000_000)));
        assert_eq!("2.50".parse(), Ok(Money(2_500_000_000_000)));
    }

    #[test]
    fn invalid_amounts_are_refused() {
        for text in
            ["", "-1", "1.0000000000001", "1,5", ".5", "NaN", "1e30", "1e-13", "99999999999999999999", "1e99999999999"]
        {
            assert_eq!(text.parse::<Money>(), Err(NotAnAmount), "{text}");
        }
    }

    proptest! {
        #[test]
        fn printed_amounts_parse_back(pico: u64) {
            let text = Money(pico).to_string();
            prop_assert!(text.bytes().all(|c| c.is_ascii_digit() || c == b'.'));
            prop_assert_eq!(text.parse(), Ok(Money(pico)));
        }

        #[test]
        fn exponents_are_applied_exactly(pico: u64, moved in 0..=6usize) {
            let zeros = "0".repeat(moved);
            prop_assert_eq!(format!("{pico}e-12").parse(), Ok(Money(pico)));
            prop_assert_eq!(format!("{pico}{zeros}E-{}", 12 + moved).parse(), Ok(Money(pico)));
        }

        #[test]
        fn amounts_with_more_than_12_decimals_are_refused(whole in 0..1_000_000u64, part in "[0-9]{12}[1-9]") {
            prop_assert_eq!(format!("{whole}.{part}").parse::<Money>(), Err(NotAnAmount));
        }

        #[test]
        fn sums_and_differences_never_wrap(one: u64, other: u64, count: u64) {
            let (one, other) = (Money(one), Money(other));
            prop_assert!(one + other >= one && one.less(other) <= one);
            prop_assert!(count == 0 || one.times(count) >= one);
            prop_assert!(one < other || one.less(other) + other == one);
        }
    }
}
