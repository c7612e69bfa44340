//! How much is in progress at once, and how much is stored in one write.

use super::*;

/// 200 elements of two nested loops, all at once. `item` is the node that each of them runs.
fn many(item: (&'static str, &'static str, Value)) -> [(&'static str, &'static str, Value); 8] {
    let (rows, cells) = ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "[vars.item].map(x, [x, x, x, x, x, x, x, x, x, x])[0]");
    [
        ("start", "input", json!({})),
        ("rows", "loop", json!({"items": rows, "concurrency": 10})),
        ("cells", "loop", json!({"items": format!("{cells} + {cells}"), "concurrency": 20})),
        item,
        ("quick", "http", http(json!({"timeoutMs": 60_000}))),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("last", "http", http(json!({}))),
        ("end", "send_result", json!({})),
    ]
}

const MANY_CALLS: &str = "start>rows rows.item>cells cells.item>call call>cells.next cells.done>rows.next rows.done>first \
    start>quick quick>first first>last last>end";

fn many_calls(config: Value) -> World {
    World::new(&many(("call", "http", http(config))), MANY_CALLS, |effect| match &*effect.step {
        "quick" => ok("quick").after(seconds(45)),
        _ => ok(1).after(seconds(10)),
    })
}

#[tokio::test(start_paused = true)]
async fn at_most_100_attempts_are_in_progress() {
    let world = many_calls(json!({}));
    world.finish_at_once().await;
    assert_eq!(world.calls().len(), 202);
    assert_eq!(world.effects.witness.lock().unwrap().most_in_progress, 100);
}

#[tokio::test(start_paused = true)]
async fn a_write_has_at_most_50_results() {
    let world = many_calls(json!({}));
    world.finish_at_once().await;
    let results = world.writes().into_iter().map(|write| write.matches("/call > out").count());
    let results: Vec<usize> = results.filter(|results| *results > 0).collect();
    assert_eq!(results.iter().sum::<usize>(), 200);
    assert_eq!(results.iter().max(), Some(&50), "{results:?}");
}

fn many_reviews() -> World {
    let connections = MANY_CALLS.replace("cells.item>call call>", "cells.item>ask ask.approved>");
    World::new(&many(("ask", "review", json!({"title": "Go on?"}))), &connections, |effect| match &*effect.step {
        "quick" => ok("quick").after(seconds(20)),
        _ => ok(1),
    })
}

fn open_reviews(world: &World) -> usize {
    world.store.lock().unwrap().reviews.values().filter(|(_, state)| *state == ReviewState::Open).count()
}

#[tokio::test(start_paused = true)]
async fn all_reviews_are_opened_in_as_few_writes_as_fit() {
    let nodes = many(("ask", "review", json!({"title": "Go on?"})));
    let connections = "start>rows rows.item>cells cells.item>ask ask.approved>cells.next cells.done>rows.next \
        rows.done>first first>last last>end start>quick quick>end";
    let world = World::new(&nodes, connections, |_| ok(1));
    let parked = world.process().await;
    assert_eq!((open_reviews(&world), world.store.lock().unwrap().opened.clone()), (200, vec![50, 50, 50, 50]));
    assert!(matches!(parked, Exit::Left(Departure::Parked { .. })), "{parked:?}");
}

#[tokio::test(start_paused = true)]
async fn many_canceled_reviews_fit_into_the_writes() {
    let world = many_reviews();
    world.finish_at_once().await;
    assert_eq!(open_reviews(&world), 0);
    assert_eq!(world.output(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_questions_about_many_uncertain_attempts_fit_into_the_writes() {
    let nodes = many(("call", "http", http(json!({"onUncertain": "ask"}))));
    let world = World::new(&nodes, MANY_CALLS, |effect| match &*effect.step {
        "quick" => ok(1).after(seconds(1)),
        _ => ok(1).after(seconds(10)),
    });
    world.crash(|write| (write == 2).then_some(Crash::BeforeWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    assert_eq!(world.calls().len(), 100);
    world.process().await;
    let opened = world.store.lock().unwrap().opened.clone();
    assert!(opened.iter().all(|opened| *opened <= 50), "{opened:?}");
}
