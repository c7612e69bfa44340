//! Batches that meet limits: of the rate, of the credits and of the time.

use domain::limits::{Limits, PlanLimits};
use domain::money::Money;

use super::*;

#[tokio::test]
async fn calls_wait_for_the_rate_limit_and_fail_no_request() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("rates", Money::from_usd(1)).await;
    let limits = PlanLimits { org: Limits { rpm: Some(3), ..Limits::default() }, ..PlanLimits::default() };
    app.put_on_plan(&customer, limits).await;
    let path = start(&customer.person, CHATS, &chats("model", 8)).await;
    let mut now = Time::now();
    for completed in [3, 6, 8] {
        worker_at(&app, now).handle_hint(hint(&customer, &path)).await.unwrap();
        let batch = read(&customer.person, &path).await;
        assert_eq!(batch["request_counts"], json!({"total": 8, "completed": completed, "failed": 0}), "{batch}");
        assert_eq!(batch["status"], if completed < 8 { "in_progress" } else { "completed" });
        now = now.plus(minutes(1));
    }
    let batch = read(&customer.person, &path).await;
    assert_eq!(answers(&customer.person, &batch).await.len(), 8);
    assert_eq!((fake.take_requests().len(), app.sum_charges(customer.account.org).await.1), (8, 8));
}

#[tokio::test]
async fn a_call_that_no_limit_can_ever_admit_fails() {
    let app = TestApp::start().await;
    insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("too-large", Money::from_usd(1)).await;
    let limits = PlanLimits { org: Limits { tpm: Some(1_000), ..Limits::default() }, ..PlanLimits::default() };
    app.put_on_plan(&customer, limits).await;
    let large = ask("model", &"word ".repeat(3_000));
    let path = start(&customer.person, CHATS, &(line("large", CHATS, &large) + &chats("model", 1))).await;
    app.platform.drain().await;
    let batch = read(&customer.person, &path).await;
    assert_eq!(batch["request_counts"], json!({"total": 2, "completed": 1, "failed": 1}), "{batch}");
    assert_eq!(errors(&customer.person, &batch).await["large"]["response"]["status_code"], 429);
}

#[tokio::test]
async fn a_provider_without_room_is_asked_again_later() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "busy", |_| {}).await;
    fake.respond_with(Behaviour::json(429, json!({"error": {"message": "slow down"}})));
    let customer = app.customer("busy", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("busy", 1)).await;
    worker_at(&app, Time::now()).handle_hint(hint(&customer, &path)).await.unwrap();
    assert_eq!(read(&customer.person, &path).await["status"], "in_progress");
    fake.respond_with(completion("Hi"));
    worker_at(&app, Time::now().plus(minutes(5))).handle_hint(hint(&customer, &path)).await.unwrap();
    let batch = read(&customer.person, &path).await;
    assert_eq!(batch["request_counts"], json!({"total": 1, "completed": 1, "failed": 0}), "{batch}");
}

#[tokio::test]
async fn calls_without_credits_fail() {
    let app = TestApp::start().await;
    insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("poor", Money::from_micro_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("model", 2)).await;
    app.platform.drain().await;
    let batch = read(&customer.person, &path).await;
    assert_eq!((&batch["status"], &batch["output_file_id"]), (&json!("completed"), &Value::Null), "{batch}");
    let error = errors(&customer.person, &batch).await["1"]["response"].clone();
    assert_eq!((&error["status_code"], &error["body"]["error"]["code"]), (&json!(402), &json!("insufficient_credits")));
}

#[tokio::test]
async fn requests_without_an_answer_expire_with_the_window() {
    let app = TestApp::start().await;
    insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("late", Money::from_usd(1)).await;
    let limits = PlanLimits { org: Limits { rpm: Some(2), ..Limits::default() }, ..PlanLimits::default() };
    app.put_on_plan(&customer, limits).await;
    let path = start(&customer.person, CHATS, &chats("model", 5)).await;
    worker_at(&app, Time::now()).handle_hint(hint(&customer, &path)).await.unwrap();
    worker_at(&app, Time::now().plus(minutes(24 * 60 + 1))).handle_hint(hint(&customer, &path)).await.unwrap();
    let batch = read(&customer.person, &path).await;
    assert_eq!(
        (&batch["status"], &batch["request_counts"]),
        (&json!("expired"), &json!({"total": 5, "completed": 2, "failed": 3}))
    );
    assert!(batch["expired_at"].as_i64() >= batch["expires_at"].as_i64());
    let (answers, errors) = (answers(&customer.person, &batch).await, errors(&customer.person, &batch).await);
    assert_eq!((answers.len(), errors.len()), (2, 3));
    for error in errors.values() {
        assert_eq!((&error["response"], &error["error"]["code"]), (&Value::Null, &json!("batch_expired")));
    }
}
