//! Calls with an `Idempotency-Key` are executed once, charged once and replayed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::call_facts::CallLabels;
use domain::catalog::Pricing;
use domain::lease::{CallLimits, Payer};
use domain::ledger::CallOrigin;
use domain::limits::PlanLimits;
use domain::money::Money;
use domain::time::{Clock, Time};
use domain::usage::{Tokens, UsageSource};
use futures::future::join_all;
use gateway::Served;
use gateway::leases::{CallUsage, LeasePools, LeaseSlot, SlotRequest, Taken};
use platform::Context;
use reqwest::Method;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use store::Claims;
use store::claims::{Claim, ClaimState, StoredAnswer};
use store::leases::CallEnd;
use store::stored_text::StoredText;
use tests::TestApp;
use tests::client::{Answer, send};
use tests::gateway::{CHAT, Customer, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider, Gate};

const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");

async fn call(customer: &Customer, key: &str, body: &Value) -> Answer {
    send(customer.person.request(Method::POST, CHAT).header("Idempotency-Key", key).json(body)).await
}

fn question(stream: bool) -> Value {
    json!({"model": "dev-chat", "stream": stream, "messages": [{"role": "user", "content": "Hello there"}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_retries_execute_one_call_and_share_its_answer() {
    let app = TestApp::start().await;
    for (stream, name) in [(false, "whole"), (true, "streamed")] {
        let customer = app.customer(name, Money::from_usd(1)).await;
        let body = question(stream);
        let answers = join_all((0..20).map(|_| call(&customer, "order-66", &body))).await;
        for answer in &answers {
            assert_eq!((answer.status.as_str(), &answer.text), ("200 OK", &answers[0].text));
            assert_eq!(answer.header("content-type"), answers[0].header("content-type"));
        }
        let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed").is_some()).count();
        assert_eq!(replayed, 19);
        assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
        assert_eq!(call(&customer, "order-67", &body).await.header("idempotent-replayed"), None);
        assert_eq!(app.sum_charges(customer.account.org).await.1, 2);
    }
}

/// The clock of the second environment moves a second per reading, so that the test does not wait for 20 seconds.
#[tokio::test]
async fn a_retry_gives_up_while_the_first_request_still_runs() {
    let app = TestApp::start().await;
    let (fake, gate) = (FakeProvider::start().await, Gate::closed());
    fake.then_respond(Behaviour::json(200, ANSWER).gated_by(&gate));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("patient", Money::from_usd(1)).await;
    let body = json!({"model": "fake", "messages": [{"role": "user", "content": "Hello there"}]});
    let (began, readings) = (Time::now(), AtomicU64::new(0));
    let clock = Clock::new(move || began.plus(Duration::from_secs(readings.fetch_add(1, Ordering::Relaxed))));
    let other = inference::router(&Context { clock, ..app.platform.new_environment_context() }).unwrap();
    let retry = async {
        tests::polling::eventually("the first call", async || (!fake.take_requests().is_empty()).then_some(())).await;
        let refused = customer.call_with_header(&other, CHAT, ("idempotency-key", "slow"), &body).await;
        gate.open();
        refused
    };
    let (first, (status, refused)) = tokio::join!(call(&customer, "slow", &body), retry);
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (503, &json!("unavailable")));
    assert_eq!(first.status, "200 OK");
    assert_eq!(call(&customer, "slow", &body).await.header("idempotent-replayed"), Some("true"));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
}

#[tokio::test]
async fn malformed_keys_and_keys_of_another_request_are_refused() {
    let app = TestApp::start().await;
    let customer = app.customer("keys", Money::from_usd(1)).await;
    call(&customer, "one", &question(false)).await;
    let answer = call(&customer, "one", &question(true)).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("409 Conflict", "idempotency_conflict"));
    assert_eq!(answer.header("x-should-retry"), Some("false"), "OpenAI's SDKs would retry a 409");
    for key in ["", "two words"] {
        let answer = call(&customer, key, &question(false)).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_query"), "{key}");
        assert_eq!(answer.json["error"]["param"], "Idempotency-Key");
    }
    let neighbour = app.customer("neighbour", Money::from_usd(1)).await;
    let answer = call(&neighbour, "one", &question(false)).await;
    assert_eq!((answer.status.as_str(), answer.header("idempotent-replayed")), ("200 OK", None));
}

#[tokio::test]
async fn a_failed_call_is_executed_again() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(400, json!({"error": {"message": "no", "code": "no"}})))
        .then_respond(Behaviour::json(200, ANSWER));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("anew", Money::from_usd(1)).await;
    let body = json!({"model": "fake", "messages": [{"role": "user", "content": "Hello there"}]});
    assert_eq!(call(&customer, "again", &body).await.status, "400 Bad Request");
    assert_eq!(call(&customer, "again", &body).await.status, "200 OK");
    assert_eq!(call(&customer, "again", &body).await.header("idempotent-replayed"), Some("true"));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
}

