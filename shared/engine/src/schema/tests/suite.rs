//! The required cases of the JSON-Schema-Test-Suite for draft 2020-12, as facts: a schema, and the values that are valid
//! and invalid. What differs here by decision is listed; an unlisted difference fails, and so does a listed one that is
//! none any more.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::Value;

use super::super::{check_value, faults};

const CASES: &str = include_str!("cases.jsonl");

/// What cases are about, and their numbers.
type Cases = (&'static str, RangeInclusive<usize>);

/// The cases whose schema is refused as a whole, which its owner sees when it is saved; and why.
const REFUSED: &[(&str, &[Cases])] = &[
    (
        "needs what other keywords have evaluated, which no tool that writes schemas asks for",
        &[("unevaluatedItems", 1..=29), ("unevaluatedProperties", 1..=44), ("not", 9..=9), ("ref", 14..=14)],
    ),
    ("a dynamic reference depends on how its schema was reached", &[("dynamicRef", 1..=21)]),
    ("no schema is loaded from elsewhere", &[("refRemote", 1..=15), ("defs", 1..=1), ("ref", 7..=7)]),
    (
        "a schema is one document: an `$id` within it would begin another",
        &[("anchor", 2..=4), ("ref", 12..=12), ("ref", 16..=21), ("ref", 29..=33)],
    ),
    ("patterns have no Unicode classes, whose tables are large", &[("pattern", 3..=3), ("patternProperties", 6..=6)]),
    ("the keywords of other dialects may mean something else", &[("vocabulary", 1..=2)]),
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
fn values_are_valid_as_the_test_suite_has_it() {
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
