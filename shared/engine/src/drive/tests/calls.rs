//! Steps that start other runs and wait for their ends.

use super::*;

const WORKFLOW: &str = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";

fn call(config: Value) -> [(&'static str, &'static str, Value); 3] {
    let mut config = config;
    config["workflowId"] = WORKFLOW.into();
    [("start", "input", json!({})), ("call", "workflow", config), ("end", "send_result", json!({}))]
}

fn world(config: Value) -> World {
    World::new(&call(config), ONE_CALL, |_| Reply::Call)
}

fn completed(value: impl Into<Value>) -> RunEnd {
    RunEnd::Completed { output: Arc::new(value.into()) }
}

fn failed() -> RunEnd {
    let node_id = Some("check".to_owned());
    RunEnd::Failed(RunError { code: "refused".to_owned(), message: "No.".to_owned(), node_id })
}

impl World {
    fn end_call(&self, step: &str, end: RunEnd) {
        self.store.lock().unwrap().end_call(step, end);
    }

    /// How many runs were started, and how many of them were stopped.
    fn runs(&self) -> (usize, usize) {
        let store = self.store.lock().unwrap();
        assert!(store.stopped.iter().all(|id| store.started.iter().any(|new| new.id == *id)));
        (store.started.len(), store.stopped.len())
    }
}

const PARKED: Exit = Exit::Left(Departure::Parked { wake_at: None });

