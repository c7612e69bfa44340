//! Branches, joins, errors and merges.

use super::*;

#[test]
fn a_run_computes_its_output() {
    let nodes = [
        ("hook", "webhook", json!({})),
        ("sum", "transform", json!({"fields": {"n": "input.n + 1", "run": "run.id"}})),
        ("text", "template", json!({"template": "{{ nodes.sum.output.n }} of {{ nodes.hook.output.n }}"})),
        ("end", "send_result", json!({"output": "{'text': input, 'sum': nodes.sum.output}"})),
    ];
    let run = TestRun::to_end(&nodes, "hook>sum sum>text text>end", json!({"n": 4}));
    assert_eq!(run.output(), json!({"text": "5 of 4", "sum": {"n": 5, "run": "r1"}}));
}

#[test]
fn the_branch_that_is_not_taken_is_skipped() {
    let nodes = [
        ("start", "input", json!({})),
        ("big", "condition", json!({"expression": "input.n > 10"})),
        ("yes", "template", json!({"template": "big"})),
        ("no", "template", json!({"template": "small"})),
        ("after", "template", json!({"template": "{{ nodes.yes.output | default('?') }}"})),
        ("end", "send_result", json!({"output": "{'in': input, 'yes': has(nodes.yes.output)}"})),
    ];
    let connections = "start>big big.true>yes big.false>no yes>after yes>end no>end";
    let run = TestRun::to_end(&nodes, connections, json!({"n": 3}));
    assert_eq!(run.output(), json!({"in": "small", "yes": false}));
    let ends = run.ends();
    assert_eq!([&ends["yes"], &ends["after"]], ["skipped", "skipped"]);
}

#[test]
fn a_switch_takes_its_first_case_that_holds() {
    let cases = json!({"cases": [
        {"name": "low", "expression": "input.n < 10"}, {"name": "even", "expression": "input.n % 2 == 0"},
    ]});
    let nodes = [
        ("start", "input", json!({})),
        ("pick", "switch", cases),
        ("a", "send_result", json!({"output": "'low'"})),
        ("b", "send_result", json!({"output": "'even'"})),
        ("c", "send_result", json!({"output": "'default'"})),
    ];
    for (n, port) in [(4, "low"), (12, "even"), (13, "default")] {
        let connections = "start>pick pick.low>a pick.even>b pick.default>c";
        assert_eq!(TestRun::to_end(&nodes, connections, json!({"n": n})).output(), port);
    }
}

