//! Property tests: every text terminates, and common expressions have the same results as in the cel and minijinja
//! libraries.

use proptest::prelude::*;

use super::*;

/// Texts of random tokens that are likely to cause trouble together.
fn words(language: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(language), 0..60).prop_map(|words| words.concat())
}

const CEL: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "\"\"\"",
    "\\",
    "x",
    "input",
    ".n",
    ".name",
    ".tags",
    ".map(",
    ".all(",
    "x,",
    "1",
    "-9223372036854775808",
    "9223372036854775807",
    "1.5e308",
    "0.0",
    "'a'",
    "'é'",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "<",
    " in ",
    "&&",
    "||",
    "!",
    "?",
    ":",
    ",",
    "size(",
    "timestamp(",
    "duration(",
    "'1h'",
    "now()",
    "int(",
    "string(",
    "matches(",
    ".split(",
    "lists.range(",
    ".substring(",
    "has(",
    "null",
    "true",
    "//",
    "\n",
    " ",
    "r'",
    "b'",
    "0x",
    "u",
    "\u{0}",
    "ß",
    ".",
];
const JINJA: &[&str] = &[
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    " ",
    "for x in ",
    "endfor",
    "if ",
    "elif ",
    "else",
    "endif",
    "set x = ",
    "set x",
    "endset",
    "with ",
    "endwith",
    "filter ",
    "endfilter",
    "raw",
    "endraw",
    "x",
    "input.n",
    "input.tags",
    "loop.index",
    "|",
    "upper",
    "join(",
    "default(",
    "map(attribute='n')",
    "select(",
    "sort",
    "tojson",
    "slice",
    "indent(",
    "batch(",
    "range(",
    "(",
    ")",
    "[",
    "]",
    "'a'",
    "1",
    "-1",
    "9223372036854775807",
    "+",
    "*",
    "~",
    "//",
    "**",
    "%",
    " and ",
    " not ",
    " is ",
    "defined",
    "in ",
    ":",
    ",",
    "\n",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_texts_terminate(cel_text in words(CEL), jinja_text in words(JINJA)) {
        let _ = cel(&cel_text);
        let _ = jinja(&jinja_text);
        let _ = jinja(&format!("{{{{ {cel_text} }}}}"));
    }

    /// Expressions on which both agree have the same result as in the `cel` crate.
    #[test]
    fn expressions_agree_with_the_cel_crate(text in agreed()) {
        let ours = cel(&text);
        match elsewhere(&text) {
            Some(value) => prop_assert_eq!(ours.map(|value| value.to_string()), Ok(value), "{}", text),
            None => prop_assert!(ours.is_err(), "{} is {:?}", text, ours),
        }
    }

    /// Templates on which both agree have the same output as in minijinja.
    #[test]
    fn templates_agree_with_minijinja(text in agreed_in_jinja()) {
        let environment = minijinja::Environment::new();
        let theirs = environment.render_str(&text, ());
        match theirs {
            // minijinja prints bools and none as Python does; values print as JSON here.
            Ok(printed) => prop_assert_eq!(jinja(&text), Ok(printed.to_lowercase()), "{}", text),
            Err(_) => prop_assert!(jinja(&text).is_err(), "{}", text),
        }
    }
}

/// Runs on a larger stack: the `cel` crate needs more than the stack of a test thread.
fn elsewhere(text: &str) -> Option<String> {
    let evaluate = || {
        let program = ::cel::Program::compile(text).ok()?;
        program.execute(&::cel::Context::default()).ok().map(|value| printed(&value))
    };
    std::thread::scope(|scope| {
        let large = std::thread::Builder::new().stack_size(64 * 1024 * 1024);
        large.spawn_scoped(scope, evaluate).unwrap().join().unwrap()
    })
}

fn printed(value: &::cel::Value) -> String {
    match value {
        ::cel::Value::Int(number) => number.to_string(),
        ::cel::Value::Bool(value) => value.to_string(),
        ::cel::Value::String(text) => serde_json::to_string(text.as_str()).unwrap(),
        ::cel::Value::List(items) => {
            let items: Vec<String> = items.iter().map(printed).collect();
            format!("[{}]", items.join(","))
        }
        other => format!("{other:?}"),
    }
}

