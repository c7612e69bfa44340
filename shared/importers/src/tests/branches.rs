//! What the report says where n8n runs a node for each branch, ends a loop or retries in another way.

use serde_json::{Value, json};

use super::*;

/// The notes of a workflow whose wires are written as `A>B` or, for other outputs, `A.1>B`. A node's type is its name without digits.
fn notes_of(nodes: &[(&str, Value)], wires: &str, settings: Value) -> Vec<String> {
    let kind = |name: &str| match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "loop" => "splitInBatches".to_owned(),
        kind => kind.to_owned(),
    };
    let node = |(name, parameters): &(&str, Value)| json!({"name": name, "type": kind(name), "typeVersion": 3, "parameters": parameters});
    let nodes: Vec<Value> = nodes.iter().map(node).collect();
    let mut connections = json!({});
    for wire in wires.split(' ') {
        let (from, to) = wire.split_once('>').unwrap();
        let (from, output) = from.split_once('.').map_or((from, 0), |(from, output)| (from, output.parse().unwrap()));
        let (to, input) = to.split_once('.').map_or((to, 0), |(to, input)| (to, input.parse().unwrap()));
        if connections[from].is_null() {
            connections[from] = json!({"main": [[], []]});
        }
        connections[from]["main"][output].as_array_mut().unwrap().push(json!({"node": to, "index": input}));
    }
    let imported =
        read_sound(&json!({"name": "x", "nodes": nodes, "connections": connections, "settings": settings}).to_string());
    let noted = imported.report.nodes.iter().filter(|node| node.status != Status::Mapped);
    noted.map(|node| format!("{}: {}", node.id, node.why)).collect()
}

fn is_noted(notes: &[String], node: &str, part: &str) -> bool {
    notes.iter().any(|note| note.starts_with(&format!("{node}: ")) && note.contains(part))
}

#[test]
fn several_branches_into_one_node_are_said_once() {
    let set = |name| (name, json!({}));
    let start = ("manualTrigger", json!({}));
    let all = ("code", json!({"jsCode": "return $input.all()"}));
    let nodes = [start.clone(), set("set1"), set("set2"), set("set3"), set("set4"), all];
    let wires = "manualTrigger>set1 manualTrigger>set2 set1>set3 set2>set3 set3>set4 set1>set4 set1>code set2>code";
    let notes = notes_of(&nodes, wires, json!({"executionOrder": "v1"}));
    assert!(
        is_noted(&notes, "set3", "several branches lead here, and to `set4`: n8n runs a node for each of them"),
        "{notes:?}"
    );
    assert!(!is_noted(&notes, "set4", "branches"), "{notes:?}");
    assert!(is_noted(&notes, "code", "here it runs once, with the items of all"), "{notes:?}");
    // The inputs of a Merge node are no branches into one input.
    let merged = [start, set("set1"), set("set2"), ("merge", json!({}))];
    let notes = notes_of(
        &merged,
        "manualTrigger>set1 manualTrigger>set2 set1>merge set2>merge.1",
        json!({"executionOrder": "v1"}),
    );
    assert!(!notes.concat().contains("branches"), "{notes:?}");
}

#[test]
fn loops_that_n8n_ends_earlier_are_noted() {
    let batches = |name, size: u64| (name, json!({"batchSize": size, "options": {}}));
    let start = ("manualTrigger", json!({}));
    let plain = [start.clone(), batches("loop1", 1), ("set1", json!({}))];
    let notes = notes_of(&plain, "manualTrigger>loop1 loop1.1>set1 set1>loop1", json!({}));
    assert!(!notes.concat().contains("n8n"), "{notes:?}");

    let dropping = [start.clone(), batches("loop1", 1), ("code", json!({"jsCode": "return []"}))];
    let notes = notes_of(&dropping, "manualTrigger>loop1 loop1.1>code code>loop1", json!({}));
    assert!(
        is_noted(
            &notes,
            "loop1",
            "n8n ends a loop when its body gives no items; here the loop continues with the next batch"
        ),
        "{notes:?}"
    );

    let nested = [start.clone(), batches("loop1", 1), batches("loop2", 1), ("set1", json!({}))];
    let wires = "manualTrigger>loop1 loop1.1>loop2 loop2.1>set1 set1>loop2 loop2>loop1";
    assert!(is_noted(&notes_of(&nested, wires, json!({})), "loop2", "only in the first round of the loop around it"));
    let mut reset = nested;
    reset[2].1["options"]["reset"] = true.into();
    assert!(!is_noted(&notes_of(&reset, wires, json!({})), "loop2", "first round"));

    let aside = [start.clone(), batches("loop1", 1), ("set1", json!({})), ("set2", json!({}))];
    let notes = notes_of(&aside, "manualTrigger>loop1 loop1.1>set1 loop1.1>set2 set1>loop1", json!({}));
    assert!(is_noted(&notes, "loop1", "a branch that does not lead back"), "{notes:?}");

    let two = |size| [start.clone(), batches("loop1", size), ("set1", json!({})), ("set2", json!({}))];
    let wires = "manualTrigger>loop1 loop1.1>set1 loop1.1>set2 set1>loop1 set2>loop1";
    assert!(is_noted(&notes_of(&two(2), wires, json!({})), "loop1", "begins the next batch after the first of them"));
    assert!(!is_noted(&notes_of(&two(1), wires, json!({})), "loop1", "next batch"));
}

#[test]
fn empty_branches_of_the_old_order_are_noted() {
    let nodes = [
        ("manualTrigger", json!({})),
        ("if", json!({})),
        ("set1", json!({})),
        ("set2", json!({})),
        ("merge", json!({})),
    ];
    let wires = "manualTrigger>if if>set1 if.1>set2 set1>merge set2>merge.1";
    assert!(is_noted(&notes_of(&nodes, wires, json!({})), "merge", "gives it an empty item"));
    assert!(!is_noted(&notes_of(&nodes, wires, json!({"executionOrder": "v1"})), "merge", "empty item"));
}

#[test]
fn a_retry_of_the_failed_items_only_is_noted() {
    let nodes = json!([
        {"name": "Go", "type": "manualTrigger"},
        {"name": "Call", "type": "httpRequest", "typeVersion": 4.2, "retryOnFail": true, "parameters": {"url": "https://example.com"}},
    ]);
    let wires = json!({"Go": {"main": [[{"node": "Call"}]]}});
    let imported = read_sound(&json!({"name": "x", "nodes": nodes, "connections": wires}).to_string());
    assert!(
        report_lines(&imported)
            .contains("call http partial: n8n retries all items of the node; here only the failed calls are retried"),
        "{}",
        report_lines(&imported)
    );
}
