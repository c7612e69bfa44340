//! Exact comparison of numbers, however they are written: 1, 1.0 and 1e0 are the same number.

use std::cmp::Ordering;

use serde_json::{Number, Value};

#[derive(Clone, Copy)]
pub enum Exact {
    Whole(i128),
    /// A fraction, or a number that does not fit 128 bits.
    Double(f64),
}

const MAX_WHOLE: f64 = 1e38;

pub fn exact(number: &Number) -> Exact {
    if let Some(whole) = number.as_i64() {
        return Exact::Whole(whole.into());
    }
    if let Some(whole) = number.as_u64() {
        return Exact::Whole(whole.into());
    }
    let double = number.as_f64().unwrap_or(f64::NAN);
    if double.fract() == 0.0 && double.abs() < MAX_WHOLE { Exact::Whole(double as i128) } else { Exact::Double(double) }
}

pub fn compare(one: &Number, other: &Number) -> Ordering {
    match (exact(one), exact(other)) {
        (Exact::Whole(one), Exact::Whole(other)) => one.cmp(&other),
        (Exact::Double(one), Exact::Double(other)) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
        (Exact::Whole(one), Exact::Double(other)) => against_double(one, other),
        (Exact::Double(one), Exact::Whole(other)) => against_double(other, one).reverse(),
    }
}

fn against_double(whole: i128, double: f64) -> Ordering {
    if double.abs() >= MAX_WHOLE {
        return if double > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    // The double is a fraction here, so it equals no whole number.
    if whole <= double.floor() as i128 { Ordering::Less } else { Ordering::Greater }
}

pub fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|double| double.fract() == 0.0)
}

/// Reads the operand of a count keyword: `2` or `2.0`.
pub fn count(value: &Value) -> Option<u64> {
    let Value::Number(number) = value else { return None };
    match exact(number) {
        Exact::Whole(whole) => u64::try_from(whole).ok(),
        Exact::Double(_) => None,
    }
}

pub fn is_positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}

/// Whether `number` is a multiple of `of`, computed in decimal digits: 0.3 is three times 0.1.
pub fn is_multiple(number: &Number, of: &Number) -> bool {
    let (Some(number), Some(divisor)) = (Decimal::parse(number), Decimal::parse(of)) else { return false };
    if number.digits == 0 {
        return true;
    }
    if divisor.digits == 0 {
        return false;
    }
    let shift = number.exponent - divisor.exponent;
    if shift >= 0 {
        let remainder = number.digits % divisor.digits * power_of_ten(shift as u32, divisor.digits);
        return remainder.is_multiple_of(divisor.digits);
    }
    let scaled = 10u128.checked_pow(shift.unsigned_abs()).and_then(|scale| divisor.digits.checked_mul(scale));
    scaled.is_some_and(|divisor| number.digits.is_multiple_of(divisor))
}

/// The absolute value as `digits * 10^exponent`. A JSON number has at most 20 digits here.
struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    fn parse(number: &Number) -> Option<Self> {
        if let Some(whole) = number.as_i64().map(i64::unsigned_abs).or(number.as_u64()) {
            return Some(Self { digits: whole.into(), exponent: 0 });
        }
        let written = format!("{:e}", number.as_f64()?.abs());
        let (mantissa, exponent) = written.split_once('e')?;
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        let digits = mantissa.replace('.', "").parse().ok()?;
        Some(Self { digits, exponent: exponent.parse::<i32>().ok()? - decimals })
    }
}

/// Computes `10^exponent` modulo a number of at most 20 digits, so that the products fit 128 bits.
fn power_of_ten(exponent: u32, modulus: u128) -> u128 {
    let (mut result, mut base, mut exponent) = (1 % modulus, 10 % modulus, exponent);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    result
}
