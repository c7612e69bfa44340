//! `properties`, `patternProperties`, `additionalProperties`, `propertyNames`, `required`, `dependentRequired`,
//! `dependentSchemas`, `minProperties` and `maxProperties`.

use domain::language::Translated;
use domain::translated;
use serde_json::{Map, Value};

use super::{ENTRIES, Limit, check_count};
use crate::schema::checker::Checker;
use crate::schema::findings::Findings;
use crate::schema::path::Path;
use crate::suggestion::{nearest, suggest};

/// The maximum number of unknown fields of a value whose names are compared with the known ones.
const MAX_SUGGESTIONS: usize = 10;
/// The maximum number of fields that are compared with a missing one.
const MAX_COMPARED_FIELDS: usize = 50;

pub fn apply<'s>(
    checker: &mut Checker<'s>,
    (keyword, operand): (&str, &'s Value),
    schema: &'s Value,
    entries: &Map<String, Value>,
    at: &Path,
    found: &mut Findings,
) {
    let count = (entries.len(), ENTRIES);
    match keyword {
        "minProperties" => check_count(checker, (Limit::Least, operand), count, at, found),
        "maxProperties" => check_count(checker, (Limit::Most, operand), count, at, found),
        "required" => required(checker, operand, schema, entries, at, found),
        "dependentRequired" => {
            for (name, needed) in operand.as_object().into_iter().flatten() {
                checker.budget.charge(1);
                if entries.contains_key(name) {
                    required(checker, needed, schema, entries, at, found);
                }
            }
        }
        "properties" => {
            let Some(schemas) = operand.as_object() else { return };
            each(checker, entries, at, found, |checker, name, value, at, found| {
                if let Some(schema) = schemas.get(name) {
                    checker.apply(schema, value, at, found);
                }
            });
        }
        "patternProperties" => {
            let Some(schemas) = operand.as_object() else { return };
            each(checker, entries, at, found, |checker, name, value, at, found| {
                for (pattern, schema) in schemas {
                    if checker.matches_pattern(pattern, name) {
                        checker.apply(schema, value, at, found);
                    }
                }
            });
        }
        "additionalProperties" => additional(checker, operand, schema, entries, at, found),
        "propertyNames" => each(checker, entries, at, found, |checker, name, _, at, found| {
            if !checker.accepts(operand, &Value::String(name.to_owned()), at) {
                let problem = translated!("this name is not allowed here", "este nombre no se permite aquí");
                checker.refuse(at, problem, found);
            }
        }),
        _ => {}
    }
}

/// Calls `check` for each entry, until the validation can stop.
fn each<'s>(
    checker: &mut Checker<'s>,
    entries: &Map<String, Value>,
    at: &Path,
    found: &mut Findings,
    mut check: impl FnMut(&mut Checker<'s>, &str, &Value, &Path, &mut Findings),
) {
    for (name, value) in entries {
        checker.budget.charge_bytes(name.len());
        if checker.is_done(found) {
            return;
        }
        check(checker, name, value, &at.name(name), found);
    }
}

fn required(
    checker: &mut Checker,
    names: &Value,
    schema: &Value,
    entries: &Map<String, Value>,
    at: &Path,
    found: &mut Findings,
) {
    for name in names.as_array().into_iter().flatten().filter_map(Value::as_str) {
        checker.budget.charge_bytes(name.len());
        if checker.is_done(found) {
            return;
        }
        if !entries.contains_key(name) {
            let problem = translated!("is missing", "falta").with(&fix_missing(name, schema, entries, found));
            checker.refuse(&at.name(name), problem, found);
        }
    }
}

fn additional<'s>(
    checker: &mut Checker<'s>,
    operand: &'s Value,
    schema: &'s Value,
    entries: &Map<String, Value>,
    at: &Path,
    found: &mut Findings,
) {
    if *operand == true {
        return;
    }
    let known = schema.get("properties").and_then(Value::as_object);
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    each(checker, entries, at, found, |checker, name, value, at, found| {
        let mut patterns = patterns.into_iter().flatten();
        let is_known = known.is_some_and(|known| known.contains_key(name))
            || patterns.any(|(pattern, _)| checker.matches_pattern(pattern, name));
        match operand {
            _ if is_known => {}
            Value::Bool(false) => {
                let problem = translated!("is not a field of this type", "no es un campo de este tipo");
                checker.refuse(at, problem.with(&fix_unknown(name, known, entries, found)), found);
            }
            schema => checker.apply(schema, value, at, found),
        }
    });
}

/// How to fix a missing field, if a field that the schema does not know has a similar name.
fn fix_missing(name: &str, schema: &Value, entries: &Map<String, Value>, found: &Findings) -> Translated<String> {
    let is_unknown = |entry: &&String| schema["properties"].get(entry.as_str()).is_none();
    let unknown = || entries.keys().filter(is_unknown).map(String::as_str).take(MAX_COMPARED_FIELDS);
    let may_suggest = schema["additionalProperties"] == false && found.violations.len() < MAX_SUGGESTIONS;
    let misspelled = may_suggest.then(|| nearest(name, unknown())).flatten();
    let fix = |wrong| translated!("; rename `{wrong}` to `{name}`", "; cambie el nombre de `{wrong}` por `{name}`");
    misspelled.map(fix).unwrap_or_default()
}

/// How to fix a field that the schema does not know: by the name of a field that is not used yet, or by removing it.
fn fix_unknown(
    name: &str,
    known: Option<&Map<String, Value>>,
    entries: &Map<String, Value>,
    found: &Findings,
) -> Translated<String> {
    let unused = || known.into_iter().flat_map(Map::keys).filter(|known| !entries.contains_key(*known));
    let may_suggest = found.violations.len() < MAX_SUGGESTIONS;
    let suggested = may_suggest.then(|| suggest(name, unused().map(String::as_str))).flatten();
    suggested.unwrap_or_else(|| translated!("; remove it", "; quítelo"))
}
