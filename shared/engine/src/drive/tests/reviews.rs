//! Reviews: what the person sees, how the answer arrives, and expiry.

use super::*;

/// A review that is open for 600 seconds. `end` returns its value, with the port at which the run continued.
fn review() -> [(&'static str, &'static str, Value); 5] {
    let ask = json!({
        "title": "Refund {{ input.n }} €?", "message": "For order 7", "expiresInSeconds": 600,
        "fields": [{"name": "amount", "type": "number", "value": "input.n"}],
    });
    [
        ("start", "input", json!({})),
        ("ask", "review", ask),
        ("yes", "send_result", json!({"output": "['yes', input]"})),
        ("no", "send_result", json!({"output": "['no', input]"})),
        ("late", "send_result", json!({"output": "['late', input]"})),
    ]
}

const REVIEW: &str = "start>ask ask.approved>yes ask.rejected>no ask.expired>late";

fn approved() -> Value {
    json!({"decision": "approved", "fields": {"amount": 12}, "comment": "fine", "reviewer": "ann"})
}

#[tokio::test(start_paused = true)]
async fn a_review_parks_the_run_until_it_expires() {
    let world = World::new(&review(), REVIEW, |_| panic!());
    let expires_at = at(seconds(600));
    assert_eq!(world.process().await, Exit::Left(Departure::Parked { wake_at: Some(expires_at) }));
    assert_eq!(world.writes(), ["start > out; ask asks until 600000"]);
    let (review, state) = world.review("ask");
    let fields = json!([{"name": "amount", "type": "number", "value": 1}]);
    let request = json!({"title": "Refund 1 €?", "message": "For order 7", "fields": fields});
    assert_eq!((Value::Object(review.request), state), (request, ReviewState::Open));
    assert_eq!((review.step, review.expires_at), ("ask".to_owned(), expires_at));
}

#[tokio::test(start_paused = true)]
async fn a_review_is_open_for_seven_days_by_default() {
    let mut nodes = review();
    nodes[1].2 = json!({"title": "Go on?"});
    let world = World::new(&nodes, REVIEW, |_| panic!());
    assert_eq!(world.park().await, seconds(7 * 24 * 60 * 60));
}

#[tokio::test(start_paused = true)]
async fn an_approval_continues_at_approved() {
    let world = World::new(&review(), REVIEW, |_| panic!());
    world.process().await;
    world.answer(seconds(100), "ask", approval()).await;
    world.finish_at_once().await;
    let end = "ask > approved; yes > out; no skipped; late skipped; completed";
    assert_eq!(world.writes()[1..], [end]);
    assert_eq!(world.output(), json!(["yes", approved()]));
}

#[tokio::test(start_paused = true)]
async fn a_rejection_continues_at_rejected() {
    let world = World::new(&review(), REVIEW, |_| panic!());
    world.process().await;
    world.answer(seconds(100), "ask", rejection()).await;
    world.finish_at_once().await;
    let value = json!({"decision": "rejected", "fields": {}, "comment": null, "reviewer": "ben"});
    assert_eq!(world.output(), json!(["no", value]));
}

