//! A program that only reads documents, for tests, whose own programs belong to the test harness.

fn main() {
    documents::serve_if_asked();
    eprintln!("documents: this program is started by tests, with the argument `read-documents`");
}
