//! The filter `filesizeformat`.

use super::super::super::number::float;
use super::super::super::value::NOT_FINITE;
use super::*;

pub const ALL: &[Function] = &[Function::new(&[], &["filesizeformat"], (1, 2), &["binary"], file_size)];

const UNITS: [&str; 8] = ["k", "M", "G", "T", "P", "E", "Z", "Y"];

fn file_size<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let number = match &a[0] {
        Value::Text(text) => text.trim().parse().ok(),
        value => float(value),
    };
    let Some(bytes) = number else { return type_error("number", &a[0]) };
    if !bytes.is_finite() {
        return Err(NOT_FINITE);
    }
    let is_binary = flag(a, 1)?;
    let base: f64 = if is_binary { 1024.0 } else { 1000.0 };
    if bytes == 1.0 {
        return Value::text("1 Byte", budget);
    }
    if bytes < base {
        budget.bytes(320)?;
        return Value::text(&format!("{:.0} Bytes", bytes.trunc()), budget);
    }
    let mut power = 1;
    while bytes >= base.powi(power + 1) && power < UNITS.len() as i32 {
        power += 1;
    }
    let unit = UNITS[power as usize - 1];
    let unit = if is_binary { format!("{}iB", unit.to_uppercase()) } else { format!("{unit}B") };
    budget.bytes(320)?;
    Value::text(&format!("{:.1} {unit}", base * bytes / base.powi(power + 1)), budget)
}