/// Generates integers, strings, bools and lists without mixing them, because mixed operands differ deliberately.
fn agreed() -> impl Strategy<Value = String> {
    let number = (-20i64..20).prop_map(|number| format!("({number})")).boxed();
    let number = number.prop_recursive(4, 24, 3, |number| {
        let binary = (number.clone(), proptest::sample::select(&["+", "-", "*", "%"][..]), number.clone());
        let list = proptest::collection::vec(number.clone(), 0..4);
        prop_oneof![
            binary.prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
            number.clone().prop_map(|number| format!("-{number}")),
            (number.clone(), number.clone(), number).prop_map(|(a, b, c)| format!("({a} < {b} ? {b} : {c})")),
            list.prop_map(|list| format!("size([{}])", list.join(", "))),
        ]
    });
    let text = proptest::sample::select(&["''", "'a'", "'ab'", "\"é\"", "'b\\n'"][..]).prop_map(str::to_owned);
    let list = proptest::collection::vec(number.clone(), 0..4).prop_map(|list| format!("[{}]", list.join(", ")));
    let truth = prop_oneof![
        (number.clone(), proptest::sample::select(&["<", "<=", "==", "!=", ">", ">="][..]), number.clone())
            .prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
        (number.clone(), list.clone()).prop_map(|(number, list)| format!("({number} in {list})")),
        (text.clone(), text.clone()).prop_map(|(left, right)| format!("{left}.startsWith({right})")),
        (text.clone(), text.clone()).prop_map(|(left, right)| format!("({left} + {right}).contains({right})")),
        (list.clone(), number.clone()).prop_map(|(list, n)| format!("{list}.exists(x, x == {n})")),
        (list.clone(), number.clone()).prop_map(|(list, n)| format!("{list}.all(x, x > {n})")),
        (list.clone(), number.clone()).prop_map(|(list, n)| format!("{list}.exists_one(x, x > {n})")),
    ];
    let truth = truth.boxed().prop_recursive(3, 12, 2, |truth| {
        prop_oneof![
            (truth.clone(), truth.clone()).prop_map(|(left, right)| format!("({left} && {right})")),
            (truth.clone(), truth.clone()).prop_map(|(left, right)| format!("({left} || {right})")),
            truth.prop_map(|truth| format!("!{truth}")),
        ]
    });
    prop_oneof![
        number,
        truth,
        (text.clone(), text).prop_map(|(left, right)| format!("{left} + {right}")),
        list.clone().prop_map(|list| format!("{list}.map(x, x * 2).filter(x, x > 0)")),
        (list.clone(), list).prop_map(|(left, right)| format!("{left} + {right}")),
    ]
}

fn agreed_in_jinja() -> impl Strategy<Value = String> {
    let number = (0i64..20).prop_map(|number| number.to_string()).boxed();
    let number = number.prop_recursive(4, 24, 3, |number| {
        let binary = (number.clone(), proptest::sample::select(&["+", "-", "*", "//", "%"][..]), number.clone());
        prop_oneof![
            binary.prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
            (number.clone(), number.clone(), number).prop_map(|(a, b, c)| format!("({b} if {a} < {b} else {c})")),
        ]
    });
    let list = proptest::collection::vec(number.clone(), 0..4).prop_map(|list| format!("[{}]", list.join(", ")));
    prop_oneof![
        (number.clone(), number.clone()).prop_map(|(a, b)| format!("a {{{{ {a} ~ ' ' ~ {b} }}}}\nb")),
        (list.clone(), number.clone()).prop_map(|(list, n)| {
            format!("{{% for x in {list} %}}{{{{ loop.index }}}}{{{{ x + {n} }}}},{{% else %}}none{{% endfor %}}")
        }),
        (number.clone(), number.clone(), number.clone()).prop_map(|(a, b, c)| {
            format!("{{% if {a} > {b} %}}x{{% elif {b} and not {c} %}} y {{%- else -%}} z {{% endif %}}")
        }),
        (list, number)
            .prop_map(|(list, n)| format!("{{% set y = {list} %}}{{{{ {n} in y }}}}{{{{ y[0] is defined }}}}")),
    ]
}
