//! Credits, spending caps and rate limits are exact under concurrent calls.

use axum::Router;
use axum::http::StatusCode;
use domain::limits::{Limits, PlanLimits};
use domain::money::Money;
use domain::time::Time;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::send;
use tests::gateway::{CHAT, Customer};

const CALLS: usize = 2_000;
const COVERED: usize = 500;

/// A call that costs exactly what it reserves: its answer is cut after one token.
fn call() -> Value {
    json!({"model": "dev-chat", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello there"}]})
}

async fn cost_of_one(app: &TestApp) -> Money {
    let one = app.customer("measure", Money::from_usd(1)).await;
    let answer = send(one.person.request(Method::POST, CHAT).json(&call())).await;
    answer.header("x-request-cost").and_then(|cost| cost.parse().ok()).expect("the answer reports its cost")
}

/// Sends all calls at once, and returns the number of answered calls and the refusals.
async fn all_at_once(customer: &Customer, environment: &Router) -> (usize, Vec<(StatusCode, Value)>) {
    let body = call();
    let answers = join_all((0..CALLS).map(|_| customer.call(environment, CHAT, &body))).await;
    let (answered, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(status, _)| *status == StatusCode::OK);
    (answered.len(), refused)
}

#[tokio::test(flavor = "multi_thread")]
async fn credits_for_500_calls_serve_exactly_500_of_2000_concurrent_calls() {
    let app = TestApp::start().await;
    let credits = cost_of_one(&app).await.times(COVERED as u64);
    let customer = app.customer("edge", credits).await;
    let environment = app.environment();

    let (answered, refused) = all_at_once(&customer, &environment).await;
    assert_eq!(answered, COVERED);
    for (status, answer) in refused {
        assert_eq!(status, StatusCode::PAYMENT_REQUIRED, "{answer}");
        assert_eq!(answer["error"]["code"], "insufficient_credits");
    }
    assert_eq!(app.balance(customer.account.org).await, Money::ZERO);
    assert_eq!(app.sum_charges(customer.account.org).await, (credits, COVERED));
    let usage = app.usage(customer.account.org).await;
    assert_eq!((usage.total().requests, usage.total().charged), (COVERED as u64, credits));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cap_for_500_calls_serves_exactly_500_of_2000_concurrent_calls() {
    let app = TestApp::start().await;
    let cap = cost_of_one(&app).await.times(COVERED as u64);
    let owner = app.customer("capped", Money::from_usd(1)).await;
    let body = json!({"name": "capped", "spending_cap": cap.to_string()});
    let made = send(owner.person.request(Method::POST, "/gateway/v1/me/api-keys").json(&body)).await;
    let customer = owner.with_key(made.json["id"].as_str().unwrap(), made.json["secret"].as_str().unwrap());

    let (answered, refused) = all_at_once(&customer, &app.environment()).await;
    assert_eq!(answered, COVERED);
    for (status, answer) in refused {
        assert_eq!(status, StatusCode::PAYMENT_REQUIRED, "{answer}");
        assert_eq!(
            (&answer["error"]["code"], &answer["error"]["details"]["scope"]),
            (&json!("spending_cap_reached"), &json!("key"))
        );
    }
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1).less(cap));
    assert_eq!(app.sum_charges(customer.account.org).await, (cap, COVERED));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_500_per_minute_admits_500_of_2000_concurrent_calls() {
    let app = TestApp::start().await;
    let limits = PlanLimits { org: Limits { rpm: Some(COVERED as u64), ..Limits::NONE }, ..PlanLimits::default() };
    let customer = app.customer("limited", Money::from_usd(1)).await;
    app.put_on_plan(&customer, limits).await;
    let minute = || Time::now().as_seconds() / 60;
    let first = minute();
    let (answered, refused) = all_at_once(&customer, &app.environment()).await;
    // The calls usually fall into one minute. Each further minute that they reach admits as many again.
    let minutes = usize::try_from(minute() - first).unwrap() + 1;
    assert!(answered >= COVERED && answered <= COVERED * minutes, "{answered} in {minutes} minutes");
    assert_eq!(answered + refused.len(), CALLS);
    for (status, answer) in refused {
        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS, "{answer}");
        assert_eq!(answer["error"]["details"]["dimension"], "rpm");
    }
}
