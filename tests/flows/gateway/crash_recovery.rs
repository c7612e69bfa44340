//! Crash recovery: environments that die between taking a lease and closing it.

use std::time::Duration;

use domain::money::Money;
use domain::time::Time;
use serde_json::json;
use tests::TestApp;
use tests::gateway::CHAT;
use tokio::runtime::Builder;
use tokio::sync::mpsc;

/// The number of calls sent to each environment.
const CALLS: usize = 24;

#[tokio::test(flavor = "multi_thread")]
async fn credits_reserved_by_a_killed_environment_are_returned() {
    let app = TestApp::start().await;
    let credits = Money::from_micro_usd(20_000);
    let customer = app.customer("killed", credits).await;
    let org = customer.account.org;
    let body = json!({"model": "dev-chat", "max_tokens": 60, "messages": [{"role": "user", "content": "Hello there"}]});
    let random = &mut fastrand::Rng::with_seed(11);
    for _ in 0..12 {
        // Each environment has its own runtime, and its shutdown cancels all tasks of the environment.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let environment = app.environment();
        let (report, mut ended) = mpsc::unbounded_channel();
        for _ in 0..CALLS {
            let (customer, environment, body, report) =
                (customer.clone(), environment.clone(), body.clone(), report.clone());
            runtime.spawn(async move {
                customer.call(&environment, CHAT, &body).await;
                let _ = report.send(());
            });
        }
        // It dies after a random number of calls, with the others in any state.
        for _ in 0..random.usize(0..CALLS) {
            ended.recv().await.unwrap();
        }
        runtime.shutdown_background();
        let (charged, _) = app.sum_charges(org).await;
        assert!(app.balance(org).await + charged <= credits, "overdrawn");
    }
    app.platform.tick(Time::now().plus(Duration::from_secs(3_600))).await.unwrap();
    let (charged, calls) = app.sum_charges(org).await;
    assert!((1..12 * CALLS).contains(&calls), "some calls must end and some must not: {calls}");
    assert_eq!(app.balance(org).await + charged, credits);
}