#[test]
fn a_join_waits_for_all_branches_and_orders_their_values_by_edge() {
    let nodes = [
        ("start", "input", json!({})),
        ("slow", "http", http("slow")),
        ("fast", "http", http("fast")),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let mut run = TestRun::start(&nodes, "start>slow start>fast slow>all fast>all all>end", json!({"n": 1}));
    assert_eq!(run.due(), ["slow", "fast"]);
    run.perform("fast", value(json!("second edge")));
    assert_eq!(run.execution.end(), None);
    run.perform("slow", value(json!("first edge")));
    assert_eq!(run.output(), json!(["first edge", "second edge"]));
}

#[test]
fn a_merge_of_one_taken_branch_still_gives_a_list() {
    let nodes = [
        ("start", "input", json!({})),
        ("if", "condition", json!({"expression": "input.n > 10"})),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let run = TestRun::to_end(&nodes, "start>if if.true>all if.false>all all>end", json!({"n": 1}));
    assert_eq!(run.output(), json!([{"n": 1}]));
}

const RACE: &str = "start>slow start>fast slow>first fast>tail tail>first first>end";

fn race(cancel_losers: bool) -> [(&'static str, &'static str, Value); 6] {
    [
        ("start", "input", json!({})),
        ("slow", "http", http("slow")),
        ("fast", "http", http("fast")),
        ("tail", "http", http("tail")),
        ("first", "merge", json!({"mode": "first", "cancelLosers": cancel_losers})),
        ("end", "send_result", json!({})),
    ]
}

#[test]
fn the_first_value_wins_a_race_and_the_losers_go_on() {
    let mut run = TestRun::start(&race(false), RACE, json!({}));
    run.perform("slow", value(json!("winner")));
    assert_eq!(run.execution.end(), None, "a loser still runs");
    run.perform("fast", value(json!("late")));
    run.perform("tail", value(json!("later")));
    assert_eq!(run.output(), "winner");
    assert_eq!(run.ends()["tail"], "out \"later\"");
}

#[test]
fn the_losers_of_a_race_are_canceled_on_request() {
    let mut run = TestRun::start(&race(true), RACE, json!({}));
    let fast = run.due[1].path.clone();
    run.perform("slow", value(json!("winner")));
    assert_eq!(run.output(), "winner");
    assert_eq!(run.due(), [""; 0]);
    let ends = run.ends();
    assert_eq!([&ends["fast"], &ends["tail"]], ["canceled, skipped", "skipped"]);
    run.execution.finish(&fast, value(json!("too late")));
    run.collect();
    assert_eq!(run.output(), "winner");
}

#[test]
fn a_step_that_leads_elsewhere_too_is_no_loser() {
    let nodes = [
        ("start", "input", json!({})),
        ("quick", "http", http("quick")),
        ("audit", "http", http("audit")),
        ("log", "http", http("log")),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>quick start>audit audit>log audit>first quick>first first>end";
    let mut run = TestRun::start(&nodes, connections, json!({}));
    run.perform("quick", value(json!("winner")));
    run.perform("audit", value(json!("recorded")));
    run.perform("log", value(json!("logged")));
    assert_eq!(run.output(), "winner");
}

#[test]
fn an_error_fails_the_run_continues_it_or_takes_the_error_port() {
    let nodes = |on_error: &str| {
        let call = json!({"url": "https://example.com/", "onError": on_error});
        [
            ("start", "input", json!({})),
            ("call", "http", call),
            ("other", "http", http("other")),
            ("end", "send_result", json!({"output": "{'got': input}"})),
        ]
    };
    let mut failed = TestRun::start(&nodes("fail"), "start>call start>other call>end", json!({}));
    failed.perform("call", error("timeout"));
    assert_eq!(failed.failure(), "call: timeout: It did not answer.");
    assert_eq!([&failed.ends()["call"], &failed.ends()["other"]], ["timeout: It did not answer.", "canceled"]);
    assert_eq!(failed.due(), [""; 0]);

    let mut continued = TestRun::start(&nodes("continue"), "start>call call>end call>other", json!({}));
    continued.perform("call", error("timeout"));
    continued.perform("other", value(json!(1)));
    assert_eq!(continued.output(), json!({"got": null}));

    let mut branched = TestRun::start(&nodes("branch"), "start>call call>other call.error>end", json!({}));
    branched.perform("call", error("timeout"));
    assert_eq!(branched.output(), json!({"got": {"code": "timeout", "message": "It did not answer."}}));
    assert_eq!(branched.ends()["other"], "skipped");
}

#[test]
fn a_failing_expression_names_its_field_and_shows_no_value() {
    let nodes = [
        ("start", "input", json!({})),
        ("sum", "transform", json!({"fields": {"n": "input.secret + 1"}})),
        ("end", "send_result", json!({})),
    ];
    let run = TestRun::to_end(&nodes, "start>sum sum>end", json!({"secret": "hunter2"}));
    assert!(
        run.failure().starts_with("sum: expression_failed: config.fields.n: line 1, column 14: "),
        "{}",
        run.failure()
    );
    assert!(!run.failure().contains("hunter2"));
}

#[test]
fn a_fail_node_ends_the_run_with_its_error() {
    let nodes = [
        ("start", "input", json!({})),
        ("stop", "fail", json!({"code": "unknown_order", "message": "No order {{ input.order }}."})),
        ("call", "http", http("call")),
    ];
    let run = TestRun::start(&nodes, "start>stop start>call", json!({"order": 7}));
    assert_eq!(run.failure(), "stop: unknown_order: No order 7.");
    assert_eq!(run.due(), [""; 0]);
}

#[test]
fn an_effect_gets_its_configuration_with_values() {
    let call = json!({
        "url": "https://example.com/{{ input.id }}", "method": "POST", "headers": {"x.y": "{{ run.id }}"},
        "body": {"type": "json", "value": "{'id': input.id}"}, "timeoutMs": 500,
    });
    let nodes = [("start", "input", json!({})), ("call", "http", call)];
    let run = TestRun::start(&nodes, "start>call", json!({"id": 7}));
    let config = json!({
        "url": "https://example.com/7", "method": "POST", "headers": {"x.y": "r1"},
        "body": {"type": "json", "value": {"id": 7}}, "query": {},
    });
    assert_eq!(Value::Object(operation(&run.due[0]).to_fields()), config);
    assert_eq!(*run.due[0].input, json!({"id": 7}));
}

#[test]
fn the_size_of_values_is_limited() {
    let nodes = [
        ("start", "input", json!({})),
        ("one", "http", http("one")),
        ("two", "http", http("two")),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>one start>two one>all two>all all>end";
    let with = |bytes: usize| {
        let mut run = TestRun::start(&nodes, connections, json!({}));
        run.perform("one", value(json!("x".repeat(bytes))));
        if run.execution.end().is_none() {
            run.perform("two", value(json!("x".repeat(bytes))));
        }
        run
    };
    let message = "value_too_large: the value is larger than 1 MiB as JSON; pass on less of it";
    assert_eq!(with(400_000).output(), json!(vec!["x".repeat(400_000); 2]));
    assert_eq!(with(600_000).failure(), format!("all: {message}"));
    assert_eq!(with(1_100_000).failure(), format!("one: {message}"));
}

#[test]
fn other_triggers_are_skipped() {
    let nodes = [
        ("hook", "webhook", json!({})),
        ("daily", "schedule", json!({"cron": "0 8 * * *", "zone": "Europe/Madrid"})),
        ("end", "send_result", json!({"output": "{'in': input, 'daily': has(nodes.daily.output)}"})),
    ];
    let run = TestRun::to_end(&nodes, "hook>end daily>end", json!(1));
    assert_eq!(run.output(), json!({"in": 1, "daily": false}));
}

#[test]
fn the_size_of_a_transform_is_limited_as_a_whole() {
    let fields: Map<String, Value> = (0..10).map(|index| (format!("f{index}"), json!("input"))).collect();
    let nodes = [
        ("start", "input", json!({})),
        ("many", "transform", json!({"fields": fields})),
        ("end", "send_result", json!({})),
    ];
    let run = TestRun::to_end(&nodes, "start>many many>end", json!("x".repeat(200_000)));
    assert!(run.failure().starts_with("many: value_too_large: "), "{}", run.failure());
}

#[test]
fn the_depth_of_values_is_limited() {
    let count = 120;
    let mut nodes = vec![("start".to_owned(), "input", json!({}))];
    nodes.extend((0..count).map(|index| (format!("m{index}"), "merge", json!({}))));
    nodes.push(("end".to_owned(), "send_result", json!({})));
    let ids: Vec<&str> = nodes.iter().map(|(id, ..)| id.as_str()).collect();
    let connections: Vec<String> = ids.windows(2).map(|pair| format!("{}>{}", pair[0], pair[1])).collect();
    let nodes: Vec<_> = nodes.iter().map(|(id, kind, config)| (id.as_str(), *kind, config.clone())).collect();
    let run = TestRun::to_end(&nodes, &connections.join(" "), json!(1));
    assert!(run.failure().contains(": value_too_deep: "), "{}", run.failure());
}

#[test]
fn a_result_that_failed_is_not_the_output() {
    let nodes = [
        ("start", "input", json!({})),
        ("first", "send_result", json!({"output": "input.missing", "onError": "branch"})),
        ("second", "send_result", json!({"output": "'fallback'"})),
    ];
    assert_eq!(TestRun::to_end(&nodes, "start>first first.error>second", json!({})).output(), "fallback");
}

#[test]
fn a_loop_that_leads_nowhere_loses_no_race() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "[1, 2]"})),
        ("send", "http", http("send")),
        ("quick", "http", http("quick")),
        ("slow", "http", http("slow")),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>each each.item>send start>quick quick>first start>slow slow>first first>end";
    let mut run = TestRun::start(&nodes, connections, json!({}));
    run.perform("quick", value(json!("winner")));
    assert_eq!(run.due(), ["each[0]/send"]);
    run.perform_all(|effect| Ok(StepOutcome::new("out", effect.input.clone())));
    assert_eq!(run.output(), "winner");
}

#[test]
fn the_first_of_several_results_is_the_output() {
    let nodes = [
        ("start", "input", json!({})),
        ("one", "send_result", json!({"output": "1"})),
        ("two", "send_result", json!({"output": "2"})),
    ];
    assert_eq!(TestRun::to_end(&nodes, "start>one one>two", json!({})).output(), 1);
}

#[test]
fn a_long_error_message_is_shortened() {
    let nodes = [
        ("start", "input", json!({})),
        ("stop", "fail", json!({"message": "{{ 'x' * 100000 }}"})),
        ("end", "send_result", json!({})),
    ];
    let failure = TestRun::start(&nodes, "start>stop start>end", Value::Null).failure();
    assert_eq!(failure.chars().count(), "stop: failed: ".len() + 2_001);
}
