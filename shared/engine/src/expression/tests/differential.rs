//! Differential tests: compares every filter and test of Jinja with jinja2 3.1.6 and minijinja 3.0.5, over a grid of
//! values and arguments.
//!
//! `jinja2.json` has the grid and the results of jinja2: for each filter the expressions over `x`, and for each value
//! of `x` the index of an outcome, or -1 if jinja2 fails. minijinja is run by the test.

use std::collections::BTreeMap;

use super::differences::{Case, DIFFERENCES, FROM_MINIJINJA, MINIJINJA_DIFFERS, MINIJINJA_FAILS};
use super::*;

const FACTS: &str = include_str!("jinja2.json");

/// Calls `look` for every case of the grid.
fn each_case(look: &mut dyn FnMut(Case)) {
    let facts: Json = serde_json::from_str(FACTS).unwrap();
    for (about, of) in facts["cases"].as_object().unwrap() {
        let inputs = of["of"].as_array().unwrap();
        for (expression, outcomes) in of["results"].as_object().unwrap() {
            let template = JinjaTemplate::parse(&format!("{{{{ {expression} }}}}"));
            for (input, outcome) in inputs.iter().zip(outcomes.as_array().unwrap()) {
                let input = input.as_str().unwrap();
                let value = &facts["values"][input];
                let data = json!({"x": value});
                let ours = template.as_ref().ok().and_then(|template| template.value(&scope(&data)).ok());
                let theirs = usize::try_from(outcome.as_i64().unwrap()).ok().map(|place| &of["outcomes"][place]);
                look(Case { about, expression, input, value, ours: ours.as_ref(), theirs });
            }
        }
    }
}

#[test]
fn filters_and_tests_agree_with_jinja2() {
    let (mut cases, mut equal, mut found) = (0, 0, BTreeMap::new());
    let mut unlisted = Vec::new();
    each_case(&mut |case| {
        cases += 1;
        if case.ours == case.theirs {
            equal += 1;
            return;
        }
        match DIFFERENCES.iter().find(|difference| (difference.is_it)(&case)) {
            Some(difference) => *found.entry(difference.name).or_insert(0) += 1,
            None => unlisted.push(case.to_string()),
        }
    });
    assert!(unlisted.is_empty(), "{} differences are not listed:\n{}", unlisted.len(), unlisted.join("\n"));
    for difference in DIFFERENCES {
        assert!(found.contains_key(difference.name), "no case shows {} any more: {}", difference.name, difference.why);
    }
    assert_eq!((cases, equal), (12_248, 10_900), "{found:#?}");
}

#[test]
fn filters_and_tests_agree_with_minijinja() {
    let mut environment = minijinja::Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    let (mut cases, mut equal, mut decided, mut found) = (0, 0, 0, BTreeMap::new());
    let mut unlisted = Vec::new();
    each_case(&mut |case| {
        cases += 1;
        let minijinja = minijinja(&environment, case.expression, case.value);
        if case.ours == minijinja.as_ref() {
            equal += 1;
        } else if case.ours != case.theirs {
            // This is a listed difference from jinja2.
            decided += 1;
        } else {
            // We agree with jinja2, so the difference must be a listed one of minijinja.
            let listed = match (case.ours, &minijinja) {
                (None, _) => Some("fails in jinja2 only"),
                (_, None) => MINIJINJA_FAILS.iter().find(|(about, _)| *about == case.about).map(|(about, _)| *about),
                _ => MINIJINJA_DIFFERS.iter().find(|(about, _)| *about == case.about).map(|(about, _)| *about),
            };
            match listed {
                Some(about) => *found.entry((about, minijinja.is_none())).or_insert(0) += 1,
                None => unlisted
                    .push(format!("{case}, minijinja {}", minijinja.map_or("fails".to_owned(), |v| v.to_string()))),
            }
        }
    });
    assert!(unlisted.is_empty(), "{} differences are not listed:\n{}", unlisted.len(), unlisted.join("\n"));
    for (list, fails) in [(MINIJINJA_FAILS, true), (MINIJINJA_DIFFERS, false)] {
        for (about, why) in list {
            assert!(found.contains_key(&(*about, fails)), "no case of {about} shows it any more: {why}");
        }
    }
    assert_eq!((cases, equal, decided), (12_248, 8_749, 761), "{found:#?}");
}

/// Expressions with filters and tests that only minijinja has.
const MINIJINJA_ONLY: &[&str] = &[
    "x | lines",
    "x | split",
    "x | split(' ')",
    "x | split(' ', 1)",
    "x | split(none, 1)",
    "x | split(none, 0)",
    "x | split('a', -1)",
    "x | split('')",
    "x | bool",
    "x is startingwith('a')",
    "x is endingwith('c')",
    "x is int",
    "x is safe",
    "(x | safe) is safe",
];

#[test]
fn filters_that_only_minijinja_has_agree_with_it() {
    let environment = minijinja::Environment::new();
    let facts: Json = serde_json::from_str(FACTS).unwrap();
    let (mut cases, mut equal, mut found, mut unlisted) = (0, 0, BTreeMap::new(), Vec::new());
    for expression in MINIJINJA_ONLY {
        let template = JinjaTemplate::parse(&format!("{{{{ {expression} }}}}")).unwrap();
        for (input, value) in facts["values"].as_object().unwrap() {
            let ours = template.value(&scope(&json!({"x": value}))).ok();
            let minijinja = minijinja(&environment, expression, value);
            let theirs = minijinja.as_ref();
            let case = Case { about: "minijinja", expression, input, value, ours: ours.as_ref(), theirs };
            cases += 1;
            if ours == minijinja {
                equal += 1;
            } else if let Some(difference) = FROM_MINIJINJA.iter().find(|difference| (difference.is_it)(&case)) {
                *found.entry(difference.name).or_insert(0) += 1;
            } else {
                unlisted.push(case.to_string());
            }
        }
    }
    assert!(unlisted.is_empty(), "{} differences are not listed:\n{}", unlisted.len(), unlisted.join("\n"));
    for difference in FROM_MINIJINJA {
        assert!(found.contains_key(difference.name), "no case shows {} any more: {}", difference.name, difference.why);
    }
    assert_eq!((cases, equal), (910, 779), "{found:#?}");
}

fn minijinja(environment: &minijinja::Environment, expression: &str, value: &Json) -> Option<Json> {
    let expression = format!("({expression}) | tojson");
    let context = BTreeMap::from([("x", theirs(environment, value))]);
    let evaluate = || environment.compile_expression(&expression).ok()?.eval(minijinja::Value::from(context)).ok();
    // minijinja panics for `divisibleby(0)`.
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(evaluate)).ok()??;
    serde_json::from_str(found.as_str()?).ok()
}

/// JSON is an expression of Jinja, except for null.
fn theirs(environment: &minijinja::Environment, value: &Json) -> minijinja::Value {
    let context = minijinja::Value::from(BTreeMap::from([("null", minijinja::Value::from(()))]));
    environment.compile_expression(&value.to_string()).unwrap().eval(context).unwrap()
}
