//! Loops in rounds: what a round gets, how they end, what they keep, and how they survive restarts.

use super::*;

const POLL: &str = "start>poll poll.item>call call>ready ready.true>poll.result ready.false>poll.next poll.done>end";

fn poll(max_rounds: usize) -> [(&'static str, &'static str, Value); 5] {
    let call = json!({"url": "https://example.com/{{ vars.index }}"});
    [
        ("start", "input", json!({})),
        ("poll", "loop", json!({"maxRounds": max_rounds})),
        ("call", "http", call),
        ("ready", "condition", json!({"expression": "input.ready"})),
        ("end", "send_result", json!({})),
    ]
}

fn answer(ready: bool) -> Result<StepOutcome, StepError> {
    value(json!({"ready": ready}))
}

#[test]
fn a_loop_repeats_its_body_until_nothing_comes_back() {
    let mut run = TestRun::start(&poll(3), POLL, json!({"job": 7}));
    assert_eq!((run.due(), &*run.due[0].input), (vec!["poll[0]/call".to_owned()], &json!({"job": 7})));
    run.perform("poll[0]/call", answer(false));
    assert_eq!(&*run.due[0].input, &json!({"ready": false}));
    assert_eq!(operation(&run.due[0]).to_fields()["url"], "https://example.com/1");
    run.perform("poll[1]/call", answer(false));
    run.perform("poll[2]/call", answer(true));
    assert_eq!(run.output(), json!({"ready": true}));
}

#[test]
fn a_loop_fails_if_something_comes_back_after_its_last_round() {
    let mut run = TestRun::start(&poll(2), POLL, json!({}));
    run.perform("poll[0]/call", answer(false));
    run.perform("poll[1]/call", answer(false));
    let message =
        "config.maxRounds: something came back to `next` after 2 rounds; allow more rounds, or end the body earlier";
    assert_eq!(run.failure(), format!("poll: too_many_rounds: {message}"));
    let mut run = TestRun::start(&poll(2), POLL, json!({}));
    run.perform("poll[0]/call", answer(false));
    run.perform("poll[1]/call", error("refused"));
    assert_eq!(run.failure(), "poll: refused: poll[1]/call: It did not answer.");
}

#[test]
fn the_value_of_a_loop_is_the_last_one_that_reached_its_port_result() {
    let nodes = |last: u64| {
        [
            ("start", "input", json!({})),
            ("count", "loop", json!({"maxRounds": 10})),
            ("more", "transform", json!({"value": "input + 1"})),
            ("again", "condition", json!({"expression": format!("input < {last}")})),
            ("end", "send_result", json!({})),
        ]
    };
    let all = "start>count count.item>more more>again more>count.result again.true>count.next count.done>end";
    assert_eq!(TestRun::to_end(&nodes(5), all, json!(1)).output(), 5);
    let none = "start>count count.item>more more>again again.true>count.next count.done>end";
    assert_eq!(TestRun::to_end(&nodes(5), none, json!(1)).output(), json!(null));
}

/// Ten rounds pass on 400 KB each, and none of it stays.
#[test]
fn only_the_last_value_is_kept() {
    let nodes = [
        ("start", "input", json!({})),
        ("grow", "loop", json!({"maxRounds": 10})),
        ("same", "transform", json!({"value": "input"})),
        ("again", "condition", json!({"expression": "vars.index < 9"})),
        ("end", "send_result", json!({"output": "size(input)"})),
    ];
    let connections = "start>grow grow.item>same same>again same>grow.result again.true>grow.next grow.done>end";
    let run = TestRun::to_end(&nodes, connections, json!("x".repeat(400_000)));
    assert_eq!(run.output(), 400_000);
    assert!(run.execution.bytes() < 2_000_000, "{}", run.execution.bytes());
}

