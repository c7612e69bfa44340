//! `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` and `multipleOf`.

use serde_json::{Number, Value};

use crate::schema::checker::Checker;
use crate::schema::findings::Findings;
use crate::schema::number::{compare, is_multiple};
use crate::schema::path::Path;

pub fn apply(checker: &mut Checker, keyword: &str, operand: &Value, number: &Number, at: &Path, found: &mut Findings) {
    let Value::Number(bound) = operand else { return };
    let problem = match keyword {
        "minimum" if compare(number, bound).is_lt() => format!("at least {bound}"),
        "maximum" if compare(number, bound).is_gt() => format!("at most {bound}"),
        "exclusiveMinimum" if compare(number, bound).is_le() => format!("more than {bound}"),
        "exclusiveMaximum" if compare(number, bound).is_ge() => format!("less than {bound}"),
        "multipleOf" if !is_multiple(number, bound) => format!("must be a multiple of {bound}"),
        _ => return,
    };
    checker.refuse(at, problem, found);
}
