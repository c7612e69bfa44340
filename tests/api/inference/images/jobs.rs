//! Jobs that the client polls.

use domain::money::Money;
use tests::budgets::{CREATE_IMAGE_JOB, READ_IMAGE_JOB, WORK_ON_IMAGE_JOB};

use super::*;

#[tokio::test]
async fn a_job_is_queued_carried_out_and_read() {
    let app = TestApp::start().await;
    let customer = app.customer("jobs", Money::from_usd(1)).await;
    let request = customer.person.request(reqwest::Method::POST, IMAGES).header("Prefer", "wait=1, Respond-Async");
    let started = send(request.json(&fox())).await;
    assert_eq!((started.status.as_str(), &started.json["status"]), ("202 Accepted", &json!("queued")));
    assert_eq!(started.header("preference-applied"), Some("respond-async"));
    let path = format!("{IMAGES}/{}", started.json["job_id"].as_str().unwrap());
    assert_eq!(started.header("location"), Some(&*path));

    let queued = customer.person.get(&path).await.json;
    assert_eq!(
        (&queued["status"], &queued["result"], &queued["finished_at"]),
        (&json!("queued"), &json!(null), &json!(null))
    );
    assert_eq!(app.platform.drain().await, 1);
    let done = customer.person.get(&path).await.json;
    assert_eq!((&done["status"], &done["error"]), (&json!("succeeded"), &json!(null)));
    assert!(done["finished_at"].as_str() >= done["created_at"].as_str());
    let picture = reqwest::get(done["result"]["data"][0]["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(size_of(&picture.bytes().await.unwrap()), (64, 32));
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(10_000), 1));
}

#[tokio::test]
async fn a_job_belongs_to_its_user() {
    let app = TestApp::start().await;
    let customer = app.customer("owner", Money::from_usd(1)).await;
    let stranger = app.customer("stranger", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &fox()).await;
    let missing = format!("{IMAGES}/job_019cb8e23f4a7c219b6d000000000002");
    let [theirs, none] = [stranger.person.get(&path).await, stranger.person.get(&missing).await];
    assert_eq!(refusal(&theirs), ("404", "image_job_not_found"));
    assert_eq!(theirs.json["error"]["message"], none.json["error"]["message"]);
    assert_eq!(customer.person.get(&format!("{IMAGES}/17")).await.code(), "image_job_not_found");
}

#[tokio::test]
async fn an_asynchronous_model_never_lets_a_request_wait() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let model = ModelBuilder::new("slow").with(|model| {
        model.capabilities = vec!["images".to_owned()];
        model.asynchronous = true;
    });
    model.with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("slow", Money::from_usd(1)).await;
    let body = json!({"preset": "slow", "prompt": "a cat"});
    for _ in 0..2 {
        let request = customer.person.request(reqwest::Method::POST, IMAGES).header("Idempotency-Key", "once");
        let answer = send(request.json(&body)).await;
        assert_eq!((answer.status.as_str(), answer.header("preference-applied")), ("202 Accepted", None));
    }
}

#[tokio::test]
async fn a_job_costs_few_calls() {
    let app = TestApp::start().await;
    let customer = app.customer("costs", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &fox()).await;
    app.platform.drain().await;
    assert_eq!(app.costs(prefer_job(&customer.person, &fox())).await.to_string(), CREATE_IMAGE_JOB);
    app.recorder.take();
    app.platform.drain().await;
    // The number of receptions depends on the time.
    let costs = app.recorder.take_costs().to_string();
    assert_eq!(costs.split(", 1 sqs:").next().unwrap(), WORK_ON_IMAGE_JOB);
    assert_eq!(app.costs(customer.person.get(&path)).await.to_string(), READ_IMAGE_JOB);
}
