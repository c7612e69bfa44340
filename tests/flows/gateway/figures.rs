//! Billing consistency: the cost of a call is the same in its header, its body, the transactions, the usage and the
//! balance, for any token count of its provider. It is checked through the public API right after each call.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::time::Duration;

use domain::catalog::ModelType;
use domain::id::OrgId;
use domain::lease::LONGEST_CALL;
use domain::money::Money;
use domain::time::Time;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use store::Leases;
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::faults::Faults;
use tests::gateway::{CHAT, Customer, ModelBuilder, events};
use tests::provider::{Behaviour, FakeProvider};
use tokio::runtime::Builder;

use super::{chat_answer, embeddings_answer, stream_answer};

const EMBEDDINGS: &str = "/gateway/v1/embeddings";
const BILLING: &str = "/gateway/v1/billing";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Chat,
    Stream,
    Embeddings,
}

/// The tokens that a provider reports. A call here reserves about 20 to 50.
#[derive(Clone, Copy, Debug)]
struct Count {
    input: u64,
    output: u64,
}

impl Count {
    /// The cost at the prices of `ModelBuilder`.
    fn cost(self) -> Money {
        Money::from_micro_usd(self.input + 4 * self.output)
    }

    fn behaviour(self, kind: Kind) -> Behaviour {
        let Self { input, output } = self;
        let usage = json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
        match kind {
            Kind::Chat => chat_answer(&usage),
            Kind::Stream => stream_answer(&usage),
            Kind::Embeddings => embeddings_answer(&json!({"prompt_tokens": input, "total_tokens": input})),
        }
    }
}

struct Stage {
    app: TestApp,
    fake: FakeProvider,
}

