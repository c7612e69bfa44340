//! Delays: in the process, and with the run parked.

use super::*;

fn delay(config: Value) -> [(&'static str, &'static str, Value); 3] {
    [("start", "input", json!({})), ("wait", "delay", config), ("end", "send_result", json!({}))]
}

const DELAY: &str = "start>wait wait>end";

#[tokio::test(start_paused = true)]
async fn a_delay_parks_the_run_and_continues_with_its_input() {
    let world = World::new(&delay(json!({"seconds": 3600})), DELAY, |_| panic!());
    let wake_at = Some(at(seconds(3600)));
    assert_eq!(world.process().await, Exit::Left(Departure::Parked { wake_at }));
    assert_eq!(world.writes(), ["start > out; wait until 3600000"]);
    tokio::time::sleep(seconds(3600)).await;
    world.finish_at_once().await;
    assert_eq!(world.writes()[1], "wait > out; end > out; completed");
    assert_eq!(world.output(), json!({"n": 1}));
}

#[tokio::test(start_paused = true)]
async fn a_process_that_comes_too_early_parks_the_run_until_the_same_time() {
    let world = World::new(&delay(json!({"seconds": 60})), DELAY, |_| panic!());
    for _ in 0..3 {
        let wake_at = Some(at(seconds(60)));
        assert_eq!(world.process().await, Exit::Left(Departure::Parked { wake_at }));
        tokio::time::sleep(seconds(10)).await;
    }
    assert_eq!(world.writes().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_process_stays_for_a_short_delay() {
    let world = World::new(&delay(json!({"seconds": 1})), DELAY, |_| panic!());
    world.finish_at_once().await;
    assert_eq!(world.now(), seconds(1));
    assert_eq!(world.writes().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_process_stays_for_the_rest_of_a_delay() {
    let world = World::new(&delay(json!({"seconds": 60})), DELAY, |_| panic!());
    assert_eq!(world.process().await, Exit::Left(Departure::Parked { wake_at: Some(at(seconds(60))) }));
    tokio::time::sleep(Duration::from_millis(59_200)).await;
    world.finish_at_once().await;
    assert_eq!(world.now(), seconds(60));
}

#[tokio::test(start_paused = true)]
async fn a_delay_until_a_time_parks_the_run() {
    let until = serde_json::to_string(&at(seconds(7_200)).to_string()).unwrap();
    let world = World::new(&delay(json!({"until": format!("timestamp({until})")})), DELAY, |_| panic!());
    assert_eq!(world.park().await, seconds(7_200));
    world.finish_at_once().await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_until_a_time_in_the_past_ends_at_once() {
    let world = World::new(&delay(json!({"until": "timestamp('2020-01-01T00:00:00Z')"})), DELAY, |_| panic!());
    world.finish_at_once().await;
    assert_eq!((world.now(), world.output()), (Duration::ZERO, json!({"n": 1})));
}

#[tokio::test(start_paused = true)]
async fn a_delay_of_more_than_30_days_fails() {
    let days = |days: u64| at(seconds(days * 24 * 60 * 60)).to_string();
    let world = World::new(&delay(json!({"until": format!("timestamp('{}')", days(31))})), DELAY, |_| panic!());
    world.finish_at_once().await;
    assert_eq!(world.failure(), "wait: delay_too_long");

    let world = World::new(&delay(json!({"until": format!("timestamp('{}')", days(30))})), DELAY, |_| panic!());
    assert_eq!(world.park().await, seconds(30 * 24 * 60 * 60));
}

#[tokio::test(start_paused = true)]
async fn a_run_of_31_days_fails() {
    let nodes = [
        ("start", "input", json!({})),
        ("first", "delay", json!({"seconds": 20 * 24 * 60 * 60})),
        ("second", "delay", json!({"seconds": 20 * 24 * 60 * 60})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>first first>second second>end", |_| panic!());
    assert_eq!(world.park().await, seconds(20 * 24 * 60 * 60));
    assert_eq!(world.park().await, seconds(11 * 24 * 60 * 60));
    world.finish_at_once().await;
    assert_eq!(world.failure(), ": run_too_long");
}

#[tokio::test(start_paused = true)]
async fn a_delay_until_something_else_than_a_time_fails() {
    let world = World::new(&delay(json!({"until": "input.n"})), DELAY, |_| panic!());
    world.finish_at_once().await;
    assert_eq!(world.failure(), "wait: invalid_value");
}

#[tokio::test(start_paused = true)]
async fn the_earliest_of_several_delays_wakes_the_run() {
    let nodes = [
        ("start", "input", json!({})),
        ("long", "delay", json!({"seconds": 100})),
        ("short", "delay", json!({"seconds": 40})),
        ("call", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>long start>short short>call long>all call>all all>end";
    let world = World::new(&nodes, connections, |_| ok("called").after(seconds(5)));
    assert_eq!(world.park().await, seconds(40));
    assert_eq!(world.park().await, seconds(55));
    world.finish_at_once().await;
    assert_eq!(world.output(), json!([{"n": 1}, "called"]));
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_ends_while_an_effect_is_in_progress_goes_on_at_its_time() {
    let nodes = [
        ("start", "input", json!({})),
        ("slow", "http", http(json!({}))),
        ("wait", "delay", json!({"seconds": 10})),
        ("call", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>slow start>wait wait>call slow>all call>all all>end";
    let world = World::new(&nodes, connections, |_| ok(1).after(seconds(25)));
    world.finish_at_once().await;
    assert_eq!(world.times_of("call"), [seconds(10)]);
}

/// A process that stays longer than its shift is killed.
#[tokio::test(start_paused = true)]
async fn short_delays_do_not_keep_a_process_beyond_its_shift() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]"})),
        ("wait", "delay", json!({"seconds": 1})),
        ("end", "send_result", json!({})),
    ];
    let mut world = World::new(&nodes, "start>each each.item>wait wait>each.next each.done>end", |_| panic!());
    world.shift = seconds(10);
    assert_ne!(world.process().await, Exit::Left(Departure::Ended));
    assert!(world.now() <= seconds(10), "{:?}", world.now());
    world.finish().await;
}