#[test]
fn items_leave_a_loop_in_different_rounds() {
    let nodes = [
        ("start", "input", json!({})),
        ("count", "loop", json!({"maxRounds": 10, "itemMode": {}})),
        ("less", "transform", json!({"value": "{'n': input.json.n - 1, 'id': input.json.id}", "itemMode": {}})),
        ("done", "transform", json!({"value": "input.json.n > 0 ? [] : [input.json]", "itemMode": {}})),
        ("again", "transform", json!({"value": "input.json.n > 0 ? [input.json] : []", "itemMode": {}})),
        ("end", "send_result", json!({})),
    ];
    let connections =
        "start>count count.item>less less>done less>again done>count.result again>count.next count.done>end";
    let input = json!([{"id": "a", "n": 3}, {"id": "b", "n": 1}, {"id": "c", "n": 2}]);
    let run = TestRun::to_end(&nodes, connections, input);
    assert_eq!(
        run.output(),
        json!([
            {"json": {"n": 0, "id": "b"}, "pairedItem": 1}, {"json": {"n": 0, "id": "c"}, "pairedItem": 2},
            {"json": {"n": 0, "id": "a"}, "pairedItem": 0},
        ])
    );
    let empty = TestRun::to_end(&nodes, connections, json!([]));
    assert_eq!(empty.ends()["end"], "skipped");
}

#[test]
fn rounds_can_be_in_the_body_of_a_loop() {
    let [start, poll, call, ready, end] = poll(3);
    let each = ("each", "loop", json!({"items": "input", "concurrency": 2}));
    let nodes = [start, each, poll, call, ready, end];
    let connections = "start>each each.item>poll poll.item>call call>ready ready.true>poll.result ready.false>poll.next \
                       poll.done>each.next each.done>end";
    let mut run = TestRun::start(&nodes, connections, json!(["a", "b"]));
    run.perform("each[0]/poll[0]/call", answer(false));
    assert_eq!(run.due(), ["each[1]/poll[0]/call", "each[0]/poll[1]/call"]);
    run.perform("each[1]/poll[0]/call", value(json!({"ready": true, "n": 1})));
    run.perform("each[0]/poll[1]/call", value(json!({"ready": true, "n": 0})));
    assert_eq!(run.output(), json!([{"ready": true, "n": 0}, {"ready": true, "n": 1}]));
}

#[test]
fn a_restart_is_in_the_same_round() {
    let (plan, _) = compile(&graph(&poll(3), POLL)).finish();
    let plan = Arc::new(plan.unwrap());
    let results = ["poll[0]/call", "poll[1]/call"].map(|path| (StepPath::parse(path, &plan).unwrap(), answer(false)));
    let mut run = TestRun::new(plan, json!({}), History { results: results.into(), ..History::default() });
    assert_eq!(run.due(), ["poll[2]/call"]);
    run.perform("poll[2]/call", answer(true));
    assert_eq!(run.output(), json!({"ready": true}));
}

/// A preview up to a step of the body runs the steps that lead to further rounds, and no others.
#[test]
fn a_preview_reaches_a_step_in_a_later_round() {
    let [start, poll, call, ready, end] = poll(3);
    let (found, other) = (("found", "transform", json!({"value": "1"})), ("other", "http", http("other")));
    let nodes = [start, poll, call, ready, found, other, end];
    let connections =
        "start>poll poll.item>call call>ready ready.true>found ready.false>poll.next call>other poll.done>end";
    let (plan, problems) = compile(&graph(&nodes, connections)).finish();
    let plan = plan.unwrap_or_else(|| panic!("{problems:?}"));
    let until = plan.find_step("found");
    let mut run = TestRun::new(Arc::new(plan.previewed(BTreeMap::new(), until)), json!({}), History::default());
    run.perform("poll[0]/call", answer(false));
    assert_eq!(run.due(), ["poll[1]/call"]);
    run.perform("poll[1]/call", answer(true));
    assert_eq!(run.ends()["poll[1]/found"], "out 1");
    assert!(matches!(run.execution.end(), Some(RunEnd::Completed { .. })));
}
