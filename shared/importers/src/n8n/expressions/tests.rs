//! Tests of translated expressions.

use super::*;
use testing::run_with_timeout;

/// A workflow with a few nodes.
struct Few;

impl Names for Few {
    fn input(&self) -> Result<NamedValue, String> {
        Ok(NamedValue::new("nodes.last.output", Shape::Same))
    }

    fn node(&self, name: &str) -> Result<NamedValue, String> {
        Ok(match name {
            "Set" => NamedValue::new("nodes.set.output", Shape::Same),
            "My-Hook" => NamedValue::new("nodes['my-hook'].output", Shape::Call),
            "HTTP" => NamedValue::new("nodes.http.output", Shape::Answer),
            "Agent" => NamedValue::new("nodes.agent.output", Shape::Text),
            "Chat" => NamedValue::new("nodes.chat.output", Shape::Message),
            "Merge" => NamedValue::new("nodes.merge.output", Shape::List),
            "Any" => NamedValue {
                paths: vec!["nodes.a.output".to_owned(), "nodes.b.output".to_owned()],
                shape: Shape::Same,
                note: None,
            },
            _ => return Err("no such node".to_owned()),
        })
    }

    fn charge(&self) -> bool {
        true
    }

    fn is_in_loop(&self) -> bool {
        true
    }
}

fn in_cel(source: &str) -> String {
    translate_placeholder(source, &Few).cel.unwrap_or_else(|why| format!("! {why}"))
}

fn in_jinja(source: &str) -> String {
    translate_placeholder(source, &Few).jinja.unwrap_or_else(|why| format!("! {why}"))
}

#[test]
fn paths_are_translated() {
    for (source, cel) in [
        ("$json.a.b[0]", "nodes.last.output.a.b[0]"),
        ("$json['a b'].c", "nodes.last.output['a b'].c"),
        ("$json[\"a\"]", "nodes.last.output.a"),
        ("$input.item.json.a", "nodes.last.output.a"),
        ("$input.first().json.a", "nodes.last.output.a"),
        ("$('Set').item.json.x", "nodes.set.output.x"),
        ("$('Set').first().json.x", "nodes.set.output.x"),
        ("$('Set').all()[0].json.x", "nodes.set.output.x"),
        ("$node[\"Set\"].json[\"x\"]", "nodes.set.output.x"),
        ("$node.Set.json.x", "nodes.set.output.x"),
        ("$('My-Hook').item.json.body.x", "nodes['my-hook'].output.body.x"),
        ("$('My-Hook').item.json.query.page", "nodes['my-hook'].output.query.page"),
        ("$('My-Hook').item.json.headers['x-shop']", "nodes['my-hook'].output.headers['x-shop']"),
        ("$('HTTP').item.json.x", "nodes.http.output.body.x"),
        ("$('Agent').item.json.output", "nodes.agent.output"),
        ("$('Chat').item.json.chatInput", "nodes.chat.output.text"),
        ("$('Chat').item.json.message.text", "nodes.chat.output.text"),
        ("$('Chat').item.json.messages[0].text.body", "nodes.chat.output.text"),
        ("$('Chat').item.json.messages[0]", "! only the text of a message is available"),
        ("$('Chat').item.json.message.date", "! only the text of a message is available"),
        (
            "$('Chat').item.json.message.chat.id",
            "! the sender is not available: a message without a recipient answers the sender",
        ),
        ("$('Merge').item.json.x", "nodes.merge.output[0].x"),
        ("$('Any').item.json.x", "(has(nodes.a.output) ? nodes.a.output : nodes.b.output).x"),
        ("$('Set').all().map(i => i.json.x)", "[nodes.set.output].map(_i, _i.x)"),
        ("$vars.zone", "vars.zone"),
        ("$itemIndex", "vars.index"),
        ("$('My-Hook').item.json.headers.host", "! runs do not get the header `host`, which may hold a secret"),
        ("$('My-Hook').item.json.params.id", "! the path and the URL of a call are not available"),
        ("$('Gone').item.json.x", "! no such node"),
        ("$(name).item.json.x", "! the name of the node is computed"),
        ("$binary.data", "! `$binary` is not supported"),
        ("$fromAI('x')", "! only the tools of an agent can have arguments from a model"),
    ] {
        assert_eq!(in_cel(source), cel, "{source}");
    }
}

