//! The program that runs the scripts of tests and reads their files: the programs of tests belong to the test harness.

fn main() {
    script::serve_if_asked();
    documents::serve_if_asked();
    eprintln!("isolated: tests start this program");
}
