//! Runs the required cases of the JSON-Schema-Test-Suite for draft 2020-12: schemas with valid and invalid values.
//! Deliberate differences are listed; the test fails for unlisted differences and for listed ones that no longer occur.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::Value;

use super::super::{check_value, faults};

const CASES: &str = include_str!("cases.jsonl");

/// The keyword that cases are about, and their numbers.
type Cases = (&'static str, RangeInclusive<usize>);

/// The cases whose schema is refused as a whole when it is saved, by reason.
const REFUSED: &[(&str, &[Cases])] = &[
    (
        "depends on what other keywords have evaluated; schema generators do not use it",
        &[("unevaluatedItems", 1..=29), ("unevaluatedProperties", 1..=44), ("not", 9..=9), ("ref", 14..=14)],
    ),
    ("dynamic references are not supported", &[("dynamicRef", 1..=21)]),
    ("schemas outside of the document are not loaded", &[("refRemote", 1..=15), ("defs", 1..=1), ("ref", 7..=7)]),
    (
        "a nested `$id` would begin another document",
        &[("anchor", 2..=4), ("ref", 12..=12), ("ref", 16..=21), ("ref", 29..=33)],
    ),
    (
        "patterns have no Unicode classes, because their tables are large",
        &[("pattern", 3..=3), ("patternProperties", 6..=6)],
    ),
    ("keywords of other dialects may have another meaning", &[("vocabulary", 1..=2)]),
];

#[derive(Deserialize)]
struct Case {
    case: String,
    schema: Value,
    #[serde(default)]
    valid: Vec<Value>,
    #[serde(default)]
    invalid: Vec<Value>,
}

#[test]
fn the_json_schema_test_suite_passes() {
    let listed = REFUSED.iter().flat_map(|(_, cases)| *cases);
    let listed: BTreeSet<String> =
        listed.flat_map(|(about, numbers)| numbers.clone().map(move |number| format!("{about}/{number}"))).collect();
    let (mut refused, mut wrong, mut accepted, mut values) = (BTreeSet::new(), Vec::new(), 0, 0);
    for line in CASES.lines() {
        let Case { case, schema, valid, invalid } = serde_json::from_str(line).unwrap();
        if !faults(&schema, "schema").is_empty() {
            refused.insert(case);
            continue;
        }
        accepted += 1;
        let expected = valid.iter().map(|value| (value, true)).chain(invalid.iter().map(|value| (value, false)));
        for (value, is_valid) in expected {
            values += 1;
            let found = check_value(&schema, value, "value");
            if found.is_valid() != is_valid {
                wrong.push(format!("{case}: {schema} {value} {:?}", found.violations));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(refused, listed);
    assert_eq!((accepted, refused.len(), values), (251, 132, 975));
}
