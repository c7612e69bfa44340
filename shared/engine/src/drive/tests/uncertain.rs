//! Attempts that may have taken place: before a crash, before a timeout, or without an answer.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// A run whose first process crashes in the middle of the call.
async fn crashed_call(config: Value) -> World {
    let world = World::new(&one_call(config), ONE_CALL, |effect| match effect.attempt {
        1 => Reply::Crash,
        _ => ok("done"),
    });
    assert_eq!(world.process().await, Exit::Crashed);
    world
}

#[tokio::test(start_paused = true)]
async fn the_attempt_is_repeated_with_the_same_key() {
    let crashed = AtomicBool::new(false);
    let world = World::new(&one_call(json!({})), ONE_CALL, move |_| match crashed.swap(true, Ordering::Relaxed) {
        true => ok("done"),
        false => Reply::Crash,
    });
    assert_eq!(world.process().await, Exit::Crashed);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1", "call #1"]);
    let calls = world.calls();
    assert_eq!(calls[0].effect.idempotency_key, calls[1].effect.idempotency_key);
    // The intent is stored each time, because the log counts how often the attempt begins.
    assert_eq!(world.writes(), ["start > out; call #1", "call #1", "call > out; end > out; completed"]);
}

#[tokio::test(start_paused = true)]
async fn the_step_fails_without_a_retry_if_its_policy_is_fail() {
    let world = crashed_call(json!({"onUncertain": "fail", "retry": {"maxAttempts": 3}})).await;
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1"]);
    assert_eq!(world.writes()[1..], ["call failed: outcome_unknown; failed: call: outcome_unknown"]);
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_failure_takes_the_error_branch() {
    let mut nodes = one_call(json!({"onUncertain": "fail", "onError": "branch"})).to_vec();
    nodes.push(("sorry", "send_result", json!({"output": "input.code"})));
    let world = World::new(&nodes, "start>call call>end call.error>sorry", |_| Reply::Crash);
    assert_eq!(world.process().await, Exit::Crashed);
    world.finish_at_once().await;
    assert_eq!(world.output(), "outcome_unknown");
}

/// An attempt that may have taken place, although no process crashed: its answer was lost, or it took too long.
#[derive(Clone, Copy)]
enum Unanswered {
    Cut,
    Late,
}

impl Unanswered {
    fn reply(self) -> Reply {
        match self {
            Self::Cut => unanswered(),
            Self::Late => ok("late").after(Duration::from_secs(3)),
        }
    }

    fn error(self) -> &'static str {
        match self {
            Self::Cut => "call: cut",
            Self::Late => "call: timeout",
        }
    }
}

/// A run whose first attempt is not answered.
fn unanswered_call(config: Value, first: Unanswered) -> World {
    World::new(&one_call(config), ONE_CALL, move |effect| match effect.attempt {
        1 => first.reply(),
        _ => ok("done"),
    })
}

