//! Compares the sandbox with Node: `differential/record.mjs` recorded the results of Node for `differential/snippets.js`.

use script::{Limits, Request, ScriptError, SourceForm, execute};
use serde_json::{Map, Value, json};

const SNIPPETS: &str = include_str!("differential/snippets.js");
const EXPECTED: &str = include_str!("differential/expected.json");

/// The snippets that must give the same result, in percent.
const MIN_EQUAL_PERCENT: usize = 99;

struct Snippet {
    name: &'static str,
    source: &'static str,
    /// Why the result differs from that of Node.
    difference: Option<&'static str>,
}

fn read_snippets() -> Vec<Snippet> {
    let parts = SNIPPETS.split("\n//# ").skip(1);
    parts
        .map(|part| {
            let (name, source) = part.split_once('\n').expect("a snippet has a name and a source");
            let difference = source.lines().next().and_then(|line| line.strip_prefix("//! "));
            Snippet { name, source, difference }
        })
        .collect()
}

fn run(source: &str) -> Value {
    let globals = Map::new();
    let limits = Limits::default();
    let request = Request {
        source,
        form: SourceForm::Body,
        globals: &globals,
        now_ms: 1_700_000_000_000,
        seed: 1,
        view: None,
        limits,
    };
    match execute(&request) {
        Ok(outcome) => json!({ "value": outcome.value }),
        Err(ScriptError::Thrown(thrown)) if !thrown.name.is_empty() => json!({ "throws": thrown.name }),
        Err(ScriptError::Syntax(_)) => json!({ "throws": "SyntaxError" }),
        Err(error) => json!({ "fails": error.to_string() }),
    }
}

/// The first values within two lists that differ.
fn differing_parts<'a>(ours: &'a Value, node: &'a Value) -> (&'a Value, &'a Value) {
    if let (Some(our_value), Some(node_value)) = (ours.get("value"), node.get("value")) {
        return differing_parts(our_value, node_value);
    }
    match (ours, node) {
        (Value::Array(our_items), Value::Array(node_items)) if our_items.len() == node_items.len() => {
            let differing = our_items.iter().zip(node_items).find(|(ours, node)| ours != node);
            differing.map_or((ours, node), |(ours, node)| differing_parts(ours, node))
        }
        _ => (ours, node),
    }
}

#[test]
fn results_equal_those_of_node() {
    let expected: Map<String, Value> = serde_json::from_str(EXPECTED).unwrap();
    let snippets = read_snippets();
    assert!(snippets.len() >= 200, "{}", snippets.len());
    assert_eq!(snippets.len(), expected.len(), "record.mjs must run again");
    let mut unexpected = Vec::new();
    let mut differences = 0;
    for Snippet { name, source, difference } in &snippets {
        let (ours, node) = (run(source), &expected[*name]);
        differences += usize::from(difference.is_some());
        if (ours == *node) != difference.is_none() {
            let (ours, node) = differing_parts(&ours, node);
            unexpected.push(format!("{name}\n  ours: {ours}\n  Node: {node}"));
        }
    }
    assert!(unexpected.is_empty(), "{} of {}:\n{}", unexpected.len(), snippets.len(), unexpected.join("\n"));
    assert!((snippets.len() - differences) * 100 >= snippets.len() * MIN_EQUAL_PERCENT, "{differences} differ");
}
