//! Replays of runs against their own release and against others.

use super::*;
use crate::compile::ExecutionPlan;
use crate::replay::{NodeComparison, Recording, Replay, compare, replay};
use crate::run::tests::properties::{Kinds, draw};

const GRAPHS: u64 = 1_000;

fn recording(world: &World) -> Recording {
    let log = world.store.lock().unwrap().log.clone();
    let trigger = world.plan.steps.iter().find(|step| step.node_type.is_trigger()).unwrap();
    Recording::new(RunFacts::new("r1", at(Duration::ZERO)), &trigger.id, &world.plan, log).unwrap()
}

/// Checks that the log says the same about each step as the replay.
fn check_equal(world: &World, replayed: &Replay) {
    for event in &world.store.lock().unwrap().log {
        match &event.kind {
            RunEventKind::StepCompleted { step, port, output, .. } => {
                let replayed = &replayed.steps[step];
                assert_eq!(replayed.port.as_ref(), Some(port), "{step}");
                if let Some(RunValue::Value(output)) = output {
                    assert_eq!(replayed.output.as_deref(), Some(output), "{step}");
                }
            }
            RunEventKind::StepFailed { step, error } => {
                assert_eq!(replayed.steps[step].error.as_ref(), Some(error), "{step}");
            }
            _ => {}
        }
    }
    assert_eq!(replayed.end, world.store.lock().unwrap().end);
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_in_a_replay_as_it_did() {
    let mut failed = 0;
    for seed in 0..GRAPHS {
        let world = World::with_plan(draw(seed, Kinds { races: true, failures: true }), move |effect| {
            let number = effect.step.bytes().map(u64::from).sum::<u64>() * (seed + 7) % 1_000;
            let reply = if number.is_multiple_of(5) { denied() } else { ok(number) };
            reply.after(Duration::from_millis(number))
        });
        world.finish_at_once().await;
        let replayed = replay(&recording(&world), &world.plan).unwrap();
        check_equal(&world, &replayed);
        failed += u64::from(matches!(replayed.end, Some(RunEnd::Failed(_))));
    }
    assert!(failed > GRAPHS / 20, "{failed}");
}

fn orders(limit: u64, url: &str) -> Arc<ExecutionPlan> {
    let call = |url: &str| {
        let mut config = http(json!({"method": "POST", "body": {"type": "json", "value": "input"}}));
        config["url"] = url.into();
        config
    };
    let nodes = [
        ("start", "input", json!({})),
        ("load", "http", call(url)),
        ("check", "condition", json!({"expression": format!("input.amount > {limit}")})),
        ("large", "http", call("https://example.com/large")),
        ("small", "http", call("https://example.com/small")),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>load load>check check.true>large check.false>small large>end small>end";
    World::new(&nodes, connections, |_| panic!()).plan
}

/// A run of an order of 50, and its comparison with another release.
async fn compare_with(other: Arc<ExecutionPlan>) -> (Vec<NodeComparison>, Replay) {
    let plan = orders(10, "https://example.com/");
    let world = World::with_plan(plan.clone(), |effect| match &*effect.step {
        "load" => ok(json!({"amount": 50})),
        step => ok(step.to_owned()),
    });
    world.finish_at_once().await;
    assert_eq!(world.output(), json!("large"));
    let recording = recording(&world);
    let (before, after) = (replay(&recording, &plan).unwrap(), replay(&recording, &other).unwrap());
    check_equal(&world, &before);
    (compare((&before, &plan), (&after, &other)), after)
}

fn differing(compared: &[NodeComparison], is_edited: bool) -> Vec<&str> {
    let differing = compared.iter().filter(|node| !node.differences.is_empty() && node.is_edited == Some(is_edited));
    differing.map(|node| &*node.node_id).collect()
}

#[tokio::test(start_paused = true)]
async fn the_same_release_differs_nowhere() {
    let (compared, _) = compare_with(orders(10, "https://example.com/")).await;
    assert_eq!(compared.len(), 6);
    assert!(compared.iter().all(|node| node.differences.is_empty() && node.new_effects.is_empty()), "{compared:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_changed_condition_is_found() {
    let (compared, after) = compare_with(orders(100, "https://example.com/")).await;
    assert_eq!(differing(&compared, true), ["check"]);
    assert_eq!(differing(&compared, false), ["large", "small", "end"]);
    let effects: Vec<_> = compared.iter().flat_map(|node| &node.new_effects).collect();
    assert_eq!(effects, ["small"]);
    assert_eq!(after.end, None, "the answer to the new request is unknown");
}

#[tokio::test(start_paused = true)]
async fn a_changed_request_is_a_new_effect() {
    let (compared, after) = compare_with(orders(10, "https://example.com/v2")).await;
    assert_eq!(differing(&compared, true), ["load"]);
    assert_eq!(compared.iter().flat_map(|node| &node.new_effects).collect::<Vec<_>>(), ["load"]);
    assert_eq!(after.end.unwrap().event(), RunEventKind::RunCompleted { output: RunValue::Value(json!("large")) });
}
