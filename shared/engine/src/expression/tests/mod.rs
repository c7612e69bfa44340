//! Tests of expressions and templates.

mod budget;
mod cel_spec;
mod differences;
mod differential;
mod errors;
mod jinja;
mod numbers;
mod properties;
mod standard;

use serde_json::{Value as Json, json};

use super::*;

fn scope(data: &Json) -> Scope<'_> {
    Scope::new(data.as_object().unwrap(), "2026-03-01T09:30:00Z".parse().unwrap())
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

/// The English description of a syntax error, which is also written in Spanish.
fn describe(problem: &SyntaxError) -> String {
    assert_ne!(problem.message.en, problem.message.es);
    problem.to_string()
}

fn cel(text: &str) -> Result<Json, String> {
    let expression = Expression::parse(text).map_err(|problem| describe(&problem))?;
    expression.evaluate(&scope(&data())).map(|(value, _)| value).map_err(|failure| failure.to_string())
}

fn jinja(text: &str) -> Result<String, String> {
    let is_jinja = minijinja::machinery::parse(text, "template", Default::default()).is_ok();
    let template = JinjaTemplate::parse(text)
        .map_err(|problem| if is_jinja { describe(&problem) } else { problem.to_string() })?;
    template.render(&scope(&data())).map_err(|failure| failure.to_string())
}

#[test]
fn templates_may_test_missing_values() {
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
        "line 1, column 18: this value does not exist"
    );
}

#[test]
fn failing_elements_do_not_matter_if_another_decides() {
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
fn parts_of_large_values_cost_only_their_size() {
    let large = json!({"input": {"text": "ä".repeat(500_000), "lines": vec![json!({"n": 1}); 100_000]}});
    let cel = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        expression.evaluate(&scope(&large)).map(|(value, _)| value).map_err(|failure| failure.to_string())
    };
    let jinja =
        |text: &str| JinjaTemplate::parse(text).unwrap().render(&scope(&large)).map_err(|failure| failure.to_string());
    assert_eq!(jinja("{{ input.text[:3] }}{{ input.text[-2:] }}{{ input.text | first }}"), Ok("ä".repeat(6)));
    assert_eq!(jinja("{{ input.text[:2000] | length }}"), Ok("2000".to_owned()));
    assert_eq!(cel("lists.range(100).all(i, input.lines.first().n + input.lines.last().n == 2)"), Ok(json!(true)));
    assert_eq!(cel("size(input.lines.slice(99990, 100000))"), Ok(json!(10)));
}

#[test]
fn the_size_of_results_is_limited() {
    let large = json!({"input": {"long": "a".repeat(1024 * 1024 - 2), "odd": "\u{1}".repeat(200_000)}});
    let scope = scope(&large);
    for (text, code) in [
        ("input.long", None),
        ("input.long + 'a'", Some(EvaluationErrorCode::Limit)),
        ("input.odd", Some(EvaluationErrorCode::Limit)),
        ("{'both': [input.long]}", Some(EvaluationErrorCode::Limit)),
        ("size(input.long + input.long) > 5", None),
    ] {
        let failure = Expression::parse(text).unwrap().evaluate(&scope).err();
        assert_eq!(failure.map(|failure| failure.code), code, "{text}");
        let template = JinjaTemplate::parse(&format!("{{{{ {text} }}}}").replace("size(", "length(")).unwrap();
        assert_eq!(template.value(&scope).err().map(|failure| failure.code), code, "{text}");
        assert_eq!(template.render(&scope).err().map(|failure| failure.code), code, "{text}");
    }
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
fn extensions_of_cel_work() {
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
fn templates_are_rendered() {
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
        ("{{ {'a': [1, null_]} }}", "line 1, column 14: `null_` does not exist"),
        ("{{ input.name | truncate(4) }}{{ '<b>' | e }}{{ 'a b' | urlencode }}", "A...&lt;b&gt;a%20b"),
        ("{{ input.at | date('%d.%m.%Y %H:%M', 'Europe/Berlin') }}", "01.03.2026 00:30"),
        ("{{ ['a', 'b', 'c'][1:] | reverse | join }}{{ 'hello'[-1] }}{{ 'hello'[:2] }}", "cbohe"),
        ("{% for x in range(3) %}{{ loop.cycle('a', 'b') }}{% endfor %}", "aba"),
        ("{{ input.lines | groupby('sku') | map(attribute='grouper') | join('|') }}", "x|y"),
        ("{{ ', '.join(['a', 'b']) }} {{ input.name.split(' ') | last }} {{ 'Ab'.lower() }}", "a, b Lovelace ab"),
        ("{% raw %}{{ x }}{% endraw %}{# gone #}", "{{ x }}"),
        ("a\n  {%- if true %} b{% endif %}", "a b"),
        ("{{ 'a' ~ 1 ~ none }}", "a1null"),
        ("{% for x in [1, 2, 3, 4] if x is even %}{{ x }}{% endfor %}", "24"),
        ("{{ input.missing }}", "line 1, column 4: `input.missing` does not exist"),
        ("a\n{{ 1 / 0 }}", "line 2, column 4: division by zero"),
    ] {
        assert_eq!(jinja(text).unwrap_or_else(|failure| failure), printed, "{text}");
    }
}

#[test]
fn references_are_collected() {
    let named = |found: Vec<VariableReference>| {
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
    let jinja = |text: &str| named(JinjaTemplate::parse(text).unwrap().references());
    assert_eq!(
        jinja("{% for x in nodes.a.output %}{{ x.y }}{{ loop.index }}{{ input.z }}{% endfor %}"),
        "nodes.a input.z"
    );
    assert_eq!(jinja("{% set x = vars.a %}{{ x }}{{ y }}"), "vars.a y.*");
}

#[test]
fn a_single_placeholder_keeps_its_type() {
    let value = |text: &str| JinjaTemplate::parse(text).unwrap().value(&scope(&data())).unwrap();
    assert_eq!(value("{{ input.tags }}"), json!(["b", "a", "b"]));
    assert_eq!(value("{{ input.n }} "), json!("5 "));
}