#[tokio::test(start_paused = true)]
async fn a_review_that_nobody_answered_continues_at_expired() {
    let world = World::new(&review(), REVIEW, |_| panic!());
    assert_eq!(world.park().await, seconds(600));
    world.finish_at_once().await;
    let value = json!({"decision": "expired", "fields": {}, "comment": null, "reviewer": null});
    assert_eq!(world.output(), json!(["late", value]));
    assert_eq!(world.review("ask").1, ReviewState::Expired);
    world.answer(Duration::ZERO, "ask", approval()).await;
    assert_eq!(world.review("ask").1, ReviewState::Expired);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_arrives_just_before_the_expiry_wins() {
    let world = World::new(&review(), REVIEW, |_| panic!());
    world.park().await;
    world.store.lock().unwrap().faults.before_expiry.insert("ask".to_owned(), approval());
    world.finish_at_once().await;
    assert_eq!(world.output(), json!(["yes", approved()]));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_arrives_while_the_run_is_parked_is_not_lost() {
    let world = World::new(&review(), REVIEW, |_| panic!());
    world.store.lock().unwrap().faults.before_parking.insert("ask".to_owned(), approval());
    world.finish_at_once().await;
    assert_eq!((world.output(), world.now()), (json!(["yes", approved()]), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn an_expiry_that_was_not_stored_is_found_again_after_a_crash() {
    let mut nodes = review().to_vec();
    nodes.push(("note", "http", http(json!({}))));
    let world = World::new(&nodes, "start>ask ask.approved>yes ask.rejected>no ask.expired>note note>late", |_| ok(1));
    world.park().await;
    world.crash(|commit| (commit == 2).then_some(Crash::BeforeWrite));
    assert_eq!(world.process().await, Exit::Crashed);
    assert_eq!(world.review("ask").1, ReviewState::Expired);
    world.finish_at_once().await;
    assert_eq!(world.output(), json!(["late", 1]));
}

/// A review, and another branch with effects.
fn busy() -> [(&'static str, &'static str, Value); 6] {
    [
        ("start", "input", json!({})),
        ("ask", "review", json!({"title": "Go on?", "expiresInSeconds": 60})),
        ("each", "loop", json!({"items": "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]"})),
        ("call", "http", http(json!({}))),
        ("note", "http", http(json!({}))),
        ("end", "send_result", json!({})),
    ]
}

const BUSY: &str = "start>ask start>each each.item>call call>each.next ask.approved>note note>end";

#[tokio::test(start_paused = true)]
async fn an_answer_is_noticed_while_a_long_effect_is_in_progress() {
    let world = World::new(&busy(), BUSY, |_| ok(1).after(seconds(25)));
    tokio::join!(world.finish_at_once(), world.answer(seconds(7), "ask", approval()));
    let [noticed] = world.times_of("note")[..] else { panic!() };
    assert!(noticed >= seconds(7) && noticed <= seconds(10), "{noticed:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_noticed_while_short_effects_follow_each_other() {
    let world = World::new(&busy(), BUSY, |_| ok(1).after(seconds(1)));
    tokio::join!(world.finish_at_once(), world.answer(seconds(4), "ask", approval()));
    let [noticed] = world.times_of("note")[..] else { panic!() };
    assert!(noticed >= seconds(4) && noticed <= seconds(7), "{noticed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_review_expires_while_an_effect_is_in_progress() {
    let mut nodes = busy().to_vec();
    nodes[2].2 = json!({"items": "[1, 2, 3]"});
    let connections = BUSY.replace("ask.approved", "ask.expired");
    let world = World::new(&nodes, &connections, |_| ok(1).after(seconds(25)));
    world.finish_at_once().await;
    assert_eq!(world.times_of("note"), [seconds(60)]);
}

#[tokio::test(start_paused = true)]
async fn the_answers_of_several_reviews_arrive_together() {
    let nodes = [
        ("start", "input", json!({})),
        ("a", "review", json!({"title": "A?"})),
        ("b", "review", json!({"title": "B?", "expiresInSeconds": 100})),
        ("all", "merge", json!({})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>a start>b a.approved>all b.approved>all all>end", |_| panic!());
    let parked = world.process().await;
    assert_eq!(parked, Exit::Left(Departure::Parked { wake_at: Some(at(seconds(100))) }));
    world.answer(Duration::ZERO, "b", approval()).await;
    world.answer(Duration::ZERO, "a", approval()).await;
    world.finish_at_once().await;
    assert_eq!(world.output(), json!([approved(), approved()]));
}

/// The answer is known from the attempt to close the review, and no review is open any more.
#[tokio::test(start_paused = true)]
async fn an_answer_just_before_the_expiry_does_not_keep_the_run_awake() {
    let nodes = [
        ("start", "input", json!({})),
        ("ask", "review", json!({"title": "Go on?", "expiresInSeconds": 600})),
        ("wait", "delay", json!({"seconds": 3600})),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>ask ask.approved>wait wait>end", |_| panic!());
    world.park().await;
    world.store.lock().unwrap().faults.before_expiry.insert("ask".to_owned(), approval());
    assert_eq!(world.park().await, seconds(3600));
    world.finish_at_once().await;
}

#[tokio::test(start_paused = true)]
async fn a_review_that_is_too_large_to_store_fails() {
    let mut nodes = review();
    nodes[1].2 = json!({"title": "Read this", "message": "{{ 'x' * 70000 }}"});
    let world = World::new(&nodes, REVIEW, |_| panic!());
    world.finish_at_once().await;
    let writes = world.writes();
    assert_eq!(writes, ["start > out; ask failed: review_too_large; failed: ask: review_too_large"]);
}
