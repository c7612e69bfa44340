//! Crashes between the parts of one write: its first events are stored, and the others are not.

use super::*;

/// The step `quick` wins against `slow`; its result decides a condition.
fn race(slow: (&'static str, Value)) -> [(&'static str, &'static str, Value); 8] {
    [
        ("start", "input", json!({})),
        ("slow", slow.0, slow.1),
        ("quick", "http", http(json!({}))),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("big", "condition", json!({"expression": "input > 10"})),
        ("never", "http", http(json!({}))),
        ("last", "http", http(json!({}))),
        ("end", "send_result", json!({})),
    ]
}

const RACE: &str = "start>slow start>quick slow>first quick>first first>big big.true>never big.false>last never>end \
    last>end";

fn world(slow: (&'static str, Value)) -> World {
    let connections =
        if slow.0 == "review" { RACE.replace("slow>first", "slow.approved>first") } else { RACE.to_owned() };
    World::new(&race(slow), &connections, |effect| match &*effect.step {
        "slow" if effect.operation.name() == "workflow" => Reply::Call,
        "slow" => ok(100).after(seconds(25)),
        _ => ok(1).after(seconds(3)),
    })
}

fn losers() -> [(&'static str, Value); 4] {
    let workflow = json!({"workflowId": "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11"});
    [
        ("http", http(json!({}))),
        ("workflow", workflow),
        ("review", json!({"title": "Go on?"})),
        ("delay", json!({"seconds": 100})),
    ]
}

/// All events but the intents, which a restart repeats, and the times.
fn computed(world: &World) -> Vec<String> {
    world.lines().into_iter().filter(|line| !line.contains('#') && !line.contains(" until ")).collect()
}

#[tokio::test(start_paused = true)]
async fn every_event_is_stored_once() {
    for slow in losers() {
        let whole = world(slow.clone());
        whole.finish_at_once().await;
        for write in 1..=whole.writes().len() {
            for events in 0..whole.writes()[write - 1].split("; ").count() {
                let world = world(slow.clone());
                world.crash(move |number| (number == write).then_some(Crash::AfterFirst(events)));
                assert_eq!(world.process().await, Exit::Crashed);
                world.finish_at_once().await;
                assert_eq!(computed(&world), computed(&whole), "{} events of write {write}, {}", events, slow.0);
            }
        }
    }
}

/// The result of `quick` is stored, and that `slow` is canceled is not.
#[tokio::test(start_paused = true)]
async fn what_a_result_cancels_is_canceled_by_the_next_process() {
    for (slow, result) in [(1, 3), (2, 2)].map(|(loser, write)| (losers()[loser].clone(), write)) {
        let world = world(slow);
        world.crash(move |write| (write == result).then_some(Crash::AfterFirst(1)));
        assert_eq!(world.process().await, Exit::Crashed);
        assert_eq!(world.lines().last().unwrap(), "quick > out");
        world.finish_at_once().await;
        let store = world.store.lock().unwrap();
        assert_eq!(store.stopped, store.started.iter().map(|new| new.id).collect::<Vec<_>>());
        assert!(store.reviews.values().all(|(_, state)| *state == ReviewState::Canceled), "{:?}", store.reviews);
    }
}