#[tokio::test(start_paused = true)]
async fn a_step_waits_for_the_run_that_it_starts() {
    let world = world(json!({}));
    assert_eq!(world.process().await, PARKED);
    assert_eq!(world.writes(), ["start > out; call #1", "call waits for a run"]);
    world.end_call("call", completed(json!({"n": 7})));
    world.finish_at_once().await;
    assert_eq!(world.writes()[2..], ["call > out; end > out; completed"]);
    assert_eq!((world.output(), world.runs()), (json!({"n": 7}), (1, 0)));
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_any_write_starts_one_run() {
    for crash in [Crash::BeforeWrite, Crash::AfterWrite] {
        for number in 1..=3 {
            let world = world(json!({}));
            world.crash(move |write| (write == number).then_some(crash));
            while world.process().await != PARKED {}
            world.end_call("call", completed(1));
            while world.process().await == Exit::Crashed {}
            assert_eq!((world.output(), world.runs()), (json!(1), (1, 0)), "{crash:?} at write {number}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_end_just_before_parking_is_not_lost() {
    let world = world(json!({}));
    world.store.lock().unwrap().faults.ends_before_parking = Some(completed(1));
    world.finish_at_once().await;
    assert_eq!(world.output(), json!(1));
}

#[tokio::test(start_paused = true)]
async fn the_error_of_a_run_is_that_of_its_step() {
    let world = world(json!({}));
    world.process().await;
    world.end_call("call", failed());
    world.finish_at_once().await;
    let Some(RunEnd::Failed(error)) = world.store.lock().unwrap().end.clone() else { panic!() };
    let message = "the run of the workflow failed at the node `check`: No.";
    assert_eq!((&*error.code, &*error.message, error.node_id.as_deref()), ("refused", message, Some("call")));
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_is_followed_by_another_attempt() {
    let world = world(json!({"retry": {"maxAttempts": 2, "backoffMs": 60_000}}));
    world.process().await;
    world.end_call("call", failed());
    assert_eq!(world.park().await, seconds(60));
    assert_eq!(world.process().await, PARKED);
    world.end_call("call", completed(1));
    world.finish_at_once().await;
    let attempts = ["call #1 refused, next at 60000", "call #2", "call waits for a run"];
    assert_eq!(world.writes()[2..5], attempts);
    assert_eq!(world.runs(), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_stopped_is_not_tried_again() {
    let world = world(json!({"retry": {"maxAttempts": 3}}));
    world.process().await;
    world.end_call("call", RunEnd::Cancelled);
    world.finish_at_once().await;
    assert_eq!((world.failure(), world.runs()), ("call: run_cancelled".to_owned(), (1, 0)));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_stops_the_run() {
    let world = world(json!({"timeoutMs": 300_000}));
    assert_eq!(world.park().await, seconds(300));
    world.finish_at_once().await;
    assert_eq!((world.failure(), world.runs()), ("call: timeout".to_owned(), (1, 1)));
}

#[tokio::test(start_paused = true)]
async fn an_end_before_the_timeout_counts_although_it_is_read_later() {
    let world = world(json!({"timeoutMs": 300_000}));
    world.park().await;
    world.end_call("call", completed(1));
    world.finish_at_once().await;
    assert_eq!((world.output(), world.runs()), (json!(1), (1, 0)));
}

/// A race between another run and a quick effect, which wins.
fn race() -> World {
    let [start, call, end] = call(json!({}));
    let nodes = [
        start,
        call,
        ("quick", "http", http(json!({}))),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        ("last", "http", http(json!({}))),
        end,
    ];
    let connections = "start>call start>quick call>first quick>first first>last last>end";
    World::new(&nodes, connections, |effect| match &*effect.step {
        "call" => Reply::Call,
        step => ok(step).after(seconds(3)),
    })
}

#[tokio::test(start_paused = true)]
async fn the_run_of_a_loser_is_stopped() {
    let world = race();
    world.finish_at_once().await;
    assert_eq!((world.output(), world.runs()), (json!("last"), (1, 1)));
}

#[tokio::test(start_paused = true)]
async fn a_crash_before_a_run_is_stopped_is_repaired() {
    let world = race();
    world.store.lock().unwrap().faults.skips_follow_up = true;
    world.crash(|write| (write == 3).then_some(Crash::AfterWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    assert_eq!(world.runs(), (1, 0), "{:?}", world.writes());
    world.store.lock().unwrap().faults.skips_follow_up = false;
    world.finish_at_once().await;
    assert_eq!(world.runs(), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_fails_stops_the_runs_that_it_has_started() {
    let [start, call, end] = call(json!({}));
    let nodes = [start, call, ("quick", "http", http(json!({}))), end];
    let connections = "start>call start>quick call>end quick>end";
    let world = World::new(&nodes, connections, |effect| match &*effect.step {
        "call" => Reply::Call,
        _ => denied().after(seconds(3)),
    });
    world.finish_at_once().await;
    assert_eq!((world.failure(), world.runs()), ("quick: denied".to_owned(), (1, 1)));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_crashes_too_often_stops_the_runs_that_it_has_started() {
    let world = world(json!({}));
    world.process().await;
    world.store.lock().unwrap().crashes = MAX_CRASHES + 1;
    world.finish_at_once().await;
    assert_eq!((world.failure(), world.runs()), ("start: crashed".to_owned(), (1, 1)));
}

#[tokio::test(start_paused = true)]
async fn many_runs_are_started_in_several_writes() {
    let items: Vec<usize> = (0..20).collect();
    let [start, call, end] = call(json!({}));
    let each = ("each", "loop", json!({"items": json!(items).to_string(), "concurrency": 20}));
    let world = World::new(&[start, each, call, end], "start>each each.item>call call>each.next each.done>end", |_| {
        Reply::Call
    });
    assert_eq!(world.process().await, PARKED);
    assert_eq!(world.runs(), (20, 0));
    for index in items {
        world.end_call(&format!("each[{index}]/call"), completed(index));
    }
    world.finish_at_once().await;
    assert_eq!(world.output().as_array().unwrap().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_crash_before_a_run_is_started_leaves_no_doubt() {
    for on_uncertain in ["ask", "fail"] {
        let world = world(json!({"onUncertain": on_uncertain}));
        world.crash(|write| (write == 2).then_some(Crash::BeforeWrite));
        assert_eq!(world.process().await, Exit::Crashed);
        assert_eq!(world.process().await, PARKED);
        world.end_call("call", completed(1));
        world.finish_at_once().await;
        assert_eq!((world.output(), world.runs()), (json!(1), (1, 0)), "{on_uncertain}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_timed_out_is_stopped_after_a_crash() {
    for config in
        [json!({"timeoutMs": 60_000, "onError": "continue"}), json!({"timeoutMs": 60_000, "retry": {"maxAttempts": 2}})]
    {
        let nodes = [("last", "http", http(json!({})))];
        let nodes = [&call(config.clone())[..], &nodes].concat();
        let world = World::new(&nodes, "start>call call>last last>end", |effect| match &*effect.step {
            "call" => Reply::Call,
            _ => ok(1),
        });
        world.park().await;
        world.store.lock().unwrap().faults.skips_follow_up = true;
        world.crash(|write| (write == 3).then_some(Crash::AfterWrite));
        assert_eq!(world.process().await, Exit::Crashed);
        world.store.lock().unwrap().faults.skips_follow_up = false;
        world.process().await;
        let store = world.store.lock().unwrap();
        assert!(store.stopped.contains(&store.started[0].id), "{config}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_does_not_hide_the_end_of_another_run() {
    let nodes = [
        ("start", "input", json!({})),
        ("quick", "workflow", json!({"workflowId": WORKFLOW, "timeoutMs": 60_000, "onError": "continue"})),
        ("slow", "workflow", json!({"workflowId": WORKFLOW})),
        ("all", "merge", json!({"mode": "all"})),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>quick start>slow quick>all slow>all all>end";
    let world = World::new(&nodes, connections, |_| Reply::Call);
    world.park().await;
    // Both end while nobody looks.
    world.end_call("quick", completed("quick"));
    world.end_call("slow", completed("slow"));
    world.finish_at_once().await;
    assert_eq!((world.output(), world.runs()), (json!(["quick", "slow"]), (2, 0)));
}
