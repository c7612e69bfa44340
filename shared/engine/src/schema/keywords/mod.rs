//! The validation keywords, one file per kind of value they apply to.

pub mod arrays;
pub mod combinations;
pub mod numbers;
pub mod objects;
pub mod strings;
pub mod types;
mod variants;

use domain::language::Translated;
use domain::translated;
use serde_json::Value;

use super::checker::Checker;
use super::findings::Findings;
use super::number::count;
use super::path::Path;

const ENTRIES: Translated = Translated::new("entries", "elementos");

/// The direction of a limit on a count, as in `minLength` and `maxItems`.
enum Limit {
    Least,
    Most,
}

fn check_count(
    checker: &mut Checker,
    (limit, operand): (Limit, &Value),
    counted: (usize, Translated),
    at: &Path,
    found: &mut Findings,
) {
    let Some(bound) = count(operand) else { return };
    let (number, what) = (counted.0 as u64, counted.1);
    match limit {
        Limit::Least if number == 0 && bound == 1 => {
            checker.refuse(at, translated!("must not be empty", "no debe estar vacío"), found);
        }
        Limit::Least if number < bound => {
            checker.refuse(at, translated!("at least {bound} ", "al menos {bound} ").with(&what), found);
        }
        Limit::Most if number > bound => {
            checker.refuse(at, translated!("at most {bound} ", "como máximo {bound} ").with(&what), found);
        }
        _ => {}
    }
}
