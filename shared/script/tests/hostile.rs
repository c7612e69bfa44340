//! Programs that try to hang, to crash or to exhaust the worker. Each one ends by a limit, an error or a value, and none
//! of the limits depends on another one.

mod hostile_programs;

use std::time::Duration;

use hostile_programs::{LIBRARY, PROGRAMS};
use script::{
    LimitKind, Limits, Outcome, Processes, Program, RESERVE_BYTES, Request, ScriptError, SourceForm, execute_measured,
    use_program,
};
use serde_json::Map;
use testing::run_with_timeout;

/// Runs a program, and returns how it ended: L for a limit, T for a thrown error, V for a value, S for a syntax error,
/// U for a promise that never settles, R for a result that is not JSON.
fn run(source: &str, limits: Limits) -> (char, String) {
    let globals = Map::new();
    let request = Request { source, form: SourceForm::Body, globals: &globals, now_ms: 0, seed: 1, view: None, limits };
    let (result, usage) = execute_measured(&request);
    let ceiling = limits.memory_bytes.saturating_add(RESERVE_BYTES);
    assert!(usage.peak_bytes <= ceiling, "the peak is {} bytes", usage.peak_bytes);
    letter_of(result)
}

fn letter_of(result: Result<Outcome, ScriptError>) -> (char, String) {
    match result {
        Ok(outcome) => ('V', outcome.value.to_string()),
        Err(error) => {
            let letter = match &error {
                ScriptError::Limit { .. } => 'L',
                ScriptError::Thrown(_) => 'T',
                ScriptError::Syntax(_) => 'S',
                ScriptError::Unsettled { .. } => 'U',
                ScriptError::Result { .. } => 'R',
                ScriptError::Engine(_) => 'X',
            };
            (letter, format!("{error:?}"))
        }
    }
}

fn all_programs() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    PROGRAMS.iter().chain(LIBRARY)
}

/// Small limits, so that the whole table runs fast.
fn table_limits() -> Limits {
    Limits { steps: 5_000_000, cpu_time: Duration::from_millis(150), ..Limits::default() }
}

#[test]
#[ignore = "it takes about five minutes; `.ci/run --full` runs it"]
fn hostile_programs_end() {
    use_program(env!("CARGO_BIN_EXE_scripts").into());
    let only = std::env::var("SCRIPT_HOSTILE").ok();
    for (name, allowed, source) in all_programs().filter(|program| only.as_ref().is_none_or(|only| only == program.0)) {
        let started = std::time::Instant::now();
        let (letter, detail) = run_with_timeout(name, || {
            let globals = Map::new();
            let limits = table_limits();
            let request =
                Request { source, form: SourceForm::Body, globals: &globals, now_ms: 0, seed: 1, view: None, limits };
            letter_of(Processes::shared().execute(&request))
        });
        let shown: String = detail.chars().take(160).collect();
        eprintln!("{letter} {:>6} ms  {name}: {shown}", started.elapsed().as_millis());
        assert!(allowed.contains(letter), "{name} ended with {letter}, not with one of {allowed}: {shown}");
    }
}

#[test]
fn names_are_unique_and_many() {
    let mut names: Vec<_> = all_programs().map(|program| program.0).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all_programs().count());
    assert!(names.len() >= 80, "{}", names.len());
}

/// Limits of which only one can be reached.
fn far_limits() -> Limits {
    Limits {
        steps: u64::MAX,
        memory_bytes: 1 << 40,
        cpu_time: Duration::from_secs(100_000),
        output_bytes: usize::MAX,
        ..Limits::default()
    }
}

fn limit_of(name: &str, source: &'static str, limits: Limits) -> Option<LimitKind> {
    let globals = Map::new();
    run_with_timeout(name, move || {
        let request =
            Request { source, form: SourceForm::Body, globals: &globals, now_ms: 0, seed: 1, view: None, limits };
        match execute_measured(&request).0 {
            Err(ScriptError::Limit { kind, .. }) => Some(kind),
            _ => None,
        }
    })
}

/// Programs that would run forever, or use all memory, or both.
const ENDLESS: [&str; 5] = [
    "for (;;) {}",
    "let all = [1]; do { try { all = all.concat(all) } catch { all = [1] } } while (true)",
    "const go = async () => { for (;;) { try { await 1 } catch {} finally { await 2 } } }; await go()",
    "const all = []; for (;;) { try { all.push({ index: all.length, text: 'x'.repeat(50) + all.length }) } catch {} }",
    "function* turn() { for (;;) try { yield [] } finally { continue } }
     const all = []; for (const item of turn()) all.push(item)",
];

#[test]
fn steps_alone_stop_a_script() {
    for source in ENDLESS {
        // Memory would be exhausted long after these steps.
        let limits = Limits { steps: 1_000_000, ..far_limits() };
        assert_eq!(limit_of("steps", source, limits), Some(LimitKind::Steps), "{source}");
    }
}

#[test]
fn time_alone_stops_a_script() {
    // The largest numbers take so long that few steps are made.
    let numbers = "let n = 3n; for (;;) { try { n = n * n } catch { n = 3n } }";
    for source in ENDLESS.into_iter().chain([numbers]) {
        let limits = Limits { cpu_time: Duration::from_millis(60), ..far_limits() };
        assert_eq!(limit_of("time", source, limits), Some(LimitKind::Time), "{source}");
    }
}

