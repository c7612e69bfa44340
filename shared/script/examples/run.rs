//! Runs a script from a file or from standard input: `cargo run -p script --example run -- [file]`.

use std::io::{Write, read_to_string};

use script::{Form, Limits, Request, execute_measured};
use serde_json::Map;

fn main() -> std::io::Result<()> {
    let source = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => read_to_string(std::io::stdin())?,
    };
    let globals = Map::new();
    let limits = Limits::default();
    let request = Request { source: &source, form: Form::Body, globals: &globals, now_ms: 0, seed: 0, limits };
    let (result, usage) = execute_measured(&request);
    match result {
        Ok(outcome) => writeln!(std::io::stdout(), "{}\n{:?}\n{usage:?}", outcome.value, outcome.console),
        Err(error) => writeln!(std::io::stdout(), "{}: {error}\n{error:?}\n{usage:?}", error.code()),
    }
}
