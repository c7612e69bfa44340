//! `minLength`, `maxLength`, `pattern`, and `format: uuid` for schemas of node types.

use serde_json::Value;
use uuid::Uuid;

use super::{Limit, check_count};
use crate::schema::checker::{Checker, Dialect};
use crate::schema::findings::Findings;
use crate::schema::path::Path;
use domain::language::Translated;
use domain::text::shorten;
use domain::translated;

pub fn apply<'s>(
    checker: &mut Checker<'s>,
    keyword: &str,
    operand: &'s Value,
    text: &str,
    at: &Path,
    found: &mut Findings,
) {
    match keyword {
        "minLength" | "maxLength" => {
            checker.budget.charge_bytes(text.len());
            let limit = if keyword == "minLength" { Limit::Least } else { Limit::Most };
            let characters = Translated::new("characters", "caracteres");
            check_count(checker, (limit, operand), (text.chars().count(), characters), at, found);
        }
        "pattern" => {
            let pattern = operand.as_str().unwrap_or_default();
            if !checker.matches_pattern(pattern, text) {
                let problem = translated!("must match the pattern {}", "debe cumplir el patrón {}", shorten(pattern));
                checker.refuse(at, problem, found);
            }
        }
        "format" if checker.dialect == Dialect::NodeType && operand == "uuid" && Uuid::try_parse(text).is_err() => {
            checker.refuse(at, translated!("must be a UUID", "debe ser un UUID"), found);
        }
        _ => {}
    }
}
