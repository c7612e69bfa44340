//! Masked parts: what `redact` names is hidden in everything that is stored, and known to every process of the run.

use domain::run::masking::{hide, mask};

use super::*;

const CARD: &str = "4111 1111 1111 1111";
const TOKEN: &str = "tok_8f2b91";

/// A run whose input has a card. It pays with the card, which gives a token, and sends both on.
fn payment(end: (&'static str, &'static str, Value)) -> World {
    let post = |value: &str| http(json!({"method": "POST", "body": {"type": "json", "value": value}}));
    let mut pay = post("{'number': input.card, 'pin': input.pin}");
    pay["redact"] = json!(["output.token", "output.id"]);
    let nodes = [
        ("start", "input", json!({"redact": ["output.card", "output.pin"]})),
        ("pay", "http", pay),
        ("send", "http", post("nodes.pay.output")),
        end,
    ];
    let world = World::new(&nodes, "start>pay pay>send send>end", |effect| {
        let body = json_of(effect);
        match &*effect.step {
            "pay" => ok(json!({"token": TOKEN, "id": 7, "text": format!("paid with {}", body["number"])})),
            _ => ok(body.clone()),
        }
    });
    let mut input = json!({"card": CARD, "pin": "12", "amount": 5});
    mask(&mut input["card"]);
    mask(&mut input["pin"]);
    world.store.lock().unwrap().log[0].kind = RunEventKind::RunQueued { input: RunValue::Value(input) };
    world
}

fn result() -> (&'static str, &'static str, Value) {
    (
        "end",
        "send_result",
        json!({"output": "{'card': nodes.start.output.card, 'sent': input}", "redact": ["output.sent.id"]}),
    )
}

/// The log as a reader sees it.
fn shown(world: &World) -> Vec<RunEvent> {
    let mut log = world.store.lock().unwrap().log.clone();
    for event in &mut log {
        if let Some(value) = event.kind.inline_value_mut() {
            hide(value);
        }
    }
    log
}

fn check_hidden(world: &World) {
    let log = format!("{:?}", shown(world));
    for secret in [CARD, TOKEN] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[tokio::test(start_paused = true)]
async fn masked_parts_are_hidden_wherever_they_occur() {
    let world = payment(result());
    world.finish_at_once().await;
    check_hidden(&world);
    let values: Vec<Value> =
        shown(&world).into_iter().filter_map(|event| event.kind.value()?.clone().into_inline()).collect();
    assert_eq!(
        values,
        [
            json!({"card": "***", "pin": "***", "amount": 5}),
            json!({"token": "***", "id": "***", "text": "***"}),
            // A short text is masked only in the fields that are named.
            json!({"token": "***", "id": 7, "text": "***"}),
            json!({"card": "***", "sent": {"token": "***", "id": "***", "text": "***"}}),
        ]
    );
    let calls = world.calls();
    assert_eq!(*json_of(&calls[0].effect), json!({"number": CARD, "pin": "12"}), "effects get the originals");
    assert_eq!((&world.output()["card"], &world.output()["sent"]["token"]), (&json!(CARD), &json!(TOKEN)));
}

#[tokio::test(start_paused = true)]
async fn every_process_knows_the_originals() {
    let whole = payment(result());
    whole.finish_at_once().await;
    for crash in [Crash::BeforeWrite, Crash::AfterWrite] {
        for commit in 1..=2 {
            let world = payment(result());
            world.crash(move |number| (number == commit).then_some(crash));
            assert_eq!(world.process().await, Exit::Crashed);
            world.finish_at_once().await;
            check_hidden(&world);
            assert_eq!(world.output(), whole.output(), "{crash:?} {commit}");
            assert_eq!(shown(&world).last(), shown(&whole).last());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn messages_do_not_show_masked_parts() {
    let fails = ("end", "fail", json!({"message": "refused {{ nodes.start.output.card }}"}));
    let world = payment(fails);
    world.finish_at_once().await;
    check_hidden(&world);
    let end = world.store.lock().unwrap().end.clone();
    assert!(matches!(end, Some(RunEnd::Failed(error)) if error.message.contains("refused ***")));
}

#[tokio::test(start_paused = true)]
async fn reviews_do_not_show_masked_parts() {
    let fields = json!([
        {"name": "card", "type": "text", "value": "nodes.start.output.card"},
        {"name": "amount", "type": "number", "value": "nodes.start.output.amount"},
    ]);
    let review = json!({"title": "Pay with {{ nodes.start.output.card }}?", "fields": fields});
    let nodes = [
        ("start", "input", json!({"redact": ["output.card"]})),
        ("ask", "review", review),
        ("send", "http", http(json!({"method": "POST", "body": {"type": "json", "value": "input.fields"}}))),
        ("end", "send_result", json!({})),
    ];
    let connections = "start>ask ask.approved>send ask.rejected>end ask.expired>end send>end";
    let world = World::new(&nodes, connections, |effect| ok(json_of(effect).clone()));
    let mut input = json!({"card": CARD, "amount": 5});
    mask(&mut input["card"]);
    world.store.lock().unwrap().log[0].kind = RunEventKind::RunQueued { input: RunValue::Value(input) };
    assert!(matches!(world.process().await, Exit::Left(Departure::Parked { .. })));
    let (review, _) = world.review("ask");
    assert_eq!((&review.request["title"], &review.request["fields"][0]["value"]), (&json!("***"), &json!("***")));

    // The person changes the amount, and leaves the card as it is shown.
    let fields = Map::from_iter([("card".to_owned(), json!("***")), ("amount".to_owned(), json!(4))]);
    world.answer(Duration::ZERO, "ask", ReviewAnswer { fields, ..approval() }).await;
    world.finish_at_once().await;
    check_hidden(&world);
    assert_eq!(world.output(), json!({"card": CARD, "amount": 4}));
}

#[tokio::test(start_paused = true)]
async fn a_trace_does_not_show_masked_parts() {
    let shape = json!({"value": "{'n': nodes.start.output.n}", "redact": ["input.text", "output.n"]});
    let nodes = [
        ("start", "input", json!({})),
        ("call", "http", http(json!({}))),
        ("shape", "transform", shape),
        ("end", "send_result", json!({})),
    ];
    let world = World::new(&nodes, "start>call call>shape shape>end", |_| ok(json!({"text": "a"})));
    world.finish_at_once().await;
    let spans = trace(RunFacts::new("r1", at(Duration::ZERO)), world.plan.clone(), 0, shown(&world)).unwrap();
    let shape = spans.iter().find(|span| span.step == "shape").unwrap();
    assert_eq!(
        (shape.input.as_deref(), &shape.output.as_deref().unwrap()["n"]),
        (Some(&json!({"text": "***"})), &json!("***"))
    );
}
