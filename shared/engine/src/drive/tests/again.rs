//! Runs that begin with the results of a run that has ended.

use super::*;

/// `a` and `b` run beside each other, then `c`.
const SHAPE: &str = "start>a start>b a>all b>all all>c c>end";

fn nodes() -> [(&'static str, &'static str, Value); 6] {
    let once = json!({"retry": {"maxAttempts": 1}});
    [
        ("start", "input", json!({})),
        ("a", "http", http(once.clone())),
        ("b", "http", http(once.clone())),
        ("all", "merge", json!({})),
        ("c", "http", http(once)),
        ("end", "send_result", json!({})),
    ]
}

/// Carries out a run, and then another one that takes over its results.
async fn repeat(
    nodes: &[(&str, &str, Value)],
    connections: &str,
    script: impl Fn(&Effect) -> Reply + Send + Sync + Clone + 'static,
    from: Option<&str>,
    second: impl Fn(&Effect) -> Reply + Send + Sync + 'static,
) -> (World, World) {
    let first = World::new(nodes, connections, script);
    first.finish().await;
    let log = first.store.lock().unwrap().log.clone();
    let from = from.map(|id| first.plan.find_step(id).unwrap());
    let kept = kept_events(&first.plan, log, from).unwrap();
    let again = World::with_plan(first.plan.clone(), second);
    let log = kept.into_iter().map(|kind| RunEvent { at: at(Duration::ZERO), kind });
    again.store.lock().unwrap().log = log.collect();
    again.finish().await;
    (first, again)
}

fn fails_at(step: &'static str) -> impl Fn(&Effect) -> Reply + Clone {
    move |effect| if effect.step == step { denied() } else { ok(effect.step.clone()) }
}

fn works(effect: &Effect) -> Reply {
    ok(format!("{} again", effect.step))
}

#[tokio::test(start_paused = true)]
async fn a_failed_step_is_repeated_and_the_others_are_not() {
    let (first, again) = repeat(&nodes(), SHAPE, fails_at("c"), None, works).await;
    assert_eq!(first.failure(), "c: denied");
    assert_eq!(again.performed(), ["c #1"]);
    assert_eq!(again.output(), json!("c again"));
}

#[tokio::test(start_paused = true)]
async fn a_step_and_all_that_follow_it_are_repeated() {
    let (_, again) = repeat(&nodes(), SHAPE, fails_at("none"), Some("b"), works).await;
    assert_eq!(again.performed(), ["b #1", "c #1"]);
    let (_, again) = repeat(&nodes(), SHAPE, fails_at("none"), Some("start"), works).await;
    assert_eq!(again.performed(), ["a #1", "b #1", "c #1"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_the_run_recovered_from_is_kept() {
    let mut nodes = nodes();
    nodes[1].2["onError"] = json!("continue");
    let fails = |effect: &Effect| if matches!(&*effect.step, "a" | "c") { denied() } else { ok(1) };
    let (_, again) = repeat(&nodes, SHAPE, fails, None, works).await;
    assert_eq!(again.performed(), ["c #1"]);
}

/// The third of five elements fails, and its loop too.
#[tokio::test(start_paused = true)]
async fn only_the_failed_element_of_a_loop_is_repeated() {
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": "[0, 1, 2, 3, 4]"})),
        ("call", "http", http(json!({"retry": {"maxAttempts": 1}}))),
        ("then", "http", http(json!({"retry": {"maxAttempts": 1}}))),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>each each.item>call call>then then>each.next each.done>end";
    let fails = |effect: &Effect| if effect.step == "each[2]/then" { denied() } else { ok(effect.step.clone()) };
    let (first, again) = repeat(&nodes, connections, fails, None, works).await;
    assert_eq!(first.failure(), "each: denied");
    assert_eq!(again.performed()[..2], ["each[2]/then #1", "each[3]/call #1"]);
    assert_eq!((&again.output()[1], &again.output()[2]), (&json!("each[1]/then"), &json!("each[2]/then again")));

    // From a node in the loop: in each element.
    let (_, again) = repeat(&nodes, connections, fails_at("none"), Some("then"), works).await;
    assert_eq!(again.performed(), (0..5).map(|item| format!("each[{item}]/then #1")).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn what_was_in_progress_is_repeated() {
    let slow_a = |effect: &Effect| match &*effect.step {
        "a" => ok("a").after(seconds(5)),
        "b" => denied(),
        _ => ok(1),
    };
    let (first, again) = repeat(&nodes(), SHAPE, slow_a, None, works).await;
    assert_eq!((first.failure(), first.dropped()), ("b: denied".to_owned(), vec!["a".to_owned()]));
    let mut performed = again.performed();
    performed.sort();
    assert_eq!(performed, ["a #1", "b #1", "c #1"]);
}
