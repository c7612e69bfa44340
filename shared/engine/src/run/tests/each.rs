//! Nodes with `each`: a loop whose body is the node itself.

use fastrand::Rng;

use super::*;

const CALL: &str = "start>call call>end";

fn call_each(each: Value) -> [(&'static str, &'static str, Value); 3] {
    let call = json!({"url": "https://example.com/{{ input }}/{{ vars.index }}", "each": each});
    [("start", "input", json!({})), ("call", "http", call), ("end", "send_result", json!({}))]
}

#[test]
fn a_node_runs_once_for_each_element() {
    let line = json!({
        "value": "input.price * nodes.start.output.rate + vars.index + size(string(vars.item.price))",
        "each": {"items": "input.lines"},
    });
    let nodes = [("start", "input", json!({})), ("line", "transform", line), ("end", "send_result", json!({}))];
    let run = |lines: Value| TestRun::to_end(&nodes, "start>line line>end", json!({"rate": 10, "lines": lines}));
    assert_eq!(run(json!([{"price": 1}, {"price": 2}, {"price": 30}])).output(), json!([11, 22, 304]));
    assert_eq!(run(json!([])).output(), json!([]));
    assert_eq!(run(json!("no list")).failure(), "line: invalid_value: config.each.items: the value must be a list");
}

#[test]
fn its_effects_have_paths_of_their_own() {
    let nodes = call_each(json!({"items": "input", "concurrency": 2}));
    let mut run = TestRun::start(&nodes, CALL, json!(["a", "b", "c"]));
    assert_eq!(run.due(), ["call[0]/call", "call[1]/call"]);
    assert_eq!(operation(&run.due[1]).to_fields()["url"], "https://example.com/b/1");
    let plan = run.execution.plan();
    for due in &run.due {
        assert!(is_effect(plan, &due.path));
        assert_eq!(StepPath::parse(&due.path.display(plan), plan).as_ref(), Some(&due.path));
    }
    run.perform("call[1]/call", value(json!("B")));
    run.perform("call[2]/call", value(json!("C")));
    assert_eq!(run.execution.end(), None);
    run.perform("call[0]/call", value(json!("A")));
    assert_eq!(run.output(), json!(["A", "B", "C"]));
}

#[test]
fn on_error_is_about_the_whole_list() {
    let at = |on_item_error: &str, on_error: &str| {
        let mut nodes = call_each(json!({"items": "input", "concurrency": 3, "onItemError": on_item_error}));
        nodes[1].2["onError"] = json!(on_error);
        let connections = if on_error == "branch" { "start>call call>end call.error>end" } else { CALL };
        let mut run = TestRun::start(&nodes, connections, json!(["a", "b", "c"]));
        run.perform("call[1]/call", error("refused"));
        run.perform_all(|effect| Ok(StepOutcome::new("out", effect.input.clone())));
        run
    };
    let message = "call[1]/call: It did not answer.";
    for on_error in ["fail", "continue", "branch"] {
        assert_eq!(at("skip", on_error).output(), json!(["a", "c"]));
        assert_eq!(at("null", on_error).output(), json!(["a", null, "c"]));
    }
    assert_eq!(at("fail", "fail").failure(), format!("call: refused: {message}"));
    assert_eq!(at("fail", "continue").output(), Value::Null);
    assert_eq!(at("fail", "branch").output(), json!({"code": "refused", "message": message}));
    assert_eq!(at("fail", "branch").ends()["call[0]/call"], "canceled");
}

#[test]
fn the_result_of_an_element_may_be_at_any_port() {
    let guard = json!({"text": "{{ input }}", "each": {"items": "input", "concurrency": 2}});
    let nodes = [("start", "input", json!({})), ("check", "guard", guard), ("end", "send_result", json!({}))];
    let mut run = TestRun::start(&nodes, "start>check check>end", json!(["a", "b"]));
    run.perform("check[0]/check", Ok(StepOutcome::new("flagged", json!(1))));
    run.perform("check[1]/check", Ok(StepOutcome::new("passed", json!(2))));
    assert_eq!(run.output(), json!([1, 2]));
}