#[tokio::test(start_paused = true)]
async fn an_attempt_without_an_answer_is_retried_as_its_policy_says() {
    for first in [Unanswered::Cut, Unanswered::Late] {
        let config = |policy| json!({"onUncertain": policy, "timeoutMs": 2_000, "retry": {"maxAttempts": 3}});
        let world = unanswered_call(config("retry"), first);
        world.finish_at_once().await;
        assert_eq!((world.performed().len(), world.output()), (2, json!("done")));

        let world = unanswered_call(config("fail"), first);
        world.finish_at_once().await;
        assert_eq!((world.performed().len(), world.failure()), (1, first.error().to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_about_an_attempt_without_an_answer() {
    for first in [Unanswered::Cut, Unanswered::Late] {
        let world = unanswered_call(json!({"onUncertain": "ask", "timeoutMs": 2_000}), first);
        assert!(matches!(world.process().await, Exit::Left(Departure::Parked { .. })));
        assert_eq!(world.review("call").0.request["title"], "Did the step call take place?");
        world.answer(seconds(60), "call", approval()).await;
        world.finish_at_once().await;
        assert_eq!(
            (world.performed(), world.output()),
            (vec!["call #1".to_owned(), "call #2".to_owned()], json!("done"))
        );
    }
}

/// A run that asks whether the call of its first process took place.
async fn asked() -> World {
    let world = crashed_call(json!({"onUncertain": "ask"})).await;
    assert_eq!(world.process().await, Exit::Left(Departure::Parked { wake_at: Some(at(seconds(7 * 24 * 60 * 60))) }));
    assert_eq!(world.writes()[1..], ["call asks until 604800000"]);
    let (review, state) = world.review("call");
    assert_eq!(state, ReviewState::Open);
    assert_eq!(review.request["title"], "Did the step call take place?");
    world
}

#[tokio::test(start_paused = true)]
async fn a_person_decides_that_the_step_is_performed_again() {
    let world = asked().await;
    world.answer(seconds(60), "call", approval()).await;
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1", "call #2"]);
    let calls = world.calls();
    assert_ne!(calls[0].effect.idempotency_key, calls[1].effect.idempotency_key);
    assert_eq!(world.output(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_person_decides_that_the_step_fails() {
    let world = asked().await;
    world.answer(seconds(60), "call", rejection()).await;
    world.finish_at_once().await;
    assert_eq!((world.performed().len(), world.failure()), (1, "call: outcome_unknown".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn the_step_fails_if_nobody_decides() {
    let world = asked().await;
    world.park().await;
    world.finish_at_once().await;
    assert_eq!((world.performed().len(), world.failure()), (1, "call: outcome_unknown".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_once_about_an_attempt() {
    let world = asked().await;
    let writes = world.writes();
    for _ in 0..2 {
        assert!(matches!(world.process().await, Exit::Left(Departure::Parked { .. })));
    }
    assert_eq!(world.writes(), writes);
}

#[tokio::test(start_paused = true)]
async fn an_approval_survives_a_crash_before_the_next_attempt() {
    let world = asked().await;
    world.answer(seconds(60), "call", approval()).await;
    world.crash(|commit| (commit == 3).then_some(Crash::BeforeWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    assert_eq!(world.performed(), ["call #1"]);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1", "call #2"]);
}

#[tokio::test(start_paused = true)]
async fn an_approval_survives_a_shift_without_time() {
    let mut world = asked().await;
    world.answer(seconds(60), "call", approval()).await;
    world.shift = seconds(10);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    world.shift = seconds(900);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1", "call #2"]);
}

#[tokio::test(start_paused = true)]
async fn another_crash_after_an_approval_asks_again() {
    let world = asked().await;
    world.answer(seconds(60), "call", approval()).await;
    world.crash(|commit| (commit == 3).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    assert!(matches!(world.process().await, Exit::Left(Departure::Parked { .. })));
    assert_eq!(world.review("call").1, ReviewState::Open);
    world.answer(seconds(60), "call", approval()).await;
    world.finish_at_once().await;
    // The second attempt crashed before it was performed.
    assert_eq!(world.performed(), ["call #1", "call #3"]);
}

#[tokio::test(start_paused = true)]
async fn a_message_is_not_sent_again_without_a_decision() {
    let nodes = [("start", "input", json!({})), ("send", "send_message", json!({"text": "Hello {{ input.n }}"}))];
    let world = World::new(&nodes, "start>send", |_| Reply::Crash);
    assert_eq!(world.process().await, Exit::Crashed);
    assert!(matches!(world.process().await, Exit::Left(Departure::Parked { .. })));
    assert_eq!(world.review("send").1, ReviewState::Open);
    assert_eq!(world.performed(), ["send #1"]);
}

#[tokio::test(start_paused = true)]
async fn other_branches_go_on_while_a_person_is_asked() {
    let nodes = [
        ("start", "input", json!({})),
        ("call", "http", http(json!({"onUncertain": "ask"}))),
        ("wait", "delay", json!({"seconds": 60})),
        ("note", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>call start>wait wait>note call>all note>all all>end";
    let world = World::new(&nodes, connections, |effect| match (&*effect.step, effect.attempt) {
        ("call", 1) => Reply::Crash,
        (step, _) => ok(step),
    });
    assert_eq!(world.process().await, Exit::Crashed);
    assert_eq!(world.park().await, seconds(60));
    assert!(matches!(world.process().await, Exit::Left(Departure::Parked { .. })));
    assert_eq!(world.performed(), ["call #1", "note #1"]);
    world.answer(seconds(60), "call", approval()).await;
    world.finish_at_once().await;
    assert_eq!(world.output(), json!(["call", "note"]));
}