#[tokio::test]
async fn an_answer_too_large_for_an_item_is_replayed() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let mut answer: Value = serde_json::from_str(ANSWER).unwrap();
    answer["choices"][0]["message"]["content"] = "long ".repeat(20_000).into();
    fake.then_respond(Behaviour::json(200, answer));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("large", Money::from_usd(1)).await;
    let body = json!({"model": "fake", "messages": [{"role": "user", "content": "Hello there"}]});
    let first = call(&customer, "large", &body).await;
    let again = call(&customer, "large", &body).await;
    assert!(first.text.len() > 100_000);
    assert_eq!((again.text, again.headers.get("idempotent-replayed").is_some()), (first.text, true));
    assert_eq!(fake.take_requests().len(), 1);
}

/// The bytes of a provider, the id, the time and the cost are those of the first response.
#[tokio::test]
async fn answers_of_every_kind_are_replayed_byte_for_byte() {
    const EMBEDDINGS: &str = "/gateway/v1/embeddings";
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let choice = r#"{"index":0, "delta":{"content":"h\u0069  ñ"},"x":1e2,"finish_reason":"stop"}"#;
    let usage = r#"{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}"#;
    let events = format!("data: {{\"choices\":[{choice}],\"system_fingerprint\":\"f\",\"usage\":{usage}}}\n\n");
    fake.respond_with(Behaviour::events(&format!("{events}data: [DONE]\n\n")));
    ModelBuilder::new("fake").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("bytes", Money::from_usd(1)).await;
    let messages = json!([{"role": "user", "content": "Hello there"}]);
    let streamed = |model: &str| {
        let options = json!({"include_usage": true});
        json!({"model": model, "messages": messages, "stream": true, "stream_options": options})
    };
    let texts = json!(["a", "ñ"]);
    let calls = [
        (CHAT, json!({"model": "dev-chat", "messages": messages, "n": 2, "logprobs": true})),
        (CHAT, streamed("dev-chat")),
        (CHAT, streamed("fake")),
        (EMBEDDINGS, json!({"model": "dev-embed", "input": texts})),
        (EMBEDDINGS, json!({"model": "dev-embed", "input": texts, "encoding_format": "base64"})),
        ("/gateway/v1/guard", json!({"input": messages})),
        ("/gateway/v1/moderations", json!({"input": texts})),
    ];
    for (place, (path, body)) in calls.iter().enumerate() {
        let key = format!("call-{place}");
        let send_again =
            async || send(customer.person.request(Method::POST, path).header("Idempotency-Key", &key).json(body)).await;
        let (first, again) = (send_again().await, send_again().await);
        assert_eq!((first.status.as_str(), first.header("idempotent-replayed")), ("200 OK", None), "{}", first.text);
        assert_eq!((again.status.as_str(), again.header("idempotent-replayed")), ("200 OK", Some("true")), "{path}");
        assert_eq!((&again.text, again.header("content-type")), (&first.text, first.header("content-type")), "{path}");
        if place == 2 {
            assert!(first.text.contains(choice), "{}", first.text);
        }
    }
    assert_eq!(app.sum_charges(customer.account.org).await.1, calls.len());
}

/// It stored the body of the response.
#[tokio::test]
async fn answers_that_the_version_before_stored_are_replayed_unchanged() {
    let app = TestApp::start().await;
    let customer = app.customer("upgraded", Money::from_usd(1)).await;
    let claims = Claims::new(&app.platform.context()).unwrap();
    let leases = LeasePools::new(&app.platform.context()).unwrap();
    let whole = (r#"{"id":"chatcmpl-1", "choices":[]}"#, "application/json");
    let streamed = ("data: {\"id\":\"chatcmpl-1\"}\n\ndata: [DONE]\n\n", "text/event-stream");
    for (stream, (text, content_type)) in [(false, whole), (true, streamed)] {
        let (key, body) = (format!("old-{stream}"), question(stream).to_string());
        let hash = BASE64_URL_SAFE_NO_PAD.encode(&digest(&SHA256, body.as_bytes()).as_ref()[..16]);
        let claim = match claims.claim(customer.account, &key, &hash, Time::now()).await.unwrap() {
            ClaimState::Claimed(claim) => claim,
            other => panic!("{other:?}"),
        };
        let stored = StoredAnswer { content_type: content_type.to_owned(), body: StoredText::from(text) };
        let mut slot = slot(&leases, &customer).await;
        assert!(record_answer(&mut slot, &claim, &stored).await);
        slot.close_if_finished().await;
        let request = customer.person.request(Method::POST, CHAT).header("Idempotency-Key", &key);
        let replayed = send(request.header("Content-Type", "application/json").body(body)).await;
        assert_eq!((replayed.status.as_str(), replayed.text.as_str()), ("200 OK", text));
        assert_eq!(replayed.header("content-type"), Some(content_type));
        assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    }
}

/// An environment is suspended during a call, and wakes up after another one has executed the call.
#[tokio::test]
async fn a_call_that_was_taken_over_is_not_charged_twice() {
    let app = TestApp::start().await;
    let customer = app.customer("sleeper", Money::from_usd(1)).await;
    let claims = Claims::new(&app.platform.context()).unwrap();
    let sleeper = claim_call(&claims, &customer, Time::now()).await;
    let under_way = claims.claim(customer.account, "k", "hash", Time::now()).await.unwrap();
    assert!(matches!(under_way, ClaimState::InFlight));
    let successor = claim_call(&claims, &customer, Time::now().plus(AN_HOUR)).await;

    let leases = LeasePools::new(&app.platform.context()).unwrap();
    for (claim, is_charged) in [(successor, true), (sleeper, false)] {
        let mut slot = slot(&leases, &customer).await;
        assert_eq!(record_charge(&mut slot, &claim).await, is_charged);
        if !is_charged {
            slot.put_back();
        }
        slot.close_if_finished().await;
    }
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_pico_usd(100), 1));
}

