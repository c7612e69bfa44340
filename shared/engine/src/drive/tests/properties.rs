//! Random graphs, whose processes crash at random writes.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::*;
use crate::drive::restore::restore;
use crate::run::tests::properties::{Kinds, draw};
use crate::run::{Execution, RunStart};

const GRAPHS: u64 = 200;

/// A random number that is the same for the same parts.
fn number(parts: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// The result of a step does not depend on the order of the steps.
fn world(seed: u64, kinds: Kinds) -> World {
    World::with_plan(draw(seed, kinds), move |effect| {
        let number = number((seed, &effect.step)) % 1_000;
        let reply = if number.is_multiple_of(5) { denied() } else { ok(number) };
        reply.after(Duration::from_millis(number))
    })
}

/// If the crashes spare the run, none of them is one too many.
async fn finish_with_crashes(seed: u64, kinds: Kinds, spares: bool) -> World {
    let world = world(seed, kinds);
    world.store.lock().unwrap().faults.spares = spares;
    world.crash(move |write| match number((seed, write)) % 8 {
        0 => Some(Crash::BeforeWrite),
        1 => Some(Crash::AfterWrite),
        2 => Some(Crash::AfterFirst(number((write, seed)) as usize % 4)),
        _ => None,
    });
    world.finish().await;
    world
}

/// The last event of each step. The output of the run is not compared: it is that of the first `send_result`.
fn ends(world: &World) -> BTreeMap<String, RunEventKind> {
    let log = &world.store.lock().unwrap().log;
    log.iter().filter_map(|event| Some((step_of(&event.kind)?.clone(), event.kind.clone()))).collect()
}

/// The end of a run, computed from its log.
fn restored_end(world: &World) -> Option<RunEnd> {
    let restored = restore(&world.plan, world.store.lock().unwrap().log.clone()).unwrap();
    let trigger = world.plan.steps.iter().position(|step| step.node_type.is_trigger()).unwrap();
    let start = RunStart { facts: RunFacts::new("r1", at(Duration::ZERO)), trigger, input: restored.input };
    let mut execution = Execution::new(world.plan.clone(), start, restored.history);
    execution.settle(u64::MAX);
    execution.end().cloned()
}

#[tokio::test(start_paused = true)]
async fn crashes_do_not_change_the_results_of_steps() {
    let (mut crashes, mut repeated) = (0, 0);
    for seed in 0..GRAPHS {
        let whole = world(seed, Kinds::default());
        whole.finish_at_once().await;
        let crashed = finish_with_crashes(seed, Kinds::default(), true).await;
        assert_eq!(ends(&whole), ends(&crashed), "{seed}");
        crashes += u64::from(whole.calls().len() < crashed.calls().len());
        repeated += crashed.calls().len() - whole.calls().len();
    }
    assert!(crashes > GRAPHS / 10 && repeated > 100, "{crashes}, {repeated}");
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_as_its_log_says() {
    let (mut failed, mut won) = (0, 0);
    for seed in 0..GRAPHS {
        let world = finish_with_crashes(seed, Kinds { races: true, failures: true }, false).await;
        let end = world.store.lock().unwrap().end.clone();
        assert_eq!(restored_end(&world), end, "{seed}: {:#?}", world.lines());
        failed += u64::from(matches!(end, Some(RunEnd::Failed(_))));
        won += world.lines().iter().filter(|line| line.contains(" takes ")).count();
        let calls = world.calls();
        let steps: BTreeSet<&String> = calls.iter().map(|call| &call.effect.step).collect();
        let keys: BTreeSet<&String> = calls.iter().map(|call| &call.effect.idempotency_key).collect();
        assert_eq!(steps.len(), keys.len(), "{seed}");
    }
    assert!(failed > GRAPHS / 20 && won > 20, "{failed}, {won}");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_ended_is_not_performed_again() {
    let mut most = 0;
    for seed in 0..GRAPHS {
        let world = finish_with_crashes(seed, Kinds { races: true, failures: true }, false).await;
        let (lines, performed) = (world.lines(), world.performed());
        for attempt in performed.iter().collect::<BTreeSet<_>>() {
            let count = |lines: &[String]| lines.iter().filter(|line| *line == attempt).count();
            // Each time has its own intent. Every log is checked for intents after the end: see `check_log`.
            assert!(count(&performed) <= count(&lines), "{seed}: {attempt}");
            most = most.max(count(&lines));
        }
    }
    assert!(most > 3, "{most}");
}
