//! Integers that clients write as floats: `24604.0` is 24604.

use serde_json::{Map, Value};

/// 2⁵³. From here on, a float does not identify a single integer.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The integer that a float exactly represents, if it is one.
pub fn exact_integer(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < MOST_EXACT).then_some(number as i64)
}

/// Replaces floats with integers in the fields with these names, if their values are whole.
pub fn convert_integer_fields(body: &mut Map<String, Value>, names: &[&str]) {
    for name in names {
        let Some(value) = body.get_mut(*name).filter(|value| value.is_f64()) else { continue };
        if let Some(integer) = value.as_f64().and_then(exact_integer) {
            *value = integer.into();
        }
    }
}
