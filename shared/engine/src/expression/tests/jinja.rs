//! Tests of typical templates against the output of jinja2 3.1.6, and of templates that are refused or fail.

use serde_json::json;

use super::*;

fn rendered(text: &str) -> Result<String, String> {
    let data = json!({
        "users": [
            {"name": "bob", "age": 30, "team": {"name": "Red"}},
            {"name": "Ada", "age": 25, "team": {"name": "blue"}},
            {"name": "Cleo", "age": 30, "team": {"name": "red"}},
        ],
        "prices": {"b": 2, "a": 10, "C": 3},
        "page": "<b>Q&A</b>",
        "long": "the quick brown fox jumps",
        "many": vec!["word"; 3_000],
    });
    let template = JinjaTemplate::parse(text).map_err(|problem| problem.to_string())?;
    template.render(&scope(&data)).map_err(|failure| failure.to_string())
}

#[test]
fn templates_print_the_same_as_in_jinja2() {
    for (text, printed) in [
        (
            "{% for age, people in users | groupby('age') %}{{ age }}: {{ people | map(attribute='name') | join(', ') }}\n{% endfor %}",
            "25: Ada\n30: bob, Cleo\n",
        ),
        (
            "{% for team in users | groupby('team.name') %}{{ team.grouper }}={{ team.list | length }};{% endfor %}",
            "blue=1;Red=2;",
        ),
        ("{{ (users | min(attribute='age')).name }} {{ (users | max(attribute='age')).name }}", "Ada bob"),
        ("{% for user in users | unique(attribute='team.name') %}{{ user.name }} {% endfor %}", "bob Ada "),
        ("{{ users | sort(attribute='age', reverse=true) | map(attribute='name') | join(' ') }}", "bob Cleo Ada"),
        ("{{ users | sort(attribute='age,name') | map(attribute='name') | join(' ') }}", "Ada bob Cleo"),
        ("{% for name, price in prices | dictsort %}{{ name }}{{ price }} {% endfor %}", "a10 b2 C3 "),
        (
            "{% for name, price in prices | dictsort(false, 'value', true) %}{{ name }}{{ price }} {% endfor %}",
            "a10 C3 b2 ",
        ),
        ("{% for name, price in prices | items | sort %}{{ name }}{% endfor %}", "Cab"),
        ("{{ dict(prices, b=7).b }}{{ dict(prices).a }}{{ dict([['k', 1]]).k }}", "7101"),
        (
            "{{ 2.5 | round }} {{ 3.5 | round }} {{ 1234 | round(-2) }} {{ 2.675 | round(2) }} {{ 42.1 | round(0, 'ceil') }}",
            "2.0 4.0 1200 2.67 43.0",
        ),
        (
            "{{ page | e | e }} {{ page | safe | e }} {{ (page | e) + '<' }}",
            "&lt;b&gt;Q&amp;A&lt;/b&gt; <b>Q&A</b> &lt;b&gt;Q&amp;A&lt;/b&gt;&lt;",
        ),
        (
            "{{ long | truncate(12) }}|{{ long | truncate(20) }}|{{ long | truncate(12, true) }}",
            "the...|the quick brown fox jumps|the quick...",
        ),
        ("{{ \"they're (x-ray) o'clock\" | title }}", "They're (X-Ray) O'clock"),
        ("{{ 7.5 % -2 }} {{ 9007199254740993 is divisibleby(3) }} {{ -7 // 2 }}", "-0.5 true -4"),
        ("{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}", "21"),
        ("{{ range(5, 0, -2) | join(' ') }}", "5 3 1"),
        ("{{ '%05.1f|%-4s|%x' | format(3.14159, 'ab', 255) }}", "003.1|ab  |ff"),
        ("{{ '%(who)s is %(age)d' | format(who='Ada', age=36) }}", "Ada is 36"),
        ("{% for row in range(5) | slice(2) %}{{ row | join }};{% endfor %}", "012;34;"),
        ("{% for row in [1, 2, 3] | batch(2, '-') %}{{ row | join }};{% endfor %}", "12;3-;"),
        ("{{ ['b', 'A', 'c'] | map('default', '?') | map('upper') | sort(reverse=true) | join }}", "CBA"),
    ] {
        assert_eq!(rendered(text), Ok(printed.to_owned()), "{text}");
    }
}

