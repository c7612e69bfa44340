//! Scripts in processes of their own: what is isolated, and what a crash leaves.

use std::time::Duration;

use script::{LimitKind, Limits, Outcome, Processes, Request, ScriptError, SourceForm, use_program};
use serde_json::{Map, Value, json};

fn processes() -> Processes {
    use_program(env!("CARGO_BIN_EXE_scripts").into());
    Processes::default()
}

fn request<'a>(source: &'a str, globals: &'a Map<String, Value>) -> Request<'a> {
    Request { source, form: SourceForm::Body, globals, now_ms: 1_000, seed: 7, view: None, limits: Limits::default() }
}

fn run(processes: &Processes, source: &str) -> Result<Outcome, ScriptError> {
    processes.execute(&request(source, &Map::new()))
}

#[test]
fn a_process_answers_as_this_one_does() {
    let processes = processes();
    let globals = Map::from_iter([("input".to_owned(), json!({ "text": "Grüße \u{1f600}", "n": 0.1, "big": 1e300 }))]);
    for source in [
        "return input",
        "console.warn('a', input); return [Math.random(), crypto.randomUUID(), Date.now(), new Date().toISOString()]",
        "return [new Date('2024-02-29T10:00:00Z'), new Date('2024-02-29'), new Date('Thu, 29 Feb 2024 10:00:00 GMT'), new Date(2024, 1)]",
        "throw new TypeError('no')",
        "let x = ;",
        "return await new Promise(() => {})",
        "return 1n",
        "for (;;) {}",
        "let all = {}; for (let i = 0; i < 120; i++) all = { all }; return all",
        "let all = []; for (let i = 0; i < 200; i++) all = [all]; return all",
        "return JSON.parse('[' .repeat(100) + ']'.repeat(100))",
    ] {
        let request = request(source, &globals);
        let (here, there) = (script::execute(&request), processes.execute(&request));
        // Another error in the JSON of the result names another column.
        assert_eq!(here, there, "{source}");
    }
}

#[test]
fn a_check_reports_mistakes() {
    let processes = processes();
    assert_eq!(processes.check("return 1", SourceForm::Body), Ok(()));
    let problem = processes.check("return (", SourceForm::Body).unwrap_err();
    assert_eq!((problem.line, problem.column), (1, 9));
}

/// The engine dereferences a null pointer here: see the README.
const CRASHING: &str =
    "let s = 'ab'; for (let i = 0; i < 28; i++) s += s; for (const key in s) return key; return 'end'";

#[test]
fn a_crash_harms_only_its_task() {
    let processes = processes();
    assert!(run(&processes, "return 1").is_ok());
    let server = processes.server_id();
    let error = run(&processes, CRASHING).unwrap_err();
    assert!(matches!(&error, ScriptError::Limit { kind: LimitKind::Memory, .. }), "{error:?}");
    assert_eq!(run(&processes, "return 2").unwrap().value, json!(2));
    assert_eq!(processes.server_id(), server, "the server goes on");
}

#[test]
fn the_kernel_stops_what_the_engine_does_not() {
    let processes = processes();
    let globals = Map::new();
    let mut request = request("", &globals);
    // The sandbox's own limits do not act here, so those of the kernel do.
    let source = format!(
        "let a = 'x'; for (let i = 0; i < 28; i++) a += a; const b = a + 'y', c = a + 'z'; {}",
        "b < c;".repeat(10_000)
    );
    (request.source, request.limits.cpu_time) = (&source, Duration::from_millis(10));
    let error = processes.execute(&request).unwrap_err();
    assert!(matches!(&error, ScriptError::Limit { kind: LimitKind::Time, .. }), "{error:?}");
}

#[test]
fn a_server_that_was_killed_is_replaced() {
    let processes = processes();
    assert!(run(&processes, "return 1").is_ok());
    let server = processes.server_id().unwrap();
    let killed = std::process::Command::new("kill").args(["-9", &server.to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(run(&processes, "return 2").unwrap().value, json!(2));
    assert_ne!(processes.server_id(), Some(server));
}

#[test]
fn tasks_run_side_by_side() {
    let processes = &processes();
    std::thread::scope(|scope| {
        let tasks = (0..8).map(|number| {
            scope.spawn(move || {
                for turn in 0..20 {
                    let source =
                        format!("globalThis.seen = (globalThis.seen ?? 0) + 1; return [{number}, {turn}, seen]");
                    assert_eq!(run(processes, &source).unwrap().value, json!([number, turn, 1]));
                }
            })
        });
        tasks.collect::<Vec<_>>().into_iter().for_each(|task| task.join().unwrap());
    });
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children_of(parent: u32) -> Vec<std::path::PathBuf> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let is_child = |process: &std::path::PathBuf| {
        let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    processes.filter(is_child).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_script_can_only_compute_and_answer() {
    let processes = &processes();
    assert!(run(processes, "return 1").is_ok());
    let server = processes.server_id().unwrap();
    // The process of the first script may still be about to end.
    while !children_of(server).is_empty() {
        std::thread::yield_now();
    }
    let (killed, environment, files, error) = std::thread::scope(|scope| {
        let endless = scope.spawn(|| {
            let globals = Map::new();
            let mut endless = request("for (;;) {}", &globals);
            (endless.limits.steps, endless.limits.cpu_time) = (u64::MAX, Duration::from_secs(10_000));
            processes.execute(&endless).unwrap_err()
        });
        let process = loop {
            let is_filtered = |process: &std::path::PathBuf| {
                let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
                status.contains("Seccomp:\t2")
            };
            if let Some(process) = children_of(server).into_iter().find(is_filtered) {
                break process;
            }
            std::thread::yield_now();
        };
        let environment = std::fs::read(process.join("environ")).unwrap();
        // The standard output and error are 1 and 2.
        let files = std::fs::read_dir(process.join("fd")).unwrap().map(|file| file.unwrap().file_name());
        let files = files.filter(|name| name != "1" && name != "2").count();
        let id = process.file_name().unwrap();
        let killed = std::process::Command::new("kill").arg("-9").arg(id).status().unwrap();
        (killed, environment, files, endless.join().unwrap())
    });
    assert!(killed.success());
    assert_eq!((environment.len(), files), (0, 1), "no environment, and only its own connection");
    assert!(matches!(error, ScriptError::Engine(_)), "{error:?}");
}
