//! The parsers read all that `tables::expressions` writes, and never panic.

use std::borrow::Cow;
use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tables::condition::{Comparison, Condition, Path};
use tables::expressions::Expressions;
use tables::write::Change;

use super::*;
use crate::json::JsonValue;
use crate::wire::refusal::VALIDATION;

/// The names and values of rendered expressions, as a request has them.
fn aliases_of(mut expressions: Expressions) -> Aliases {
    let values = expressions
        .values()
        .map(|values| values.into_iter().map(|(name, value)| (name, JsonValue(value))).collect::<HashMap<_, _>>());
    Aliases::new(expressions.names(), values).unwrap()
}

fn path() -> impl Strategy<Value = Path> {
    let name = || select(vec!["pk", "status", "SET", "and", "n1", "calls_by_day", "1", "a.b", "x y", "ü", "#a:b"]);
    (name(), vec(name(), 0..3)).prop_map(|(attribute, fields)| Path {
        attribute: Cow::Borrowed(attribute),
        fields: fields.into_iter().map(Cow::Borrowed).collect(),
    })
}

fn number() -> impl Strategy<Value = AttributeValue> {
    any::<i64>().prop_map(|number| AttributeValue::N(number.to_string()))
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let text = select(vec!["", "a", "OR", ":v0"]).prop_map(|text| AttributeValue::S(text.to_owned()));
    prop_oneof![number(), text, any::<bool>().prop_map(AttributeValue::Bool)]
}

fn condition() -> impl Strategy<Value = Condition> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    let comparison = select(vec![Equal, Less, LessOrEqual, Greater, GreaterOrEqual]);
    let one = prop_oneof![
        path().prop_map(Condition::Exists),
        path().prop_map(Condition::Missing),
        (path(), comparison, value()).prop_map(|(path, by, value)| Condition::Compare(path, by, value)),
        (path(), value(), value()).prop_map(|(path, from, to)| Condition::Between(path, from, to)),
        path().prop_map(|path| Condition::Contains(path, "part".to_owned())),
        (path(), vec(value(), 1..4)).prop_map(|(path, values)| Condition::OneOf(path, values)),
    ];
    one.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![vec(inner.clone(), 2..4).prop_map(Condition::And), vec(inner, 2..4).prop_map(Condition::Or)]
    })
}

fn change() -> impl Strategy<Value = Change> {
    let attribute = |path: Path| Path { fields: Vec::new(), ..path };
    prop_oneof![
        (path(), value()).prop_map(|(path, value)| Change::Set(path, value)),
        (path(), number()).prop_map(|(path, by)| Change::Increase(path, by)),
        (path(), number()).prop_map(move |(path, number)| Change::Add(attribute(path), number)),
        path().prop_map(Change::Remove),
    ]
}

/// The changes in the order of their clauses.
fn by_clause(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by_key(|change| match change {
        Change::Set(..) | Change::Increase(..) => 0,
        Change::Add(..) => 1,
        Change::Remove(_) => 2,
    });
    changes
}

fn expression() -> impl Strategy<Value = String> {
    let tokens =
        "( ) AND OR NOT IN BETWEEN SET ADD REMOVE = <> <= < + - . , [ ] #a a size begins_with contains :v : # é 1 '";
    vec(select(tokens.split(' ').collect::<Vec<_>>()), 0..12).prop_map(|tokens| tokens.join(" "))
}

fn aliases() -> Aliases {
    let value = JsonValue(AttributeValue::N("1".to_owned()));
    let names = HashMap::from([("#a".to_owned(), "a".to_owned())]);
    Aliases::new(Some(names), Some(HashMap::from([(":v".to_owned(), value)]))).unwrap()
}

