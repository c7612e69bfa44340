//! Runs random programs, each in a process of its own. Each one must end, and the server of the processes must go on.
//!
//! `SCRIPT_PROGRAMS` sets the number of programs, and `SCRIPT_SEED` the first seed. A program is generated from its seed alone,
//! so the seed in a failure is enough to run it again.

mod grammar;

use std::time::Duration;

use grammar::Grammar;
use script::{Limits, Processes, Request, SourceForm, use_program};
use serde_json::{Map, json};
use testing::run_with_timeout;

const DEFAULT_PROGRAMS: u64 = 2_000;

fn read_number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Runs a program and returns the code of its end.
fn run(seed: u64, source: &str) -> &'static str {
    let globals = Map::from_iter([("input".to_owned(), json!({ "list": [1, 2, 3], "text": "abc" }))]);
    let limits =
        Limits { steps: 200_000, memory_bytes: 4 << 20, cpu_time: Duration::from_millis(200), ..Limits::default() };
    let request =
        Request { source, form: SourceForm::Body, globals: &globals, now_ms: seed as i64, seed, view: None, limits };
    match Processes::shared().execute(&request) {
        Ok(_) => "value",
        Err(error) => error.code(),
    }
}

#[test]
fn random_programs_end() {
    let (count, first) = (read_number("SCRIPT_PROGRAMS", DEFAULT_PROGRAMS), read_number("SCRIPT_SEED", 0));
    use_program(env!("CARGO_BIN_EXE_scripts").into());
    Processes::shared().check("1", SourceForm::Body).unwrap();
    let server = Processes::shared().server_id();
    let mut ends = std::collections::BTreeMap::<_, u64>::new();
    for seed in first..first + count {
        let source = Grammar::new(seed).program();
        if std::env::var_os("SCRIPT_SHOW").is_some() {
            eprintln!("--- {seed}\n{source}");
        }
        let end = run_with_timeout(&format!("seed {seed}"), move || {
            let end = run(seed, &source);
            // What compiles for `check` also compiles for `execute`.
            let check = || Processes::shared().check(&source, SourceForm::Body);
            assert!(seed % 16 != 0 || (end == "code_syntax") <= check().is_err());
            end
        });
        *ends.entry(end).or_default() += 1;
    }
    eprintln!("{count} programs: {ends:?}");
    assert_eq!(Processes::shared().server_id(), server, "the server ended");
    // The grammar must give programs of each kind.
    assert!(count < 1_000 || ends.len() >= 4, "{ends:?}");
}
