//! Attempts that crash their processes, and what happens to the steps beside them.

use std::sync::Mutex;

use super::*;

/// How often an attempt begins, at most.
const MAX_ATTEMPTS: usize = MAX_CRASHES as usize + 1;

/// How often an attempt began before it is suspected.
const UNSUSPECTED: usize = 3;

/// Carries out the run to its end, and returns how many processes crashed.
async fn count_crashes(world: &World) -> usize {
    let mut crashes = 0;
    while world.process().await == Exit::Crashed {
        crashes += 1;
        assert!(crashes < 100, "{:#?}", world.lines());
    }
    assert!(world.store.lock().unwrap().end.is_some(), "{:#?}", world.lines());
    crashes
}

fn intents(world: &World, attempt: &str) -> usize {
    world.lines().iter().filter(|line| *line == attempt).count()
}

/// The intents between the begin of an attempt with this number and its next begin.
fn begun_beside(world: &World, attempt: &str, times: usize) -> Vec<String> {
    let lines = world.lines();
    let places: Vec<usize> = (0..lines.len()).filter(|place| lines[*place] == attempt).collect();
    let (from, to) = (places[times - 1], places.get(times).copied().unwrap_or(lines.len()));
    lines[from + 1..to].iter().filter(|line| line.contains('#')).cloned().collect()
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_begins_too_often_fails_its_step() {
    let world = World::new(&one_call(json!({"retry": {"maxAttempts": 3}})), ONE_CALL, |_| Reply::Crash);
    assert_eq!(count_crashes(&world).await, MAX_ATTEMPTS);
    assert_eq!(world.writes().last().unwrap(), "call failed: crashed; failed: call: crashed");
    assert_eq!(world.performed(), ["call #1"; MAX_ATTEMPTS]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_goes_well_the_last_time_completes() {
    let begun = Mutex::new(0);
    let world = World::new(&one_call(json!({})), ONE_CALL, move |_| {
        let mut begun = begun.lock().unwrap();
        *begun += 1;
        if *begun < MAX_ATTEMPTS { Reply::Crash } else { ok("done") }
    });
    assert_eq!(count_crashes(&world).await, MAX_ATTEMPTS - 1);
    assert_eq!((world.output(), world.performed().len()), (json!("done"), MAX_ATTEMPTS));
}

#[tokio::test(start_paused = true)]
async fn the_next_attempt_is_counted_anew() {
    let begun = Mutex::new(0);
    let retry = json!({"maxAttempts": 2, "backoffMs": 100});
    let world = World::new(&one_call(json!({"retry": retry})), ONE_CALL, move |_| {
        let mut begun = begun.lock().unwrap();
        *begun += 1;
        match *begun {
            MAX_ATTEMPTS => unavailable(Duration::ZERO),
            times if times == 2 * MAX_ATTEMPTS => ok("done"),
            _ => Reply::Crash,
        }
    });
    assert_eq!(count_crashes(&world).await, 2 * (MAX_ATTEMPTS - 1));
    assert_eq!(world.performed(), [["call #1"; MAX_ATTEMPTS], ["call #2"; MAX_ATTEMPTS]].concat());
    assert_eq!(world.output(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_crashed_takes_the_error_branch() {
    let mut nodes = one_call(json!({"onError": "branch"})).to_vec();
    nodes.push(("sorry", "send_result", json!({"output": "input.code"})));
    let world = World::new(&nodes, "start>call call>end call.error>sorry", |_| Reply::Crash);
    assert_eq!(count_crashes(&world).await, MAX_ATTEMPTS);
    assert_eq!(world.output(), "crashed");
    let lines = world.lines();
    assert!(lines.contains(&"call > error".to_owned()) && lines.contains(&"end skipped".to_owned()), "{lines:#?}");
    assert_eq!(world.performed(), ["call #1"; MAX_ATTEMPTS]);
}

/// Each process performs a few elements of the loop before it crashes.
async fn crash_beside_a_loop(on_error: &str) -> World {
    let items: Vec<String> = (0..30).map(|item| item.to_string()).collect();
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": format!("[{}]", items.join(", ")), "concurrency": 2})),
        ("call", "http", http(json!({}))),
        ("poison", "http", http(json!({"onError": on_error}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>each each.item>call call>each.next each.done>all start>poison poison>all all>end";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "poison" => Reply::Crash.after(Duration::from_millis(2_500)),
        _ => ok(1).after(seconds(1)),
    });
    let elements = |world: &World| world.lines().iter().filter(|line| line.ends_with("/call > out")).count();
    for times in 1..=MAX_ATTEMPTS {
        let before = elements(&world);
        assert_eq!(world.process().await, Exit::Crashed);
        assert_eq!(intents(&world, "poison #1"), times);
        // The loop waits while the suspect is performed alone.
        let performed = if times <= UNSUSPECTED { 4 } else { 0 };
        assert_eq!(elements(&world) - before, performed, "{:#?}", world.lines());
    }
    world.finish_at_once().await;
    assert_eq!(intents(&world, "poison #1"), MAX_ATTEMPTS);
    for times in UNSUSPECTED + 1..MAX_ATTEMPTS {
        assert_eq!(begun_beside(&world, "poison #1", times), [""; 0]);
    }
    world
}

#[tokio::test(start_paused = true)]
async fn a_poisonous_effect_ends_as_crashed_although_a_loop_makes_progress() {
    let world = crash_beside_a_loop("fail").await;
    assert_eq!(world.failure(), "poison: crashed");
}

#[tokio::test(start_paused = true)]
async fn a_loop_completes_beside_a_poisonous_effect() {
    let world = crash_beside_a_loop("continue").await;
    assert_eq!(world.output(), json!([vec![1; 30], null]));
}

/// The slow effect never ends before the poisonous one crashes. Suspects are performed in the order of the nodes.
async fn crash_beside_a_slow_effect(branches: [&'static str; 2]) {
    let mut nodes = vec![("start", "input", json!({}))];
    nodes.extend(branches.map(|branch| (branch, "http", http(json!({"onError": "continue"})))));
    nodes.extend([("all", "merge", json!({})), ("end", "send_result", json!({}))]);
    let connections = "start>slow start>poison slow>all poison>all all>end";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "poison" => Reply::Crash.after(seconds(1)),
        step => ok(step).after(seconds(10)),
    });
    assert_eq!(count_crashes(&world).await, MAX_ATTEMPTS);
    assert_eq!(world.output(), json!(["slow", null]));
    // Each is in progress with the other until it is suspected, and then alone.
    assert_eq!((intents(&world, "poison #1"), intents(&world, "slow #1")), (MAX_ATTEMPTS, UNSUSPECTED + 1));
    assert!(world.lines().contains(&"poison failed: crashed".to_owned()), "{:#?}", world.lines());
}

#[tokio::test(start_paused = true)]
async fn a_slow_effect_before_a_poisonous_one_is_not_blamed() {
    crash_beside_a_slow_effect(["slow", "poison"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_effect_after_a_poisonous_one_is_not_blamed() {
    crash_beside_a_slow_effect(["poison", "slow"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_suspect_waits_for_the_suspect_of_another_run() {
    let world = World::new(&one_call(json!({})), ONE_CALL, |_| ok("done"));
    world.crash(|commit| (commit <= UNSUSPECTED).then_some(Crash::AfterWrite));
    for _ in 0..UNSUSPECTED {
        assert_eq!(world.process().await, Exit::Crashed);
    }
    let other = world.suspects.try_enter().expect("no suspect is in progress");
    assert_eq!(world.park().await, seconds(60));
    assert_eq!(intents(&world, "call #1"), UNSUSPECTED);
    drop(other);
    world.finish_at_once().await;
    assert_eq!((world.output(), intents(&world, "call #1")), (json!("done"), UNSUSPECTED + 1));
    assert!(world.suspects.try_enter().is_some());
}

/// The result of a suspect is stored before the next effect begins, or in the same write.
#[tokio::test(start_paused = true)]
async fn the_result_of_a_suspect_is_not_lost_when_the_next_one_crashes_at_once() {
    let nodes = [
        ("start", "input", json!({})),
        ("slow", "http", http(json!({}))),
        ("poison", "http", http(json!({"onError": "continue"}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>slow start>poison slow>all poison>all all>end";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "poison" => Reply::Crash,
        step => ok(step).after(seconds(10)),
    });
    assert_eq!(count_crashes(&world).await, MAX_ATTEMPTS);
    assert_eq!(intents(&world, "slow #1"), UNSUSPECTED + 1);
    assert_eq!(world.output(), json!(["slow", null]));
}

/// The delay ends while the suspect is in progress.
#[tokio::test(start_paused = true)]
async fn what_becomes_due_while_a_suspect_is_in_progress_waits() {
    let nodes = [
        ("start", "input", json!({})),
        ("poison", "http", http(json!({"onError": "continue"}))),
        ("wait", "delay", json!({"seconds": 50})),
        ("note", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>poison start>wait wait>note poison>all note>all all>end";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "poison" => Reply::Crash.after(seconds(15)),
        step => ok(step).after(seconds(20)),
    });
    assert_eq!(count_crashes(&world).await, MAX_ATTEMPTS);
    assert_eq!(intents(&world, "note #1"), 1);
}

#[tokio::test(start_paused = true)]
async fn the_next_effect_begins_when_a_suspect_is_canceled() {
    let nodes = [
        ("start", "input", json!({})),
        ("slow", "http", http(json!({}))),
        ("wait", "delay", json!({"seconds": 20})),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("other", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>slow start>wait slow>first wait>first first>all start>other other>all all>end";
    let world = World::new(&nodes, connections, |_| ok(1).after(seconds(25)));
    world.crash(|commit| (commit <= 3).then_some(Crash::AfterWrite));
    for _ in 0..UNSUSPECTED {
        assert_eq!(world.process().await, Exit::Crashed);
    }
    world.finish_at_once().await;
}