#[test]
fn memory_alone_stops_a_script() {
    let growing = [
        "let all = [1]; do { try { all = all.concat(all) } catch { return all } } while (true)",
        "const all = []; for (;;) { try { all.push({ index: all.length }) } catch {} }",
        "let text = 'x'; for (;;) { try { text = (text + text).toUpperCase() } catch { } }",
        "const all = new Map(); for (let i = 0; ; i++) { try { all.set(i, [i]) } catch { } finally { continue } }",
        "const all = []; const go = async () => { for (;;) { try { all.push(new Uint8Array(100_000)); await 1 } catch {} } }
         await go()",
        "let list = null; for (;;) list = { list }",
    ];
    for source in growing {
        let limits = Limits { memory_bytes: 16 << 20, ..far_limits() };
        assert_eq!(limit_of("memory", source, limits), Some(LimitKind::Memory), "{source}");
    }
}

#[test]
fn a_limit_cannot_be_caught() {
    let catchers = [
        "try { for (;;) {} } catch { return 'caught' } finally { return 'finally' }",
        "return await (async () => { for (;;) {} })().catch(() => 'caught')",
        "return await Promise.resolve().then(() => { for (;;) {} }).catch(() => 'caught').finally(() => 'finally')",
        "return await new Promise(() => { for (;;) {} }).catch(() => 'caught')",
        "return await Promise.any([(async () => { for (;;) {} })(), new Promise(() => {})]).catch(() => 'caught')",
        "const looped = { toString() { for (;;) {} } }; try { return `${looped}` } catch { return 'caught' }",
        "const p = new Proxy({}, { get() { for (;;) {} } }); try { return p.x } catch { return 'caught' }",
        "function* g() { try { for (;;) {} } finally { yield 1 } } const g1 = g(); try { g1.next() } catch { return 'caught' }
         return g1.return(2)",
        "try { JSON.stringify({ toJSON() { for (;;) {} } }) } catch { return 'caught' }",
        "try { [2, 1].sort(() => { for (;;) {} }) } catch { return 'caught' }",
        "try { 'aa'.replace(/a/g, () => { for (;;) {} }) } catch { return 'caught' }",
        "try { Array.from({ length: 2 }, () => { for (;;) {} }) } catch { return 'caught' }",
        "return { toJSON() { for (;;) {} } }",
        "return { get value() { try { for (;;) {} } catch { return 'caught' } } }",
        "throw { get message() { for (;;) {} } }",
        "class Loop extends Error { get name() { for (;;) {} } } throw new Loop()",
        "return { then(resolve) { try { for (;;) {} } catch { resolve('caught') } resolve(1) } }",
        "queueMicrotask(() => { for (;;) {} }); return 1",
        "const iterator = { [Symbol.iterator]() { return this }, next() { return { done: false } }, return() { for (;;) {} } }
         try { for (const x of iterator) break } catch { return 'caught' } return 1",
        "label: for (;;) { try { for (;;) {} } finally { continue label } }",
        "try { new Set([].values.call({ length: 2 ** 53 - 1 })) } catch { return 'caught' }",
        "try { [].fill.call({ length: 2 ** 53 - 1 }, 1) } catch { return 'caught' }",
        "try { 'x'.repeat(2 ** 29) + 'y' } catch { return 'caught' }",
        "try { return new ArrayBuffer(2 ** 30).byteLength } catch { return 'caught' }",
    ];
    for source in catchers {
        let (letter, detail) =
            run_with_timeout(source, || run(source, Limits { steps: 2_000_000, ..Limits::default() }));
        assert_eq!(letter, 'L', "{source}: {detail}");
    }
}

#[test]
fn deep_sources_compile_or_are_refused() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("({a:", "})"),
        ("!", ""),
        ("-", ""),
        ("async () => ", "1"),
        ("`${", "}`"),
        ("a?b:", "c"),
        ("function f(){", "}"),
        ("class A { static { ", "} }"),
        ("new ", "X"),
        ("await ", "1"),
        ("1+(", ")"),
        ("if(1)", ";"),
        ("a=", "1"),
        ("[...", "]"),
        ("x=>", "1"),
        ("/(", "/"),
        ("1**", "1"),
    ] {
        for depth in [50, 1_000, 8_000] {
            let source = open.repeat(depth)
                + "1"
                + &close.repeat(if close.len() > 1 && !close.contains('}') { 1 } else { depth });
            let source: String = source.chars().take(60_000).collect();
            run_with_timeout(open, move || {
                let checked = Program::check(&source, SourceForm::Body);
                let (letter, detail) = run(&source, Limits::default());
                assert!(checked.is_ok() || letter == 'S' || letter == 'L', "{letter} {detail}");
            });
        }
    }
    let long = "(".repeat(100_000);
    assert!(Program::check(&long, SourceForm::Body).is_err());
}

/// The engine crashes if it collects cycles while it reports that the table of an object cannot grow. Whether it would collect
/// depends on the memory in use at that time.
#[test]
fn exhaustion_is_safe_at_each_size() {
    let programs = [
        "const o = {}; try { for (let i = 0; ; i++) o['key' + i] = i } catch { return 1 }",
        "const all = []; try { for (;;) { const o = { a: 1 }; o.self = o; for (let i = 0; i < 300; i++) o['k' + i] = [o]; all.push(o) } }
         catch { return all.length }",
        "const go = async () => { const a = []; try { for (;;) { a.push([a]); await 1 } } catch { return a } }; return await go()",
    ];
    for (index, source) in programs.into_iter().enumerate() {
        let letters = run_with_timeout("exhaustion", move || {
            let limits = (0..200).map(|size| Limits { memory_bytes: 700_000 + size * 2_011, ..table_limits() });
            limits.map(|limits| run(source, limits).0).collect::<String>()
        });
        assert!(letters.chars().all(|letter| letter == 'L'), "{index}: {letters}");
    }
}
