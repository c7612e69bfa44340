//! What scripts may do: results, errors with positions, the console, determinism and isolation.

use script::{ConsoleLevel, LimitKind, Limits, Outcome, Position, Program, Request, ScriptError, SourceForm, execute};
use serde_json::{Map, Value, json};

fn globals() -> Map<String, Value> {
    let Value::Object(globals) =
        json!({ "input": { "list": [3, 1, 2], "name": "Ann" }, "vars": {}, "nodes": { "a": 1.5 } })
    else {
        unreachable!()
    };
    globals
}

fn run_with(source: &str, form: SourceForm, limits: Limits) -> Result<Outcome, ScriptError> {
    execute(&Request { source, form, globals: &globals(), now_ms: 1_700_000_000_123, seed: 7, view: None, limits })
}

fn run(source: &str) -> Result<Outcome, ScriptError> {
    run_with(source, SourceForm::Body, Limits::default())
}

fn value(source: &str) -> Value {
    run(source).unwrap_or_else(|error| panic!("{source}: {error:?}")).value
}

fn thrown(source: &str) -> (String, String, Option<(u32, u32)>) {
    match run(source) {
        Err(ScriptError::Thrown(thrown)) => {
            let position = thrown.position.map(|Position { line, column }| (line, column));
            (thrown.name, thrown.message, position)
        }
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn results_are_json() {
    for (source, expected) in [
        ("return input.list.sort()", json!([1, 2, 3])),
        ("return undefined", Value::Null),
        ("", Value::Null),
        ("return () => 1", Value::Null),
        ("return { f() {}, s: Symbol(), u: undefined, n: NaN, i: -Infinity }", json!({ "n": null, "i": null })),
        ("return new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        ("return [0.1 + 0.2, 1e21, 5e-324, 2 ** 53]", json!([0.1 + 0.2, 1e21, 5e-324, 9_007_199_254_740_992_u64])),
        ("return '\\ud800x\\\\ud800'", json!("\u{fffd}x\\ud800")),
        ("return await Promise.all([1, Promise.resolve(2)])", json!([1, 2])),
        ("return { toJSON: () => 5 }", json!(5)),
        ("return nodes.a * 2 // a comment at the end", json!(3)),
        ("with (input) { return name }", json!("Ann")),
        ("\"use strict\"; return (function () { return this === undefined })()", json!(true)),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

#[test]
fn results_that_are_not_json_are_errors() {
    for (source, part) in [
        ("return 1n", "BigInt"),
        ("const a = {}; a.a = a; return a", "circular"),
        ("return { toJSON() { throw new RangeError('no') } }", "RangeError: no"),
    ] {
        let Err(ScriptError::Result { message, .. }) = run(source) else { panic!("{source}") };
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn expressions_have_a_form_of_their_own() {
    let run = |source| run_with(source, SourceForm::Expression, Limits::default()).map(|outcome| outcome.value);
    assert_eq!(run("input.list.length + 1 // items"), Ok(json!(4)));
    assert_eq!(run("{ a: 1 }"), Ok(json!({ "a": 1 })));
    assert_eq!(run("await Promise.resolve(5)"), Ok(json!(5)));
    assert!(matches!(run("let a = 1"), Err(ScriptError::Syntax(_))));
    assert!(Program::check("1 + 1", SourceForm::Expression).is_ok());
    for source in ["1); (2", "1], [2", "return 1", ""] {
        assert!(Program::check(source, SourceForm::Expression).is_err(), "{source}");
    }
}

#[test]
fn syntax_is_checked_without_execution() {
    assert_eq!(Program::check("for (;;) {}", SourceForm::Body), Ok(()));
    assert_eq!(Program::check("function f() {} function f() {} return await f()", SourceForm::Body), Ok(()));
    for (source, line, column) in [
        ("let a = 1\nlet b = ;\n", 2, 9),
        ("return {", 1, 9),
        ("const a = 1\nif (a) {\n", 3, 1),
        ("a b", 1, 3),
        ("}), (async function () {", 1, 2),
        ("} async function other() {", 1, 1),
        ("}, b() {", 1, 8),
    ] {
        let problem = Program::check(source, SourceForm::Body).expect_err(source);
        assert_eq!(problem.line, line, "{source}: {problem:?}");
        assert!(problem.column.abs_diff(column) <= 2, "{source}: {problem:?}");
        assert!(!problem.message.is_empty());
    }
    let long = "1;".repeat(40_000);
    assert!(Program::check(&long, SourceForm::Body).is_err());
    assert!(matches!(run(&long), Err(ScriptError::Limit { kind: LimitKind::Source, .. })));
}

#[test]
fn errors_have_positions_in_the_source() {
    let (name, message, position) = thrown("const a = {};\nconst b = a.b.c;");
    assert_eq!((name.as_str(), position), ("TypeError", Some((2, 11))));
    assert!(message.contains("'c'"), "{message}");
    let (_, _, position) = thrown("const f = () => {\n  throw new Error('x')\n}\n\n[1].map(f)");
    assert_eq!(position.map(|position| position.0), Some(2));
    // The position is that of the user's code, even if a guard of the sandbox throws.
    let (name, _, position) = thrown("const s = 'a';\n\ns.repeat(-1)");
    assert_eq!((name.as_str(), position.map(|position| position.0)), ("RangeError", Some(3)));
    let (_, _, position) = thrown("await null;\nawait Promise.resolve();\nundefinedName");
    assert_eq!(position.map(|position| position.0), Some(3));
    assert_eq!(thrown("throw 'text'"), (String::new(), "text".to_owned(), None));
    assert_eq!(thrown("throw { a: 1 }").1, "{\"a\":1}");
    assert_eq!(thrown("throw undefined").1, "undefined");
    let Err(error) = run("null.x") else { panic!() };
    assert_eq!(error.code(), "code_error");
    assert!(error.to_string().starts_with("TypeError: ") && error.to_string().contains("(line 1, column "), "{error}");
}

#[test]
fn absent_features_have_clear_errors() {
    assert_eq!(thrown("setTimeout(() => {}, 1)").0, "ReferenceError");
    for source in
        ["eval('1')", "new Function('return 1')", "(() => {}).constructor('1')", "(async () => {}).constructor('1')"]
    {
        let (name, message, _) = thrown(source);
        assert_eq!(name, "TypeError", "{source}");
        assert!(message.contains("Code from strings"), "{message}");
    }
    assert_eq!(value("try { await import('fs') } catch (e) { return e instanceof Error }"), json!(true));
    let absent = "return ['WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'performance', 'process',
        'require', 'fetch', 'setTimeout', 'setInterval', 'gc'].filter((name) => name in globalThis)";
    assert_eq!(value(absent), json!([]));
    assert!(matches!(run("await new Promise(() => {})"), Err(ScriptError::Unsettled { .. })));
}

/// A text in the wrong format would be a mistake that nobody sees.
#[test]
fn other_locales_are_refused() {
    for source in [
        "new Date().toLocaleDateString('fi-FI')",
        "(1.5).toLocaleString(['cs-CZ'])",
        "new Intl.NumberFormat('ko')",
        "new Intl.NumberFormat('names')",
        "DateTime.now().setLocale('el').toFormat('MMMM')",
        "new Intl.NumberFormat('de-DE', { notation: 'compact' })",
        "new Date().toLocaleString('es-ES', { timeZoneName: 'short' })",
        "new Date().toLocaleString('fr-FR', { timeStyle: 'full' })",
        "new Intl.ListFormat('es')",
        "new Intl.NumberFormat('en-US', { roundingMode: 'trunc' })",
        "new Intl.DateTimeFormat('en-US-u-ca-buddhist')",
        "new Date().toLocaleString('en-GB', { timeZone: 'Europe/London', timeZoneName: 'short' })",
        "DateTime.now().setLocale('en-ZA').toLocaleString()",
        "new Intl.DateTimeFormat('en-US', { timeZoneName: 'long' }).format()",
    ] {
        let (name, message, _) = thrown(source);
        assert_eq!(name, "RangeError", "{source}");
        assert!(message.contains("not available"), "{message}");
    }
    let dates =
        "return [DateTime.now().toISO(), DateTime.local().zoneName, new Date().toLocaleDateString(['xx', 'en-GB'])]";
    assert_eq!(value(dates), json!(["2023-11-14T22:13:20.123+00:00", "UTC", "14/11/2023"]));
}

#[test]
fn the_console_is_recorded_and_bounded() {
    let outcome =
        run("console.log('a', 1, { b: [2] }); console.warn(new TypeError('t')); console.error(null, undefined); \
                       console.info(5n, () => 1); console.debug(Symbol('s'))")
        .unwrap();
    let lines: Vec<_> = outcome.console.iter().map(|line| (line.level, line.text.as_str())).collect();
    assert_eq!(
        lines,
        [
            (ConsoleLevel::Log, "a 1 {\"b\":[2]}"),
            (ConsoleLevel::Warn, "TypeError: t"),
            (ConsoleLevel::Error, "null undefined"),
            (ConsoleLevel::Info, "5n [Function: anonymous]"),
            (ConsoleLevel::Debug, "Symbol(s)"),
        ]
    );
    let outcome = run("for (let i = 0; i < 1000; i++) console.log('é'.repeat(5000))").unwrap();
    let limits = Limits::default();
    assert!(outcome.console.len() <= limits.console_lines);
    assert!(outcome.console.iter().all(|line| line.text.len() <= limits.console_line_bytes));
    assert!(outcome.console.iter().map(|line| line.text.len()).sum::<usize>() <= limits.console_bytes);
    let Err(error) = run("console.log('before'); null.x") else { panic!() };
    assert_eq!(error.console()[0].text, "before");
}

/// A script that uses everything that could differ between two executions.
const UNCERTAIN: &str = "
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    const order = await Promise.all([3, 1, 2].map(async (n) => { for (let i = 0; i < n; i++) await null; return n + Math.random() }));
    console.log(Date.now(), new Date().toISOString());
    const words = new Map(); for (let i = 0; i < 2000; i++) words.set('w' + (i * 7919) % 1000, i);
    return [[...bytes], crypto.randomUUID(), order, Date.now(), String(new Date()), Math.random(), [...words].slice(0, 5),
            'x'.repeat(1000).replace(/x/g, () => 'y').length, Object.keys(globalThis)]";

#[test]
fn equal_requests_have_equal_outcomes() {
    let first = run(UNCERTAIN).unwrap();
    assert_eq!(run(UNCERTAIN).unwrap(), first);
    let other = std::thread::spawn(|| run(UNCERTAIN)).join().unwrap().unwrap();
    assert_eq!(other, first);
    assert_eq!(first.value[3], json!(1_700_000_000_123_i64));
    // The steps at which a script stops are a part of the outcome.
    let endless = "for (let i = 0; ; i++) { Math.sqrt(i); console.log(i) }";
    let limits = Limits { steps: 300_000, ..Limits::default() };
    let stops: Vec<_> = (0..3).map(|_| run_with(endless, SourceForm::Body, limits)).collect();
    assert!(matches!(&stops[0], Err(ScriptError::Limit { kind: LimitKind::Steps, .. })));
    assert!(stops.iter().all(|stop| *stop == stops[0]), "{stops:?}");
}

#[test]
fn seeds_change_random_numbers() {
    let draw = |seed| {
        let request = Request {
            source: "return [Math.random(), crypto.randomUUID()]",
            form: SourceForm::Body,
            globals: &globals(),
            now_ms: 0,
            seed,
            view: None,
            limits: Limits::default(),
        };
        execute(&request).unwrap().value
    };
    assert_ne!(draw(1), draw(2));
    let uuid = draw(1)[1].as_str().unwrap().to_owned();
    assert_eq!((uuid.len(), uuid.as_bytes()[14]), (36, b'4'));
}

#[test]
fn executions_are_isolated() {
    run("Array.prototype.join = () => 'polluted'; Object.prototype.x = 1; globalThis.leak = 1; Math.max = null;
         JSON.parse = () => 'polluted'; Symbol.for('a').description; return 1")
    .unwrap();
    let clean = "return [[1, 2].join(), ({}).x === undefined, typeof leak, Math.max(1, 2), JSON.parse('3')]";
    assert_eq!(value(clean), json!(["1,2", true, "undefined", 2, 3]));
}

#[test]
fn globals_are_copies() {
    let globals = globals();
    let source = "input.list.push(9); input.name = 'Bob'; vars.new = 1; delete nodes.a; input = 5; return input";
    let request = Request {
        source,
        form: SourceForm::Body,
        globals: &globals,
        now_ms: 0,
        seed: 0,
        view: None,
        limits: Limits::default(),
    };
    assert_eq!(execute(&request).unwrap().value, json!(5));
    assert_eq!(globals, self::globals());
}

#[test]
fn patched_natives_do_not_change_the_host() {
    let patched = "JSON.stringify = () => { throw 1 }; Array.prototype.map = null; Array.prototype[Symbol.iterator] = null;
         String = null; Reflect.apply = null; Object.keys = null; Function.prototype.call = null; RegExp.prototype.exec = null;
         Promise.prototype.then = () => { throw 2 }; return { a: [1, 'b'], sorted: [2, 1].sort(), at: 'abc'.indexOf('c') }";
    assert_eq!(value(patched), json!({ "a": [1, "b"], "sorted": [1, 2], "at": 2 }));
    assert_eq!(value("Array.prototype.toJSON = () => 'patched'; return [1]"), json!("patched"));
}

#[test]
fn output_is_limited() {
    let limits = Limits { output_bytes: 100, ..Limits::default() };
    let result = run_with("return 'x'.repeat(99)", SourceForm::Body, limits);
    assert!(matches!(result, Err(ScriptError::Limit { kind: LimitKind::Output, .. })), "{result:?}");
    assert!(run_with("return 'x'.repeat(98)", SourceForm::Body, limits).is_ok());
}

#[test]
fn large_globals_count_as_memory() {
    let globals = Map::from_iter([("input".to_owned(), json!("x".repeat(3_000_000)))]);
    let limits = Limits { memory_bytes: 4 << 20, ..Limits::default() };
    let request = Request {
        source: "return 1",
        form: SourceForm::Body,
        globals: &globals,
        now_ms: 0,
        seed: 0,
        view: None,
        limits,
    };
    let result = execute(&request);
    assert!(matches!(result, Err(ScriptError::Limit { kind: LimitKind::Memory, .. })), "{result:?}");
    // A limit below what an empty context needs is reached at once.
    let limits = Limits { memory_bytes: 10_000, ..Limits::default() };
    let result = execute(&Request { limits, ..request });
    assert!(matches!(result, Err(ScriptError::Limit { kind: LimitKind::Memory, .. })), "{result:?}");
}

/// `tests/n8n/json.test.mjs` compares many more texts with Node.
#[test]
fn json_that_is_broken_has_the_messages_of_v8() {
    for (text, message) in [
        ("'{a'", "Expected property name or '}' in JSON at position 1 (line 1 column 2)"),
        ("'{\"é😀\":\\n 1 2}'", "Expected ',' or '}' after property value in JSON at position 11 (line 2 column 4)"),
        ("'{\"a\": [1,'", "Unexpected end of JSON input"),
        ("'<html>'", "Unexpected token '<', \"<html>\" is not valid JSON"),
        ("'[1, 2] and some words'", "Unexpected non-whitespace character after JSON at position 7 (line 1 column 8)"),
        ("undefined", "\"undefined\" is not valid JSON"),
        ("{}", "\"[object Object]\" is not valid JSON"),
    ] {
        let source = format!("try {{ JSON.parse({text}) }} catch (error) {{ return [error.name, error.message] }}");
        assert_eq!(value(&source), json!(["SyntaxError", message]), "{text}");
    }
    let reviver = "JSON.parse('1', () => { throw new SyntaxError('own') })";
    assert_eq!(thrown(reviver).1, "own");
}
