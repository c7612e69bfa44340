//! Runs that need much work or memory between two effects.

use super::*;
use crate::drive::limits::Limits;
use crate::drive::pure::{PureOutcome, PureRun, carry_out_within};
use crate::run::RunStart;

/// A loop whose elements are summed up, each with about `each` steps of expressions. An effect follows.
fn sums(elements: usize, each: usize) -> World {
    let sum = format!("range({each}).map(x, x * 2).sum()");
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": format!("range({elements})")})),
        ("sum", "transform", json!({"value": sum})),
        ("call", "http", http(json!({}))),
        ("end", "send_result", json!({"output": "nodes.each.output"})),
    ];
    World::new(&nodes, "start>each each.item>sum sum>each.next each.done>call call>end", |_| ok(1))
}

/// The limits with small slices.
const SLICES: Limits = Limits { slice: 1_000, ..Limits::RUN };

#[tokio::test(start_paused = true)]
async fn pauses_change_neither_the_events_nor_the_output() {
    let whole = sums(20, 100);
    whole.finish_at_once().await;
    assert_eq!(whole.writes().len(), 2);
    let paused = World { limits: SLICES, ..sums(20, 100) };
    paused.finish_at_once().await;
    assert!(paused.writes().len() > 10, "{:?}", paused.writes());
    assert_eq!((paused.lines(), paused.output()), (whole.lines(), whole.output()));
}

#[tokio::test(start_paused = true)]
async fn a_long_computation_lets_other_tasks_go_on() {
    let world = World { limits: SLICES, ..sums(20, 100) };
    let mut driven = std::pin::pin!(world.process());
    let mut polls = 0;
    let exit = std::future::poll_fn(|context| {
        polls += 1;
        driven.as_mut().poll(context)
    });
    assert_eq!(exit.await, Exit::Left(Departure::Ended));
    assert!(polls > 10, "{polls}");
}

/// Each write takes a second, and the shift ends during the computation.
#[tokio::test(start_paused = true)]
async fn a_long_computation_is_handed_over_at_the_end_of_the_shift() {
    let mut world = World { limits: SLICES, shift: seconds(10), ..sums(20, 100) };
    world.store.lock().unwrap().faults.latency = seconds(1);
    assert_eq!(world.process().await, Exit::Left(Departure::HandedOver));
    assert!(world.performed().is_empty());
    let writes = world.writes().len();
    world.shift = seconds(900);
    world.finish_at_once().await;
    let whole = sums(20, 100);
    whole.finish_at_once().await;
    assert_eq!((world.lines(), world.output()), (whole.lines(), whole.output()));
    assert!(writes > 3, "{writes}");
}

/// A second effect ends while the result of the first one causes a long computation, in which the shift ends.
#[tokio::test(start_paused = true)]
async fn a_hand_over_in_a_computation_repeats_no_effect() {
    for ends_after in [1, 5, 9, 30] {
        let sum = "range(100).map(x, x * 2).sum()";
        let nodes = [
            ("start", "input", json!({})),
            ("first", "http", http(json!({}))),
            ("each", "loop", json!({"items": "range(60)"})),
            ("sum", "transform", json!({"value": sum})),
            ("second", "http", http(json!({"timeoutMs": 40_000, "onUncertain": "fail"}))),
            ("end", "send_result", json!({"output": "nodes.second.output"})),
        ];
        let connections = "start>first start>second first>each each.item>sum sum>each.next each.done>end second>end";
        let world = World::new(&nodes, connections, move |effect| match &*effect.step {
            "first" => ok(1).after(seconds(1)),
            step => ok(step).after(seconds(ends_after)),
        });
        let mut world = World { limits: SLICES, shift: seconds(50), ..world };
        world.store.lock().unwrap().faults.latency = seconds(3);
        let exit = world.process().await;
        world.shift = seconds(900);
        world.store.lock().unwrap().faults.latency = Duration::ZERO;
        if exit != Exit::Left(Departure::Ended) {
            assert_eq!(exit, Exit::Left(Departure::HandedOver), "{ends_after}");
            world.finish_at_once().await;
        }
        assert_eq!((world.output(), world.calls().len()), (json!("second"), 2), "{ends_after}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_during_a_long_computation_loses_no_event() {
    let whole = sums(20, 100);
    whole.finish_at_once().await;
    for crash in [Crash::BeforeWrite, Crash::AfterFirst(1), Crash::AfterWrite] {
        let world = World { limits: SLICES, ..sums(20, 100) };
        world.crash(move |write| write.is_multiple_of(5).then_some(crash));
        world.finish().await;
        let computed = |world: &World| world.lines().into_iter().filter(|line| *line != "call #1").collect::<Vec<_>>();
        assert_eq!((computed(&world), world.output()), (computed(&whole), whole.output()), "{crash:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_needs_too_much_work_fails() {
    let world = World { limits: Limits { work: 50_000, ..SLICES }, ..sums(1_000, 100) };
    world.finish_at_once().await;
    assert_eq!(world.failure(), ": too_much_work");
    assert!(world.performed().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_values_need_too_much_memory_fails() {
    let limits = Limits { bytes: 500_000, ..SLICES };
    let world = World { limits, ..sums(20, 100) };
    world.finish_at_once().await;
    assert_eq!(world.output().as_array().unwrap().len(), 20);
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "range(20)", "concurrency": 20})),
        ("call", "http", http(json!({}))),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>each each.item>call call>each.next each.done>end";
    let world = World::new(&nodes, connections, |_| ok("x".repeat(50_000)));
    let world = World { limits, ..world };
    world.finish_at_once().await;
    assert_eq!(world.failure(), ": run_too_large");
}

/// The values of an iteration do not count after its end.
#[tokio::test(start_paused = true)]
async fn values_of_ended_iterations_take_no_memory() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "range(100)"})),
        ("long", "template", json!({"template": "{{ 'x' * 10000 }}"})),
        ("short", "transform", json!({"value": "size(input)"})),
        ("end", "send_result", json!({"output": "size(input)"})),
    ];
    let connections = "start>each each.item>long long>short short>each.next each.done>end";
    let world = World::new(&nodes, connections, |_| panic!());
    let world = World { limits: Limits { bytes: 100_000, ..SLICES }, ..world };
    world.finish_at_once().await;
    assert_eq!(world.output(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_pure_run_that_needs_too_much_work_or_memory_is_left_to_a_worker() {
    let nodes = [
        ("start", "input", json!({})),
        ("sum", "transform", json!({"value": "range(1000).map(x, x * 2)"})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>sum sum>end", |_| panic!());
    let start = || RunStart { facts: RunFacts::new("r1", at(Duration::ZERO)), trigger: 0, input: json!({}) };
    let carry_out = |limits| carry_out_within(limits, world.plan.clone(), start());
    let ended = carry_out(Limits::RUN);
    assert!(matches!(ended, PureOutcome::Ended(PureRun { end: RunEnd::Completed { .. }, .. })), "{ended:?}");
    for limits in [Limits { work: 1_000, ..Limits::RUN }, Limits { bytes: 10_000, ..Limits::RUN }] {
        let outcome = carry_out(Limits { slice: 100, ..limits });
        assert!(matches!(outcome, PureOutcome::NeedsWorker), "{outcome:?}");
    }
}
