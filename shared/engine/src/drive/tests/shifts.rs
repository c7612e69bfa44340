//! The end of a shift, and the loss of the claim.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_effect_that_could_outlast_the_shift_is_left_to_the_next_process() {
    let mut world = World::new(&one_call(json!({"timeoutMs": 60_000})), ONE_CALL, |_| ok("done"));
    world.shift = seconds(64);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    assert_eq!(world.writes(), ["start > out"]);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    world.shift = seconds(65);
    world.finish_at_once().await;
    assert_eq!(world.writes()[1..], ["call #1", "call > out; end > out; completed"]);
}

fn two_branches() -> [(&'static str, &'static str, Value); 6] {
    [
        ("start", "input", json!({})),
        ("a", "http", http(json!({}))),
        ("b", "http", http(json!({}))),
        ("c", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ]
}

const TWO_BRANCHES: &str = "start>a start>b a>c b>all c>all all>end";

#[tokio::test(start_paused = true)]
async fn effects_in_progress_are_awaited_before_the_run_is_handed_over() {
    let mut world = World::new(&two_branches(), TWO_BRANCHES, |effect| match &*effect.step {
        "a" => ok("a").after(seconds(10)),
        "b" => ok("b").after(seconds(25)),
        _ => ok("c"),
    });
    world.shift = seconds(40);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    assert_eq!(world.now(), seconds(25));
    assert_eq!(world.writes(), ["start > out; a #1; b #1", "a > out", "b > out"]);
    world.finish_at_once().await;
    assert_eq!((world.performed(), world.dropped()), (["a #1", "b #1", "c #1"].map(str::to_owned).to_vec(), vec![]));
    assert_eq!(world.output(), json!(["b", "c"]));
}

#[tokio::test(start_paused = true)]
async fn a_short_effect_begins_when_a_long_one_has_no_time() {
    let mut nodes = two_branches();
    nodes[1].2 = http(json!({"timeoutMs": 60_000}));
    let mut world = World::new(&nodes, TWO_BRANCHES, |_| ok(1));
    world.shift = seconds(50);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    assert_eq!(world.performed(), ["b #1"]);
    world.shift = seconds(900);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["b #1", "a #1", "c #1"]);
}

#[tokio::test(start_paused = true)]
async fn a_repeated_attempt_also_needs_time_in_the_shift() {
    let mut world = World::new(&one_call(json!({})), ONE_CALL, |_| ok("done"));
    world.crash(|_| Some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    world.store.lock().unwrap().faults.crash = None;
    world.shift = seconds(20);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    assert_eq!(world.performed(), [""; 0]);
    world.shift = seconds(40);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["call #1"]);
}

/// The process is suspended while it stores the intent, and may have lost the run since.
#[tokio::test(start_paused = true)]
async fn an_effect_does_not_begin_after_a_write_that_took_the_rest_of_the_shift() {
    let mut world = World::new(&one_call(json!({})), ONE_CALL, |_| ok("done"));
    world.shift = seconds(60);
    world.store.lock().unwrap().faults.latency = seconds(50);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    let writes = ["start > out; call #1", "call #1 interrupted"].map(str::to_owned);
    assert_eq!((world.performed(), world.writes()), (vec![], writes.to_vec()), "the begin is not counted");
    world.store.lock().unwrap().faults.latency = Duration::ZERO;
    world.finish_at_once().await;
    assert_eq!(world.output(), "done");
}

