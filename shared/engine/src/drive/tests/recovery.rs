//! Crashes at the writes of a run.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_run_that_crashes_before_its_first_write_begins_anew() {
    let world = World::new(&one_call(json!({})), ONE_CALL, |_| ok("done"));
    world.crash(|commit| (commit == 1).then_some(Crash::BeforeWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    world.finish_at_once().await;
    assert_eq!(world.writes(), ["start > out; call #1", "call > out; end > out; completed"]);
    assert_eq!(world.performed(), ["call #1"]);
}

fn two_calls() -> [(&'static str, &'static str, Value); 4] {
    [
        ("start", "input", json!({})),
        ("one", "http", http(json!({}))),
        ("two", "http", http(json!({"method": "POST", "body": {"type": "json", "value": "nodes.one.output"}}))),
        ("end", "send_result", json!({})),
    ]
}

const TWO_CALLS: &str = "start>one one>two two>end";

#[tokio::test(start_paused = true)]
async fn a_stored_result_is_used_after_a_restart() {
    let world = World::new(&two_calls(), TWO_CALLS, |effect| match &*effect.step {
        "one" => ok(1),
        _ => ok(json_of(effect).clone()),
    });
    world.crash(|commit| (commit == 2).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["one #1", "two #1"]);
    assert_eq!(world.output(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_was_not_stored_is_fetched_again_with_the_same_key() {
    let world = World::new(&two_calls(), TWO_CALLS, |effect| ok(&*effect.step));
    world.crash(|commit| (commit == 2).then_some(Crash::BeforeWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["one #1", "one #1", "two #1"]);
    let calls = world.calls();
    assert_eq!(calls[0].effect.idempotency_key, calls[1].effect.idempotency_key);
    assert_ne!(calls[0].effect.idempotency_key, calls[2].effect.idempotency_key);
}

#[tokio::test(start_paused = true)]
async fn a_backoff_goes_on_after_a_crash() {
    let retry = json!({"maxAttempts": 3, "backoffMs": 800});
    let world = World::new(&one_call(json!({"retry": retry})), ONE_CALL, |effect| match effect.attempt {
        3 => ok("done"),
        _ => unavailable(Duration::ZERO),
    });
    world.crash(|commit| (commit == 2).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(world.park().await, Duration::from_millis(1_600));
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1", "call #2", "call #3"]);
    assert_eq!(world.times_of("call"), [0, 800, 2_400].map(Duration::from_millis));
}

#[tokio::test(start_paused = true)]
async fn a_crash_during_the_second_attempt_repeats_the_second_attempt() {
    let retry = json!({"maxAttempts": 2, "backoffMs": 100});
    let world = World::new(&one_call(json!({"retry": retry})), ONE_CALL, |effect| match effect.attempt {
        1 => unavailable(Duration::ZERO),
        _ => ok("done"),
    });
    world.crash(|commit| (commit == 3).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    world.finish_at_once().await;
    let writes = ["call #1 unavailable, next at 100", "call #2", "call #2", "call > out; end > out; completed"];
    assert_eq!(world.writes()[1..], writes);
    assert_eq!(world.performed(), ["call #1", "call #2"]);
}

#[tokio::test(start_paused = true)]
async fn a_delay_keeps_its_time_after_a_crash() {
    let nodes =
        [("start", "input", json!({})), ("wait", "delay", json!({"seconds": 60})), ("end", "send_result", json!({}))];
    let world = World::new(&nodes, "start>wait wait>end", |_| panic!());
    world.crash(|commit| (commit == 1).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    tokio::time::sleep(seconds(20)).await;
    assert_eq!(world.park().await, seconds(40));
    world.finish_at_once().await;
    assert_eq!(world.output(), json!({"n": 1}));
}

#[tokio::test(start_paused = true)]
async fn a_review_stays_open_after_a_crash() {
    let nodes = [
        ("start", "input", json!({})),
        ("ask", "review", json!({"title": "Go on?"})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>ask ask.approved>end", |_| panic!());
    world.crash(|commit| (commit == 1).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    world.answer(seconds(5), "ask", approval()).await;
    world.finish_at_once().await;
    assert_eq!(world.output()["reviewer"], "ann");
}

#[tokio::test(start_paused = true)]
async fn a_value_does_not_depend_on_the_time_of_the_process() {
    let nodes = [
        ("start", "input", json!({})),
        ("wait", "delay", json!({"seconds": 60})),
        ("end", "send_result", json!({"output": "string(now())"})),
    ];
    let world = World::new(&nodes, "start>wait wait>end", |_| panic!());
    world.park().await;
    world.finish_at_once().await;
    assert_eq!(world.output(), "2026-03-02T07:00:00Z");
}
