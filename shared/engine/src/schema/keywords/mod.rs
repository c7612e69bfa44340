//! The validation keywords, one file per kind of value they apply to.

pub mod arrays;
pub mod combinations;
pub mod numbers;
pub mod objects;
pub mod strings;
pub mod types;
mod variants;

use serde_json::Value;

use super::checker::Checker;
use super::findings::Findings;
use super::number::count;
use super::path::Path;

/// The direction of a limit on a count, as in `minLength` and `maxItems`.
enum Limit {
    Least,
    Most,
}

fn check_count(
    checker: &mut Checker,
    (limit, operand): (Limit, &Value),
    counted: (usize, &str),
    at: &Path,
    found: &mut Findings,
) {
    let Some(bound) = count(operand) else { return };
    let (number, what) = (counted.0 as u64, counted.1);
    match limit {
        Limit::Least if number == 0 && bound == 1 => checker.refuse(at, "must not be empty", found),
        Limit::Least if number < bound => checker.refuse(at, format!("at least {bound} {what}"), found),
        Limit::Most if number > bound => checker.refuse(at, format!("at most {bound} {what}"), found),
        _ => {}
    }
}
