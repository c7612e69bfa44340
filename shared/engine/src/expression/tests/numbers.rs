//! Tests of numbers: mixing integers and floats, exactness and overflow.

use serde_json::json;

use super::*;

#[test]
fn integers_and_floats_can_be_mixed() {
    for (text, value) in [
        ("input.n + 1", json!(6)),
        ("input.n + 1 == 6 && input.n * 2.5 == 12.5", json!(true)),
        ("size(input.tags) + input.n", json!(8)),
        ("input.lines.map(l, l.n * 2)", json!([4, 6])),
        ("input.price * 2", json!(5.0)),
        ("10 / 4", json!(2.5)),
        ("10 / 5", json!(2)),
        ("int(10 / 4)", json!(2)),
        ("-7 % 3", json!(-1)),
        ("1 == 1.0 && 5u == 5", json!(true)),
        ("input.big == 9007199254740992.0", json!(false)),
        ("input.big > 9007199254740992.0", json!(true)),
        ("math.greatest(1, 2.5, 2)", json!(2.5)),
        ("round(2.345, 2)", json!(2.35)),
        ("sum(input.lines.map(l, l.n))", json!(5)),
        ("0x10 + 1e2", json!(116.0)),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
}

#[test]
fn numbers_stay_exact_or_fail() {
    let large = json!({"input": {"u": u64::MAX, "next": u64::MAX - 1, "n": 1, "text": "18446744073709551615"}});
    let cel = |text: &str| {
        let expression = Expression::parse(text).map_err(|problem| problem.to_string())?;
        expression.evaluate(&scope(&large)).map(|(value, _)| value).map_err(|failure| failure.to_string())
    };
    let jinja = |text: &str| {
        let template = JinjaTemplate::parse(&format!("{{{{ {text} }}}}")).map_err(|problem| problem.to_string())?;
        template.value(&scope(&large)).map_err(|failure| failure.to_string())
    };
    for (text, value) in [
        ("input.u", json!(u64::MAX)),
        ("input.u == input.next", json!(false)),
        ("input.u > input.next", json!(true)),
        ("input.u > input.n", json!(true)),
        ("input.u < 1e30", json!(true)),
        ("input.u < 18446744073709551616.0", json!(true)),
        ("input.u * 1.0", json!(18446744073709551615.0)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("-9223372036854775808 + 1", json!(i64::MIN + 1)),
    ] {
        assert_eq!(cel(text), Ok(value.clone()), "{text}");
        assert_eq!(jinja(text), Ok(value), "{text}");
    }
    assert_eq!(cel("string(input.u)"), Ok(json!("18446744073709551615")));
    assert_eq!(cel("[input.u, input.next].sort()"), Ok(json!([u64::MAX - 1, u64::MAX])));
    assert_eq!(cel("fromJson(input.text)"), Ok(json!(u64::MAX)));
    assert_eq!(jinja("'%d' | format(input.u)"), Ok(json!("18446744073709551615")));
    for (text, problem) in [
        ("input.u + 1", "the number gets too large"),
        ("1 - input.u", "the number gets too large"),
        ("input.u / 2", "the number gets too large"),
        ("-input.u", "the number gets too large"),
        ("9223372036854775808", "the number is too large"),
        ("-9223372036854775809", "the number is too large"),
        ("1e400", "not a finite number"),
        ("1.0/0", "not a finite number"),
        ("0.0/0", "not a finite number"),
        ("{'x': 1.0/0}", "not a finite number"),
        ("[1e308 * 10]", "not a finite number"),
    ] {
        let (cel, jinja) = (cel(text).unwrap_err(), jinja(text).unwrap_err());
        assert!(cel.starts_with("line 1, column ") && cel.ends_with(problem), "{text}: {cel}");
        assert!(jinja.starts_with("line 1, column ") && jinja.ends_with(problem), "{text}: {jinja}");
    }
    for text in ["{{ 1.0 / 0 }}", "{{ [1.0 / 0] }}", "{{ 'x' ~ 1.0 / 0 }}", "{{ '%.2f' | format(1.0 / 0) }}"] {
        let failure = JinjaTemplate::parse(text).unwrap().render(&scope(&large)).unwrap_err();
        assert_eq!((failure.message.as_ref(), failure.at.line), ("not a finite number", 1), "{text}");
    }
}

#[test]
fn nan_is_sorted_after_all_numbers() {
    let sorted = cel("lists.range(40).map(x, x % 3 == 0 ? 0.0/0.0 : double(x * 7 % 13)).sort().slice(0, 4)").unwrap();
    assert_eq!(sorted, json!([0.0, 0.0, 1.0, 1.0]));
    assert!(cel("[1, 'a'].sort()").is_err());
}
