//! Many environments of the function serve one organization at the same time.

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
use tests::scale::full_or;

const ENVIRONMENTS: usize = 8;

/// A call that costs less than it reserves: its answer ends before `max_tokens`.
fn call() -> Value {
    json!({"model": "dev-chat", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello there"}]})
}

/// Asserts that balance, ledger and usage agree to the pico-dollar.
async fn assert_accounts_agree(app: &TestApp, customer: &Customer, credits: Money, calls: usize) {
    let org = customer.account.org;
    let (charged, entries) = app.sum_charges(org).await;
    assert_eq!(entries, calls);
    assert_eq!(app.balance(org).await + charged, credits);
    let usage = app.usage(org).await;
    assert_eq!((usage.total().requests as usize, usage.total().charged), (calls, charged));
    let by_key = usage.keys.iter().map(|(_, _, figures)| figures.charged).sum::<Money>();
    assert_eq!(by_key, charged);
}

/// Ticks an hour later: all leases have expired by then, and the sweep closes those that are open.
async fn close_all(app: &TestApp) {
    app.platform.tick(Time::now().plus(Duration::from_secs(3_600))).await.expect("the tick succeeds");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_concurrent_calls_from_8_environments_are_served_and_accounted() {
    let calls = full_or(20_000, 4_000);
    let app = TestApp::start().await;
    let credits = Money::from_usd(10);
    let customer = app.customer("crowd", credits).await;
    let environments: Vec<_> = (0..ENVIRONMENTS).map(|_| app.environment()).collect();
    let body = call();
    let all = (0..calls).map(|i| customer.call(&environments[i % ENVIRONMENTS], CHAT, &body));
    let answers = join_all(all).await;
    let refused: Vec<_> = answers.iter().filter(|(status, _)| *status != StatusCode::OK).take(3).collect();
    assert!(refused.is_empty(), "{refused:?}");
    close_all(&app).await;
    assert_accounts_agree(&app, &customer, credits, calls).await;
}

/// DynamoDB allows 1,000 write units per second on one item. At 200 calls per second, that is 5 units per call.
#[tokio::test(flavor = "multi_thread")]
async fn a_hot_organization_stays_within_the_write_limit_of_an_item() {
    const CALLS: usize = 1_000;
    const AT_ONCE: usize = 32;
    const UNITS_A_CALL: u32 = 5;
    let faults = Faults { held: Duration::from_millis(4), seed: 7, ..Faults::default() };
    let write_units = faults.write_units.clone();
    let app = TestApp::start_with_faults(Some(faults)).await;
    let credits = Money::from_usd(100);
    let customer = app.customer("hot", credits).await;
    let environments: Vec<_> = (0..ENVIRONMENTS).map(|_| app.environment()).collect();
    let body = call();
    let calls = (0..CALLS).map(|i| customer.call(&environments[i % ENVIRONMENTS], CHAT, &body));
    let answers: Vec<_> = stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;
    let refused: Vec<_> = answers.iter().filter(|(status, _)| *status != StatusCode::OK).take(3).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let hottest = write_units.hottest();
    assert!(hottest > 0 && hottest <= UNITS_A_CALL * CALLS as u32, "{hottest}");
    close_all(&app).await;
    assert_accounts_agree(&app, &customer, credits, CALLS).await;
}
