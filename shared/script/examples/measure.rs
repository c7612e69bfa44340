//! Prints how long executions take: `cargo run --release -p script --example measure`.

use std::io::{Result, Write, stdout};
use std::time::Instant;

use script::{Limits, Outcome, Processes, Program, Request, ScriptError, SourceForm, execute, serve_if_asked};
use serde_json::{Map, json};

const TURNS: u32 = 300;

fn main() -> Result<()> {
    serve_if_asked();
    let items: Vec<_> =
        (0..1_000).map(|id| json!({ "id": id, "name": format!("item {id}"), "price": id as f64 / 3.0 })).collect();
    let globals = Map::from_iter([("items".to_owned(), json!(items))]);
    let empty = Map::new();
    let programs = [
        ("first start in the process", 1, &empty, "return 1"),
        ("return 1", TURNS, &empty, "return 1"),
        ("a date of luxon", TURNS, &empty, "return DateTime.now().setZone('Europe/Madrid').toFormat('yyyy-MM-dd')"),
        (
            "map, filter and sort 1,000 items",
            TURNS,
            &globals,
            "return items.filter((i) => i.id % 2).map((i) => ({ ...i, tax: i.price * 0.19 })).sort((a, b) => b.price - a.price).length",
        ),
        ("1,000,000 turns of a loop", 20, &empty, "let n = 0; for (let i = 0; i < 1e6; i++) n += i % 7; return n"),
        (
            "100,000 calls of a guarded method",
            20,
            &empty,
            "let n = 0; const s = 'a,b,c'; for (let i = 0; i < 1e5; i++) n += s.indexOf('c'); return n",
        ),
    ];
    for (name, turns, globals, source) in programs {
        let limits = Limits::default();
        let request = Request { source, form: SourceForm::Body, globals, now_ms: 0, seed: 0, view: None, limits };
        let measure = |execute: &dyn Fn() -> std::result::Result<Outcome, ScriptError>| {
            let started = Instant::now();
            for _ in 0..turns {
                execute().map_err(std::io::Error::other)?;
            }
            Ok::<_, std::io::Error>(started.elapsed() / turns)
        };
        let here = measure(&|| execute(&request))?;
        let apart = measure(&|| Processes::shared().execute(&request))?;
        writeln!(stdout(), "{name}: {here:?} in this process, {apart:?} in one of its own")?;
    }
    let started = Instant::now();
    for _ in 0..TURNS {
        Program::check("return items.map((item) => item.id)", SourceForm::Body).map_err(std::io::Error::other)?;
    }
    writeln!(stdout(), "check: {:?}", started.elapsed() / TURNS)
}