proptest! {
    #[test]
    fn rendered_conditions_are_parsed(condition in condition()) {
        let mut expressions = Expressions::default();
        let text = expressions.condition(&condition);
        let mut aliases = aliases_of(expressions);
        prop_assert_eq!(parse_condition(&text, &mut aliases).unwrap(), condition, "{}", text);
        prop_assert_eq!(aliases.require_all_used(), Ok(()));
    }

    #[test]
    fn rendered_changes_are_parsed(changes in vec(change(), 1..6)) {
        let mut expressions = Expressions::default();
        let text = expressions.update(&changes);
        let paths: Vec<_> = changes.iter().map(Change::path).collect();
        let overlaps = paths::require_apart(&paths).is_err();
        match parse_update(&text, &mut aliases_of(expressions)) {
            Ok(parsed) => prop_assert_eq!(parsed, by_clause(changes), "{}", text),
            Err(refusal) => prop_assert!(overlaps, "{}: {}", text, refusal.message),
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in expression()) {
        drop(parse_condition(&text, &mut aliases()));
        drop(parse_update(&text, &mut aliases()));
        drop(Projection::parse(&text, &mut aliases()));
        drop(KeyCondition::parse(&text, &mut aliases(), "a", "b"));
    }
}

#[test]
fn plain_names_lower_case_keywords_and_parentheses_are_read() {
    let parse = |text| parse_condition(text, &mut aliases()).unwrap();
    let a = || Path { attribute: Cow::Borrowed("a"), fields: Vec::new() };
    let one = || Condition::Compare(a(), Comparison::Equal, AttributeValue::N("1".to_owned()));
    assert_eq!(parse("((a=:v))and((#a = :v) or attribute_exists(a))"), one().and(one().or(Condition::Exists(a()))));
    assert_eq!(parse("a = :v OR a = :v AND a = :v"), one().or(one().and(one())));
}

#[test]
fn what_is_not_supported_is_named() {
    let updates = [
        ("SET a = if_not_exists(a, :v)", "if_not_exists"),
        ("SET a = :v - :v", "a sum"),
        ("SET a = a - :v", "SET with another path"),
        ("SET a = b + :v", "SET with another path"),
        ("DELETE a :v", "DELETE"),
        ("ADD a.b :v", "top-level"),
        ("SET a = :v SET b = :v", "SET"),
        ("SET a = :v, a.b = :v", "overlap"),
        ("SET a = :v,", "a name"),
        ("", "SET, ADD or REMOVE"),
    ];
    let conditions = [
        ("NOT a = :v", "NOT"),
        ("a <> :v", "<>"),
        ("size(a) > :v", "size"),
        ("begins_with(a, :v)", "begins_with"),
        ("contains(a, :v)", "contains"),
        ("a[0] = :v", "lists"),
        ("a = b", "a placeholder"),
        ("and = :v", "and"),
        ("#b = :v", "#b"),
        ("a = :w", ":w"),
        ("a = :v)", ")"),
        ("a ! :v", "'!'"),
        ("", "an expression ends"),
    ];
    let refusals = updates.map(|(text, part)| (text, part, parse_update(text, &mut aliases()).unwrap_err()));
    let others = conditions.map(|(text, part)| (text, part, parse_condition(text, &mut aliases()).unwrap_err()));
    for (text, part, refusal) in refusals.into_iter().chain(others) {
        assert_eq!(refusal.kind, VALIDATION, "{text}");
        assert!(refusal.message.contains(part), "{text}: {}", refusal.message);
    }
}

#[test]
fn parentheses_and_lengths_are_bounded() {
    let nested = |levels: usize| format!("{}a = :v{}", "(".repeat(levels), ")".repeat(levels));
    assert!(parse_condition(&nested(32), &mut aliases()).is_ok());
    assert!(parse_condition(&nested(33), &mut aliases()).unwrap_err().message.contains("32 levels"));
    assert!(parse_condition(&nested(2000), &mut aliases()).unwrap_err().message.contains("32 levels"));
    assert!(parse_condition(&nested(3000), &mut aliases()).unwrap_err().message.contains("4096 bytes"));
}
