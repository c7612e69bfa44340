//! A program that only runs scripts, for tests, whose own programs belong to the test harness.

fn main() {
    script::serve_if_asked();
    eprintln!("scripts: this program is started by tests, with the argument `run-scripts`");
}