impl Stage {
    async fn new(faults: Option<Faults>) -> Self {
        let app = TestApp::start_with_faults(faults).await;
        let fake = FakeProvider::start().await;
        ModelBuilder::new("chat").with_deployment(&app, &fake).await.insert(&app).await;
        let embeddings = ModelBuilder::new("embeddings").with(|model| model.r#type = ModelType::Embeddings);
        embeddings.with_deployment(&app, &fake).await.insert(&app).await;
        Self { app, fake }
    }

    async fn call(&self, person: &Person, kind: Kind, count: Count, key: Option<&str>) -> Answer {
        self.fake.respond_with(count.behaviour(kind));
        ask(person, kind, key).await
    }

    /// Whether no more could have been collected: the balance or a cap is used up.
    async fn is_used_up(&self, customer: &Customer) -> bool {
        let (meter, _) =
            Leases::new(&self.app.platform.context()).unwrap().balance(customer.account.org).await.unwrap();
        let balance = customer.person.get(&format!("{BILLING}/balance")).await;
        let caps = balance.json["spending_caps"].as_array().unwrap();
        meter.balance().is_zero() || caps.iter().any(|cap| money(&cap["used"]) >= money(&cap["limit"]))
    }
}

async fn ask(person: &Person, kind: Kind, key: Option<&str>) -> Answer {
    let (path, body) = match kind {
        Kind::Chat | Kind::Stream => {
            let messages = json!([{"role": "user", "content": "Is it so?"}]);
            let options = json!({"include_usage": true});
            let mut body = json!({"model": "chat", "max_tokens": 4, "messages": messages});
            if kind == Kind::Stream {
                (body["stream"], body["stream_options"]) = (true.into(), options);
            }
            (CHAT, body)
        }
        Kind::Embeddings => (EMBEDDINGS, json!({"model": "embeddings", "input": "Is it so?"})),
    };
    let mut request = person.request(Method::POST, path).json(&body);
    if let Some(key) = key {
        request = request.header("Idempotency-Key", key);
    }
    send(request).await
}

/// The amount of a JSON number. Twelve decimals are exact for amounts of a few dollars.
fn money(number: &Value) -> Money {
    number.to_string().parse().unwrap_or_else(|_| panic!("{number} is not an amount"))
}

/// The cost that an answer reports, or `None` for a refused call.
fn reported_cost(answer: &Answer, kind: Kind) -> Option<Money> {
    if answer.status != "200 OK" {
        return None;
    }
    if kind == Kind::Stream {
        let events = events(&answer.text);
        let usage = events.iter().find_map(|event| event.get("usage").filter(|usage| usage.is_object()));
        return usage.map(|usage| money(&usage["cost"]));
    }
    let in_body = money(&answer.json["usage"]["cost"]);
    // A replay has the body of the first answer, but no cost header.
    if let Some(in_header) = answer.header("x-request-cost") {
        assert_eq!(in_header.parse(), Ok(in_body));
    }
    Some(in_body)
}

/// The billing figures of an organization, as its administrator reads them through the public API.
struct Figures {
    balance: Money,
    /// The request id, the charged amount and the uncollected amount of each debit.
    debits: Vec<(String, Money, Money)>,
    costs: Money,
}

impl Figures {
    /// Reads the figures, and asserts that they agree with each other and with the credits given.
    async fn read(person: &Person, credits: Money) -> Self {
        let balance = person.get(&format!("{BILLING}/balance")).await.json;
        let usage = person.get(&format!("{BILLING}/usage")).await.json;
        let list = person.get(&format!("{BILLING}/transactions?limit=100")).await.json;
        assert_eq!(list["has_more"], false, "{list}");
        let debits = list["data"].as_array().unwrap().iter().filter(|entry| entry["kind"] == "debit");
        let debits = debits.map(|entry| {
            let request = entry["request_id"].as_str().unwrap().to_owned();
            (request, money(&entry["amount"]), money(&entry["uncollected"]))
        });
        let debits: Vec<_> = debits.collect();
        let charged: Money = debits.iter().map(|(_, charged, _)| *charged).sum();
        let uncollected: Money = debits.iter().map(|(_, _, uncollected)| *uncollected).sum();
        let of_month = &balance["usage_this_month"];
        assert_eq!(money(&list["totals"]["debit"]), charged, "{list}");
        assert_eq!(money(&list["totals"]["credit"]), credits, "{list}");
        assert_eq!(money(&list["totals"]["uncollected"]), uncollected, "{list}");
        assert_eq!(money(&balance["credits_remaining"]) + charged, credits, "{balance}");
        for shown in [&usage["total_cost"], &of_month["cost"]] {
            assert_eq!(money(shown), charged + uncollected, "{usage} {balance}");
        }
        for shown in [&usage["total_uncollected"], &of_month["uncollected"]] {
            assert_eq!(money(shown), uncollected, "{usage} {balance}");
        }
        assert_eq!((&usage["total_requests"], &of_month["requests"]), (&json!(debits.len()), &json!(debits.len())));
        for part in ["by_model", "by_api_key", "by_user", "daily_breakdown"] {
            let rows = usage[part].as_array().unwrap();
            assert_eq!(rows.iter().map(|row| money(&row["cost"])).sum::<Money>(), charged + uncollected, "{part}");
        }
        Self { balance: money(&balance["credits_remaining"]), debits, costs: charged + uncollected }
    }
}

fn random_call(random: &mut fastrand::Rng) -> (Kind, Count) {
    let kind = [Kind::Chat, Kind::Stream, Kind::Embeddings][random.usize(..3)];
    let most = [8, 60, 600, 6_000][random.usize(..4)];
    let output = if kind == Kind::Embeddings { 0 } else { random.u64(1..=most) };
    (kind, Count { input: random.u64(1..=most), output })
}

async fn cap(app: &TestApp, org: OrgId, limit: Money) {
    let path = format!("{BILLING}/admin/caps?org={org}");
    let put = app.operator().put(&path, json!({"limit": limit.to_string()})).await;
    assert_eq!(put.status, "200 OK", "{}", put.text);
}

#[tokio::test]
async fn every_figure_shows_the_real_cost_of_a_call() {
    let stage = Stage::new(None).await;
    let (mut over, mut under, mut short, mut replayed) = (0, 0, 0, 0);
    for seed in 0..14 {
        let random = &mut fastrand::Rng::with_seed(seed);
        // From credits for few calls, which one overage uses up, to credits that allow leases of many calls.
        let credits = Money::from_micro_usd([300, 3_000, 30_000, 30_000_000][random.usize(..4)]);
        let customer = stage.app.customer(&format!("customer {seed}"), credits).await;
        let person = &customer.person;
        if random.u8(..4) == 0 {
            cap(&stage.app, customer.account.org, Money::from_pico_usd(credits.pico_usd() / 3)).await;
        }
        let (mut costs, mut calls) = (Money::ZERO, 0);
        for number in 0..10 {
            let (kind, count) = random_call(random);
            let key = format!("call-{number}");
            let key = (random.u8(..4) == 0).then_some(key.as_str());
            let answer = stage.call(person, kind, count, key).await;
            let Some(cost) = reported_cost(&answer, kind) else {
                assert_eq!(answer.status, "402 Payment Required", "{}", answer.text);
                break;
            };
            assert_eq!(cost, count.cost(), "seed {seed}: {kind:?} {count:?}");
            (costs, calls) = (costs + cost, calls + 1);
            if key.is_some() {
                let again = stage.call(person, kind, Count { input: 1, output: 1 }, key).await;
                assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &answer.text));
                replayed += 1;
            }
            let figures = Figures::read(person, credits).await;
            assert_eq!((figures.costs, figures.debits.len()), (costs, calls), "seed {seed}, call {number}");
            let (_, charged, uncollected) = figures.debits[0];
            assert_eq!(charged + uncollected, cost, "the newest transaction is this call's");
            if uncollected.is_zero() {
                *(if count.input > 60 { &mut over } else { &mut under }) += 1;
            } else {
                assert!(stage.is_used_up(&customer).await, "seed {seed}, call {number}: {uncollected} uncollected");
                short += 1;
            }
        }
        stage.app.platform.tick(Time::now().plus(LONGEST_CALL * 2)).await.unwrap();
        assert_eq!(Figures::read(person, credits).await.costs, costs, "seed {seed}: closing leases changes nothing");
    }
    assert!(over > 10 && under > 10 && short > 3 && replayed > 5, "{over} over, {under} under, {short} {replayed}");
}

