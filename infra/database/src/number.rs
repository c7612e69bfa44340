//! Numbers: DynamoDB's are decimal, with up to 38 digits.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use crate::error::{Error, Result};

/// The most digits of a number.
const MAX_DIGITS: usize = 38;
/// The exponents of `0.<digits> × 10^<exponent>` from 1e-130 to 9.99e125, which are the bounds of DynamoDB.
const EXPONENTS: RangeInclusive<i32> = -129..=126;

/// A decimal number: `0.<digits> × 10^<exponent>`, without zeros at its ends. Zero has no digits.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    exponent: i32,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if all.is_empty() || !all.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let leading = all.iter().take_while(|digit| **digit == b'0').count();
        let trailing = all[leading..].iter().rev().take_while(|digit| **digit == b'0').count();
        let digits = all[leading..all.len() - trailing].to_vec();
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, exponent: 0 });
        }
        let exponent = exponent.checked_add(i32::try_from(whole.len()).ok()? - i32::try_from(leading).ok()?)?;
        (digits.len() <= MAX_DIGITS && EXPONENTS.contains(&exponent)).then_some(Self { is_negative, digits, exponent })
    }

    /// Bytes that have the order of the numbers.
    fn sortable(&self) -> Vec<u8> {
        if self.digits.is_empty() {
            return vec![1];
        }
        let exponent = (i64::from(self.exponent) + (1 << 31)) as u32;
        let mut bytes = vec![2];
        bytes.extend(exponent.to_be_bytes());
        bytes.extend(&self.digits);
        if self.is_negative {
            bytes[0] = 0;
            bytes[1..].iter_mut().for_each(|byte| *byte = !*byte);
            // A longer number with the same beginning is the smaller one.
            bytes.push(u8::MAX);
        }
        bytes
    }
}

fn parse(text: &str) -> Result<Decimal> {
    Decimal::parse(text).ok_or_else(|| {
        Error::invalid(format_args!("{text:?} is no number of at most 38 digits between 1e-130 and 9.99e125"))
    })
}

/// Bytes that have the order of the numbers.
pub fn sortable(text: &str) -> Result<Vec<u8>> {
    Ok(parse(text)?.sortable())
}

pub fn compare(one: &str, other: &str) -> Result<Ordering> {
    Ok(match (one.parse::<i128>(), other.parse::<i128>()) {
        (Ok(one), Ok(other)) => one.cmp(&other),
        _ => sortable(one)?.cmp(&sortable(other)?),
    })
}

/// The sum. The platform counts in whole numbers only.
pub fn add(one: &str, other: &str) -> Result<String> {
    let whole = |text: &str| {
        let parsed = text.parse::<i128>();
        parsed.map_err(|_| Error::invalid(format_args!("{text:?} is no whole number, so nothing is added to it")))
    };
    let sum = whole(one)?.checked_add(whole(other)?).map(|sum| sum.to_string());
    let sum = sum.filter(|sum| sum.trim_start_matches('-').len() <= MAX_DIGITS);
    sum.ok_or_else(|| Error::invalid("the sum has more than 38 digits"))
}

/// The bytes of a number, as DynamoDB counts them: one for two digits on each side of the point, one more, and one for a
/// sign.
pub fn size(text: &str) -> usize {
    whole_size(text).unwrap_or_else(|| size_of_decimal(text))
}

/// The size of a whole number without an exponent, as nearly all are.
fn whole_size(text: &str) -> Option<usize> {
    let unsigned = text.strip_prefix('-').unwrap_or(text).trim_start_matches('0');
    let is_whole = (1..=MAX_DIGITS).contains(&unsigned.len()) && unsigned.bytes().all(|digit| digit.is_ascii_digit());
    is_whole.then(|| unsigned.trim_end_matches('0').len().div_ceil(2) + 1 + usize::from(text.starts_with('-')))
}

fn size_of_decimal(text: &str) -> usize {
    let Some(Decimal { is_negative, digits, exponent }) = Decimal::parse(text) else { return text.len() };
    let whole = usize::try_from(exponent).unwrap_or(0).min(digits.len());
    whole.div_ceil(2) + (digits.len() - whole).div_ceil(2) + 1 + usize::from(is_negative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sortable_bytes_have_the_order_of_the_numbers() {
        let ordered = [
            "-1e30", "-123.4", "-123", "-12", "-2", "-1.5", "-1", "-0.15", "-0.1", "-1e-9", "0", "1e-9", "0.1", "0.15",
            "1", "1.5", "2", "12", "123", "123.4", "1e30",
        ];
        for (i, one) in ordered.iter().enumerate() {
            for (j, other) in ordered.iter().enumerate() {
                assert_eq!(sortable(one).unwrap().cmp(&sortable(other).unwrap()), i.cmp(&j), "{one} {other}");
                assert_eq!(compare(one, other).unwrap(), i.cmp(&j), "{one} {other}");
            }
        }
    }

    #[test]
    fn equal_numbers_have_the_same_bytes() {
        for forms in [["100", "1e2", "100.0", "+0100"], ["0", "-0", "0.0", "0e5"], ["-0.5", "-.5", "-5e-1", "-0.50"]] {
            assert!(forms.iter().all(|form| sortable(form).unwrap() == sortable(forms[0]).unwrap()), "{forms:?}");
        }
        for wrong in ["", "-", "1e", "a", "1.2.3", "123456789012345678901234567890123456789", "1e126", "1e-131"] {
            assert!(sortable(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_largest_and_the_smallest_number_are_read() {
        for number in ["9.9999999999999999999999999999999999999e125", "-1e125", "1e-130", "-1e-130"] {
            assert!(sortable(number).is_ok(), "{number}");
        }
    }

    #[test]
    fn whole_numbers_have_the_same_size_by_the_shorter_way() {
        let long = "9".repeat(39);
        for text in
            ["0", "-0", "7", "-7", "10", "1200", "-1234567", "0012", "+5", "1.5", "1e3", "", "-", &long, &long[1..]]
        {
            assert!(whole_size(text).is_none_or(|size| size == size_of_decimal(text)), "{text}");
        }
        assert_eq!([whole_size("1200"), whole_size("-1234567"), whole_size("1e3")], [Some(2), Some(6), None]);
    }

    #[test]
    fn sums_are_exact_and_stay_within_38_digits() {
        let most = "9".repeat(38);
        assert_eq!(add("99999999999999999999999999999999999998", "1").unwrap(), most);
        assert_eq!(add("5", "-7").unwrap(), "-2");
        assert!(add(&most, "1").is_err());
        assert!(add("1.5", "1").is_err());
    }
}