#[test]
fn operators_and_methods_are_written_in_both_languages() {
    let x = "nodes.last.output.x";
    for (source, cel, jinja) in [
        ("1 + 2 * 3", "1 + (2 * 3)", "1 + (2 * 3)"),
        ("'a' + $json.x", "'a' + string(X)", "'a' ~ (X | string)"),
        ("`n: ${$json.x}`", "['n: ', string(X)].join('')", "'n: ' ~ (X | string)"),
        ("$json.x === 'a' && $json.x !== 2", "(X == 'a') && (X != 2)", "(X == 'a') and (X != 2)"),
        ("$json.x || 'none'", "(has(X) && !(X in [null, false, 0, ''])) ? X : 'none'", "X or 'none'"),
        ("$json.x ?? 0", "(has(X) && X != null) ? X : 0", "X if (X is defined and X is not none) else 0"),
        ("$json?.x", "has(X) ? X : null", "(X) | default('')"),
        ("$json.x?.join(' #')", "has(X) ? X.join(' #') : null", "((X | join(' #')) if X is defined) | default('')"),
        (
            "$json?.x ?? 'a'",
            "((has(X) ? X : null) != null) ? (has(X) ? X : null) : 'a'",
            "X if (X is defined and X is not none) else 'a'",
        ),
        ("$json.x.toFixed(2)", "'%.2f'.format([X])", "('%.2f' | format(X))"),
        ("($json.x / 2).toFixed()", "'%.0f'.format([double(X) / 2])", "('%.0f' | format(X / 2))"),
        ("$json.x.toFixed(10)", "! `toFixed` takes at most 9 decimals", "! `toFixed` takes at most 9 decimals"),
        ("$json.x.trim().slice(0, 20)", "X.trim().substring(0, [20, size(X.trim())].min())", "(X | trim)[0:20]"),
        (
            "$json.x.split(',').slice(-2)",
            "X.split(',').slice([size(X.split(',')) - 2, 0].max(), size(X.split(',')))",
            "(X | split(','))[(-2):]",
        ),
        (
            "$json.x.slice(1)",
            "type(X) == 'list' ? X.slice([1, size(X)].min(), size(X)) : X.substring([1, size(X)].min())",
            "X[1:]",
        ),
        ("$json.x.substring(1)", "X.substring([1, size(X)].min())", "X[1:]"),
        ("$now.toFormat('yyyy-MM-dd')", "string(now()).substring(0, 10)", "(now() | date('%Y-%m-%d'))"),
        ("new Date($json.x).getHours()", "timestamp(X).getHours()", "! `getHours` is not supported in a template"),
        ("$json.x > 3 ? 'many' : 'few'", "(X > 3) ? 'many' : 'few'", "'many' if (X > 3) else 'few'"),
        ("$json.x ? 1 : 2", "(has(X) && !(X in [null, false, 0, ''])) ? 1 : 2", "1 if X else 2"),
        ("!$json.x", "!(has(X) && !(X in [null, false, 0, '']))", "not X"),
        ("$json.x !== undefined", "has(X)", "X is defined"),
        ("$json.x == null", "!(has(X) && X != null)", "not (X is defined and X is not none)"),
        ("$json.x / 2", "double(X) / 2", "X / 2"),
        ("$json.x.length", "size(X)", "(X | length)"),
        ("$json.x.toLowerCase().trim()", "X.lower().trim()", "((X | lower) | trim)"),
        ("$json.x.includes('a')", "X.contains('a')", "(X | contains('a'))"),
        ("$json.x.split(',').join(' ')", "X.split(',').join(' ')", "((X | split(',')) | join(' '))"),
        ("$json.x.replace('a', 'b')", "X.replace('a', 'b', 1)", "(X | replace('a', 'b', 1))"),
        ("Math.round($json.x)", "X.round()", "((X + 0.5) | floor)"),
        ("$json.x.round()", "X.round()", "((X + 0.5) | floor)"),
        ("$json.x.unique()", "X.distinct()", "(X | unique(case_sensitive=true))"),
        ("Array.isArray($json.x)", "type(X) == 'list'", "X is sequence and X is not string and X is not mapping"),
        ("JSON.stringify($json.x, null, 2)", "X.toJson()", "(X | tojson)"),
        ("Object.keys($json.x)", "X.keys()", "(X | keys)"),
        ("parseInt($json.x, 10)", "X.int()", "(X | int)"),
        ("[1, 'a', { b: $json.x }]", "[1, 'a', {'b': X}]", "[1, 'a', {'b': X }]"),
        ("$json.x.map(i => i.name)", "X.map(_i, _i.name)", "(X | map(attribute='name'))"),
        ("$json.x.filter(i => i.n > 2)", "X.filter(_i, _i.n > 2)", "! a template cannot process a list this way"),
        (
            "$json.x.some(i => i.ok)",
            "X.exists(_i, has(_i.ok) && !(_i.ok in [null, false, 0, '']))",
            "! a template cannot process a list this way",
        ),
        ("$now", "now()", "now()"),
        (
            "$now.minus({days: 1}).toISO()",
            "(now() - duration('86400s')).string()",
            "((now() - duration('86400s')) | string)",
        ),
        (
            "$now.toFormat('dd.LL.yyyy HH:mm')",
            "! dates can be formatted in templates only",
            "(now() | date('%d.%m.%Y %H:%M'))",
        ),
        ("new Date($json.x) > new Date()", "timestamp(X) > now()", "timestamp(X) > now()"),
        ("$if($json.x == 1, 'a', 'b')", "(X == 1) ? 'a' : 'b'", "'a' if (X == 1) else 'b'"),
        ("-$json.x", "-X", "-X"),
        ("encodeURIComponent($json.x)", "! `encodeURIComponent` is not supported in an expression", "(X | urlencode)"),
    ] {
        let expected = |text: &str| text.replace('X', x);
        assert_eq!(in_cel(source), expected(cel), "{source}");
        assert_eq!(in_jinja(source), expected(jinja), "{source}");
    }
}

