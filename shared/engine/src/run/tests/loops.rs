//! Loops: scopes, concurrency, errors of elements, nested loops, and the limit of steps.

use super::*;

const CALL_EACH: &str = "start>each each.item>call call>each.next each.done>end";

fn call_each(config: Value) -> [(&'static str, &'static str, Value); 4] {
    let call = json!({"url": "https://example.com/{{ vars.item }}/{{ vars.index }}"});
    [("start", "input", json!({})), ("each", "loop", config), ("call", "http", call), ("end", "send_result", json!({}))]
}

#[test]
fn a_loop_runs_its_body_once_for_each_element() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "input.lines"})),
        ("line", "transform", json!({"value": "vars.item.price * nodes.start.output.rate + vars.index"})),
        ("end", "send_result", json!({})),
    ];
    let input = json!({"rate": 10, "lines": [{"price": 1}, {"price": 2}, {"price": 3}]});
    let connections = "start>each each.item>line line>each.next each.done>end";
    assert_eq!(TestRun::to_end(&nodes, connections, input).output(), json!([10, 21, 32]));
    let empty = json!({"rate": 10, "lines": []});
    assert_eq!(TestRun::to_end(&nodes, connections, empty).output(), json!([]));
}

#[test]
fn the_concurrency_of_a_loop_limits_its_iterations() {
    let nodes = call_each(json!({"items": "input", "concurrency": 2}));
    let mut run = TestRun::start(&nodes, CALL_EACH, json!(["a", "b", "c", "d"]));
    assert_eq!(run.due(), ["each[0]/call", "each[1]/call"]);
    assert_eq!(operation(&run.due[1]).to_fields()["url"], "https://example.com/b/1");
    run.perform("each[1]/call", value(json!("B")));
    assert_eq!(run.due(), ["each[0]/call", "each[2]/call"]);
    run.perform("each[2]/call", value(json!("C")));
    run.perform("each[3]/call", value(json!("D")));
    assert_eq!(run.execution.end(), None);
    run.perform("each[0]/call", value(json!("A")));
    assert_eq!(run.output(), json!(["A", "B", "C", "D"]));
}

#[test]
fn an_element_that_fails_fails_the_loop_is_left_out_or_is_null() {
    let at = |on_item_error: &str| {
        let nodes = call_each(json!({"items": "input", "concurrency": 3, "onItemError": on_item_error}));
        let mut run = TestRun::start(&nodes, CALL_EACH, json!(["a", "b", "c"]));
        run.perform("each[1]/call", error("refused"));
        run.perform_all(|effect| Ok(StepOutcome::new("out", effect.input.clone())));
        run
    };
    assert_eq!(at("skip").output(), json!(["a", "c"]));
    assert_eq!(at("null").output(), json!(["a", null, "c"]));
    let failed = at("fail");
    assert_eq!(failed.failure(), "each: refused: each[1]/call: It did not answer.");
    let ends = failed.ends();
    assert_eq!([&ends["each[0]/call"], &ends["each[2]/call"]], ["canceled", "canceled"]);
}

#[test]
fn an_iteration_whose_branch_does_not_return_has_the_result_null() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "input"})),
        ("odd", "condition", json!({"expression": "vars.item % 2 == 1"})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>each each.item>odd odd.true>each.next each.done>end";
    assert_eq!(TestRun::to_end(&nodes, connections, json!([1, 2, 3])).output(), json!([1, null, 3]));
}

#[test]
fn loops_can_be_nested() {
    let nodes = [
        ("start", "input", json!({})),
        ("rows", "loop", json!({"items": "input", "concurrency": 2})),
        ("cells", "loop", json!({"items": "vars.item", "concurrency": 3})),
        ("call", "http", json!({"url": "https://example.com/{{ vars.item }}"})),
        ("sum", "transform", json!({"value": "sum(input)"})),
        ("end", "send_result", json!({})),
    ];
    let connections =
        "start>rows rows.item>cells cells.item>call call>cells.next cells.done>sum sum>rows.next rows.done>end";
    let mut run = TestRun::start(&nodes, connections, json!([[1, 2], [3], []]));
    assert_eq!(run.due(), ["rows[0]/cells[0]/call", "rows[0]/cells[1]/call", "rows[1]/cells[0]/call"]);
    run.perform_all(|effect| Ok(StepOutcome::new("out", effect.input.clone())));
    assert_eq!(run.output(), json!([3, 3, 0]));
}

#[test]
fn a_value_that_is_not_a_list_fails_the_loop() {
    let nodes = call_each(json!({"items": "input"}));
    let run = TestRun::start(&nodes, CALL_EACH, json!({"not": "a list"}));
    assert_eq!(run.failure(), "each: invalid_value: config.items: the value must be a list");
}

#[test]
fn a_loop_that_loses_a_race_is_canceled_with_its_iterations() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "[1, 2, 3]", "concurrency": 2})),
        ("call", "http", http("call")),
        ("quick", "http", http("quick")),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>each each.item>call call>each.next each.done>first start>quick quick>first first>end";
    let mut run = TestRun::start(&nodes, connections, json!({}));
    run.perform("quick", value(json!("winner")));
    assert_eq!(run.output(), "winner");
    let ends = run.ends();
    assert_eq!(
        [&ends["each[0]/call"], &ends["each[1]/call"], &ends["each"]],
        ["canceled", "canceled", "canceled, skipped"]
    );
}

#[test]
fn the_size_of_the_results_is_limited() {
    let nodes = call_each(json!({"items": "input", "concurrency": 3}));
    let mut run = TestRun::start(&nodes, CALL_EACH, json!([1, 2, 3, 4]));
    run.perform_all(|_| value(json!("x".repeat(400_000))));
    let message = "value_too_large: the value is larger than 1 MiB as JSON; pass on less of it";
    assert_eq!(run.failure(), format!("each: {message}"));
    assert_eq!(run.due(), [""; 0]);
}

#[test]
fn a_run_executes_a_limited_number_of_steps() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "input"})),
        ("line", "transform", json!({"value": "1"})),
        ("end", "send_result", json!({})),
    ];
    let run = |count: usize| {
        let connections = "start>each each.item>line line>each.next each.done>end";
        TestRun::to_end(&nodes, connections, json!(vec![0; count]))
    };
    // The trigger, the loop and the result are steps, too.
    assert_eq!(run(MAX_STEPS - 3).output().as_array().unwrap().len(), MAX_STEPS - 3);
    assert_eq!(run(MAX_STEPS - 2).failure(), "end: too_many_steps: a run executes at most 10000 steps");
}

/// Each element skips 50 steps.
#[test]
fn a_run_skips_at_most_50_000_steps() {
    let skipped: Vec<String> = (0..50).map(|number| format!("s{number}")).collect();
    let mut nodes = vec![
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "range(input.n)"})),
        ("never", "condition", json!({"expression": "false"})),
        ("end", "send_result", json!({"output": "size(input)"})),
    ];
    nodes.extend(skipped.iter().map(|id| (id.as_str(), "transform", json!({"value": "1"}))));
    let mut connections = "start>each each.item>never never.false>each.next never.true>s0 each.done>end".to_owned();
    for pair in skipped.windows(2) {
        connections += &format!(" {}>{}", pair[0], pair[1]);
    }
    let run = |n: usize| TestRun::start(&nodes, &connections, json!({"n": n}));
    assert_eq!(run(1_000).output(), 1_000);
    assert_eq!(run(1_001).failure(), "s0: too_many_steps: a run skips at most 50000 steps");
}
