//! What is stored in one write, and what is performed meanwhile.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_run_without_effects_is_one_write() {
    let nodes = [
        ("start", "input", json!({})),
        ("big", "condition", json!({"expression": "input.n > 10"})),
        ("yes", "template", json!({"template": "big"})),
        ("no", "template", json!({"template": "small"})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>big big.true>yes big.false>no yes>end no>end", |_| panic!());
    world.finish_at_once().await;
    assert_eq!(world.writes(), ["start > out; big > false; yes skipped; no > out; end > out; completed"]);
    assert_eq!(world.output(), "small");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_fails_without_effects_is_one_write() {
    let nodes = [
        ("start", "input", json!({})),
        ("few", "condition", json!({"expression": "input.n < 10"})),
        ("stop", "fail", json!({"code": "sold_out", "message": "Sorry."})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>few few.true>stop few.false>end", |_| panic!());
    world.finish_at_once().await;
    assert_eq!(world.writes(), ["start > out; few > true; stop failed: sold_out; failed: stop: sold_out"]);
}

/// Every test checks that an intent is stored before its effect is performed: see `ScriptedEffects::check_intent`.
#[tokio::test(start_paused = true)]
async fn the_result_of_an_effect_and_the_intent_of_the_next_are_one_write() {
    let nodes = [
        ("start", "input", json!({})),
        ("one", "http", http(json!({}))),
        ("add", "transform", json!({"value": "input + 1"})),
        ("two", "http", http(json!({"method": "POST", "body": {"type": "json", "value": "input"}}))),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>one one>add add>two two>end", |effect| match &*effect.step {
        "one" => ok(1),
        _ => ok(json_of(effect).clone()),
    });
    world.finish_at_once().await;
    let writes = ["start > out; one #1", "one > out; add > out; two #1", "two > out; end > out; completed"];
    assert_eq!(world.writes(), writes);
    assert_eq!(world.output(), 2);
    assert_eq!(*json_of(&world.calls()[1].effect), 2);
}

fn three_branches() -> [(&'static str, &'static str, Value); 7] {
    [
        ("start", "input", json!({})),
        ("a", "http", http(json!({}))),
        ("b", "http", http(json!({}))),
        ("c", "http", http(json!({}))),
        ("all", "merge", json!({})),
        ("last", "http", echo(json!({}))),
        ("end", "send_result", json!({})),
    ]
}

const THREE_BRANCHES: &str = "start>a start>b start>c a>all b>all c>all all>last last>end";

#[tokio::test(start_paused = true)]
async fn branches_are_performed_at_once() {
    let world = World::new(&three_branches(), THREE_BRANCHES, |effect| ok(&*effect.step).after(seconds(10)));
    world.finish_at_once().await;
    assert_eq!(world.now(), seconds(20));
    assert_eq!(world.effects.witness.lock().unwrap().most_in_progress, 3);
    assert_eq!(input_of(&world.calls()[3].effect), json!(["a", "b", "c"]));
}

#[tokio::test(start_paused = true)]
async fn results_that_arrive_during_a_write_are_stored_together_in_the_next() {
    let world = World::new(&three_branches(), THREE_BRANCHES, |effect| {
        let millis = match &*effect.step {
            "a" => 1_000,
            "b" => 1_200,
            "c" => 1_100,
            _ => 10,
        };
        ok(&*effect.step).after(Duration::from_millis(millis))
    });
    world.store.lock().unwrap().faults.latency = Duration::from_millis(500);
    world.finish_at_once().await;
    let writes = [
        "start > out; a #1; b #1; c #1",
        "a > out",
        "c > out; b > out; all > out; last #1",
        "last > out; end > out; completed",
    ];
    assert_eq!(world.writes(), writes);
    assert_eq!(world.now(), Duration::from_millis(500 + 1_000 + 500 + 500 + 10));
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_run_drops_the_other_effects() {
    let world = World::new(&three_branches(), THREE_BRANCHES, |effect| match &*effect.step {
        "b" => denied().after(seconds(1)),
        _ => ok(1).after(seconds(20)),
    });
    world.finish_at_once().await;
    assert_eq!(world.writes()[1], "b failed: denied; a canceled; c canceled; failed: b: denied");
    assert_eq!((world.failure(), world.now()), ("b: denied".to_owned(), seconds(1)));
    assert_eq!(world.dropped(), ["a", "c"]);
}
