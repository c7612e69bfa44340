//! Restarts: a run whose worker disappeared continues with another one.

use shared::store::runs::Claim;

use super::*;

#[tokio::test]
async fn another_worker_continues_when_the_claim_has_expired() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    let now = Time::now();
    let runs = Runs::new(&app.platform.context()).unwrap();
    // This worker is dropped right after its claim.
    assert!(matches!(runs.claim(run_id(&path), now.plus(minutes(15))).await.unwrap(), Claim::Claimed(_)));
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["state"], "running");

    let later = now.plus(minutes(16));
    assert_eq!(app.platform.tick(later).await.unwrap(), 1);
    work_at(&app, &path, later).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!({"doubled": 8})));
}

#[tokio::test]
async fn a_lost_hint_is_sent_again() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    // The message is lost: it is received, and its worker fails before the claim.
    let context = app.platform.context();
    let queue = context.config.required("QUEUE_RUNS").unwrap();
    let received = context.aws.sqs().receive_message().queue_url(queue).send().await.unwrap();
    assert_eq!(received.messages().len(), 1);
    assert_eq!(app.platform.drain().await, 0);

    assert_eq!(app.platform.tick(Time::now().plus(minutes(2))).await.unwrap(), 1);
    assert_eq!(app.platform.drain().await, 1);
    assert_eq!(read(&ada, &path).await["state"], "completed");
}

#[tokio::test]
async fn a_run_that_crashes_again_and_again_fails() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    let mut now = Time::now();
    for _ in 0..6 {
        let runs = Runs::new(&context_at(&app, now)).unwrap();
        assert!(matches!(runs.claim(run_id(&path), now.plus(minutes(15))).await.unwrap(), Claim::Claimed(_)));
        now = now.plus(minutes(16));
    }
    work_at(&app, &path, now).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("crashed")));
    assert_eq!(run["error"]["nodeId"], "start");
}
