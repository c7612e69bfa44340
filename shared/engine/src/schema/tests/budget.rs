//! Tests of the work budget: expensive validations are refused after a limited number of steps.

use super::super::budget::ValidationBudget;
use super::super::checker::{Checker, Dialect};
use super::super::findings::Findings;
use super::super::path::Path;
use super::*;

const TOO_MUCH: &str = "value: takes too much work to check against its schema; send less data or simplify the schema";
const TOO_DEEP: &str =
    "value: is nested too deeply to be checked against its schema; nest less, or end the schema's recursion";

/// Returns the steps that a validation takes, and its findings.
fn checked(schema: &Value, value: &Value) -> (usize, Findings) {
    let mut checker = Checker::new(schema, Dialect::User, ValidationBudget::default());
    let mut found = Findings::default();
    checker.apply(schema, value, &Path::Root("value"), &mut found);
    (checker.budget.steps_used(), found)
}

#[test]
fn the_cost_of_an_enum_does_not_depend_on_its_size() {
    let schema = |count: usize| json!({"items": {"enum": (0..count).map(|n| n * 2).collect::<Vec<_>>()}});
    let items = json!((0..100_000).map(|n| n % 4).collect::<Vec<_>>());
    let (few, _) = checked(&schema(5), &items);
    let (many, found) = checked(&schema(500), &items);
    assert!(many < few + 2_000, "{few} {many}");
    assert_eq!(found.violations.len(), 100, "violations are limited");
    assert_eq!(found.violations[0].0, "value[1]");
    assert!(found.violations.iter().all(|(field, message)| field.len() < 20 && message.en.len() < 200));
}

#[test]
fn the_largest_request_bodies_are_within_the_budget() {
    let numbers = json!({"type": "array", "items": {"type": "number", "minimum": 0}});
    let million = json!((0..1_000_000).collect::<Vec<_>>());
    let (steps, found) = checked(&numbers, &million);
    assert!(found.is_valid() && steps <= 4_000_000, "{steps}");
    let text = json!("x".repeat(4_000_000));
    assert_eq!(violations(&json!({"type": "string", "maxLength": 4_000_000, "pattern": "^x"}), &text), [""; 0]);
    let unique = json!({"uniqueItems": true});
    assert_eq!(violations(&unique, &json!((0..200_000).collect::<Vec<_>>())), [""; 0]);
}

#[test]
fn exponential_work_is_refused() {
    // Each definition tries the next one twice.
    let twice = |n: usize| json!({"anyOf": [{"$ref": format!("#/$defs/d{n}")}, {"$ref": format!("#/$defs/d{n}")}]});
    let mut definitions: serde_json::Map<_, _> = (0..40).map(|n| (format!("d{n}"), twice(n + 1))).collect();
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let doubling = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    assert_eq!(violations(&doubling, &json!(1)), [TOO_MUCH]);

    let slow = json!({"items": {"pattern": "(a?){30}a{30}"}});
    assert_eq!(violations(&slow, &json!(vec!["a".repeat(1_000); 1_000])), [TOO_MUCH]);

    let names = |count: usize| (0..count).map(|n| (format!("p{n}"), json!(true))).collect::<serde_json::Map<_, _>>();
    let crossed = json!({"patternProperties": names(200)});
    assert_eq!(violations(&crossed, &Value::Object(names(10_000))), [TOO_MUCH]);

    let large = json!({"a": (0..10_000).collect::<Vec<_>>()});
    let compared = json!({"allOf": vec![json!({"const": large}); 1_000]});
    assert_eq!(violations(&compared, &large), [TOO_MUCH]);
}

#[test]
fn unfinished_checks_within_not_are_refused() {
    let million = json!((0..1_000_000).collect::<Vec<_>>());
    let many = json!({"allOf": vec![json!({"items": {"type": "integer"}}); 10]});
    assert_eq!(violations(&json!({"not": many}), &million), [TOO_MUCH]);
}

#[test]
fn recursion_depth_is_limited() {
    let list = json!({"$defs": {"list": {"items": {"$ref": "#/$defs/list"}}}, "$ref": "#/$defs/list"});
    let nested = |depth: usize| (0..depth).fold(json!([]), |inner, _| json!([inner]));
    assert_eq!(violations(&list, &nested(100)), [""; 0]);
    assert_eq!(violations(&list, &nested(200)), [TOO_DEEP]);
    let endless = json!({"$ref": "#"});
    assert_eq!(
        lines(check_value(&endless, &json!(1), "value").violations),
        [TOO_DEEP],
        "even for a schema that `faults` refuses"
    );
    let mut converted = json!(1.0);
    convert_whole_floats(&json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}], "type": "integer"}), &mut converted);
    assert_eq!(converted, 1, "the conversion has its own budget");
}

#[test]
fn messages_shorten_long_names_and_values() {
    let long = "n".repeat(1_000_000);
    let closed = json!({"additionalProperties": false, "properties": {(long.clone()): {"enum": [long.clone()]}}});
    for value in [json!({(long.clone()): "x"}), json!({"y".repeat(1_000_000): 1})] {
        let found = violations(&closed, &value);
        assert_eq!(found.len(), 1);
        assert!(found[0].len() < 1_000, "{}", found[0].len());
    }
    let listed = json!({"enum": (0..1_000).collect::<Vec<_>>()});
    assert!(violations(&listed, &json!("x"))[0].ends_with("18, 19 and 980 more"));
    let deep = faults(&json!({"properties": {(long.clone()): {(long.clone()): 1, "$ref": long}}}), "schema");
    assert!(!deep.is_empty());
    assert!(deep.iter().all(|(field, message)| field.len() + message.en.len() < 1_000), "{deep:?}");
}
