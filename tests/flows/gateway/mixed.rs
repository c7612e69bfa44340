//! The figures of an organization agree to the pico-dollar after many calls of every kind: chats, streams, embeddings,
//! images and evaluations by the guard. Providers fail, environments are killed, requests and messages are repeated, and
//! DynamoDB throttles and loses answers.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use domain::catalog::{ModelType, Pricing};
use domain::image::JOB_DEADLINE;
use domain::lease::LONGEST_CALL;
use domain::ledger::Charge;
use domain::money::Money;
use domain::time::Time;
use futures::future::join_all;
use gateway::{Gateway, GuardTask};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use store::GuardEvents;
use store::guard_events::GuardEventFilter;
use tests::TestApp;
use tests::faults::Faults;
use tests::gateway::{CHAT, Customer, ModelBuilder, events, months};
use tests::provider::{Behaviour, FakeProvider};
use tests::scale::full_or;
use tokio::runtime::Builder;

use super::{chat_answer, embeddings_answer, stream_answer};

const CALLS_AT_ONCE: usize = 12;
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

struct Stage {
    app: TestApp,
    providers: BTreeMap<&'static str, FakeProvider>,
}

impl Stage {
    async fn new() -> Self {
        let faults = Faults { throttled: 10, lost: 25, seed: 16, ..Faults::default() };
        let app = TestApp::start_with_faults(Some(faults)).await;
        let mut providers = BTreeMap::new();
        for kind in ["chat", "embeddings", "images", "guard"] {
            let fake = FakeProvider::start().await;
            let model = ModelBuilder::new(kind).with(|model| match kind {
                "embeddings" => model.r#type = ModelType::Embeddings,
                "chat" => {}
                _ => {
                    model.capabilities = vec![kind.to_owned()];
                    model.pricing = Pricing { image_micro_usd: Some(1_234), ..model.pricing };
                }
            });
            model.with_deployment(&app, &fake).await.insert(&app).await;
            providers.insert(kind, fake);
        }
        app.operator().put("/gateway/v1/admin/aliases/guard", json!({"model": "guard"})).await;
        Self { app, providers }
    }

    /// Chooses what the providers answer from now on.
    fn set_behaviours(&self, random: &mut fastrand::Rng) {
        for (kind, fake) in &self.providers {
            let (input, output) = (random.u64(1..900), random.u64(1..90));
            let usage = json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
            let behaviour = match (random.u8(..12), *kind) {
                (0, _) => Behaviour::json(500, json!({"error": {"message": "down"}})),
                (1, _) => Behaviour::json(200, "garbage"),
                (2, _) => Behaviour::json(400, json!({"error": {"message": "no", "code": "refused"}})),
                (3, "chat") => stream_answer(&usage).cut_after(1),
                (4 | 5, "chat") => stream_answer(&usage),
                (_, "chat") => chat_answer(&usage),
                (_, "embeddings") => embeddings_answer(&usage),
                (_, "images") => Behaviour::json(200, json!({"data": [{"b64_json": PIXEL}]})),
                _ => {
                    let result = json!({"category_scores": {"violence": 0.7}});
                    Behaviour::json(200, json!({"results": vec![result; random.usize(1..=2)]}))
                }
            };
            fake.respond_with(behaviour);
        }
    }

