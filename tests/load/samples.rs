//! The times and the errors of each route.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use reqwest::Method;
use tests::statistics::percentile;

/// How many different errors are printed, and how much of them makes the difference.
const SHOWN_ERRORS: usize = 10;
const KIND_CHARS: usize = 40;

/// The calls of all people so far.
#[derive(Clone, Default)]
pub struct Samples(Rc<RefCell<Inner>>);

#[derive(Default)]
struct Inner {
    /// The microseconds of each answered call, by the path of its route and its method.
    routes: BTreeMap<(&'static str, String), Vec<u32>>,
    calls: usize,
    errors: usize,
    shown: BTreeSet<String>,
}

impl Samples {
    pub fn answered(&self, method: &Method, route: &'static str, took: Duration) {
        let mut inner = self.0.borrow_mut();
        let micros = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        inner.routes.entry((route, method.to_string())).or_default().push(micros);
        inner.calls += 1;
    }

    pub fn failed(&self, error: &str) {
        let mut inner = self.0.borrow_mut();
        inner.errors += 1;
        let kind = error.chars().take(KIND_CHARS).collect();
        if inner.shown.len() < SHOWN_ERRORS && inner.shown.insert(kind) {
            eprintln!("error: {error}");
        }
    }

    /// The calls that were answered as expected, and the errors.
    pub fn counts(&self) -> (usize, usize) {
        let inner = self.0.borrow();
        (inner.calls, inner.errors)
    }

    /// Forgets the times of the warm-up, but not its errors.
    pub fn forget(&self) {
        let mut inner = self.0.borrow_mut();
        inner.routes.clear();
        inner.calls = 0;
    }
}

impl fmt::Display for Samples {
    /// A table in Markdown, and a last line with all routes together.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.0.borrow();
        writeln!(formatter, "| route | calls | p50 ms | p99 ms | longest ms |\n|---|--:|--:|--:|--:|")?;
        for ((route, method), times) in &inner.routes {
            write_line(formatter, &format!("`{method} {route}`"), times.clone())?;
        }
        write_line(formatter, "all", inner.routes.values().flatten().copied().collect())
    }
}

fn write_line(formatter: &mut fmt::Formatter<'_>, name: &str, mut times: Vec<u32>) -> fmt::Result {
    times.sort_unstable();
    let ms = |percent| f64::from(percentile(&times, percent).unwrap_or_default()) / 1e3;
    writeln!(formatter, "| {name} | {} | {:.1} | {:.1} | {:.0} |", times.len(), ms(50), ms(99), ms(100))
}
