//! Nodes that work on items, without scripts. `tests/api/runs/items.rs` has scripts.

use super::*;

const CALL: &str = "start>call call>end";

fn items(values: Value) -> Value {
    values.as_array().unwrap().iter().map(|value| json!({"json": value})).collect()
}

fn call(mode: Value) -> [(&'static str, &'static str, Value); 3] {
    let call = json!({"url": "https://example.com/{{ input.json.id }}/{{ vars.index }}", "itemMode": mode});
    [("start", "input", json!({})), ("call", "http", call), ("end", "send_result", json!({}))]
}

#[test]
fn any_value_becomes_items() {
    let line = json!({"value": "input", "itemMode": {}});
    let nodes = [("start", "input", json!({})), ("line", "transform", line), ("end", "send_result", json!({}))];
    let table = [
        (json!({"a": 1}), json!([{"json": {"a": 1}, "pairedItem": 0}])),
        (json!([{"a": 1}, 2]), json!([{"json": {"a": 1}, "pairedItem": 0}, {"json": {"data": 2}, "pairedItem": 1}])),
        (json!([{"json": {"a": 1}}]), json!([{"json": {"a": 1}, "pairedItem": 0}])),
        (json!([{"json": 7}, {"json": [1]}]), json!([{"json": 7, "pairedItem": 0}, {"json": [1], "pairedItem": 1}])),
        (json!({"json": null}), json!([{"json": {"json": null}, "pairedItem": 0}])),
        (json!({"json": {"a": 1}, "other": 1}), json!([{"json": {"json": {"a": 1}, "other": 1}, "pairedItem": 0}])),
        (json!("text"), json!([{"json": {"data": "text"}, "pairedItem": 0}])),
        (json!(null), json!([{"json": {}, "pairedItem": 0}])),
    ];
    for (input, output) in table {
        assert_eq!(TestRun::to_end(&nodes, "start>line line>end", input.clone()).output(), output, "{input}");
    }
}

#[test]
fn a_node_runs_for_each_item_for_the_first_or_once() {
    let due = |mode: Value| TestRun::start(&call(mode), CALL, json!([{"id": "a"}, {"id": "b"}])).due();
    assert_eq!(due(json!({"concurrency": 2})), ["call[0]/call", "call[1]/call"]);
    assert_eq!(due(json!({"run": "first", "concurrency": 2})), ["call[0]/call"]);
    let once = json!({"url": "https://example.com/{{ input[1].json.id }}", "itemMode": {"run": "all"}});
    let nodes = [("start", "input", json!({})), ("call", "http", once), ("end", "send_result", json!({}))];
    let run = TestRun::start(&nodes, CALL, json!([{"id": "a"}, {"id": "b"}]));
    assert_eq!(run.due(), ["call"]);
    assert_eq!(operation(&run.due[0]).to_fields()["url"], "https://example.com/b");
}

#[test]
fn each_result_names_the_item_that_it_comes_from() {
    let mut run = TestRun::start(&call(json!({})), CALL, json!([{"id": "a"}, {"id": "b"}, {"id": "c"}]));
    assert_eq!(operation(&run.due[0]).to_fields()["url"], "https://example.com/a/0");
    run.perform("call[0]/call", value(json!([{"n": 1}, {"n": 2}])));
    run.perform("call[1]/call", value(json!([])));
    run.perform("call[2]/call", value(json!({"n": 3})));
    assert_eq!(
        run.output(),
        json!([
            {"json": {"n": 1}, "pairedItem": 0}, {"json": {"n": 2}, "pairedItem": 0}, {"json": {"n": 3}, "pairedItem": 2},
        ])
    );
}

#[test]
fn nothing_runs_after_a_node_without_items() {
    let run = TestRun::to_end(&call(json!({})), CALL, json!([]));
    assert_eq!(run.ends()["end"], "skipped");
    assert_eq!(run.ends()["call"], "* []");
    let run = TestRun::to_end(&call(json!({"whenEmpty": "one"})), CALL, json!([]));
    assert_eq!(run.output(), json!([{"json": {}}]));
}

