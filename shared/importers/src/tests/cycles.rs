//! Cycles of nodes of n8n become the bodies of loops in rounds.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;

/// A file with these wires, such as `Go>A A.1>B B>M.1`. The first letter of a name is the type of its node.
fn import(wires: &str) -> Imported {
    read_sound(&file_of(wires))
}

fn file_of(wires: &str) -> String {
    let (mut nodes, mut connections) = (BTreeMap::new(), json!({}));
    for (from, to) in wires.split_whitespace().map(|wire| wire.split_once('>').unwrap()) {
        let end = |text: &str| {
            let (name, port) = text.split_once('.').unwrap_or((text, "0"));
            (name.to_owned(), port.parse::<usize>().unwrap())
        };
        let ((from, output), (to, input)) = (end(from), end(to));
        for name in [&from, &to] {
            let (kind, version, parameters) = match &name[..1] {
                "G" => ("manualTrigger", 1.0, json!({})),
                "B" => ("splitInBatches", 3.0, json!({})),
                "I" => ("if", 2.2, json!({"conditions": {"conditions": []}})),
                "M" => ("merge", 3.1, json!({"mode": "combine"})),
                "N" => ("noOp", 1.0, json!({})),
                _ => ("set", 3.4, json!({})),
            };
            nodes.insert(
                name.clone(),
                json!({"name": name, "type": kind, "typeVersion": version, "parameters": parameters, "position": [100, 200]}),
            );
        }
        let outputs = &mut connections[&from]["main"];
        if outputs.is_null() {
            *outputs = json!([]);
        }
        let outputs = outputs.as_array_mut().unwrap();
        outputs.resize(outputs.len().max(output + 1), json!([]));
        outputs[output].as_array_mut().unwrap().push(json!({"node": to, "index": input}));
    }
    let nodes: Vec<Value> = nodes.into_values().collect();
    json!({"name": "x", "nodes": nodes, "connections": connections}).to_string()
}

/// Asserts the connections, without those to a result, and that the graph has no errors.
fn assert_repeats(wires: &str, expected: &str) {
    let imported = import(wires);
    let mut found: Vec<String> = connections(&imported).split(' ').map(str::to_owned).collect();
    found.retain(|wire| !wire.contains(">result"));
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    (found.sort(), expected.sort());
    assert_eq!(found, expected, "{wires}");
    let errors: Vec<_> =
        problems(&imported).into_iter().filter(|problem| problem.severity == compile::Severity::Error).collect();
    assert!(errors.is_empty(), "{wires}: {errors:?}");
}

#[test]
fn a_cycle_is_the_body_of_a_loop() {
    assert_repeats(
        "Go>Poll Poll>If If.1>Wait Wait>Poll If>Use",
        "go>repeat repeat.item>poll poll>if if.false>wait wait>repeat.next if.true>use",
    );
    assert_repeats("Go>If If>If If.1>Use", "go>repeat repeat.item>if if.true>repeat.next if.false>use");
    assert_repeats("Go>If If>No No>If If.1>Use", "go>repeat repeat.item>if if.true>repeat.next if.false>use");
    let imported = import("Go>If If>If If.1>Use");
    assert_eq!(config(&imported, "repeat"), json!({"maxRounds": 1_000, "itemMode": {}}));
    let added = imported.graph.nodes.iter().find(|node| node.id == "repeat").unwrap();
    assert_eq!(added.position.map(|at| (at.x, at.y)), Some((60.0, 60.0)));
}

#[test]
fn what_follows_a_cycle_is_in_the_body_with_its_own_cycles() {
    assert_repeats(
        "Go>If If>If If.1>If2 If2>Set Set>If2 If2.1>Use",
        "go>repeat repeat.item>if if.true>repeat.next if.false>repeat_2 repeat_2.item>if2 if2.true>set set>repeat_2.next \
         if2.false>use",
    );
}

#[test]
fn a_cycle_in_a_cycle_passes_its_items_to_the_next_round() {
    assert_repeats(
        "Go>A A>If If>Set Set>If If.1>If2 If2>A If2.1>Use",
        "go>repeat repeat.item>a a>repeat_2 repeat_2.item>if if.true>set set>repeat_2.next if.false>if2 \
         if2.true>repeat_2.result repeat_2.done>repeat.next if2.false>use",
    );
}

#[test]
fn a_cycle_in_a_loop_ends_its_round() {
    assert_repeats(
        "Go>Batch Batch.1>Poll Poll>If If.1>Wait Wait>Poll If>Use Use>Batch Batch>End",
        "go>batch batch.item>repeat repeat.item>poll poll>if if.false>wait wait>repeat.next if.true>use use>repeat.result \
         repeat.done>batch.next batch.done>end",
    );
    // A cycle around a loop.
    assert_repeats(
        "Go>A A>Batch Batch.1>Set Set>Batch Batch>If If>A If.1>Use",
        "go>repeat repeat.item>a a>batch batch.item>set set>batch.next batch.done>if if.true>repeat.next if.false>use",
    );
}

#[test]
fn what_also_follows_other_nodes_gets_the_items_when_the_loop_ends() {
    assert_repeats(
        "Go>A Go>Merge A>If If>A If.1>Merge.1 Merge>Use",
        "go>merge go>repeat repeat.item>a a>if if.true>repeat.next if.false>repeat.result repeat.done>merge.in2 merge>use",
    );
}

#[test]
fn the_result_of_a_run_is_in_the_body_of_its_loop() {
    let imported = import("Go>If If>If If.1>Use Go>Other");
    let connections = connections(&imported);
    for wire in ["use>result", "other>result"] {
        assert!(connections.contains(wire), "{connections}");
    }
    assert_eq!(imported.graph.nodes.iter().filter(|node| node.r#type == "send_result").count(), 2);
}

/// What leads from elsewhere into a cycle or a body leads to copies of its nodes.
#[test]
fn a_body_with_several_entries_is_separated_from_them() {
    assert_repeats(
        "Go>A A>If If>Set Set>A Go>Set If.1>Use",
        "go>repeat go>set_2 set_2>repeat repeat.item>a a>if if.true>set set>repeat.next if.false>use",
    );
    assert_repeats(
        "Go>Load Load>Batch Batch.1>Set Set>Load Batch>End",
        "go>load_2 load_2>batch batch.item>set set>load load>batch.next batch.done>end",
    );
    assert_repeats(
        "Go>Batch Batch.1>If If>Batch If.1>Error Go>Check Check>Error Error>Send",
        "go>batch go>check batch.item>if if.true>batch.next if.false>error error>send check>error_2 error_2>send_2",
    );
}

#[test]
fn cycles_without_one_entry_are_reported() {
    let imported = import("Go>If If>A A>M M>If Go>M.1");
    assert!(problems(&imported).iter().any(|problem| problem.code == "cycle"));
    assert!(report_lines(&imported).contains("it is part of a cycle"));
    assert!(imported.graph.nodes.iter().all(|node| node.r#type != "loop"));
}

#[test]
fn many_nested_cycles_are_imported_within_a_second() {
    let wires: Vec<String> = (0..240).map(|n| format!("A{n}>A{} A{}>A{n}", n + 1, n + 1)).collect();
    let imported = read_within(2, &file_of(&format!("Go>A0 {}", wires.join(" ")))).unwrap();
    assert!(imported.graph.nodes.len() <= domain::graph::MAX_NODES);
}
