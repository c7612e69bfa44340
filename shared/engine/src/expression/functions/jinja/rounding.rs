//! The filter `round`, as in Python: to the nearest, and halves to the even digit.

use super::super::super::number::{OVERFLOW, as_i128, float, whole_number};
use super::*;

pub const ALL: &[Function] = &[Function::new(&[], &["round"], (1, 3), &["precision", "method"], round)];

/// Beyond this precision, rounding changes nothing or gives zero.
const MAX_DIGITS: i64 = 323;

fn round<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let precision = provided(a, 1).map_or(Ok(0), integer)?;
    let method = provided(a, 2).map(text).transpose()?.map_or("common", |method| method);
    budget.bytes(1_500)?;
    match (method, as_i128(&a[0]), &a[0]) {
        ("common", Some(_), _) if precision >= 0 => Ok(a[0].clone()),
        ("common", Some(number), _) => whole_number(round_whole(number, precision.unsigned_abs())),
        ("common", _, Value::Float(number)) => round_float(*number, precision).map(Value::Float),
        ("ceil" | "floor", Some(number), _) if precision >= 0 => Ok(Value::Float(number as f64)),
        ("ceil", _, value) => directed(value, precision, f64::ceil),
        ("floor", _, value) => directed(value, precision, f64::floor),
        ("common", _, other) => type_error("number", other),
        _ => Err(Cause::Message("the method of round must be 'common', 'ceil' or 'floor'")),
    }
}

fn directed<'a>(value: &Value<'a>, precision: i64, round: impl Fn(f64) -> f64) -> Outcome<'a> {
    let Some(number) = float(value) else { return type_error("number", value) };
    let scale = 10f64.powi(i32::try_from(precision).unwrap_or(i32::MAX).max(-i32::MAX));
    let scaled = number * scale;
    if !scaled.is_finite() || scale == 0.0 {
        return Err(OVERFLOW);
    }
    Ok(Value::Float(round(scaled) / scale))
}

fn round_whole(number: i128, places: u64) -> i128 {
    let Some(unit) = u32::try_from(places).ok().and_then(|places| 10i128.checked_pow(places)) else { return 0 };
    let (down, rest) = (number.div_euclid(unit), number.rem_euclid(unit));
    let is_up = rest > unit - rest || (rest == unit - rest && down % 2 != 0);
    (down + i128::from(is_up)) * unit
}

fn round_float(number: f64, precision: i64) -> Result<f64, Cause> {
    if !number.is_finite() || precision > MAX_DIGITS {
        return Ok(number);
    }
    let nothing = 0f64.copysign(number);
    if precision < -MAX_DIGITS {
        return Ok(nothing);
    }
    // Formatting rounds the exact value of the float, and not its shortest decimal form.
    let rounded = match usize::try_from(precision) {
        Ok(digits) => format!("{number:.digits$}"),
        Err(_) => {
            let exponent = exponent(number);
            match usize::try_from(exponent + precision) {
                Ok(digits) => format!("{number:.digits$e}"),
                // The number is below the rounding unit: it rounds up only if it is above half of it.
                Err(_) if exponent + precision == -1 && is_above_half(number) => {
                    format!("{}e{}", 1f64.copysign(number), -precision)
                }
                Err(_) => return Ok(nothing),
            }
        }
    };
    let rounded: f64 = rounded.parse().map_err(|_| OVERFLOW)?;
    if rounded.is_finite() { Ok(rounded) } else { Err(OVERFLOW) }
}

/// The decimal exponent of the first digit. With 30 digits, formatting never rounds up to the next power of ten.
fn exponent(number: f64) -> i64 {
    let written = format!("{number:.30e}");
    written.rsplit_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// Whether the digits are above 5, 50, 500 and so on.
fn is_above_half(number: f64) -> bool {
    let written = format!("{:.800e}", number.abs());
    let (first, rest) = written.split_at(1);
    first > "5" || (first == "5" && rest.bytes().take_while(|c| *c != b'e').any(|c| matches!(c, b'1'..=b'9')))
}