    /// The number of completed evaluations.
    async fn evaluations(&self, customer: &Customer) -> usize {
        let events = GuardEvents::new(&self.app.platform.context()).unwrap();
        let mut count = 0;
        for month in months() {
            let mut after = None;
            loop {
                let filter = GuardEventFilter::default();
                let page = events.list(customer.account.org, month, &filter, 1_000, after).await.unwrap();
                count += page.items.iter().filter(|event| event.verdict().is_some()).count();
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        count
    }

    /// Handles each waiting task of the guard by two workers at once, and then the messages of all queues.
    async fn handle_messages(&self) {
        let context = self.app.platform.context();
        let queue = context.config.required("QUEUE_GUARD").unwrap();
        let received = context.aws.sqs().receive_message().queue_url(queue).max_number_of_messages(10).send().await;
        let workers = [0, 1].map(|_| Gateway::new(&self.app.platform.context_of("guard-worker")).unwrap());
        for message in received.ok().and_then(|received| received.messages).unwrap_or_default() {
            let task: GuardTask = serde_json::from_str(message.body().unwrap()).unwrap();
            // Storage may fail here. On Lambda, the message would come again.
            let _ = join_all(workers.iter().map(|worker| worker.handle_guard_task(task.clone()))).await;
        }
        self.app.platform.drain().await;
    }
}

fn random_call(random: &mut fastrand::Rng) -> (&'static str, Value) {
    let messages = json!([{"role": "user", "content": "Is it so?"}]);
    let chat = json!({"model": "chat", "max_tokens": 4, "messages": messages, "guard": random.bool()});
    match random.u8(..6) {
        0 | 1 => (CHAT, chat),
        2 => {
            let mut body = chat;
            (body["stream"], body["stream_options"]) = (true.into(), json!({"include_usage": true}));
            (CHAT, body)
        }
        3 => ("/gateway/v1/embeddings", json!({"model": "embeddings", "input": "Is it so?"})),
        4 => ("/gateway/v1/images/generations", json!({"preset": "images", "prompt": "a fox"})),
        _ => ("/gateway/v1/guard", json!({"input": messages})),
    }
}

/// The request id and the cost of a call that was answered and not replayed.
async fn call(
    customer: Customer,
    environment: Router,
    path: &str,
    body: Value,
    key: Option<String>,
) -> Option<(String, Money)> {
    let mut request = Request::post(path)
        .header("authorization", format!("Bearer {}", customer.person.token.as_deref().unwrap()))
        .header("content-type", "application/json")
        .header("prefer", "respond-async");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    let request = request.body(Body::from(body.to_string())).unwrap();
    let response = tower::ServiceExt::oneshot(environment, request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let header = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let (id, cost) = (header("x-request-id")?, header("x-request-cost"));
    let is_first = parts.status == 200 && header("idempotent-replayed").is_none();
    let streamed = || {
        let events = events(std::str::from_utf8(&body).unwrap());
        if events.last()? != "[DONE]" {
            return None;
        }
        let usage = events.iter().find_map(|event| event.get("usage").filter(|usage| usage.is_object()))?;
        Some(usage["cost"].to_string())
    };
    let cost = cost.or_else(streamed).filter(|_| is_first)?;
    Some((id, cost.parse().unwrap()))
}

/// Makes calls at once, of which some have the same key, and kills the environment before all of them have ended.
fn make_calls(stage: &Stage, customer: &Customer, random: &mut fastrand::Rng, round: usize) -> Vec<(String, Money)> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let environment = stage.app.environment();
    let ended = Arc::new(AtomicUsize::new(0));
    let mut calls = Vec::new();
    for number in 0..CALLS_AT_ONCE {
        let (path, body) = random_call(random);
        let key = (number % 3 == 0).then(|| format!("call-{round}-{number}"));
        let twice = if key.is_some() { 2 } else { 1 };
        for _ in 0..twice {
            let (ended, sent) =
                (ended.clone(), call(customer.clone(), environment.clone(), path, body.clone(), key.clone()));
            calls.push(runtime.spawn(async move {
                let answered = sent.await;
                ended.fetch_add(1, Ordering::Relaxed);
                answered
            }));
        }
    }
    let is_killed = random.u8(..4) == 0;
    let survivors = if is_killed { random.usize(..calls.len()) } else { calls.len() };
    while ended.load(Ordering::Relaxed) < survivors {
        std::thread::sleep(Duration::from_millis(1));
    }
    let ended = calls.into_iter().filter(|call| !is_killed || call.is_finished());
    let answered = ended.filter_map(|call| runtime.block_on(call).unwrap()).collect();
    runtime.shutdown_background();
    answered
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_agree_after_many_mixed_calls() {
    let stage = Arc::new(Stage::new().await);
    let credits = Money::from_usd(1_000);
    let customer = stage.app.customer("mixed", credits).await;
    let mut random = fastrand::Rng::with_seed(1_616);
    let mut answered = Vec::new();
    for round in 0..full_or(5_000, 120).div_ceil(CALLS_AT_ONCE) {
        stage.set_behaviours(&mut random);
        let (on_stage, caller, mut own) = (stage.clone(), customer.clone(), random.fork());
        let made = tokio::task::spawn_blocking(move || make_calls(&on_stage, &caller, &mut own, round)).await.unwrap();
        answered.extend(made);
        stage.handle_messages().await;
    }
    // The ticker fails the jobs that no worker ended, and then closes the leases of killed calls.
    let late = Time::now().plus(JOB_DEADLINE + LONGEST_CALL * 2);
    for minute in 0.. {
        let now = late.plus(Duration::from_secs(60 * minute));
        if matches!(stage.app.platform.tick(now).await, Ok(0)) && minute > 20 {
            break;
        }
    }
    let charges = stage.app.charges(customer.account.org).await;
    let charged: Money = charges.iter().map(|charge| charge.charged).sum();
    let usage = stage.app.usage(customer.account.org).await;
    let total = usage.total();
    assert_eq!(stage.app.balance(customer.account.org).await + charged, credits);
    assert_eq!((total.requests, total.charged), (charges.len() as u64, charged));
    assert_eq!(total.cost, charges.iter().map(|charge| charge.cost).sum());
    assert_eq!(total.images, charges.iter().map(|charge| charge.images).sum::<u64>());
    let by_key: Money = usage.keys.iter().map(|(_, _, figures)| figures.charged).sum();
    assert_eq!(by_key, charged);

    let mut by_request = BTreeMap::<_, Vec<&Charge>>::new();
    for charge in &charges {
        // A chat and its evaluation have the same request.
        by_request.entry((charge.request_id.as_str(), charge.model == "guard")).or_default().push(charge);
    }
    let repeated = by_request.iter().find(|(_, charges)| charges.len() > 1);
    assert!(repeated.is_none(), "charged twice: {repeated:?}");
    for (request, cost) in &answered {
        let own = [false, true].map(|guard| by_request.get(&(request.as_str(), guard)));
        let costs: Vec<_> = own.into_iter().flatten().flatten().map(|charge| charge.cost).collect();
        assert!(costs.contains(cost), "{request} costs {cost}, but the ledger has {costs:?}");
    }
    let of_guard = charges.iter().filter(|charge| charge.model == "guard").count();
    assert_eq!(stage.evaluations(&customer).await, of_guard, "each evaluation has an event and a charge");
    let kinds = |model: &str| charges.iter().filter(|charge| charge.model == model).count();
    let seen = ["chat", "embeddings", "images", "guard"].map(kinds);
    eprintln!("{} answered, {} charged: {seen:?}", answered.len(), charges.len());
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}