/// It wakes up after its lease was swept. The charge and the answer are stored together or not at all.
#[tokio::test]
async fn a_late_charge_is_stored_with_its_answer_or_not_at_all() {
    let app = TestApp::start().await;
    let customer = app.customer("late", Money::from_usd(1)).await;
    let claims = Claims::new(&app.platform.context()).unwrap();
    let sleeper = claim_call(&claims, &customer, Time::now()).await;
    let leases = LeasePools::new(&app.platform.context()).unwrap();
    let mut slots = [slot(&leases, &customer).await, slot(&leases, &customer).await];
    app.platform.tick(Time::now().plus(AN_HOUR)).await.unwrap();

    let successor = claim_call(&claims, &customer, Time::now().plus(AN_HOUR)).await;
    assert!(!record_charge(&mut slots[0], &sleeper).await);
    slots[0].put_back();
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::ZERO, 0));
    assert!(record_charge(&mut slots[1], &successor).await);
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_pico_usd(100), 1));
    match claims.claim(customer.account, "k", "hash", Time::now()).await.unwrap() {
        ClaimState::Answered(kept) => assert_eq!(kept, answer()),
        other => panic!("{other:?}"),
    }
}

/// Every response to the write of the charge is lost, so the call seems to have failed.
#[tokio::test]
async fn releasing_a_claim_keeps_the_answer_of_a_charged_call() {
    let app = TestApp::start().await;
    let customer = app.customer("released", Money::from_usd(1)).await;
    let claims = Claims::new(&app.platform.context()).unwrap();
    let claim = claim_call(&claims, &customer, Time::now()).await;
    let leases = LeasePools::new(&app.platform.context()).unwrap();
    let mut slot = slot(&leases, &customer).await;
    assert!(record_charge(&mut slot, &claim).await);
    claims.release(&claim).await.unwrap();
    let repeated = claims.claim(customer.account, "k", "hash", Time::now()).await.unwrap();
    assert!(matches!(repeated, ClaimState::Answered(kept) if kept == answer()));
}

const AN_HOUR: Duration = Duration::from_secs(3_600);

async fn claim_call(claims: &Claims, customer: &Customer, now: Time) -> Claim {
    match claims.claim(customer.account, "k", "hash", now).await.expect("the table answers") {
        ClaimState::Claimed(claim) => claim,
        other => panic!("{other:?}"),
    }
}

/// A slot of a lease for one call of 100 pico-dollars.
async fn slot(leases: &LeasePools, customer: &Customer) -> LeaseSlot {
    let payer = Payer {
        org: customer.account.org,
        user: customer.account.user,
        key: Some(customer.key),
        is_exempt: false,
        limits: PlanLimits::default(),
    };
    let pricing = Pricing { input_micro_usd: 10, ..Pricing::default() };
    let model = ModelBuilder::new("m").with(|model| model.pricing = pricing).build();
    let need = CallLimits { money: Money::from_pico_usd(100), tokens: 10, images: 0 };
    let labels = CallLabels::default();
    match leases.take(SlotRequest { payer: &payer, model: (&model).into(), need, labels: &labels }).await {
        Ok(Taken::Slot(slot)) => slot,
        Ok(Taken::Short(shortage)) => panic!("{shortage:?}"),
        Err(error) => panic!("{error}"),
    }
}

async fn record_charge(slot: &mut LeaseSlot, claim: &Claim) -> bool {
    record_answer(slot, claim, &answer()).await
}

/// Records the charge and the answer. False if another environment has taken over the call.
async fn record_answer(slot: &mut LeaseSlot, claim: &Claim, answer: &StoredAnswer) -> bool {
    let call = CallOrigin { request_id: "r".to_owned(), ..CallOrigin::default() };
    let counted = (Tokens { input: 10, ..Tokens::default() }, UsageSource::Provider);
    let charge = slot.price_call(CallUsage::of_tokens(&call, None, Served::first("p", "m"), counted));
    slot.record_once(&charge, CallEnd::Answer(claim, answer)).await.expect("the tables answer")
}

fn answer() -> StoredAnswer {
    StoredAnswer { content_type: "text/plain".to_owned(), body: StoredText::from("first") }
}
