//! The runtime that translated code needs, of which it gets the functions that it calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

const SOURCE: &str = include_str!("runtime.js");

/// A definition of the runtime: its text, and the names that it contains.
struct Definition {
    place: usize,
    text: &'static str,
    names: BTreeSet<&'static str>,
}

static DEFINITIONS: LazyLock<BTreeMap<&'static str, Definition>> = LazyLock::new(|| {
    let mut starts: Vec<usize> = ["class ", "function ", "function* ", "const "]
        .iter()
        .flat_map(|word| SOURCE.match_indices(word).map(|(at, _)| at))
        .filter(|at| *at == 0 || SOURCE.as_bytes()[at - 1] == b'\n')
        .collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([SOURCE.len()]);
    let texts = starts.iter().zip(ends).map(|(start, end)| &SOURCE[*start..end]);
    let definition = |(place, text): (usize, &'static str)| {
        let mut names = dollar_names(text);
        let name = names.next()?;
        Some((name, Definition { place, text, names: names.collect() }))
    };
    texts.enumerate().filter_map(definition).collect()
});

/// The definitions that the code needs, in the order of the runtime.
pub fn prelude(code: &str) -> String {
    let definitions = &*DEFINITIONS;
    let mut needed = BTreeMap::new();
    let mut open: Vec<&str> = dollar_names(code).collect();
    while let Some(name) = open.pop() {
        if let Some(definition) = definitions.get(name)
            && needed.insert(definition.place, definition.text).is_none()
        {
            open.extend(&definition.names);
        }
    }
    match needed.is_empty() {
        true => String::new(),
        false => {
            let needed: String = needed.into_values().collect();
            format!("// Functions of Python that the code below calls.\n{needed}\n// The code.\n")
        }
    }
}

/// The names that begin with `$`.
fn dollar_names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('$').map(|(at, _)| {
        let rest = &text[at..];
        let end = rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(rest.len(), |end| end + 1);
        &rest[..end]
    })
}
