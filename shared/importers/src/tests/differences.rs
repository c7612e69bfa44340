//! Nodes of n8n that keep their meaning, or whose report says what is different.

use serde_json::{Value, json};

use super::items::{import, note_of, translated};
use super::*;

fn file(nodes: Value, connections: Value) -> Imported {
    read_sound(&json!({"name": "x", "nodes": nodes, "connections": connections}).to_string())
}

fn why<'i>(imported: &'i Imported, id: &str) -> &'i str {
    &imported.report.nodes.iter().find(|node| node.id == id).unwrap().why
}

#[test]
fn retries_have_the_limits_of_n8n() {
    for (given, attempts, wait) in [
        (json!({}), 3, 1_000),
        (json!({"maxTries": 10, "waitBetweenTries": 60_000}), 5, 5_000),
        (json!({"maxTries": 1, "waitBetweenTries": 0}), 2, 1_000),
        (json!({"maxTries": 4, "waitBetweenTries": 250}), 4, 250),
    ] {
        let mut more = given.clone();
        more["retryOnFail"] = true.into();
        let imported = import("httpRequest", 4.2, json!({"url": "https://x.example.com"}), more);
        let retry = json!({"maxAttempts": attempts, "backoffMs": wait, "maxBackoffMs": wait});
        assert_eq!(config(&imported, "a")["retry"], retry, "{given}");
    }
}

#[test]
fn a_delay_has_whole_seconds() {
    for (amount, seconds, note) in [
        (json!(0.2), 1, "a delay has whole seconds: it waits 1 s, not 0.2 s"),
        (json!(2.6), 3, "a delay has whole seconds: it waits 3 s, not 2.6 s"),
        (json!("5"), 5, ""),
    ] {
        let imported = import("wait", 1.1, json!({"amount": amount}), json!({}));
        assert_eq!(config(&imported, "a")["seconds"], seconds);
        assert_eq!(note_of(&imported, "a"), note);
    }
}