#[test]
fn translations_give_what_javascript_gave() {
    use serde_json::json;
    let variables =
        json!({"nodes": {"last": {"output": {"t": "héllo", "l": [1, 2, 3], "n": 2.5, "tags": ["a", "b"]}}}});
    let variables = variables.as_object().unwrap();
    let scope = engine::expression::Scope::new(variables, jiff::Timestamp::UNIX_EPOCH);
    for (source, given) in [
        ("$json.t.slice(0, 20)", json!("héllo")),
        ("$json.t.slice(1, 3)", json!("él")),
        ("$json.t.slice(-2)", json!("lo")),
        ("$json.t.slice(0, -1)", json!("héll")),
        ("$json.t.substring(9)", json!("")),
        ("$json.l.slice(1)", json!([2, 3])),
        ("$json.l.slice(0, 9)", json!([1, 2, 3])),
        ("$json.n.toFixed(2)", json!("2.50")),
        ("$json.tags?.join(' #')", json!("a #b")),
        ("$json.none?.join(' #')", json!("")),
        ("$json.none?.join(' #') ?? 'x'", json!("x")),
        ("$json?.none", json!("")),
        ("$now.toFormat('yyyy-MM-dd')", json!("1970-01-01")),
    ] {
        let placeholder = translate_placeholder(source, &Few);
        let value = Expression::parse(&placeholder.cel.unwrap()).unwrap().evaluate(&scope).unwrap().0;
        let is_missing = value.is_null() && given == "";
        assert!(value == given || is_missing, "{source}: {value}");
        let text =
            JinjaTemplate::parse(&format!("{{{{ {} }}}}", placeholder.jinja.unwrap())).unwrap().render(&scope).unwrap();
        assert_eq!(text, given.as_str().map_or_else(|| given.to_string(), str::to_owned), "{source}");
    }
}

