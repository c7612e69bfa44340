//! Many environments of the function at once, on one organization.

use std::time::Duration;

use axum::http::StatusCode;
use domain::money::Money;
use domain::time::Time;
use futures::future::join_all;
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
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

/// An item of DynamoDB takes 1,000 write units a second. At 200 calls a second, that is 5 a call.
#[tokio::test(flavor = "multi_thread")]
async fn a_hot_organization_is_served_within_what_an_item_takes_where_transactions_abort_each_other() {
    const CALLS: usize = 1_000;
    const AT_ONCE: usize = 32;
    const UNITS_A_CALL: u32 = 5;
    let faults = Faults { held: Duration::from_millis(4), seed: 7, ..Faults::default() };
    let written = faults.written.clone();
    let app = TestApp::start_with(Some(faults)).await;
    let credits = Money::from_usd(100);
    let customer = app.customer("hot", credits).await;
    let environments: Vec<_> = (0..ENVIRONMENTS).map(|_| app.environment()).collect();
    let body = call();
    let calls = (0..CALLS).map(|i| customer.call(&environments[i % ENVIRONMENTS], CHAT, &body));
    let answers: Vec<_> = stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;
    let refused: Vec<_> = answers.iter().filter(|(status, _)| *status != StatusCode::OK).take(3).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let hottest = written.hottest();
    assert!(hottest <= UNITS_A_CALL * CALLS as u32, "{hottest}");
    close_all(&app).await;
    agree(&app, &customer, credits, CALLS).await;
}