/// Concurrent overages, while writes conflict, are throttled and lose their answers.
#[tokio::test(flavor = "multi_thread")]
async fn each_answered_call_is_charged_once_when_requests_are_repeated_and_lost() {
    for seed in 0..3 {
        let faults = Faults { throttled: 30, lost: 120, held: Duration::from_millis(1), seed, ..Faults::default() };
        let stage = Stage::new(Some(faults)).await;
        let random = &mut fastrand::Rng::with_seed(seed);
        let credits = Money::from_micro_usd([4_000, 40_000, 4_000_000][seed as usize]);
        let customer = stage.app.customer("unlucky", credits).await;
        let mut answered = Vec::new();
        for round in 0..4 {
            let (kind, count) = random_call(random);
            stage.fake.respond_with(count.behaviour(kind));
            let keys: Vec<_> = (0..8).map(|call| format!("call-{round}-{}", call / 2)).collect();
            let calls = keys.iter().enumerate().map(|(call, key)| {
                // Half of the calls are sent twice at the same time.
                ask(&customer.person, kind, (call < 4).then_some(key.as_str()))
            });
            for answer in join_all(calls).await {
                if let Some(cost) = reported_cost(&answer, kind) {
                    assert_eq!(cost, count.cost());
                    if answer.header("idempotent-replayed").is_none() {
                        answered.push((answer.header("x-request-id").unwrap().to_owned(), cost));
                    }
                }
            }
        }
        stage.app.platform.tick(Time::now().plus(LONGEST_CALL * 2)).await.unwrap();
        let figures = Figures::read(&customer.person, credits).await;
        assert!(answered.len() > 4, "too few calls were answered");
        for (request, cost) in answered {
            let rows: Vec<_> = figures.debits.iter().filter(|(of, _, _)| *of == request).collect();
            let [(_, charged, uncollected)] = rows[..] else { panic!("{} rows of {request}", rows.len()) };
            assert_eq!(*charged + *uncollected, cost, "{request}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_agree_after_environments_die_during_overages() {
    let stage = Stage::new(None).await;
    let credits = Money::from_micro_usd(200_000);
    let customer = stage.app.customer("killed", credits).await;
    stage.fake.respond_with(Count { input: 900, output: 90 }.behaviour(Kind::Chat));
    let body = json!({"model": "chat", "max_tokens": 4, "messages": [{"role": "user", "content": "Is it so?"}]});
    let random = &mut fastrand::Rng::with_seed(5);
    for _ in 0..8 {
        // Each environment has its own runtime, and its shutdown cancels all tasks of the environment.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let environment = stage.app.environment();
        for _ in 0..12 {
            let (customer, environment, body) = (customer.clone(), environment.clone(), body.clone());
            runtime.spawn(async move { customer.call(&environment, CHAT, &body).await });
        }
        tokio::time::sleep(Duration::from_millis(random.u64(20..120))).await;
        runtime.shutdown_background();
        let (charged, _) = stage.app.sum_charges(customer.account.org).await;
        assert!(stage.app.balance(customer.account.org).await + charged <= credits, "overdrawn");
    }
    // One more call, which is not interrupted.
    let (status, answer) = customer.call(&stage.app.environment(), CHAT, &body).await;
    assert!(status.is_success() || answer["error"]["code"] == "insufficient_credits", "{answer}");
    stage.app.platform.tick(Time::now().plus(LONGEST_CALL * 2)).await.unwrap();
    let (charged, calls) = stage.app.sum_charges(customer.account.org).await;
    assert!(calls > 0, "no call was charged");
    assert_eq!(stage.app.balance(customer.account.org).await + charged, credits);
    let total = stage.app.usage(customer.account.org).await.total();
    assert_eq!((total.requests, total.charged), (calls as u64, charged));
    assert_eq!(total.cost, total.charged + total.uncollected);
    assert_eq!(total.cost, Money::from_micro_usd(1_260).times(calls as u64));
}

/// Concurrent overages that together exceed the balance.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_overages_never_overdraw_the_balance() {
    let stage = Stage::new(None).await;
    // A call reserves about 30 micro-dollars and costs 1,000. With so little credit, each call has its own lease.
    let (credits, count) = (Money::from_micro_usd(2_500), Count { input: 1_000, output: 0 });
    let customer = stage.app.customer("rush", credits).await;
    stage.fake.respond_with(count.behaviour(Kind::Chat).delayed_by(Duration::from_millis(20)));
    let answers = join_all((0..60).map(|_| ask(&customer.person, Kind::Chat, None))).await;
    let costs: Money = answers.iter().filter_map(|answer| reported_cost(answer, Kind::Chat)).sum();
    stage.app.platform.tick(Time::now().plus(LONGEST_CALL * 2)).await.unwrap();
    let figures = Figures::read(&customer.person, credits).await;
    assert_eq!(figures.costs, costs);
    assert!(costs > credits, "the calls must cost more than the credits");
    assert_eq!(figures.balance, Money::ZERO);
}