#[test]
fn wrong_arguments_are_reported_with_their_position() {
    for (text, problem) in [
        (
            "{{ users | sort(atribute='age') }}",
            "line 1, column 26: `sort` has no argument `atribute`; the names are reverse, case_sensitive, attribute",
        ),
        (
            "{{ users\n | groupby('age', defualt=0) }}",
            "line 2, column 27: `groupby` has no argument `defualt`; the names are attribute, default, case_sensitive",
        ),
        (
            "{{ x | default(valu=1) }}",
            "line 1, column 21: `default` has no argument `valu`; the names are default_value, boolean",
        ),
        (
            "{{ users | map(attribute='age', defualt=0) }}",
            "line 1, column 41: `map` has no argument `defualt`; the names are attribute, default",
        ),
        (
            "{{ users | first(attribute='age') }}",
            "line 1, column 28: `first` has no argument `attribute`; it has no named arguments",
        ),
        (
            "{{ users | select('divisibleby', by=3) }}",
            "line 1, column 37: `divisibleby` has no argument `by`; the names are num",
        ),
        ("{{ 9 is divisibleby(by=3) }}", "line 1, column 24: `divisibleby` has no argument `by`; the names are num"),
        ("{{ 9 is odd(x=1) }}", "line 1, column 15: `odd` has no argument `x`; it has no named arguments"),
        ("{{ long | replace(new='x') }}", "line 1, column 11: `replace` needs its argument `old`"),
        ("{{ long | upper(1) }}", "line 1, column 11: `upper` takes no arguments"),
        ("{{ long | contains }}", "line 1, column 11: `contains` takes 1 argument"),
        ("{{ users | sort(true, false, 'age', 1) }}", "line 1, column 12: `sort` takes 0 to 3 arguments"),
        ("{{ users | groupby }}", "line 1, column 12: `groupby` needs its argument `attribute`"),
        ("{{ long | truncate(9, length=3) }}", "line 1, column 30: `truncate` gets its argument `length` twice"),
        ("{{ long | truncate(end='', end='.') }}", "line 1, column 32: the argument `end` is given twice"),
        ("{{ dict(prices, prices) }}", "line 1, column 4: `dict` takes one map, or names: dict(map, name=value)"),
        ("{% for x in [1] %}{{ loop.cycle() }}{% endfor %}", "line 1, column 26: `cycle` takes at least 1 argument"),
        ("{{ users | default(0, flag) }}", "line 1, column 23: argument 2 of `default` must be true or false"),
    ] {
        assert_eq!(rendered(text), Err(problem.to_owned()), "{text}");
    }
}

#[test]
fn unsupported_names_of_jinja_get_a_hint() {
    for (text, problem) in [
        ("{{ users | pprint }}", "there is no filter `pprint`; write x | tojson(2)"),
        (
            "{{ users | random }}",
            "there is no filter `random`; templates are deterministic; choose a value in a node before the template",
        ),
        (
            "{{ long | wordwrap(9) }}",
            "there is no filter `wordwrap`; lines are not wrapped here; cut with x | truncate(80)",
        ),
        ("{{ long | strptags }}", "there is no filter `strptags`"),
        ("{{ cycler(1) }}", "there is no function `cycler`; write loop.cycle('a', 'b') in a loop"),
        ("{{ lipsum() }}", "there is no function `lipsum`; templates are deterministic; write the text"),
        ("{{ long is callable }}", "there is no test `callable`; values cannot be functions here"),
        ("{{ long is stirng }}", "there is no test `stirng`; did you mean `string`?"),
        ("{{ long is divisibleby }}", "`divisibleby` takes 1 argument"),
        ("{{ users | select('odd', 1) }}", "`odd` takes no arguments"),
        ("{{ long | lowr }}", "there is no filter `lowr`; did you mean `lower`?"),
    ] {
        let problem_found = rendered(text).unwrap_err();
        assert_eq!(problem_found.split_once(": ").unwrap().1, problem, "{text}");
    }
    // Every name of jinja2 and minijinja is either supported or refused with a hint.
    for name in ["striptags", "urlize", "xmlattr", "wordwrap", "pprint", "random", "chain", "zip"] {
        assert!(rendered(&format!("{{{{ users | {name} }}}}")).unwrap_err().contains("; "), "{name}");
    }
    for name in ["cycler", "joiner", "namespace", "lipsum", "debug"] {
        assert!(rendered(&format!("{{{{ {name}() }}}}")).unwrap_err().contains("; "), "{name}");
    }
}

