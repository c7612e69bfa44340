//! A small size of the chaos program: `cargo run -p tests --bin chaos -- --help`.

use std::process::{Command, Stdio};

/// The program reports what it found on its output.
fn run_chaos(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaos"));
    let output = command.args(arguments).stdin(Stdio::null()).output().unwrap();
    let (report, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{report}\n{error}");
    report.into_owned()
}

#[test]
fn runs_survive_kills() {
    // After some failures of the services, a run waits for the ticker: that takes a minute, so the usual size has none.
    let failing = tests::scale::full_or(20, 0).to_string();
    let report = run_chaos(&["--runs", "30", "--kills", "2", "--failing", &failing]);
    assert!(report.contains("violations 0"), "{report}");
}

#[test]
fn a_long_loop_survives_kills() {
    // The ratio of the times is not checked: a busy machine makes the restarts slow.
    let report = run_chaos(&["--scenario", "loop", "--items", "200"]);
    assert!(report.contains("3 kills"), "{report}");
}
