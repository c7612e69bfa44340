//! What people write.

mod properties;

use serde_json::{Value as Json, json};

use super::*;

fn scope(data: &Json) -> Scope<'_> {
    Scope { variables: data.as_object().unwrap(), now: "2026-03-01T09:30:00Z".parse().unwrap() }
}

fn data() -> Json {
    json!({
        "input": {
            "n": 5, "price": 2.5, "name": "Ada Lovelace", "tags": ["b", "a", "b"], "none": null, "big": 9007199254740993i64,
            "at": "2026-02-28T23:30:00Z", "secret": "s3cr3t-token", "lines": [{"sku": "x", "n": 2}, {"sku": "y", "n": 3}],
        },
        "nodes": {"fetch": {"output": {"status": 200}}},
        "vars": {}, "run": {"id": "r1"},
    })
}

fn cel(text: &str) -> Result<Json, String> {
    let expression = Expression::parse(text).map_err(|problem| problem.to_string())?;
    expression.evaluate(&scope(&data())).map(|(value, _)| value).map_err(|failure| failure.to_string())
}

fn jinja(text: &str) -> Result<String, String> {
    let template = Template::parse(text).map_err(|problem| problem.to_string())?;
    template.render(&scope(&data())).map_err(|failure| failure.to_string())
}

#[test]
fn numbers_mix_as_people_expect() {
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
fn no_number_loses_its_digits_or_becomes_nothing_by_itself() {
    let large = json!({"input": {"u": u64::MAX, "next": u64::MAX - 1, "n": 1, "text": "18446744073709551615"}});
    let cel = |text: &str| {
        let expression = Expression::parse(text).map_err(|problem| problem.to_string())?;
        expression.evaluate(&scope(&large)).map(|(value, _)| value).map_err(|failure| failure.to_string())
    };
    let jinja = |text: &str| {
        let template = Template::parse(&format!("{{{{ {text} }}}}")).map_err(|problem| problem.to_string())?;
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
        let failure = Template::parse(text).unwrap().render(&scope(&large)).unwrap_err();
        assert_eq!((failure.problem.message.as_ref(), failure.problem.at.line), ("not a finite number", 1), "{text}");
    }
}

#[test]
fn what_is_not_there_is_false_where_a_template_tests_it() {
    for (text, printed) in [
        ("{% if input.missing == 'x' %}a{% else %}b{% endif %}", "b"),
        ("{% if input.missing != 'x' %}a{% else %}b{% endif %}", "a"),
        ("{% if input.missing is none %}a{% else %}b{% endif %}", "b"),
        ("{% if input.missing is string or input.missing is number %}a{% else %}b{% endif %}", "b"),
        ("{% if input.missing in ['x'] %}a{% else %}b{% endif %}", "b"),
        ("{% if 'x' in input.missing %}a{% else %}b{% endif %}", "b"),
        ("{% if input.missing == input.absent %}a{% else %}b{% endif %}", "a"),
    ] {
        assert_eq!(jinja(text), Ok(printed.to_owned()), "{text}");
    }
    assert!(cel("input.missing == 'x'").is_err());
    assert!(jinja("{{ input.missing < 2 }}").is_err());
    assert_eq!(
        jinja("{{ input.lines | map(attribute='nope') | join }}").unwrap_err(),
        "line 1, column 18: there is no such value"
    );
}

#[test]
fn an_element_that_fails_does_not_matter_when_another_decides() {
    for (text, value) in [
        ("[{}, {'a': 1}].exists(x, x.a == 1)", Some(true)),
        ("[{}, {'a': 1}].all(x, x.a == 2)", Some(false)),
        ("[{}, {'a': 1}].exists(x, x.a == 2)", None),
        ("[{}, {'a': 1}].all(x, x.a == 1)", None),
        ("[{}, {'a': 1}].exists_one(x, x.a == 1)", None),
    ] {
        assert_eq!(cel(text).ok(), value.map(Json::from), "{text}");
    }
}

#[test]
fn parts_of_what_is_large_cost_what_the_part_is() {
    let large = json!({"input": {"text": "ä".repeat(500_000), "lines": vec![json!({"n": 1}); 100_000]}});
    let cel = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        expression.evaluate(&scope(&large)).map(|(value, _)| value).map_err(|failure| failure.to_string())
    };
    let jinja =
        |text: &str| Template::parse(text).unwrap().render(&scope(&large)).map_err(|failure| failure.to_string());
    assert_eq!(jinja("{{ input.text[:3] }}{{ input.text[-2:] }}{{ input.text | first }}"), Ok("ä".repeat(6)));
    assert_eq!(jinja("{{ input.text[:2000] | length }}"), Ok("2000".to_owned()));
    assert_eq!(cel("lists.range(100).all(i, input.lines.first().n + input.lines.last().n == 2)"), Ok(json!(true)));
    assert_eq!(cel("size(input.lines.slice(99990, 100000))"), Ok(json!(10)));
}