#[test]
fn only_strings_with_an_equals_sign_are_templates() {
    let jinja = |text: &str| {
        let mut notes = Vec::new();
        (pieces(text, &Few).jinja(&mut notes), notes)
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(jinja("a {{ $json.x }}"), ("a {{ '{{' }} $json.x }}".to_owned(), none.clone()));
    assert_eq!(jinja("=a {{ $json.x }}!"), ("a {{ nodes.last.output.x }}!".to_owned(), none.clone()));
    assert_eq!(jinja("={{ {a: {b: 1}} }}").0, "{{ {'a': {'b': 1 } } }}");
    assert_eq!(jinja("={{ \"}}\" }}"), ("{{ '}}' }}".to_owned(), none.clone()));
    assert_eq!(jinja("={ {{ $json.x }} }"), ("{ {{ nodes.last.output.x }} }".to_owned(), none.clone()));
    assert_eq!(jinja("=it's {{ $json.x }}").0, "it's {{ nodes.last.output.x }}");
    assert_eq!(jinja("={{ $json.x"), ("{{ '{{' }} $json.x".to_owned(), none));
    let (text, notes) = jinja("=a {{ $json.x.match(/b/) }}");
    assert_eq!(text, "a {{ untranslated['{{ $json.x.match(/b/) }}'] }}");
    assert_eq!(notes, ["`{{ $json.x.match(/b/) }}` is not translated: regular expressions are not supported"]);
    let (text, notes) = jinja(&format!("={}", "{{ 1 }}".repeat(401)));
    assert!(text.ends_with("{{ 1 }}{{ untranslated['{{ 1 }}'] }}"));
    assert_eq!(notes, ["`{{ 1 }}` is not translated: the template has too many placeholders"]);
}

#[test]
fn translations_are_bounded_in_length_and_depth() {
    let long = |part: &str, count: usize| vec![part; count].join("");
    for source in [
        format!("1{}", long("+1", 2_000)),
        format!("1{}", long("+1", 250)),
        format!("'a'{}", long("+$json.x", 250)),
        format!("$json.x{}", long(" || $json.x", 200)),
        format!("$json.x{}", long(" ?? $json.x", 200)),
        format!("{}1{}", long("(", 500), long(")", 500)),
        format!("{}1{}", long("[", 40), long("]", 40)),
        format!("{}1", long("!", 500)),
        format!("{}1", long("-", 30)),
        format!("$json{}", long(".a", 250)),
        format!("$json{}", long("[0]", 150)),
        format!("$json.x{}", long(".map(i => i)", 60)),
        format!("$json.x{}", long(".slice(1)", 60)),
        format!("{}1", long("a => ", 400)),
        format!("1{}", long("?1:1", 100)),
        format!("{}1{}", long("$if(", 40), long(",1,1)", 40)),
        long("`${", 300),
        long("{{", 1_000),
        long("$json.", 600),
        "'".to_owned(),
        "'\\".to_owned(),
        "x".repeat(1_000_000),
    ] {
        let name = source[..40.min(source.len())].to_owned();
        let placeholder = run_with_timeout(&name, move || translate_placeholder(&source, &Few));
        for written in [placeholder.cel, placeholder.jinja].iter().flatten() {
            assert!(written.len() <= 8_192);
        }
    }
}

#[test]
fn recursion_fits_a_small_stack() {
    let around = |open: &str, within: &str, close: &str, count: usize| {
        format!("{}{within}{}", open.repeat(count), close.repeat(count))
    };
    let sources = [
        around(&format!("{}(", "+ ".repeat(48)), " $json.a ", ")", 11),
        around(&format!("{}(", "- ".repeat(40)), "$json.a", ")", 12),
        around("!!!!!!!(", "$json.a", ")", 40),
        around("(", "$json.a", "+ 1 + 1 + 1)", 24),
        around("(", "$json.a", "|| 1 || 1 || 1 || 1)", 46),
        around("(", "$json.a", "|| $json.b)", 46),
        around("(", "$json.a", " ?? 1)", 46),
        around("$if(", "$json.a", ", 1, 1)", 46),
        around("Boolean(", "$json.a", ")", 46),
        around("Math.max(1, ", "$json.a", ")", 46),
        around("$json.a.map(x => ", "x", ")", 40),
        around("$json.a.replace('a', ", "'b'", ")", 40),
        around("$json[", "0", "]", 46),
        around("[", "$json.a", "]", 47),
        around("{a: ", "$json.a", "}", 47),
        around("$json.a ? ", "1", " : 2", 46),
        format!("`${{{}}}`", around("(", "$json.a", " + 1 + 1)", 45)),
        format!("$json.a{}", " + 1".repeat(290)),
        format!("$json.a{}", " + 1".repeat(78)),
        format!("$json.a{}", " || 1".repeat(78)),
        format!("$json{}", ".a".repeat(290)),
        format!("$json{}", ".trim()".repeat(45)),
        around("Math.max(1, 1 + ", "$json.a", ")", 33),
        around("Math.max(1 + ", "$json.a", ", 1)", 33),
        around("$ifEmpty(", "$json.a", ", 1)", 46),
        around("$json.x.map(x => ", "x.a", ")", 23),
        around("new Date(", "$json.a", ")", 47),
        around("String(1 + ", "$json.a", ")", 33),
        around("(1 + ", "$json.a", ").toLowerCase()", 25),
        around("$json['a'][", "$json.a", "]", 33),
        format!("$json.a{}", " ?? 1".repeat(78)),
        format!("'a'{}", " + 'b'".repeat(78)),
        format!("$json.a{}", " && 1".repeat(78)),
    ];
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let thread = small.spawn(move || {
        sources.iter().for_each(|source| {
            translate_placeholder(source, &Few);
        })
    });
    thread.unwrap().join().unwrap();
    assert_eq!(in_cel(&format!("1{}", " + 1".repeat(150))), "! it is nested deeper than 80");
    assert_eq!(in_cel(&format!("{}($json.a)", "- ".repeat(48))), "! it is nested deeper than 48");
}