#[test]
fn an_item_that_fails_fails_the_node_goes_on_or_takes_the_error_port() {
    let at = |mode: Value, connections: &str| {
        let mut nodes = call(mode).to_vec();
        nodes.push(("failed", "transform", json!({"value": "input.json", "itemMode": {}})));
        let mut run = TestRun::start(&nodes, connections, json!([{"id": "a"}, {"id": "b"}]));
        run.perform("call[0]/call", error("refused"));
        run.perform_all(|_| Ok(StepOutcome::new("out", json!({"ok": true}))));
        run
    };
    let connections = "start>call call>end call>failed";
    assert_eq!(at(json!({}), connections).failure(), "call: refused: call[0]/call: It did not answer.");
    let item = at(json!({"onItemError": "item"}), connections);
    assert_eq!(
        item.output(),
        json!([{"json": {"error": "It did not answer."}, "pairedItem": 0}, {"json": {"ok": true}, "pairedItem": 1}])
    );
    let branch = at(json!({"onItemError": "branch"}), "start>call call>end call.error>failed");
    assert_eq!(branch.output(), json!([{"json": {"ok": true}, "pairedItem": 1}]));
    let failed = r#"out [{"json":{"id":"a","error":"It did not answer."},"pairedItem":0}]"#;
    assert_eq!(branch.ends()["failed"], failed);
}

#[test]
fn an_item_that_a_node_gives_with_an_error_has_failed() {
    let at = |mode: Value| {
        let mut nodes = call(mode).to_vec();
        nodes.push(("failed", "transform", json!({"value": "input.json", "itemMode": {}})));
        let connections = "start>call call>end call.error>failed";
        let connections = if nodes[1].2["itemMode"]["onItemError"] == "branch" { connections } else { CALL };
        let nodes = if connections == CALL { nodes[..3].to_vec() } else { nodes };
        let mut run = TestRun::start(&nodes, connections, json!([{"id": "a"}, {"id": "b"}]));
        run.perform("call[0]/call", value(json!([{"json": {}, "error": {"status": 404}}, {"ok": 1}])));
        run.perform("call[1]/call", value(json!({"ok": 2, "error": "a field"})));
        run
    };
    let ok = json!([{"json": {"ok": 1}, "pairedItem": 0}, {"json": {"ok": 2, "error": "a field"}, "pairedItem": 1}]);
    let branch = at(json!({"onItemError": "branch"}));
    assert_eq!(branch.output(), ok);
    let failed = r#"out [{"json":{"id":"a","error":{"status":404}},"pairedItem":0}]"#;
    assert_eq!(branch.ends()["failed"], failed);
    let item = at(json!({"onItemError": "item"})).output();
    assert_eq!(item[1], json!({"json": {"error": {"status": 404}}, "pairedItem": 0}));
    assert_eq!(at(json!({})).output()[0], json!({"json": {}, "error": {"status": 404}, "pairedItem": 0}));
}

#[test]
fn the_items_of_several_branches_are_joined_in_order() {
    let same = || json!({"value": "input", "itemMode": {}});
    let nodes = [
        ("start", "input", json!({})),
        ("a", "transform", same()),
        ("b", "transform", json!({"value": "{'b': input.json.id}", "itemMode": {}})),
        ("both", "transform", same()),
        ("end", "send_result", json!({})),
    ];
    let run = TestRun::to_end(&nodes, "start>a start>b a>both b>both both>end", items(json!([{"id": 1}, {"id": 2}])));
    let jsons: Vec<Value> = run.output().as_array().unwrap().iter().map(|item| item["json"].clone()).collect();
    assert_eq!(json!(jsons), json!([{"id": 1}, {"id": 2}, {"b": 1}, {"b": 2}]));
}

