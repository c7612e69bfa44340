//! `items`, `prefixItems`, `contains`, `uniqueItems`, `minItems` and `maxItems`.

use std::collections::HashMap;

use domain::translated;
use serde_json::Value;

use super::{ENTRIES, Limit, check_count};
use crate::schema::checker::Checker;
use crate::schema::equality::{equal, hash};
use crate::schema::findings::Findings;
use crate::schema::number::count;
use crate::schema::path::Path;

pub fn apply<'s>(
    checker: &mut Checker<'s>,
    (keyword, operand): (&str, &'s Value),
    schema: &'s Value,
    items: &[Value],
    at: &Path,
    found: &mut Findings,
) {
    let entries = (items.len(), ENTRIES);
    match keyword {
        "minItems" => check_count(checker, (Limit::Least, operand), entries, at, found),
        "maxItems" => check_count(checker, (Limit::Most, operand), entries, at, found),
        "prefixItems" => {
            let schemas = operand.as_array().map(Vec::as_slice).unwrap_or_default();
            for (index, (schema, item)) in schemas.iter().zip(items).enumerate() {
                if checker.is_done(found) {
                    return;
                }
                checker.apply(schema, item, &at.index(index), found);
            }
        }
        "items" => {
            let prefix = schema["prefixItems"].as_array().map_or(0, Vec::len);
            for (index, item) in items.iter().enumerate().skip(prefix) {
                if checker.is_done(found) {
                    return;
                }
                checker.apply(operand, item, &at.index(index), found);
            }
        }
        "contains" => contains(checker, operand, schema, items, at, found),
        "uniqueItems" if *operand == true => unique(checker, items, at, found),
        _ => {}
    }
}

fn contains<'s>(
    checker: &mut Checker<'s>,
    operand: &'s Value,
    schema: &'s Value,
    items: &[Value],
    at: &Path,
    found: &mut Findings,
) {
    let least = count(&schema["minContains"]).unwrap_or(1);
    let most = count(&schema["maxContains"]);
    let mut matching = 0;
    for (index, item) in items.iter().enumerate() {
        if checker.is_done(found) || (matching >= least && most.is_none()) {
            break;
        }
        matching += u64::from(checker.accepts(operand, item, &at.index(index)));
    }
    if matching < least {
        let problem = translated!(
            "at least {least} entries must match the `contains` of its schema",
            "al menos {least} elementos deben cumplir el `contains` de su esquema"
        );
        checker.refuse(at, problem, found);
    } else if let Some(most) = most.filter(|most| matching > *most) {
        let problem = translated!(
            "at most {most} entries may match the `contains` of its schema",
            "como máximo {most} elementos pueden cumplir el `contains` de su esquema"
        );
        checker.refuse(at, problem, found);
    }
}

fn unique(checker: &mut Checker, items: &[Value], at: &Path, found: &mut Findings) {
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let same = seen.entry(hash(item, &checker.state, &mut checker.budget)).or_default();
        if checker.budget.exceeded().is_some() {
            return;
        }
        if let Some(first) = same.iter().find(|first| equal(&items[**first], item, &mut checker.budget)) {
            let problem = translated!(
                "must not repeat an entry: [{first}] and [{index}] are equal",
                "no debe repetir un elemento: [{first}] y [{index}] son iguales"
            );
            return checker.refuse(at, problem, found);
        }
        same.push(index);
    }
}
