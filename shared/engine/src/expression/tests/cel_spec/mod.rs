//! Runs the simple conformance suite of google/cel-spec: one case per line with its name, expression, outcome and
//! bindings. `differences.txt` lists the cases that differ, grouped by decision. Numbers are compared by value, because
//! there is only one kind of number here.

use std::collections::BTreeMap;

use serde_json::{Map as JsonMap, Number};

use super::*;

/// The suites of the core language.
const CORE: &[(&str, &str)] = &[
    ("basic", include_str!("basic.tsv")),
    ("comparisons", include_str!("comparisons.tsv")),
    ("conversions", include_str!("conversions.tsv")),
    ("fields", include_str!("fields.tsv")),
    ("fp_math", include_str!("fp_math.tsv")),
    ("integer_math", include_str!("integer_math.tsv")),
    ("lists", include_str!("lists.tsv")),
    ("logic", include_str!("logic.tsv")),
    ("macros", include_str!("macros.tsv")),
    ("macros2", include_str!("macros2.tsv")),
    ("namespace", include_str!("namespace.tsv")),
    ("parse", include_str!("parse.tsv")),
    ("plumbing", include_str!("plumbing.tsv")),
    ("string", include_str!("string.tsv")),
    ("timestamps", include_str!("timestamps.tsv")),
];
/// The suites of common extensions, some of whose functions are supported.
const EXTENSIONS: &[(&str, &str)] =
    &[("math_ext", include_str!("math_ext.tsv")), ("string_ext", include_str!("string_ext.tsv"))];
const DIFFERENCES: &str = include_str!("differences.txt");

/// One line of a suite.
struct Case<'t> {
    expression: String,
    outcome: &'t str,
    bindings: JsonMap<String, Json>,
}

/// Reads the cases of suites, by `suite section/name`.
fn cases<'t>(suites: &[(&str, &'t str)]) -> BTreeMap<String, Case<'t>> {
    let mut cases = BTreeMap::new();
    for (suite, lines) in suites {
        for line in lines.lines() {
            let mut fields = line.split('\t');
            let mut next = || fields.next();
            let (name, expression, outcome) = (next().unwrap(), next().unwrap(), next().unwrap());
            let bindings = next().map_or_else(JsonMap::new, |bindings| serde_json::from_str(bindings).unwrap());
            let case = Case { expression: serde_json::from_str(expression).unwrap(), outcome, bindings };
            assert!(cases.insert(format!("{suite} {name}"), case).is_none(), "{suite} {name} occurs twice");
        }
    }
    cases
}

impl Case<'_> {
    /// Describes the difference, if the result is not the expected outcome.
    fn difference(&self) -> Option<String> {
        let scope = Scope::new(&self.bindings, "2026-03-01T09:30:00Z".parse().unwrap());
        let given = Expression::parse(&self.expression)
            .map_err(|problem| problem.to_string())
            .and_then(|expression| expression.evaluate(&scope).map_err(|failure| failure.to_string()));
        let agrees = match (&given, self.outcome.split_once(' ')) {
            (Err(_), None) => true,
            (Ok((value, kind)), Some((expected_kind, expected))) => {
                let expected_kind = if matches!(expected_kind, "uint" | "double") { "int" } else { expected_kind };
                let kind = if *kind == "double" { "int" } else { kind };
                kind == expected_kind && is_same(value, &serde_json::from_str(expected).unwrap())
            }
            _ => false,
        };
        (!agrees).then(|| format!("{} gives {given:?} and not {}", self.expression, self.outcome))
    }
}

/// Whether two values are equal, apart from the kinds of their numbers.
fn is_same(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => is_same_number(left, right),
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            let is_in_right =
                |(key, value): (&String, &Json)| right.get(key).is_some_and(|other| is_same(value, other));
            left.len() == right.len() && left.iter().all(is_in_right)
        }
        _ => left == right,
    }
}

fn is_same_number(left: &Number, right: &Number) -> bool {
    match (left.is_f64(), right.is_f64()) {
        (false, false) => left == right,
        _ => left.as_f64() == right.as_f64(),
    }
}

/// Reads the listed differences, each with its decision.
fn decisions() -> BTreeMap<&'static str, &'static str> {
    let (mut decision, mut differences) = ("", BTreeMap::new());
    for line in DIFFERENCES.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(next) => {
                let (name, reason) = next.split_once(": ").unwrap();
                assert!(!reason.is_empty(), "{name} has no reason");
                decision = name;
            }
            None => assert!(differences.insert(line, decision).is_none(), "{line} is listed twice"),
        }
    }
    differences
}

#[test]
fn the_conformance_suite_passes_except_for_listed_differences() {
    let all = cases(&[CORE, EXTENSIONS].concat());
    let decisions = decisions();
    let mut wrong: Vec<String> = Vec::new();
    for (name, case) in &all {
        match (case.difference(), decisions.get(name.as_str())) {
            (Some(difference), None) => wrong.push(format!("{name}\tdiffers without a decision: {difference}")),
            (None, Some(decision)) => {
                wrong.push(format!("{name}\tdoes not differ any more, but is listed by `{decision}`"))
            }
            _ => {}
        }
    }
    for name in decisions.keys().filter(|name| !all.contains_key(**name)) {
        wrong.push(format!("{name}\tis listed, but there is no such case"));
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// Checks the counts in engine/README.md.
#[test]
fn the_readme_has_the_current_counts() {
    let decisions = decisions();
    let counted = |suites| {
        let cases = cases(suites);
        let differing = cases.keys().filter(|name| decisions.contains_key(name.as_str())).count();
        (cases.len() - differing, differing, cases.len())
    };
    assert_eq!(counted(CORE), (938, 202, 1_140));
    assert_eq!(counted(EXTENSIONS), (322, 90, 412));
}