#[test]
fn filters_fail_for_values_they_cannot_use() {
    for (text, failure) in [
        ("{{ [1, 'a'] | sort }}", "cannot compare "),
        ("{{ users | sort(attribute='nope') }}", "an element does not have the attribute"),
        ("{{ users | groupby('nope') }}", "an element does not have the attribute"),
        ("{{ users | sort('age') }}", "argument 1 must be true or false, got string"),
        ("{{ 'x' | int }}", "cannot convert string to int; use x | int(0) for a default"),
        ("{{ long | truncate(2) }}", "the length of truncate must be at least the length of its end"),
        ("{{ 1 | round(0, 'up') }}", "the method of round must be 'common', 'ceil' or 'floor'"),
        ("{{ 7 is divisibleby(0) }}", "division by zero"),
        ("{{ 7.5 % 0.0 }}", "division by zero"),
        ("{{ range(1, 9, 0) }}", "the step of a range must not be zero"),
        ("{{ '%d' | format('1') }}", "expected a number, got string"),
    ] {
        let found = rendered(text).unwrap_err();
        assert!(found.split_once(": ").unwrap().1.starts_with(failure), "{text}: {found}");
    }
}

/// Each function charges for its work before it does it, so too much work ends with a limit error.
#[test]
fn too_much_work_is_refused() {
    for text in [
        "{{ range(9223372036854775807) }}",
        "{{ range(-9223372036854775807, 9223372036854775807, 1) }}",
        "{{ range(9223372036854775807, -9223372036854775807, -1) }}",
        "{{ [1] | batch(9223372036854775807, 0) }}",
        "{{ [1] | slice(9223372036854775807) }}",
        "{{ 'x' | center(9223372036854775807) }}",
        "{{ 'x\ny' | indent(9223372036854775807) }}",
        "{{ '%9223372036854775807d' | format(1) }}",
        "{{ '%.9223372036854775807f' | format(1) }}",
        "{{ 'x' * 9223372036854775807 }}",
        "{% for a in range(3000) %}{% set s = many | sort %}{% endfor %}",
        "{% for a in range(3000) %}{% set s = many | unique %}{% endfor %}",
        "{% for a in range(3000) %}{% set s = many | min %}{% endfor %}",
        "{% for a in range(90000) %}{% set s = 1.5 | round(-300) %}{% endfor %}",
    ] {
        let template = JinjaTemplate::parse(text).unwrap();
        let data = json!({"many": vec!["Word"; 3_000]});
        let failure = template.render(&scope(&data)).unwrap_err();
        assert_eq!(failure.code, EvaluationErrorCode::Limit, "{text}: {failure}");
    }
    // Work within the budget succeeds: neither filter is quadratic.
    let data = json!({"words": (0..20_000).map(|word| format!("Word {word}")).collect::<Vec<_>>()});
    for (text, printed) in [
        ("{{ words | unique | list | length }}", "20000"),
        ("{{ (words | sort)[1] }}", "Word 1"),
        ("{{ words | map('length') | unique | sort | join(' ') }}", "6 7 8 9 10"),
    ] {
        let template = JinjaTemplate::parse(text).unwrap();
        assert_eq!(
            template.render(&scope(&data)).map_err(|failure| failure.to_string()),
            Ok(printed.to_owned()),
            "{text}"
        );
    }
}
