//! `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` and `multipleOf`.

use domain::translated;
use serde_json::{Number, Value};

use crate::schema::checker::Checker;
use crate::schema::findings::Findings;
use crate::schema::number::{compare, is_multiple};
use crate::schema::path::Path;

pub fn apply(checker: &mut Checker, keyword: &str, operand: &Value, number: &Number, at: &Path, found: &mut Findings) {
    let Value::Number(bound) = operand else { return };
    let problem = match keyword {
        "minimum" if compare(number, bound).is_lt() => translated!("at least {bound}", "al menos {bound}"),
        "maximum" if compare(number, bound).is_gt() => translated!("at most {bound}", "como máximo {bound}"),
        "exclusiveMinimum" if compare(number, bound).is_le() => translated!("more than {bound}", "más de {bound}"),
        "exclusiveMaximum" if compare(number, bound).is_ge() => translated!("less than {bound}", "menos de {bound}"),
        "multipleOf" if !is_multiple(number, bound) => {
            translated!("must be a multiple of {bound}", "debe ser un múltiplo de {bound}")
        }
        _ => return,
    };
    checker.refuse(at, problem, found);
}
