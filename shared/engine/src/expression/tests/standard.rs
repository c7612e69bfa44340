//! Tests of rules in the CEL language definition that the conformance suite does not cover, or not as JSON.

use serde_json::json;

use super::*;

#[test]
fn timestamps_support_fixed_offsets_and_the_year_9999() {
    for (text, value) in [
        ("timestamp('2026-03-01T22:30:00Z').getHours('+02:00')", json!(0)),
        ("timestamp('2026-03-01T22:30:00Z').getDate('+02:00')", json!(2)),
        ("timestamp('2026-03-01T00:15:00Z').getMinutes('-09:30')", json!(45)),
        ("timestamp('2026-03-01T00:15:00Z').getHours('Asia/Kolkata')", json!(5)),
        ("string(timestamp('9999-12-31T23:59:59.999Z'))", json!("9999-12-31T23:59:59.999Z")),
        ("timestamp('9999-12-31T23:59:59Z').getFullYear()", json!(9999)),
        ("timestamp('9999-12-31T23:00:00Z').getHours('-05:00')", json!(18)),
        ("timestamp('9999-12-31T23:00:00Z').date('%Y-%m-%d %H:%M', '-05:00')", json!("9999-12-31 18:00")),
        ("timestamp('2026-03-01T22:30:00Z').date('%Y-%m-%d %H:%M %z', '+05:30')", json!("2026-03-02 04:00 +0530")),
        ("int(timestamp('9999-12-31T23:59:59Z'))", json!(253_402_300_799_i64)),
        ("timestamp('0001-01-01T00:00:00Z') < timestamp('2026-03-01T09:30:00+01:00')", json!(true)),
        ("timestamp('2026-03-01T09:30:00+01:00') == timestamp('2026-03-01T08:30:00Z')", json!(true)),
        ("duration('123.321456789s').getMilliseconds()", json!(321)),
        ("duration('-1h30m').getMinutes()", json!(-90)),
        ("duration('2562047h').getHours()", json!(2_562_047)),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
    for text in [
        "timestamp('9999-12-31T23:59:59Z').getHours('+01:00')",
        "timestamp('2026-03-01T09:30:00Z').getHours('+1:00')",
        "timestamp('2026-03-01T09:30:00Z').getHours('+01:60')",
        "timestamp('2026-03-01T09:30:00')",
        "timestamp('0000-12-31T23:59:59Z')",
        "timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')",
        "duration('2562048h')",
        "duration(9223372037)",
        "duration('2562047h') + duration('1h')",
    ] {
        assert!(cel(text).is_err(), "{text}: {:?}", cel(text));
    }
}

#[test]
fn text_functions_follow_the_specification() {
    for (text, value) in [
        ("'tacocat'.indexOf('a', 3)", json!(5)),
        ("'ñandú ñandú'.indexOf('ñ', 1)", json!(6)),
        ("'tacocat'.lastIndexOf('a', 3)", json!(1)),
        ("'ab'.indexOf('b', 2)", json!(-1)),
        ("'a b c'.split(' ', 2)", json!(["a", "b c"])),
        ("'abc'.split('', 2)", json!(["a", "bc"])),
        ("'abc'.split('')", json!(["a", "b", "c"])),
        ("''.split('')", json!([])),
        ("'a b'.split(' ', 0)", json!([])),
        ("'a b c'.split(' ', -1)", json!(["a", "b", "c"])),
        ("'ÄbC'.lowerAscii() + 'Äbß'.upperAscii()", json!("ÄbcÄBß")),
        ("'ÄbC'.lower() + 'äß'.upper()", json!("äbcÄSS")),
        ("['true', 'True', 'TRUE', 't', '1'].all(x, bool(x)) && !bool('False')", json!(true)),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
    assert_eq!(jinja("{{ 'a b c'.split(' ', 1) | tojson }}{{ 'ÄB' | lower }}"), Ok("[\"a\",\"b c\"]äb".to_owned()));
    for text in ["bool('TrUe')", "bool('yes')", "'a'.indexOf('a', 2)", "'a'.indexOf('a', -1)", "'a'.charAt(2)"] {
        assert!(cel(text).is_err(), "{text}");
    }
}

#[test]
fn macros_take_two_variables() {
    for (text, value) in [
        ("['a', 'b'].exists(i, x, i == 1 && x == 'b')", json!(true)),
        ("{'a': 1}.all(k, v, k == 'a' && v == 1)", json!(true)),
        ("[5, 7].existsOne(i, x, x == 7 + i - 1)", json!(true)),
        ("['a', 'b'].transformList(i, x, x + string(i))", json!(["a0", "b1"])),
        ("{'a': 1, 'b': 2}.transformList(k, v, v > 1, k)", json!(["b"])),
        ("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 10)", json!({"b": 20})),
        ("[1].map(i, [2].transformList(i, x, i + x))", json!([[2]])),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
    let names = Expression::parse("input.transformList(nodes, vars, nodes + vars.x + run.id)").unwrap().references();
    assert_eq!(names.iter().map(|reference| &*reference.variable).collect::<Vec<_>>(), ["input", "run"]);
    for (text, problem) in [
        (
            "[1].exists(x)",
            "line 1, column 5: `exists` must be written as list.exists(x, test) or list.exists(i, x, test)",
        ),
        ("[1].exists(1, x, true)", "line 1, column 5: exists needs two variable names first: exists(i, x, …)"),
        ("[1].exists(x, x, true)", "line 1, column 5: the two variables of exists must have different names"),
        ("filter([1], x, true)", "line 1, column 1: `filter` must be written as list.filter(x, test)"),
        ("input.has(x)", "line 1, column 7: `has` must be written as has(x.y)"),
        ("[1].transformMap(i, x, x)", "line 1, column 1: the keys of a map must be strings; use string(key)"),
    ] {
        assert_eq!(cel(text), Err(problem.to_owned()), "{text}");
    }
}

#[test]
fn fields_may_be_named_in_backticks() {
    assert_eq!(cel("{'content-type': 1}.`content-type`"), Ok(json!(1)));
    assert_eq!(cel("has({'a': 1}.`b/c`)"), Ok(json!(false)));
    let names = Expression::parse("nodes.`my-step`.output").unwrap().references();
    assert_eq!(names[0].member.as_deref(), Some("my-step"));
    assert!(cel("`input`").is_err() && cel("input.`a$b`").is_err() && cel("input.``").is_err());
}
