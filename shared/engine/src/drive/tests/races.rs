//! Races: what happens to the effects and reviews of the branches that lose, and other cancellations.

use super::*;

/// `quick` wins against `slow`, and `last` runs afterwards. A branch of the race can be replaced.
fn race(slow: (&'static str, Value)) -> [(&'static str, &'static str, Value); 6] {
    [
        ("start", "input", json!({})),
        ("slow", slow.0, slow.1),
        ("quick", "http", http(json!({}))),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("last", "http", echo(json!({}))),
        ("end", "send_result", json!({})),
    ]
}

const RACE: &str = "start>slow start>quick slow>first quick>first first>last last>end";

#[tokio::test(start_paused = true)]
async fn the_effect_of_a_loser_is_dropped() {
    let world = World::new(&race(("http", http(json!({})))), RACE, |effect| match &*effect.step {
        "slow" => ok("slow").after(seconds(25)),
        step => ok(step).after(seconds(3)),
    });
    world.finish_at_once().await;
    let write = "quick > out; first takes 3; slow canceled; slow skipped; first > out; last #1";
    let [_, won, _] = &world.writes()[..] else { panic!("{:?}", world.writes()) };
    assert_eq!(split(won), split(write));
    assert_eq!((world.dropped(), world.now()), (vec!["slow".to_owned()], seconds(6)));
    assert_eq!(input_of(&world.calls()[2].effect), "quick");
}

/// The events of a write in alphabetical order.
fn split(write: &str) -> Vec<&str> {
    let mut events: Vec<&str> = write.split("; ").collect();
    events.sort_unstable();
    events
}

#[tokio::test(start_paused = true)]
async fn the_review_of_a_loser_is_canceled() {
    let review = ("review", json!({"title": "Go on?"}));
    let connections = RACE.replace("slow>first", "slow.approved>first");
    let world = World::new(&race(review), &connections, |_| ok(1).after(seconds(3)));
    world.crash(|commit| (commit == 2).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    assert_eq!(world.review("slow").1, ReviewState::Canceled);
    world.finish_at_once().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_before_a_review_is_canceled_is_repaired() {
    let review = ("review", json!({"title": "Go on?"}));
    let connections = RACE.replace("slow>first", "slow.approved>first");
    let world = World::new(&race(review), &connections, |_| ok(1).after(seconds(3)));
    world.crash(|commit| (commit >= 2).then_some(Crash::AfterWrite));
    for (skips_follow_up, state) in [(true, ReviewState::Open), (false, ReviewState::Canceled)] {
        world.store.lock().unwrap().faults.skips_follow_up = skips_follow_up;
        assert_eq!(world.process().await, Exit::Crashed);
        assert_eq!(world.review("slow").1, state);
    }
}

#[tokio::test(start_paused = true)]
async fn the_wait_of_a_loser_does_not_wake_the_run() {
    let nodes = race(("delay", json!({"seconds": 100})));
    let mut nodes = nodes.to_vec();
    nodes.push(("wait", "delay", json!({"seconds": 500})));
    let connections = "start>slow start>quick slow>first quick>first first>wait wait>last last>end";
    let world = World::new(&nodes, connections, |_| ok(1));
    assert_eq!(world.park().await, seconds(500));
    world.finish_at_once().await;
}

#[tokio::test(start_paused = true)]
async fn the_winner_is_the_same_after_a_restart() {
    let world = World::new(&race(("http", http(json!({})))), RACE, |effect| match &*effect.step {
        "slow" => ok("slow").after(seconds(25)),
        step => ok(step).after(seconds(3)),
    });
    world.crash(|commit| (commit == 2).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["slow #1", "quick #1", "last #1"]);
    assert_eq!(input_of(&world.calls()[2].effect), "quick");
}

/// Both results arrive during a write: that of `call`, which opens the review, and that of `quick`, which wins.
#[tokio::test(start_paused = true)]
async fn a_review_that_loses_before_it_is_stored_is_not_opened() {
    let nodes = [
        ("start", "input", json!({})),
        ("other", "http", http(json!({}))),
        ("call", "http", http(json!({}))),
        ("ask", "review", json!({"title": "Go on?"})),
        ("quick", "http", http(json!({}))),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("last", "http", echo(json!({}))),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>other start>call start>quick call>ask ask.approved>first quick>first first>last last>end";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "other" => ok(1).after(seconds(1)),
        "call" => ok(1).after(seconds(2)),
        _ => ok(1).after(seconds(3)),
    });
    world.store.lock().unwrap().faults.latency = seconds(5);
    world.finish_at_once().await;
    assert_eq!(world.store.lock().unwrap().reviews.len(), 0);
}

/// Both steps of the body become due at once. The delay fails immediately, which ends the iteration.
#[tokio::test(start_paused = true)]
async fn an_effect_that_is_canceled_as_soon_as_it_is_due_is_not_performed() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "[1]", "onItemError": "skip"})),
        ("wait", "delay", json!({"until": "vars.item"})),
        ("call", "http", http(json!({}))),
        ("last", "http", echo(json!({}))),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>each each.item>wait each.item>call wait>each.next call>each.next each.done>last last>end";
    let world = World::new(&nodes, connections, |_| ok(1).after(seconds(3)));
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["last #1"]);
}

/// The outcome of `call` is unknown after the crash, which ends its iteration, in which the review is open.
#[tokio::test(start_paused = true)]
async fn an_uncertain_failure_cancels_the_open_review_of_its_iteration() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "[1]", "onItemError": "skip"})),
        ("call", "http", http(json!({"onUncertain": "fail"}))),
        ("ask", "review", json!({"title": "Go on?"})),
        ("last", "http", echo(json!({}))),
        ("end", "send_result", json!({})),
    ];
    let connections =
        "start>each each.item>call each.item>ask call>each.next ask.approved>each.next each.done>last last>end";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "last" => ok(1),
        _ => Reply::Crash,
    });
    assert_eq!(world.process().await, Exit::Crashed);
    world.crash(|commit| (commit == 2).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    assert_eq!(world.review("each[0]/ask").1, ReviewState::Canceled);
    world.finish_at_once().await;
}
