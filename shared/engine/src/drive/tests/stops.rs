//! Planned stops of the process: they are no crashes of the attempts that they interrupt.

use tokio::time::sleep;

use super::*;

/// More stops than an attempt may have crashes.
const STOPS: usize = MAX_CRASHES as usize + 3;

/// Carries out the run in a new process, which stops after a time.
async fn process_that_stops_after(world: &mut World, time: Duration) -> Exit {
    world.stop = CancellationToken::new();
    let stop = world.stop.clone();
    let stopping = async {
        sleep(time).await;
        stop.cancel();
    };
    tokio::join!(world.process(), stopping).0
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_planned_stops_interrupt_is_not_blamed() {
    let mut world = World::new(&one_call(json!({})), ONE_CALL, |_| ok(1).after(seconds(8)));
    for _ in 0..STOPS {
        let exit = process_that_stops_after(&mut world, seconds(1)).await;
        assert_eq!(exit, Exit::Left(Departure::HandedOver));
    }
    world.stop = CancellationToken::new();
    world.finish_at_once().await;
    assert_eq!(world.output(), 1);
    assert_eq!(world.performed(), vec!["call #1"; STOPS + 1]);
    assert_eq!(world.dropped(), vec!["call"; STOPS]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_ends_soon_after_the_stop_is_kept() {
    let mut world = World::new(&one_call(json!({})), ONE_CALL, |_| ok(1).after(seconds(4)));
    assert_eq!(process_that_stops_after(&mut world, seconds(1)).await, Exit::Left(Departure::Ended));
    assert_eq!(world.performed(), ["call #1"]);
}

#[tokio::test(start_paused = true)]
async fn no_effect_begins_after_the_stop() {
    let call = || http(json!({}));
    let nodes = [("start", "input", json!({})), ("first", "http", call()), ("second", "http", call())];
    let mut world = World::new(&nodes, "start>first first>second", |_| ok(1).after(seconds(4)));
    assert_eq!(process_that_stops_after(&mut world, seconds(1)).await, Exit::Left(Departure::HandedOver));
    assert_eq!(world.performed(), ["first #1"]);
    world.stop = CancellationToken::new();
    world.finish_at_once().await;
    assert_eq!(world.performed(), ["first #1", "second #1"]);
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_about_an_interrupted_attempt_if_the_node_says_so() {
    let mut world = World::new(&one_call(json!({"onUncertain": "ask"})), ONE_CALL, |_| ok(1).after(seconds(60)));
    assert_eq!(process_that_stops_after(&mut world, seconds(1)).await, Exit::Left(Departure::HandedOver));
    world.stop = CancellationToken::new();
    world.park().await;
    assert_eq!(world.performed(), ["call #1"]);
}

#[tokio::test(start_paused = true)]
async fn crashes_count_beside_planned_stops() {
    let mut world = World::new(&one_call(json!({})), ONE_CALL, |_| Reply::CrashAfter(seconds(6)));
    let mut crashes = 0;
    while world.store.lock().unwrap().end.is_none() {
        process_that_stops_after(&mut world, seconds(60)).await;
        crashes += 1;
        process_that_stops_after(&mut world, Duration::ZERO).await;
        assert!(crashes < 100, "{:#?}", world.lines());
    }
    assert_eq!(world.failure(), "call: crashed");
}
