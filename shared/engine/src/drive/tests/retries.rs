//! Retries, their backoff, timeouts of attempts, and what happens after the last one.

use std::collections::BTreeSet;

use super::*;

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[tokio::test(start_paused = true)]
async fn the_backoff_doubles_and_each_attempt_has_its_own_intent_and_key() {
    let retry = json!({"maxAttempts": 4, "backoffMs": 100});
    let world = World::new(&one_call(json!({"retry": retry})), ONE_CALL, |effect| match effect.attempt {
        4 => ok("done"),
        _ => unavailable(Duration::ZERO),
    });
    world.finish_at_once().await;
    let writes = [
        "start > out; call #1",
        "call #1 unavailable, next at 100",
        "call #2",
        "call #2 unavailable, next at 300",
        "call #3",
        "call #3 unavailable, next at 700",
        "call #4",
        "call > out; end > out; completed",
    ];
    assert_eq!(world.writes(), writes);
    assert_eq!(world.times_of("call"), [millis(0), millis(100), millis(300), millis(700)]);
    let keys: BTreeSet<String> = world.calls().into_iter().map(|call| call.effect.idempotency_key).collect();
    assert_eq!(keys.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_backoff_has_a_maximum() {
    let retry = json!({"maxAttempts": 5, "backoffMs": 100, "maxBackoffMs": 250});
    let world = World::new(&one_call(json!({"retry": retry})), ONE_CALL, |_| unavailable(Duration::ZERO));
    world.finish_at_once().await;
    assert_eq!(world.times_of("call"), [millis(0), millis(100), millis(300), millis(550), millis(800)]);
    assert_eq!(world.failure(), "call: unavailable");
}

#[tokio::test(start_paused = true)]
async fn the_wait_that_the_receiver_asks_for_is_respected() {
    let retry = json!({"maxAttempts": 3, "backoffMs": 200});
    let world = World::new(&one_call(json!({"retry": retry})), ONE_CALL, |effect| match effect.attempt {
        1 => unavailable(millis(900)),
        2 => unavailable(millis(300)),
        _ => ok(1),
    });
    world.finish_at_once().await;
    // The second backoff is 400 ms, which is longer than the receiver asks for.
    assert_eq!(world.times_of("call"), [millis(0), millis(900), millis(1_300)]);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_a_retry_would_not_change_is_final() {
    let world = World::new(&one_call(json!({"retry": {"maxAttempts": 4}})), ONE_CALL, |_| denied());
    world.finish_at_once().await;
    assert_eq!((world.performed(), world.failure()), (vec!["call #1".to_owned()], "call: denied".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_performed_with_its_timeout_and_whether_it_is_the_last() {
    for (config, timeout, attempts) in [
        (json!({}), seconds(30), vec![true]),
        (json!({"timeoutMs": 2_000, "retry": {"maxAttempts": 3}}), seconds(2), vec![false, false, true]),
    ] {
        let world = World::new(&one_call(config), ONE_CALL, |_| unavailable(Duration::ZERO));
        world.finish().await;
        let performed: Vec<bool> = world.calls().iter().map(|call| call.effect.is_last_attempt).collect();
        assert_eq!(performed, attempts);
        assert!(world.calls().iter().all(|call| call.effect.timeout == timeout));
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_without_a_retry_policy_has_one_attempt() {
    let world = World::new(&one_call(json!({})), ONE_CALL, |_| unavailable(Duration::ZERO));
    world.finish_at_once().await;
    assert_eq!((world.performed(), world.failure()), (vec!["call #1".to_owned()], "call: unavailable".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_long_backoff_parks_the_run_until_the_next_attempt() {
    let retry = json!({"maxAttempts": 2, "backoffMs": 5_000});
    let world = World::new(&one_call(json!({"retry": retry})), ONE_CALL, |effect| match effect.attempt {
        1 => unavailable(Duration::ZERO).after(seconds(1)),
        _ => ok("done"),
    });
    assert_eq!(world.park().await, seconds(5));
    world.finish_at_once().await;
    assert_eq!(world.times_of("call"), [seconds(0), seconds(6)]);
    assert_eq!(world.output(), "done");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_over_its_timeout_is_dropped_and_retried() {
    let config = json!({"timeoutMs": 2_000, "retry": {"maxAttempts": 2, "backoffMs": 500}});
    let world = World::new(&one_call(config), ONE_CALL, |effect| match effect.attempt {
        1 => ok("late").after(seconds(60)),
        _ => ok("done").after(seconds(1)),
    });
    world.finish_at_once().await;
    assert_eq!(world.writes()[1], "call #1 timeout, next at 2500");
    assert_eq!((world.dropped(), world.output()), (vec!["call".to_owned()], json!("done")));
    assert_eq!(world.times_of("call"), [millis(0), millis(2_500)]);
}

#[tokio::test(start_paused = true)]
async fn without_a_timeout_of_its_own_a_node_has_that_of_its_type() {
    let world = World::new(&one_call(json!({})), ONE_CALL, |_| ok("late").after(seconds(600)));
    world.finish_at_once().await;
    assert_eq!((world.failure(), world.now()), ("call: timeout".to_owned(), seconds(30)));
}

#[tokio::test(start_paused = true)]
async fn the_error_branch_is_taken_after_the_last_attempt() {
    let config = json!({"retry": {"maxAttempts": 2, "backoffMs": 100}, "onError": "branch"});
    let mut nodes = one_call(config).to_vec();
    nodes.push(("sorry", "send_result", json!({"output": "input.code"})));
    let world = World::new(&nodes, "start>call call>end call.error>sorry", |_| unavailable(Duration::ZERO));
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1", "call #2"]);
    assert_eq!(world.output(), "unavailable");
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_took_a_branch_is_not_performed_again_after_a_restart() {
    let mut nodes = one_call(json!({"onError": "branch"})).to_vec();
    nodes.push(("sorry", "http", echo(json!({}))));
    nodes.push(("wait", "delay", json!({"seconds": 60})));
    nodes.push(("last", "send_result", json!({"output": "nodes.sorry.output"})));
    let connections = "start>call call>end call.error>sorry sorry>wait wait>last";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "call" => denied(),
        _ => ok(input_of(effect)["code"].clone()),
    });
    world.park().await;
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1", "sorry #1"]);
    assert_eq!(world.output(), "denied");
}
