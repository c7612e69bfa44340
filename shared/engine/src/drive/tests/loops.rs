//! A loop with many elements, some of which are in progress at once.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const ITEMS: usize = 50;

fn each(config: Value) -> [(&'static str, &'static str, Value); 4] {
    let items: Vec<String> = (0..ITEMS).map(|item| item.to_string()).collect();
    let each = json!({"items": format!("[{}]", items.join(", ")), "concurrency": 5});
    [("start", "input", json!({})), ("each", "loop", each), ("call", "http", config), ("end", "send_result", json!({}))]
}

const EACH: &str = "start>each each.item>call call>each.next each.done>end";

/// The elements take different times, so their results arrive in another order.
fn slow_double(effect: &Effect) -> Reply {
    let item = input_of(effect).as_u64().unwrap();
    ok(item * 2).after(Duration::from_millis(100 + item * 37 % 11 * 50))
}

fn doubles() -> Value {
    (0..ITEMS).map(|item| json!(item * 2)).collect()
}

#[tokio::test(start_paused = true)]
async fn each_element_is_performed_once_and_five_at_once() {
    let world = World::new(&each(echo(json!({}))), EACH, slow_double);
    world.finish_at_once().await;
    assert_eq!(world.output(), doubles());
    let performed: BTreeSet<String> = world.performed().into_iter().collect();
    assert_eq!((performed.len(), world.calls().len()), (ITEMS, ITEMS));
    assert_eq!(world.effects.witness.lock().unwrap().most_in_progress, 5);
}

async fn crash_at_every_7th_write(crash: Crash) {
    let world = World::new(&each(echo(json!({}))), EACH, slow_double);
    world.crash(move |commit| commit.is_multiple_of(7).then_some(crash));
    let mut crashes = 0;
    while world.process().await == Exit::Crashed {
        crashes += 1;
    }
    assert!(crashes >= 5, "{crashes}");
    assert_eq!(world.output(), doubles());
    assert!(world.effects.witness.lock().unwrap().most_in_progress <= 5);

    let (lines, performed) = (world.lines(), world.performed());
    let count = |lines: &[String], line: &str| lines.iter().filter(|other| *other == line).count();
    let mut repeated = 0;
    let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for call in world.calls() {
        assert_eq!(call.effect.attempt, 1);
        keys.entry(call.effect.step).or_default().insert(call.effect.idempotency_key);
    }
    for item in 0..ITEMS {
        let step = format!("each[{item}]/call");
        let attempt = format!("{step} #1");
        assert_eq!((count(&lines, &format!("{step} > out")), keys[&step].len()), (1, 1), "{step}");
        let (intents, calls) = (count(&lines, &attempt), count(&performed, &attempt));
        assert!((1..=intents).contains(&calls), "{step}: {intents} intents, {calls} calls");
        repeated += intents - 1;
    }
    // A crash hits at most the five elements in progress.
    assert!((1..=5 * crashes).contains(&repeated), "{repeated} intents again after {crashes} crashes");
    assert_eq!(keys.values().flatten().collect::<BTreeSet<_>>().len(), ITEMS);
}

#[tokio::test(start_paused = true)]
async fn each_element_has_one_result_after_crashes_with_the_write() {
    crash_at_every_7th_write(Crash::AfterWrite).await;
}

#[tokio::test(start_paused = true)]
async fn each_element_has_one_result_after_crashes_without_the_write() {
    crash_at_every_7th_write(Crash::BeforeWrite).await;
}

#[tokio::test(start_paused = true)]
async fn each_element_has_one_result_over_many_short_shifts() {
    let mut world = World::new(&each(echo(json!({"timeoutMs": 1_000}))), EACH, slow_double);
    world.shift = Duration::from_millis(6_500);
    let mut shifts = 1;
    while world.process().await == Exit::Left(Departure::HandedOver) {
        shifts += 1;
    }
    assert!(shifts >= 2, "{shifts}");
    assert_eq!((world.output(), world.calls().len()), (doubles(), ITEMS));
}

#[tokio::test(start_paused = true)]
async fn an_element_that_fails_cancels_the_others_in_progress() {
    let world = World::new(&each(echo(json!({}))), EACH, |effect| match &*effect.step {
        "each[3]/call" => denied().after(seconds(1)),
        _ => ok(1).after(seconds(2)),
    });
    world.finish_at_once().await;
    assert_eq!(world.failure(), "each: denied");
    assert_eq!(world.dropped(), ["each[0]/call", "each[1]/call", "each[2]/call", "each[4]/call"]);
}

/// A loop in rounds that counts to 15, with a crash at every third write.
#[tokio::test(start_paused = true)]
async fn each_round_has_one_result_after_crashes() {
    for crash in [Crash::AfterWrite, Crash::BeforeWrite] {
        let nodes = [
            ("start", "input", json!({})),
            ("count", "loop", json!({"maxRounds": 20})),
            ("call", "http", echo(json!({}))),
            ("more", "condition", json!({"expression": "input < 15"})),
            ("end", "send_result", json!({})),
        ];
        let connections =
            "start>count count.item>call call>more more.true>count.next more.false>count.result count.done>end";
        let world = World::new(&nodes, connections, |effect| ok(input_of(effect).as_u64().unwrap_or_default() + 1));
        world.crash(move |commit| commit.is_multiple_of(3).then_some(crash));
        let mut crashes = 0;
        while world.process().await == Exit::Crashed {
            crashes += 1;
        }
        assert!(crashes >= 4, "{crashes}");
        assert_eq!(world.output(), 15);
        let lines = world.lines();
        for round in 0..15 {
            let line = format!("count[{round}]/call > out");
            assert_eq!(lines.iter().filter(|other| **other == line).count(), 1, "{line}");
        }
    }
}