#[test]
fn in_a_loop_the_list_sees_the_element_of_the_loop() {
    let cell = json!({"value": "vars.item + 1", "each": {"items": "vars.item"}});
    let nodes = [
        ("start", "input", json!({})),
        ("rows", "loop", json!({"items": "input"})),
        ("cell", "transform", cell),
        ("sum", "transform", json!({"value": "sum(input) + size(vars.item)"})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>rows rows.item>cell cell>sum sum>rows.next rows.done>end";
    assert_eq!(TestRun::to_end(&nodes, connections, json!([[1, 2], [3], []])).output(), json!([7, 5, 0]));
}

#[test]
fn a_preview_ends_after_the_last_element_and_pins_the_whole_list() {
    let plan = |pinned: Option<Value>, until: Option<&str>| {
        let plan = compile(&graph(&call_each(json!({"items": "input"})), CALL)).finish().0.unwrap();
        let pin = |value: Value| (1, PinnedOutput { port: "out".to_owned(), value: value.into() });
        let until = until.and_then(|until| plan.find_step(until));
        Arc::new(plan.previewed(pinned.map(pin).into_iter().collect(), until))
    };
    let mut run = TestRun::new(plan(None, Some("call")), json!(["a", "b"]), History::default());
    run.perform("call[0]/call", value(json!("A")));
    assert_eq!(run.execution.end(), None);
    run.perform("call[1]/call", value(json!("B")));
    assert_eq!(run.ends()["call"], "out [\"A\",\"B\"]");
    assert_eq!(run.output(), Value::Null);

    let run = TestRun::new(plan(Some(json!(["pinned"])), None), json!(["a", "b"]), History::default());
    assert_eq!(run.output(), json!(["pinned"]));
    assert_eq!(run.ends().len(), 3);
}

#[test]
fn masked_parts_are_those_of_one_element_and_its_result() {
    let mut nodes = call_each(json!({"items": "input"}));
    nodes[1].2["redact"] = json!(["output.token"]);
    let plan = compile(&graph(&nodes, CALL)).finish().0.unwrap();
    let masked = |path: &str, mut output: Value| {
        let path = StepPath::parse(path, &plan).unwrap();
        plan.redaction(&path).each_in_output(&mut output, &mut |part| *part = json!("***"));
        output
    };
    let secret = || json!({"token": "t"});
    let hidden = || json!({"token": "***"});
    assert_eq!(masked("call[0]/call", secret()), hidden());
    assert_eq!(masked("call", json!([secret(), null, secret()])), json!([hidden(), null, hidden()]));
}

/// With `each`, a node does what a loop does whose body is the node.
#[test]
fn each_is_a_loop_of_one_node() {
    let (mut ends, mut failures) = (BTreeMap::<bool, usize>::new(), 0);
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let items: Vec<u64> = (0..rng.u64(..6)).collect();
        let mut each = json!({"items": "input", "concurrency": rng.u64(1..=4)});
        each["onItemError"] = json!(["fail", "skip", "null"][rng.usize(..3)]);
        let on_error = ["fail", "continue", "branch"][rng.usize(..3)];
        let (kind, config, ports) = match rng.u8(..3) {
            0 => ("http", json!({"url": "https://example.com/{{ input }}/{{ vars.index }}"}), &["out"][..]),
            1 => ("guard", json!({"text": "{{ input }}"}), &["passed", "flagged"][..]),
            _ => ("transform", json!({"value": "10 / (input - 3) + vars.index"}), &["out"][..]),
        };
        let with = |mut config: Value, more: Value| {
            config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            config
        };
        let error = if on_error == "branch" { " list.error>end" } else { "" };

        let own = with(config.clone(), json!({"each": each, "onError": on_error}));
        let nodes = [("start", "input", json!({})), ("list", kind, own), ("end", "send_result", json!({}))];
        let mut run = TestRun::start(&nodes, &format!("start>list list>end{error}"), json!(items));

        let nodes = [
            ("start", "input", json!({})),
            ("list", "loop", with(each, json!({"onError": on_error}))),
            ("body", kind, config),
            ("end", "send_result", json!({})),
        ];
        let back: String = ports.iter().map(|port| format!(" body.{port}>list.next")).collect();
        let connections = format!("start>list list.item>body{back} list.done>end{error}");
        let mut looped = TestRun::start(&nodes, &connections, json!(items));

        while !looped.due.is_empty() {
            let renamed: Vec<String> = looped.due().iter().map(|path| path.replace("body", "list")).collect();
            assert_eq!(run.due(), renamed, "{seed}");
            let place = rng.usize(..looped.due.len());
            assert_eq!(run.due[place].work, looped.due[place].work, "{seed}");
            let result = match rng.u8(..4) {
                0 => super::error("refused"),
                number => Ok(StepOutcome::new(ports[number as usize % ports.len()], json!(number))),
            };
            for run in [&mut run, &mut looped] {
                let effect = run.due.remove(place);
                run.execution.finish(&effect.path, result.clone());
                run.collect();
            }
        }
        let rename = |(path, end): (String, String)| {
            let (path, end) = (path.replace("body", "list"), end.replace("/body", "/list").replace("done [", "out ["));
            (path, if end.ends_with("done null") { end.replace("done null", "out null") } else { end })
        };
        assert_eq!(run.ends(), looped.ends().into_iter().map(rename).collect(), "{seed}");
        let end = |run: &TestRun| {
            format!("{:?}", run.execution.end()).replace("/body", "/list").replace("each.items", "items")
        };
        assert_eq!(end(&run), end(&looped), "{seed}");
        assert_eq!(run.execution.work(), looped.execution.work(), "{seed}");
        *ends.entry(matches!(run.execution.end(), Some(RunEnd::Completed { .. }))).or_default() += 1;
        failures += usize::from(run.ends().values().any(|end| end.contains("refused")));
    }
    assert!(ends.len() == 2 && failures > 50, "{ends:?}, {failures} with failures");
}
