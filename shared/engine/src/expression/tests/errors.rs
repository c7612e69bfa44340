//! Tests of error messages: the position, the problem and a hint.

use serde_json::json;

use super::*;

#[test]
fn operators_of_one_language_fail_in_the_other() {
    for (text, here, there) in [
        ("'12.50' * 3", "line 1, column 9: cannot use * between string and int", "12.5012.5012.50"),
        ("3 * 'ab'", "line 1, column 3: cannot use * between int and string", "ababab"),
        (
            "'a' in 'abc'",
            "line 1, column 5: `in` searches lists and maps; for a string, write text.contains(part)",
            "true",
        ),
        (
            "[1] * 2",
            "line 1, column 5: cannot use * between list and int",
            "line 1, column 4: cannot use * between list and int",
        ),
    ] {
        assert_eq!(cel(text), Err(here.to_owned()));
        assert_eq!(jinja(&format!("{{{{ {text} }}}}")).unwrap_or_else(|failure| failure), there);
    }
    assert_eq!(cel("'a' in input.tags && 'n' in input && 'x'.contains('')"), Ok(json!(true)));
}

#[test]
fn syntax_errors_of_expressions_have_positions() {
    for (text, problem) in [
        ("", "line 1, column 1: the expression ends too early"),
        ("input.n +", "line 1, column 10: the expression ends too early"),
        ("1 +\n  * 2", "line 2, column 3: `*` is not expected here"),
        ("nope(1)", "line 1, column 1: there is no function `nope`"),
        ("input.name.split()", "ok"),
        ("size()", "line 1, column 1: `size` takes 1 argument"),
        ("'é' + 'open", "line 1, column 7: the string is not closed; add the closing quote"),
        ("[1, 2", "line 1, column 6: the expression ends too early: `]` is missing"),
        ("input.name.matches('(')", "line 1, column 20: the regular expression is invalid or too large; simplify it"),
        ("x.all(1, true)", "line 1, column 3: all needs a variable name first: all(x, …)"),
        ("99999999999999999999", "line 1, column 1: the number is too large"),
        ("a # b", "line 1, column 3: `#` is not valid here"),
        ("a.?b", "line 1, column 3: `?` is not expected here"),
        ("b'bytes'", "line 1, column 1: bytes are not supported; write a string"),
    ] {
        let found = Expression::parse(text).map_or_else(|problem| describe(&problem), |_| "ok".to_owned());
        assert_eq!(found, problem, "{text}");
    }
}

#[test]
fn syntax_of_other_languages_gets_a_hint() {
    for (text, problem) in [
        ("{{ input.n }}", "line 1, column 1: this is a CEL expression; write it without braces"),
        (" {% if x %}", "line 1, column 2: this is a CEL expression; write it without braces"),
        ("input.n > 1 and true", "line 1, column 13: `and` is not expected here; write &&"),
        ("true OR false", "line 1, column 6: `OR` is not expected here; write ||"),
        ("not true", "line 1, column 1: `not` is not expected here; write !"),
        ("not(true)", "line 1, column 1: there is no function `not`; write !x"),
        ("'a' not in input.tags", "line 1, column 5: `not` is not expected here; write !"),
        ("input.n = 1", "line 1, column 9: `=` is not valid here; write =="),
        ("input.n === 1", "line 1, column 11: `=` is not valid here; write =="),
        ("input.n & 1", "line 1, column 9: `&` is not valid here; write &&"),
        ("input.name | upper", "line 1, column 12: `|` is not valid here; write ||, or f(x) instead of x | f"),
        ("input.x ?? 1", "line 1, column 9: `??` is not valid here; write has(x.y) ? x.y : z, or get(x, 'y', z)"),
        ("input?.x", "line 1, column 6: `?.` is not valid here; write has(x.y) ? x.y : null"),
        ("input.tags.map(t => t)", "line 1, column 18: `=` is not valid here; write list.map(x, …)"),
        ("$json.n", "line 1, column 1: `$` is not valid here; the input of a node is `input`"),
        ("if input.n then 1", "line 1, column 1: `if` is not expected here; write a ? b : c"),
        ("input.name.toUpperCase()", "line 1, column 12: there is no function `toUpperCase`; write x.upper()"),
        ("JSON.stringify(input)", "line 1, column 1: there is no `JSON`; write toJson(x)"),
        ("Object.keys(input)", "line 1, column 1: there is no `Object`; write keys(x)"),
        ("input.n.toFixed(2)", "line 1, column 9: there is no function `toFixed`; write '%.2f'.format([x])"),
        ("unique(input.tags)", "line 1, column 1: there is no function `unique`; write list.distinct()"),
        (
            "input.name.startswith('A')",
            "line 1, column 12: there is no function `startswith`; did you mean `startsWith`?",
        ),
        ("lenght(input)", "line 1, column 1: there is no function `lenght`"),
        ("sise(input)", "line 1, column 1: there is no function `sise`; did you mean `size`?"),
        ("input.tags.length", "line 1, column 12: a list has no fields; write size(x)"),
        (
            "input.length",
            "line 1, column 7: `input.length` does not exist; for its size write size(x), or x | length in Jinja",
        ),
        ("a ? .5 : 1", "line 1, column 1: `a` does not exist"),
        ("not", "line 1, column 1: `not` does not exist"),
    ] {
        assert_eq!(cel(text), Err(problem.to_owned()), "{text}");
    }
    for (text, problem) in [
        ("{{ a && b }}", "line 1, column 6: unexpected character; write and"),
        ("{{ a || b }}", "line 1, column 7: unexpected `|`, expected identifier; write or"),
        ("{{ !a }}", "line 1, column 4: unexpected character; write not"),
        ("{{ a = b }}", "line 1, column 6: unexpected `=`, expected end of variable block; write =="),
        ("{{ a ? b : c }}", "line 1, column 6: unexpected character; write b if a else c"),
        ("{{ a ?? b }}", "line 1, column 6: unexpected character; write x.y | default(z)"),
        ("{{ $json.x }}", "line 1, column 4: unexpected character; the input of a node is `input`"),
        ("{{ input.n.toFixed(2) }}", "line 1, column 11: there is no filter `toFixed`; write '%.2f' | format(x)"),
        ("{{ a | coalesce(b) }}", "line 1, column 8: there is no filter `coalesce`; write x | default(z)"),
        ("{{ a is default }}", "line 1, column 9: there is no test `default`"),
        ("{{ input.name | uper }}", "line 1, column 17: there is no filter `uper`; did you mean `upper`?"),
        ("{{ toJson(input) }}", "line 1, column 4: there is no function `toJson`; did you mean `tojson`?"),
        ("{{ JSON.stringify(input) }}", "line 1, column 8: there is no filter `stringify`; write x | tojson"),
        (
            "{{ input.x.length }}",
            "line 1, column 9: `input.x.length` does not exist; for its size write size(x), or x | length in Jinja",
        ),
    ] {
        assert_eq!(jinja(text), Err(problem.to_owned()), "{text}");
    }
    let long = format!("{}(1)", "a".repeat(4_000));
    assert!(cel(&long).unwrap_err().ends_with("aaa`"));
}