#[test]
fn what_is_no_number_is_sorted_behind_all_that_are() {
    let sorted = cel("lists.range(40).map(x, x % 3 == 0 ? 0.0/0.0 : double(x * 7 % 13)).sort().slice(0, 4)").unwrap();
    assert_eq!(sorted, json!([0.0, 0.0, 1.0, 1.0]));
    assert!(cel("[1, 'a'].sort()").is_err());
}

#[test]
fn a_text_is_cut_as_jinja_cuts_it() {
    for (text, printed) in [
        ("{{ 'the quick brown fox' | truncate(12) }}", "the quick…"),
        ("{{ 'the quick brown fox' | truncate(12, true) }}", "the quick b…"),
        ("{{ 'the quick brown fox' | truncate(12, true, '...') }}", "the quick..."),
        ("{{ 'the quick brown fox' | truncate(length=16, end='', leeway=2) }}", "the quick brown"),
        ("{{ 'the quick brown fox' | truncate(17, false, '…', 2) }}", "the quick brown fox"),
    ] {
        assert_eq!(jinja(text), Ok(printed.to_owned()), "{text}");
    }
}

#[test]
fn what_an_evaluation_gives_is_no_larger_than_a_value_may_be() {
    let large = json!({"input": {"long": "a".repeat(1024 * 1024 - 2), "odd": "\u{1}".repeat(200_000)}});
    let scope = scope(&large);
    for (text, code) in [
        ("input.long", None),
        ("input.long + 'a'", Some(FailureCode::Limit)),
        ("input.odd", Some(FailureCode::Limit)),
        ("{'both': [input.long]}", Some(FailureCode::Limit)),
        ("size(input.long + input.long) > 5", None),
    ] {
        let failure = Expression::parse(text).unwrap().evaluate(&scope).err();
        assert_eq!(failure.map(|failure| failure.code), code, "{text}");
        let template = Template::parse(&format!("{{{{ {text} }}}}").replace("size(", "length(")).unwrap();
        assert_eq!(template.value(&scope).err().map(|failure| failure.code), code, "{text}");
        assert_eq!(template.render(&scope).err().map(|failure| failure.code), code, "{text}");
    }
}

#[test]
fn what_only_one_of_the_languages_has_is_an_error_in_the_other() {
    for (text, here, there) in [
        ("'12.50' * 3", "line 1, column 9: no * between string and int", "12.5012.5012.50"),
        ("3 * 'ab'", "line 1, column 3: no * between int and string", "ababab"),
        (
            "'a' in 'abc'",
            "line 1, column 5: `in` looks into lists and maps; for a string write text.contains(part)",
            "true",
        ),
        ("[1] * 2", "line 1, column 5: no * between list and int", "line 1, column 4: no * between list and int"),
    ] {
        assert_eq!(cel(text), Err(here.to_owned()));
        assert_eq!(jinja(&format!("{{{{ {text} }}}}")).unwrap_or_else(|failure| failure), there);
    }
    assert_eq!(cel("'a' in input.tags && 'n' in input && 'x'.contains('')"), Ok(json!(true)));
}

