//! Many environments of the function at once, on one organization.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use futures::future::join_all;
use serde_json::{Value, json};
use shared::domain::money::Money;
use shared::domain::time::Time;
use tests::TestApp;
use tests::faults::Faults;
use tests::gateway::{CHAT, Customer};

const ENVIRONMENTS: usize = 8;

/// Costs less than it takes: the model has said all before `max_tokens`.
fn call() -> Value {
    json!({"model": "dev-chat", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello there"}]})
}

/// Balance, ledger and usage say the same, to the pico-dollar.
async fn agree(app: &TestApp, customer: &Customer, credits: Money, calls: usize) {
    let org = customer.account.org;
    let (charged, entries) = app.charged(org).await;
    assert_eq!(entries, calls);
    assert_eq!(app.balance(org).await + charged, credits);
    let usage = app.usage(org).await;
    assert_eq!((usage.total().requests as usize, usage.total().charged), (calls, charged));
    let by_key = usage.keys.iter().map(|(_, _, figures)| figures.charged).sum::<Money>();
    assert_eq!(by_key, charged);
}

/// All leases are over then, and those that were left open are closed.
async fn close_all(app: &TestApp) {
    app.platform.tick(Time::now().plus(Duration::from_secs(3_600))).await.expect("a tick");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_20000_calls_at_once_from_8_environments_none_is_refused_and_all_agrees() {
    const CALLS: usize = 20_000;
    let app = TestApp::start().await;
    let credits = Money::from_usd(10);
    let customer = app.customer("crowd", credits).await;
    let environments: Vec<_> = (0..ENVIRONMENTS).map(|_| app.environment()).collect();
    let body = call();
    let calls = (0..CALLS).map(|i| customer.call(&environments[i % ENVIRONMENTS], CHAT, &body));
    let answers = join_all(calls).await;
    let refused: Vec<_> = answers.iter().filter(|(status, _)| *status != StatusCode::OK).take(3).collect();
    assert!(refused.is_empty(), "{refused:?}");
    close_all(&app).await;
    agree(&app, &customer, credits, CALLS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hot_organization_is_served_200_calls_a_second_where_transactions_abort_each_other() {
    const A_SECOND: usize = 200;
    const SECONDS: usize = 5;
    let faults = Faults { held: Duration::from_millis(4), units_a_second: 1_000, seed: 7, ..Faults::default() };
    let app = TestApp::start_with(Some(faults)).await;
    let credits = Money::from_usd(100);
    let customer = app.customer("hot", credits).await;
    let environments: Vec<_> = (0..ENVIRONMENTS).map(|_| app.environment()).collect();
    let (body, began) = (call(), Instant::now());
    let calls = (0..A_SECOND * SECONDS).map(|i| {
        let (customer, environment, body) = (&customer, &environments[i % ENVIRONMENTS], &body);
        async move {
            tokio::time::sleep(Duration::from_secs_f64(i as f64 / A_SECOND as f64)).await;
            customer.call(environment, CHAT, body).await
        }
    });
    let answers = join_all(calls).await;
    let refused: Vec<_> = answers.iter().filter(|(status, _)| *status != StatusCode::OK).take(3).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(SECONDS as u64 + 3), "{took:?}");
    close_all(&app).await;
    agree(&app, &customer, credits, A_SECOND * SECONDS).await;
}
