//! Tests of the evaluation budget: the charge follows the work.

use serde_json::json;

use super::*;

/// Evaluates the same text in both languages, and returns the value or the code of the failure.
fn both(text: &str, data: &Json) -> [Result<Json, &'static str>; 2] {
    let scope = scope(data);
    let cel = Expression::parse(text).unwrap().evaluate(&scope).map(|(value, _)| value);
    let jinja = JinjaTemplate::parse(&format!("{{{{ {text} }}}}")).unwrap().value(&scope);
    [cel, jinja].map(|outcome| outcome.map_err(|failure| failure.code.as_str()))
}

#[test]
fn ranges_are_charged_by_their_length() {
    for (text, expected) in [
        ("range(-1, 9223372036854775807, 9223372036854775807)", Ok(json!([-1, i64::MAX - 1]))),
        ("range(-9223372036854775807, 9223372036854775807, 9223372036854775807)", Ok(json!([-i64::MAX, 0]))),
        ("range(-9223372036854775808, 9223372036854775807)", Err("expression_limit")),
        ("range(9223372036854775807)", Err("expression_limit")),
        ("range(-9223372036854775808, 9223372036854775807, 9223372036854)", Err("expression_limit")),
        ("range(9223372036854775806, 9223372036854775807, 2)", Ok(json!([i64::MAX - 1]))),
        ("range(0, 7, 3)", Ok(json!([0, 3, 6]))),
        ("range(3, 3)", Ok(json!([]))),
    ] {
        assert_eq!(both(text, &data()), [expected.clone(), expected], "{text}");
    }
}

#[test]
fn searching_lists_is_not_quadratic() {
    let texts: Vec<String> = (0..5_000).map(|i| format!("a customer's name, number {}", i % 4_000)).collect();
    let rows: Vec<Json> = (0..5_000).map(|i| json!({"id": i, "tags": [i, f64::from(i)]})).collect();
    let large = json!({"texts": texts, "rows": rows, "others": (0..5_000).map(|i| i * 2).collect::<Vec<i32>>()});
    let cel = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        expression.evaluate(&scope(&large)).map(|(value, _)| value).map_err(|failure| failure.to_string())
    };
    assert_eq!(cel("size(texts.distinct())"), Ok(json!(4_000)));
    assert_eq!(cel("size((rows + rows).distinct())"), Ok(json!(5_000)));
    assert_eq!(cel("size(rows.filter(r, r.id in others))"), Ok(json!(2_500)));
    assert_eq!(cel("size(rows.filter(r, !(r.id in others) && r.id + 0.0 in others))"), Ok(json!(0)));
    assert_eq!(cel("size(texts.filter(t, texts.contains(t)))"), Ok(json!(5_000)));
    let joined = JinjaTemplate::parse(
        "{% for r in rows if r.id in others %}{% if loop.last %}{{ r.id }}{% endif %}{% endfor %}",
    );
    assert_eq!(joined.unwrap().render(&scope(&large)), Ok("4998".to_owned()));
}

#[test]
fn indexes_follow_equality() {
    for (text, value) in [
        ("[1, 1.0, 2, 1u, '1', true].distinct()", json!([1, 2, "1", true])),
        ("[0, -0.0, null, null, false].distinct()", json!([0, null, false])),
        ("[[1, {'a': 1, 'b': 2}], [1.0, {'b': 2.0, 'a': 1}], [1]].distinct()", json!([[1, {"a": 1, "b": 2}], [1]])),
        ("[9007199254740993, 9007199254740992.0, 9007199254740992].distinct().size()", json!(2)),
        ("[18446744073709551615u, 18446744073709551616.0, 1e300, 1e300].distinct().size()", json!(3)),
        ("[0.0 / 0.0, 0.0 / 0.0, [0.0 / 0.0], [0.0 / 0.0]].distinct().size()", json!(4)),
        ("[duration('60s'), duration('1m'), '60s'].distinct().size()", json!(2)),
        ("[timestamp('2026-03-01T09:00:00Z'), timestamp('2026-03-01T10:00:00+01:00')].distinct().size()", json!(1)),
        // Searched often enough to be indexed.
        (
            "[lists.range(40)].all(l, [3, 3.0, 39.0, 3u].all(x, x in l) && ![40, 3.5, '3', null].exists(x, x in l))",
            json!(true),
        ),
        ("[lists.range(40).map(i, 0.0 / 0.0)].all(l, ![1, 2, 0.0 / 0.0].exists(x, x in l))", json!(true)),
        ("[lists.range(40).map(i, {'a': [i]})].all(l, [1, 2.0, 3].all(x, {'a': [x]} in l))", json!(true)),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
}

#[test]
fn comparing_long_keys_is_charged_by_their_length() {
    let key = "k".repeat(1024 * 1024);
    let data = json!({"key": key, "one": {key.as_str(): 1}, "other": {key.as_str(): 2}});
    for text in [
        "lists.range(1000).all(i, {key: 1, key: 2, key: 3} != {})",
        "lists.range(1000).all(i, merge(one, other) != {})",
    ] {
        let failure = Expression::parse(text).unwrap().evaluate(&scope(&data)).unwrap_err();
        assert_eq!(failure.code, EvaluationErrorCode::Limit, "{text}");
    }
}

#[test]
fn json_is_charged_by_its_serialized_size() {
    let control = json!({"text": "\u{1}".repeat(3 * 1024 * 1024)});
    // Each control character takes six bytes in JSON.
    for text in ["size(toJson(text))", "size(string([text]))", "size(toJson([text], 2))"] {
        let failure = Expression::parse(text).unwrap().evaluate(&scope(&control)).unwrap_err();
        assert_eq!(failure.code, EvaluationErrorCode::Limit, "{text}");
    }
    let nested = json!({"text": format!("[{}]", vec!["[[0]]"; 100_000].join(","))});
    let failure = Expression::parse("size(fromJson(text))").unwrap().evaluate(&scope(&nested)).unwrap_err();
    assert_eq!(failure.code, EvaluationErrorCode::Limit);
    for (text, value) in [
        ("fromJson('{\"a\": [1, 2.5, -3, null, true, \"x\"], \"b\": 1, \"a\": {}}')", json!({"a": {}, "b": 1})),
        ("fromJson(' [18446744073709551615, 1e3] ')", json!([u64::MAX, 1000.0])),
        ("toJson({'a': [1]}, 2)", json!("{\n  \"a\": [\n    1\n  ]\n}")),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
    for text in ["fromJson('[1] 2')", "fromJson('{\"a\"}')", "fromJson('')", "fromJson('1e999')"] {
        assert_eq!(cel(text), Err("line 1, column 1: the text is not valid JSON".to_owned()), "{text}");
    }
}