#[test]
fn text_lists_maps_and_dates_work() {
    for (text, value) in [
        ("input.name.split(' ').map(w, w.lowerAscii()).join('-')", json!("ada-lovelace")),
        ("input.name.startsWith('Ada') && 'a' in input.tags", json!(true)),
        ("input.name.matches('^A.a [A-Z]')", json!(true)),
        ("input.name.contains('Love') ? 'yes' : 'no'", json!("yes")),
        ("'ñandú'.size() == 5 && 'ñandú'.substring(1, 3) == 'an'", json!(true)),
        ("input.tags.distinct().sort()", json!(["a", "b"])),
        ("input.lines.filter(l, l.n > 2).map(l, l.sku)[0]", json!("y")),
        ("input.lines.exists(l, l.sku == 'x') && input.lines.all(l, l.n > 0)", json!(true)),
        ("{'a': 1, 'b': [1, 2]}.b[1]", json!(2)),
        ("has(input.none) && !has(input.nothing) && !has(nodes.skipped.output.x)", json!(true)),
        ("input.none == null", json!(true)),
        ("timestamp(input.at) + duration('1h') > timestamp('2026-03-01T00:00:00Z')", json!(true)),
        ("timestamp(input.at).getDate('Europe/Berlin')", json!(1)),
        ("now() - timestamp(input.at) < duration('24h')", json!(true)),
        ("string(duration('90m'))", json!("5400s")),
        ("now().getDayOfWeek()", json!(0)),
        ("nothing || true", json!(true)),
        ("false && nothing.at.all", json!(false)),
        ("\"\"\"two\nlines\"\"\".size()", json!(9)),
        ("r'a\\d'", json!("a\\d")),
        ("'\\u00e9\\x41\\n'", json!("éA\n")),
        ("type(input.n) == 'int'", json!(true)),
        ("fromJson('{\"a\": [1]}').a[0] + 1", json!(2)),
        ("'%s is %.1f'.format(['x', 2.55])", json!("x is 2.5")),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
}

#[test]
fn a_text_that_is_no_expression_says_where() {
    for (text, problem) in [
        ("", "line 1, column 1: the expression ends too early"),
        ("input.n +", "line 1, column 10: the expression ends too early"),
        ("1 +\n  * 2", "line 2, column 3: `*` is not expected here"),
        ("nope(1)", "line 1, column 1: there is no function `nope`"),
        ("input.name.split()", "ok"),
        ("size()", "line 1, column 1: `size` takes 1 argument"),
        ("'é' + 'open", "line 1, column 7: the string has no end"),
        ("[1, 2", "line 1, column 6: the expression ends too early: `]` is missing"),
        ("input.name.matches('(')", "line 1, column 20: not a pattern that is known here, or too large a one"),
        ("x.all(1, true)", "line 1, column 3: all takes a name first: all(x, …)"),
        ("99999999999999999999", "line 1, column 1: the number is too large"),
        ("a # b", "line 1, column 3: `#` means nothing here"),
        ("a.?b", "line 1, column 3: `?` is not expected here"),
        ("b'bytes'", "line 1, column 1: bytes are not known here; write a string"),
    ] {
        let found = Expression::parse(text).map_or_else(|problem| problem.to_string(), |_| "ok".to_owned());
        assert_eq!(found, problem, "{text}");
    }
}

#[test]
fn what_other_languages_write_is_told_how_it_is_written_here() {
    for (text, problem) in [
        ("{{ input.n }}", "line 1, column 1: this is CEL: write it without braces"),
        (" {% if x %}", "line 1, column 2: this is CEL: write it without braces"),
        ("input.n > 1 and true", "line 1, column 13: `and` is not expected here; write &&"),
        ("true OR false", "line 1, column 6: `OR` is not expected here; write ||"),
        ("not true", "line 1, column 1: `not` is not expected here; write !"),
        ("not(true)", "line 1, column 1: there is no function `not`; write !x"),
        ("'a' not in input.tags", "line 1, column 5: `not` is not expected here; write !"),
        ("input.n = 1", "line 1, column 9: `=` means nothing here; write =="),
        ("input.n === 1", "line 1, column 11: `=` means nothing here; write =="),
        ("input.n & 1", "line 1, column 9: `&` means nothing here; write &&"),
        ("input.name | upper", "line 1, column 12: `|` means nothing here; write ||, and f(x) in place of x | f"),
        ("input.x ?? 1", "line 1, column 9: `??` means nothing here; write has(x.y) ? x.y : z, or get(x, 'y', z)"),
        ("input?.x", "line 1, column 6: `?.` means nothing here; write has(x.y) ? x.y : null"),
        ("input.tags.map(t => t)", "line 1, column 18: `=` means nothing here; write list.map(x, …)"),
        ("$json.n", "line 1, column 1: `$` means nothing here; what came in is `input`"),
        ("if input.n then 1", "line 1, column 1: `if` is not expected here; write a ? b : c"),
        ("input.name.toUpperCase()", "line 1, column 12: there is no function `toUpperCase`; write x.upper()"),
        ("JSON.stringify(input)", "line 1, column 1: there is no `JSON`; write toJson(x)"),
        ("Object.keys(input)", "line 1, column 1: there is no `Object`; write keys(x)"),
        ("input.n.toFixed(2)", "line 1, column 9: there is no function `toFixed`; write '%.2f'.format([x])"),
        ("unique(input.tags)", "line 1, column 1: there is no function `unique`; did you mean `distinct`?"),
        (
            "input.name.startswith('A')",
            "line 1, column 12: there is no function `startswith`; did you mean `startsWith`?",
        ),
        ("lenght(input)", "line 1, column 1: there is no function `lenght`"),
        ("sise(input)", "line 1, column 1: there is no function `sise`; did you mean `size`?"),
        ("input.tags.length", "line 1, column 12: a list has no fields; write size(x)"),
        ("input.length", "line 1, column 7: `input.length` is not there; a size is size(x), or x | length in Jinja"),
        ("a ? .5 : 1", "line 1, column 1: `a` is not there"),
        ("not", "line 1, column 1: `not` is not there"),
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
        ("{{ $json.x }}", "line 1, column 4: unexpected character; what came in is `input`"),
        ("{{ input.n.toFixed(2) }}", "line 1, column 11: there is no filter `toFixed`; write '%.2f' | format(x)"),
        ("{{ input.name | uper }}", "line 1, column 17: there is no filter `uper`; did you mean `upper`?"),
        ("{{ toJson(input) }}", "line 1, column 4: there is no function `toJson`; did you mean `tojson`?"),
        ("{{ JSON.stringify(input) }}", "line 1, column 8: there is no filter `stringify`; write x | tojson"),
        (
            "{{ input.x.length }}",
            "line 1, column 9: `input.x.length` is not there; a size is size(x), or x | length in Jinja",
        ),
    ] {
        assert_eq!(jinja(text), Err(problem.to_owned()), "{text}");
    }
    let long = format!("{}(1)", "a".repeat(4_000));
    assert!(cel(&long).unwrap_err().ends_with("aaa`"));
}

#[test]
fn a_form_without_a_place_for_what_it_is_given_is_an_error() {
    let surplus = "format has more values than places: write '%.2f' | format(x), in CEL '%.2f'.format([x])";
    let plain = "the format of a date is written with %, as in %Y-%m-%d";
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
fn what_authors_ask_for_is_there() {
    for (text, value) in [
        ("merge({'a': 1, 'b': 2}, {'b': 3, 'c': 4})", json!({"a": 1, "b": 3, "c": 4})),
        ("input.lines[0].merge({'n': 7}, {'x': null})", json!({"sku": "x", "n": 7, "x": null})),
        ("input.at.date('%d.%m.%Y %H:%M', 'Europe/Berlin')", json!("01.03.2026 00:30")),
        ("timestamp(input.at).date()", json!("2026-02-28 23:30")),
        ("input.lines.sort('n', true).map(l, l.sku)", json!(["y", "x"])),
        ("[{'a': {'b': 2}}, {'a': {'b': 1}}].sort('a.b')[0].a.b", json!(1)),
    ] {
        assert_eq!(cel(text), Ok(value), "{text}");
    }
    assert_eq!(jinja("{{ {'a': 1} | merge({'b': 2}) | tojson }}"), Ok("{\"a\":1,\"b\":2}".to_owned()));
    assert_eq!(cel("merge({}, 1)"), Err("line 1, column 1: expected a map, got int".to_owned()));
}

#[test]
fn what_fails_says_where_and_never_shows_a_value() {
    for (text, failure) in [
        ("input.missing", "line 1, column 7: `input.missing` is not there"),
        ("input.none.x", "line 1, column 12: a null has no fields"),
        ("1 / 0", "line 1, column 3: division by zero"),
        ("1 % 0", "line 1, column 3: division by zero"),
        ("-9223372036854775807 - 2", "line 1, column 22: the number gets too large"),
        ("9223372036854775807 + 1", "line 1, column 21: the number gets too large"),
        ("input.secret + 1", "line 1, column 14: no + between string and int"),
        ("input.secret < 1", "line 1, column 14: no order between string and int"),
        ("input.secret ? 1 : 2", "line 1, column 7: expected a bool, got string"),
        ("input.tags[7]", "line 1, column 11: the list has no such place"),
        ("input.lines[0][input.secret]", "line 1, column 15: the map has no such key"),
        ("int(input.secret)", "line 1, column 1: this string is no int"),
        ("timestamp(input.secret)", "line 1, column 1: no timestamp: write it as 2026-03-01T09:30:00Z"),
        ("now().getHours(input.secret)", "line 1, column 7: no such time zone"),
        ("fromJson(input.secret)", "line 1, column 1: not JSON"),
        ("'x'.matches(input.secret + '(')", "line 1, column 5: not a pattern that is known here, or too large a one"),
        ("'é'.substring(1, 9)", "line 1, column 5: the string has no such part"),
    ] {
        assert_eq!(cel(text), Err(failure.to_owned()), "{text}");
        assert!(!failure.contains("s3cr3t"));
    }
}

#[test]
fn templates_print_what_people_expect() {
    for (text, printed) in [
        ("Hello {{ input.name }}!", "Hello Ada Lovelace!"),
        ("{{ input.n + 1 }} {{ input.price * 2 }} {{ 7 // 2 }} {{ 2 ** 10 }} {{ -7 % 3 }}", "6 5.0 3 1024 2"),
        (
            "{% for l in input.lines %}{{ loop.index }}:{{ l.sku }}{% if not loop.last %}, {% endif %}{% endfor %}",
            "1:x, 2:y",
        ),
        ("{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %}", "a=1"),
        ("{% for x in [] %}{% else %}nothing{% endfor %}", "nothing"),
        ("{% if input.none %}a{% elif input.n > 4 %}b{% else %}c{% endif %}", "b"),
        ("{% set x = input.n %}{% with y = x * 2 %}{{ y }}{% endwith %}", "10"),
        ("{% set x %}a{{ input.n }}{% endset %}{{ x | upper }}", "A5"),
        ("{% filter upper %}a{{ 'b' }}{% endfilter %}", "AB"),
        ("{{ input.missing | default('?') }}{{ input.a.b.c | default('!') }}", "?!"),
        ("{{ 'x' if input.nothing is defined else 'y' }}", "y"),
        ("{{ input.lines | map(attribute='sku') | join(', ') }}", "x, y"),
        ("{{ input.lines | sum(attribute='n') }} {{ input.lines | selectattr('n', 'gt', 2) | list | length }}", "5 1"),
        ("{{ input.tags | unique | sort | tojson }}", "[\"a\",\"b\"]"),
        ("{{ {'a': [1, null_]} }}", "line 1, column 14: `null_` is not there"),
        ("{{ input.name | truncate(4) }}{{ '<b>' | e }}{{ 'a b' | urlencode }}", "Ada…&lt;b&gt;a%20b"),
        ("{{ input.at | date('%d.%m.%Y %H:%M', 'Europe/Berlin') }}", "01.03.2026 00:30"),
        ("{{ ['a', 'b', 'c'][1:] | reverse | join }}{{ 'hello'[-1] }}{{ 'hello'[:2] }}", "cbohe"),
        ("{% for x in range(3) %}{{ loop.cycle('a', 'b') }}{% endfor %}", "aba"),
        ("{{ input.lines | groupby('sku') | map(attribute='grouper') | join('|') }}", "x|y"),
        ("{{ ', '.join(['a', 'b']) }} {{ input.name.split(' ') | last }} {{ 'Ab'.lower() }}", "a, b Lovelace ab"),
        ("{% raw %}{{ x }}{% endraw %}{# gone #}", "{{ x }}"),
        ("a\n  {%- if true %} b{% endif %}", "a b"),
        ("{{ 'a' ~ 1 ~ none }}", "a1null"),
        ("{% for x in [1, 2, 3, 4] if x is even %}{{ x }}{% endfor %}", "24"),
        ("{{ input.missing }}", "line 1, column 4: `input.missing` is not there"),
        ("a\n{{ 1 / 0 }}", "line 2, column 4: division by zero"),
    ] {
        assert_eq!(jinja(text).unwrap_or_else(|failure| failure), printed, "{text}");
    }
}

#[test]
fn a_text_that_is_no_template_says_where() {
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
        let problem = Template::parse(text).unwrap_err();
        assert_eq!((problem.at.line, problem.at.column), place, "{text}: {problem}");
    }
}

#[test]
fn what_an_expression_names_is_known() {
    let named = |found: Vec<Reference>| {
        let named = found.into_iter().map(|r| format!("{}.{}", r.variable, r.member.as_deref().unwrap_or("*")));
        named.collect::<Vec<_>>().join(" ")
    };
    let cel = |text: &str| named(Expression::parse(text).unwrap().references());
    assert_eq!(cel("nodes.a.output.x + nodes['b-c'].output + input.n"), "nodes.a nodes.b-c input.n");
    assert_eq!(cel("input.items.map(nodes, nodes.x).size() + vars.y"), "input.items vars.y");
    assert_eq!(
        cel("has(nodes.skipped.output) && nodes[input.name] == nodes"),
        "nodes.skipped nodes.* input.name nodes.*"
    );
    let jinja = |text: &str| named(Template::parse(text).unwrap().references());
    assert_eq!(
        jinja("{% for x in nodes.a.output %}{{ x.y }}{{ loop.index }}{{ input.z }}{% endfor %}"),
        "nodes.a input.z"
    );
    assert_eq!(jinja("{% set x = vars.a %}{{ x }}{{ y }}"), "vars.a y.*");
}

#[test]
fn a_lone_placeholder_is_its_value() {
    let value = |text: &str| Template::parse(text).unwrap().value(&scope(&data())).unwrap();
    assert_eq!(value("{{ input.tags }}"), json!(["b", "a", "b"]));
    assert_eq!(value("{{ input.n }} "), json!("5 "));
}