/// The attempt has 100 ms more than it needs, and the write takes 500 ms.
#[tokio::test(start_paused = true)]
async fn an_ordinary_write_near_the_end_of_a_shift_makes_no_attempt_uncertain() {
    let mut world = World::new(&one_call(json!({"onUncertain": "fail"})), ONE_CALL, |_| ok("done"));
    world.shift = Duration::from_millis(35_100);
    world.store.lock().unwrap().faults.latency = Duration::from_millis(500);
    world.finish().await;
    assert_eq!(world.output(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_process_without_the_claim_performs_nothing() {
    let world = World::new(&two_branches(), TWO_BRANCHES, |_| ok(1));
    world.store.lock().unwrap().faults.lost_from = Some(1);
    assert_eq!(world.process().await, Exit::Left(Departure::Lost));
    assert_eq!((world.performed(), world.writes()), (vec![], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_process_that_loses_the_claim_drops_its_effects_and_begins_no_other() {
    let world = World::new(&two_branches(), TWO_BRANCHES, |effect| match &*effect.step {
        "a" => ok(1).after(seconds(1)),
        _ => ok(1).after(seconds(20)),
    });
    world.store.lock().unwrap().faults.lost_from = Some(2);
    assert_eq!(world.process().await, Exit::Left(Departure::Lost));
    assert_eq!(world.performed(), ["a #1", "b #1"]);
    assert_eq!((world.dropped(), world.now()), (vec!["b".to_owned()], seconds(1)));
    assert_eq!(world.writes().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_claim_can_be_lost_at_the_last_write() {
    let world = World::new(&one_call(json!({})), ONE_CALL, |_| ok(1));
    world.store.lock().unwrap().faults.lost_from = Some(2);
    assert_eq!(world.process().await, Exit::Left(Departure::Lost));
    assert_eq!(world.store.lock().unwrap().end, None);
}

#[tokio::test(start_paused = true)]
async fn the_claim_can_be_lost_when_the_run_is_parked_or_handed_over() {
    let nodes =
        [("start", "input", json!({})), ("wait", "delay", json!({"seconds": 60})), ("end", "send_result", json!({}))];
    let world = World::new(&nodes, "start>wait wait>end", |_| panic!());
    world.store.lock().unwrap().faults.lost_from = Some(2);
    assert_eq!(world.process().await, Exit::Left(Departure::Lost));

    let mut world = World::new(&one_call(json!({})), ONE_CALL, |_| panic!());
    world.shift = seconds(1);
    world.store.lock().unwrap().faults.lost_from = Some(2);
    assert_eq!(world.process().await, Exit::Left(Departure::Lost));
}

/// The processes after the first one do not even store that they repeat the call.
#[tokio::test(start_paused = true)]
async fn a_run_that_crashes_too_often_ends_with_the_step_that_was_in_progress() {
    let world = World::new(&one_call(json!({})), ONE_CALL, |_| Reply::Crash);
    world.crash(|commit| (2..=6).contains(&commit).then_some(Crash::BeforeWrite));
    for _ in 0..=MAX_CRASHES {
        assert_eq!(world.process().await, Exit::Crashed);
    }
    world.finish_at_once().await;
    assert_eq!(world.writes(), ["start > out; call #1", "failed: call: crashed"]);
    assert_eq!(world.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_crashes_too_often_before_its_first_effect_ends_with_its_trigger() {
    let world = World::new(&one_call(json!({})), ONE_CALL, |_| panic!());
    world.crash(|commit| (commit <= 6).then_some(Crash::BeforeWrite));
    for _ in 0..=MAX_CRASHES {
        assert_eq!(world.process().await, Exit::Crashed);
    }
    world.finish_at_once().await;
    assert_eq!(world.failure(), "start: crashed");
}

#[tokio::test(start_paused = true)]
async fn the_crash_is_attributed_to_an_attempt_and_not_to_a_wait() {
    let nodes = [
        ("start", "input", json!({})),
        ("wait", "delay", json!({"seconds": 600})),
        ("call", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>wait start>call wait>all call>all all>end", |_| Reply::Crash);
    world.crash(|commit| (2..=6).contains(&commit).then_some(Crash::BeforeWrite));
    for _ in 0..=MAX_CRASHES {
        assert_eq!(world.process().await, Exit::Crashed);
    }
    world.finish_at_once().await;
    assert_eq!(world.failure(), "call: crashed");
}