#[test]
fn formats_without_a_placeholder_are_refused() {
    let surplus = "format has more values than placeholders; write '%.2f' | format(x), in CEL '%.2f'.format([x])";
    let plain = "a date format needs directives with %, such as %Y-%m-%d";
    for (text, column, problem) in [
        ("{{ '{:.2f}'.format(input.price) }}", 4, surplus),
        ("{{ input.name | format(input.price) }}", 17, surplus),
        ("{{ '%.2f' | format(input.price, 2) }}", 13, surplus),
        ("{{ now() | date('YYYY-MM-DD') }}", 17, plain),
        ("{{ now() | date(format=input.name) }}", 12, plain),
    ] {
        assert_eq!(jinja(text), Err(format!("line 1, column {column}: {problem}")), "{text}");
    }
    for (text, column, problem) in [
        ("'{}'.format([input.price])", 1, surplus),
        ("'%d'.format([1, 2])", 6, surplus),
        ("now().date('YYYY')", 12, plain),
    ] {
        assert_eq!(cel(text), Err(format!("line 1, column {column}: {problem}")), "{text}");
    }
    assert_eq!(jinja("{{ '%.2f' | format(input.price) }}{{ 'x' | format }}"), Ok("2.50x".to_owned()));
    assert_eq!(cel("'x'.format([])"), Ok(json!("x")));
}

#[test]
fn failures_have_positions_and_never_show_values() {
    for (text, failure) in [
        ("input.missing", "line 1, column 7: `input.missing` does not exist"),
        ("input.none.x", "line 1, column 12: a null has no fields"),
        ("1 / 0", "line 1, column 3: division by zero"),
        ("1 % 0", "line 1, column 3: division by zero"),
        ("-9223372036854775807 - 2", "line 1, column 22: the number gets too large"),
        ("9223372036854775807 + 1", "line 1, column 21: the number gets too large"),
        ("input.secret + 1", "line 1, column 14: cannot use + between string and int"),
        ("input.secret < 1", "line 1, column 14: cannot use a comparison between string and int"),
        ("input.secret ? 1 : 2", "line 1, column 7: expected a bool, got string"),
        ("input.tags[7]", "line 1, column 11: the list has no element at this index"),
        ("input.lines[0][input.secret]", "line 1, column 15: the map has no such key"),
        ("int(input.secret)", "line 1, column 1: cannot convert string to int"),
        ("timestamp(input.secret)", "line 1, column 1: invalid timestamp; write it as 2026-03-01T09:30:00Z"),
        ("now().getHours(input.secret)", "line 1, column 7: unknown time zone; use a name such as Europe/Madrid"),
        ("fromJson(input.secret)", "line 1, column 1: the text is not valid JSON"),
        (
            "'x'.matches(input.secret + '(')",
            "line 1, column 5: the regular expression is invalid or too large; simplify it",
        ),
        ("'é'.substring(1, 9)", "line 1, column 5: this part is outside of the string"),
    ] {
        assert_eq!(cel(text), Err(failure.to_owned()), "{text}");
        assert!(!failure.contains("s3cr3t"));
    }
}

#[test]
fn syntax_errors_of_templates_have_positions() {
    for (text, place) in [
        ("{{ input.n", (1, 10)),
        ("a\n{% if %}", (2, 7)),
        ("{% macro f() %}{% endmacro %}", (1, 4)),
        ("{% include 'x' %}", (1, 4)),
        ("{{ x | nope }}", (1, 8)),
        ("{{ nope() }}", (1, 4)),
        ("{% set ns = namespace() %}", (1, 13)),
        ("{% set ns.a = 1 %}", (1, 11)),
        ("{{ 1 < 2 < 3 }}", (1, 4)),
        ("{% autoescape true %}{% endautoescape %}", (1, 4)),
    ] {
        let problem = JinjaTemplate::parse(text).unwrap_err();
        assert_eq!((problem.at.line, problem.at.column), place, "{text}: {problem}");
    }
}
