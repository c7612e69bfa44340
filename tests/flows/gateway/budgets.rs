//! The AWS calls and the table units that a model call costs.

use axum::Router;
use domain::money::Money;
use serde_json::json;
use tests::TestApp;
use tests::budgets::{CHAT_ALONE, CHAT_WITHIN_A_LEASE};
use tests::gateway::{CHAT, Customer, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider};

async fn call_costs(app: &TestApp, customer: &Customer, environment: &Router) -> String {
    let body = json!({"model": "dev-chat", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]});
    app.recorder.take();
    let (status, answer) = customer.call(environment, CHAT, &body).await;
    assert!(status.is_success(), "{answer}");
    app.recorder.take_costs().to_string()
}

#[tokio::test]
async fn a_call_with_its_own_lease_costs_one_read_and_three_writes() {
    let app = TestApp::start().await;
    // With so little credit, each lease is for one call.
    let customer = app.customer("exact", Money::from_micro_usd(100)).await;
    let environment = app.environment();
    call_costs(&app, &customer, &environment).await;
    for _ in 0..4 {
        // Half of the units of the transactions are nine rows of the log of calls.
        assert_eq!(call_costs(&app, &customer, &environment).await, CHAT_ALONE);
    }
}

/// The provider counts a hundred input tokens where about ten were reserved.
#[tokio::test]
async fn an_overage_costs_one_write_in_a_wide_lease_and_a_transaction_otherwise() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let answer = json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101},
    });
    fake.then_respond(Behaviour::json(200, answer));
    ModelBuilder::new("over").with_deployment(&app, &fake).await.insert(&app).await;
    let body = json!({"model": "over", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]});
    let call_costs = async |customer: &Customer, environment: &Router| {
        app.recorder.take();
        let (status, answer) = customer.call(environment, CHAT, &body).await;
        assert!(status.is_success(), "{answer}");
        app.recorder.take_costs().to_string()
    };

    let (exact, environment) = (app.customer("exact", Money::from_micro_usd(1_000)).await, app.environment());
    call_costs(&exact, &environment).await;
    assert_eq!(
        call_costs(&exact, &environment).await,
        "2 dynamodb:BatchGetItem (6 units), 3 dynamodb:TransactWriteItems (47 units)"
    );

    let (wide, environment) = (app.customer("wide", Money::from_usd(1_000)).await, app.environment());
    let mut all_costs = Vec::new();
    for _ in 0..24 {
        all_costs.push(call_costs(&wide, &environment).await);
    }
    let of_one_write = all_costs.iter().filter(|costs| *costs == "1 dynamodb:PutItem (2 units)").count();
    assert!(of_one_write > 4, "{all_costs:?}");
}

#[tokio::test]
async fn a_call_in_a_wide_lease_reads_nothing_and_writes_one_item() {
    let app = TestApp::start().await;
    let customer = app.customer("wide", Money::from_usd(1_000)).await;
    let environment = app.environment();
    let mut all_costs = Vec::new();
    for _ in 0..1 + 2 + 4 + 8 {
        all_costs.push(call_costs(&app, &customer, &environment).await);
    }
    // The leases are for one, two, four and eight calls. The first call of a lease takes it, the last one closes it.
    for (first, calls) in [(3, 4), (7, 8)] {
        let of_lease = &all_costs[first..first + calls];
        let (taken, closed) = (&of_lease[0], &of_lease[calls - 1]);
        assert!(
            taken.contains("1 dynamodb:BatchGetItem") && taken.contains("1 dynamodb:TransactWriteItems"),
            "{taken}"
        );
        assert!(closed.contains("1 dynamodb:TransactWriteItems"), "{closed}");
        for costs in &of_lease[1..calls - 1] {
            assert_eq!(costs, CHAT_WITHIN_A_LEASE);
        }
    }
}