#[test]
fn a_loop_gets_lists_of_items_and_gives_those_that_came_back() {
    let nodes = [
        ("start", "input", json!({})),
        ("batches", "loop", json!({"items": "input.map(item, [item])", "itemMode": {}})),
        ("body", "transform", json!({"value": "{'twice': input.json.n * 2}", "itemMode": {}})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>batches batches.item>body body>batches.next batches.done>end";
    let run = TestRun::to_end(&nodes, connections, json!([{"n": 1}, {"n": 2}, {"n": 3}]));
    assert_eq!(
        run.output(),
        json!([
            {"json": {"twice": 2}, "pairedItem": 0}, {"json": {"twice": 4}, "pairedItem": 1},
            {"json": {"twice": 6}, "pairedItem": 2},
        ])
    );
    let empty = TestRun::to_end(&nodes, connections, json!([]));
    assert_eq!(empty.ends()["end"], "skipped");
}

#[test]
fn an_error_that_does_not_end_the_run_is_an_item() {
    let failing = |on_error: &str| json!({"value": "input.json.missing", "itemMode": {}, "onError": on_error});
    let nodes = |on_error| {
        [("start", "input", json!({})), ("line", "transform", failing(on_error)), ("end", "send_result", json!({}))]
    };
    let error = "line[0]/line: config.value: ";
    for (on_error, connections) in [("continue", "start>line line>end"), ("branch", "start>line line.error>end")] {
        let run = TestRun::to_end(&nodes(on_error), connections, json!({"id": 1}));
        let item = run.output()[0]["json"]["error"].as_str().unwrap().to_owned();
        assert!(item.starts_with(error), "{item}");
    }
}

/// Stored results are reported again after a crash, and become the same items.
#[test]
fn a_restart_gives_the_same_items() {
    let nodes = call(json!({"onItemError": "item", "concurrency": 3}));
    let (plan, _) = compile(&graph(&nodes, CALL)).finish();
    let plan = Arc::new(plan.unwrap());
    let input = json!([{"id": "a"}, {"id": "b"}, {"id": "c"}]);
    let mut first = TestRun::new(plan.clone(), input.clone(), History::default());
    let mut results = Vec::new();
    for (path, result) in [
        ("call[2]/call", value(json!({"n": 3}))),
        ("call[0]/call", error("refused")),
        ("call[1]/call", value(json!([1, 2]))),
    ] {
        results.push((StepPath::parse(path, &plan).unwrap(), result.clone()));
        first.perform(path, result);
    }
    let again = TestRun::new(plan, input, History { results, ..History::default() });
    assert_eq!(again.output(), first.output());
    assert_eq!(again.output().as_array().unwrap().len(), 4);
}

#[test]
fn the_output_of_a_run_is_the_value_and_not_its_items() {
    let end = json!({"output": "{'first': input[0].json.id}", "itemMode": {}});
    let after = json!({"value": "input.json", "itemMode": {}});
    let nodes = [("start", "input", json!({})), ("end", "send_result", end), ("after", "transform", after)];
    let run = TestRun::to_end(&nodes, "start>end end>after", json!([{"id": "a"}, {"id": "b"}]));
    assert_eq!(run.output(), json!({"first": "a"}));
    assert_eq!(run.ends()["after"], r#"out [{"json":{"first":"a"},"pairedItem":0}]"#);
}

#[test]
fn the_first_port_gets_the_empty_item_whatever_the_others_have() {
    let mode = json!({"onItemError": "branch", "whenEmpty": "one"});
    let mut nodes = call(mode).to_vec();
    nodes.push(("failed", "transform", json!({"value": "input.json", "itemMode": {}})));
    let mut run = TestRun::start(&nodes, "start>call call>end call.error>failed", json!([{"id": "a"}]));
    run.perform("call[0]/call", error("refused"));
    run.perform_all(|_| Ok(StepOutcome::new("out", Value::Null)));
    assert_eq!(run.output(), json!([{"json": {}, "pairedItem": 0}]));
    assert_eq!(run.ends()["failed"], r#"out [{"json":{"id":"a","error":"It did not answer."},"pairedItem":0}]"#);
}
