//! The program that runs the scripts of tests: the programs of tests belong to the test harness.

fn main() {
    script::serve_if_asked();
    eprintln!("run-scripts: tests start this program");
}
