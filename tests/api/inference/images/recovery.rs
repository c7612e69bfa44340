//! Jobs whose messages are lost or repeated, and whose workers crash or are slow.

use std::time::Duration;

use domain::money::Money;
use domain::time::{Clock, Time};
use futures::future::join_all;
use gateway::Gateway;
use platform::Context;
use store::ImageJobs;
use store::image_jobs::ImageHint;
use tests::gateway::Customer;
use tests::provider::{Behaviour, Gate};

use super::*;

fn hint(customer: &Customer, path: &str) -> ImageHint {
    ImageHint { account: customer.account, job: path.rsplit('/').next().unwrap().parse().unwrap() }
}

/// A worker whose clock shows a time.
fn worker_at(app: &TestApp, now: Time) -> Gateway {
    Gateway::new(&Context { clock: Clock::new(move || now), ..app.platform.context_of("image-worker") }).unwrap()
}

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

async fn status(customer: &Customer, path: &str) -> Value {
    customer.person.get(path).await.json["status"].clone()
}

#[tokio::test]
async fn repeated_messages_generate_once() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, pixels(1)));
    insert_model(&app, &fake).await;
    let customer = app.customer("repeated", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "pictures", "prompt": "a cat"})).await;
    let worker = worker_at(&app, Time::now());
    for handled in join_all((0..8).map(|_| worker.generate_images(hint(&customer, &path)))).await {
        handled.unwrap();
    }
    app.platform.drain().await;
    assert_eq!(fake.take_requests().len(), 1);
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(40_000), 1));
}

#[tokio::test]
async fn a_lost_message_is_sent_again() {
    let app = TestApp::start().await;
    let customer = app.customer("lost", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &fox()).await;
    let context = app.platform.context();
    let queue = context.config.required("QUEUE_IMAGES").unwrap();
    let received = context.aws.sqs().receive_message().queue_url(queue).send().await.unwrap();
    assert_eq!(received.messages().len(), 1);
    assert_eq!(app.platform.tick(Time::now()).await.unwrap(), 0);
    assert_eq!(app.platform.tick(Time::now().plus(minutes(2))).await.unwrap(), 1);
    assert_eq!(app.platform.drain().await, 1);
    assert_eq!(status(&customer, &path).await, "succeeded");
}

#[tokio::test]
async fn another_worker_follows_one_that_crashed() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, pixels(1)));
    insert_model(&app, &fake).await;
    let customer = app.customer("crash", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "pictures", "prompt": "a cat"})).await;
    let jobs = ImageJobs::new(&app.platform.context_of("image-worker")).unwrap();
    // This worker is dropped right after its claim.
    assert_eq!(jobs.claim(hint(&customer, &path)).await.unwrap().unwrap().attempt, 1);
    app.platform.drain().await;
    assert_eq!((status(&customer, &path).await, fake.take_requests().len()), (json!("running"), 0));

    let later = Time::now().plus(minutes(6));
    assert_eq!(app.platform.tick(later).await.unwrap(), 1);
    worker_at(&app, later).generate_images(hint(&customer, &path)).await.unwrap();
    assert_eq!(status(&customer, &path).await, "succeeded");
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(40_000), 1));
}

/// The first worker is slow: the second one finishes before it.
#[tokio::test]
async fn a_slow_worker_is_not_paid() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let gate = Gate::closed();
    fake.then_respond(Behaviour::json(200, pixels(1)).gated_by(&gate)).then_respond(Behaviour::json(200, pixels(1)));
    insert_model(&app, &fake).await;
    let customer = app.customer("slow", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "pictures", "prompt": "a cat"})).await;
    let (slow, fast) = (worker_at(&app, Time::now()), worker_at(&app, Time::now().plus(minutes(6))));
    let slow = slow.generate_images(hint(&customer, &path));
    let second = async {
        tests::polling::eventually("the call of the slow worker", async || {
            (!fake.take_requests().is_empty()).then_some(())
        })
        .await;
        fast.generate_images(hint(&customer, &path)).await.unwrap();
        let done = customer.person.get(&path).await.json;
        assert_eq!(done["status"], "succeeded");
        gate.open();
        done
    };
    let (handled, done) = tokio::join!(slow, second);
    handled.unwrap();
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(40_000), 1));
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1).less(Money::from_micro_usd(40_000)));
    let object = |job: &Value| job["result"]["data"][0]["url"].as_str().unwrap().split('?').next().unwrap().to_owned();
    assert_eq!(object(&done), object(&customer.person.get(&path).await.json));
}

#[tokio::test]
async fn a_stuck_job_fails_at_its_deadline_and_gives_its_money_back() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let gate = Gate::closed();
    fake.then_respond(Behaviour::json(200, pixels(1)).gated_by(&gate));
    insert_model(&app, &fake).await;
    let customer = app.customer("stuck", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "pictures", "prompt": "a cat"})).await;
    let worker = worker_at(&app, Time::now());
    let stuck = worker.generate_images(hint(&customer, &path));
    let ticker = async {
        tests::polling::eventually("the call of the worker", async || (!fake.take_requests().is_empty()).then_some(()))
            .await;
        assert_eq!(app.platform.tick(Time::now().plus(minutes(14))).await.unwrap(), 1);
        assert_eq!(status(&customer, &path).await, "running");
        assert_eq!(app.platform.tick(Time::now().plus(minutes(16))).await.unwrap(), 1);
        let job = customer.person.get(&path).await.json;
        assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("image_job_timeout")));
        assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
        gate.open();
    };
    let (handled, ()) = tokio::join!(stuck, ticker);
    handled.unwrap();
    // The images of the late worker are not billed.
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
    assert_eq!(status(&customer, &path).await, "failed");
}

#[tokio::test]
async fn a_request_whose_job_is_stuck_gets_a_timeout() {
    let app = TestApp::start().await;
    let customer = app.customer("waiting", Money::from_usd(1)).await;
    let body = fox();
    let request = post(&customer.person, IMAGES, &body);
    let ticker = async {
        // After two minutes the ticker finds the job, but no lease, which the request takes before.
        tests::polling::eventually("the job", async || {
            let found = app.platform.tick(Time::now().plus(minutes(2))).await.unwrap();
            (found > 0).then_some(())
        })
        .await;
        assert_eq!(app.platform.tick(Time::now().plus(minutes(16))).await.unwrap(), 1);
    };
    let (answer, ()) = tokio::join!(request, ticker);
    assert_eq!(refusal(&answer), ("504", "image_job_timeout"), "{}", answer.text);
    assert_eq!(answer.json["error"]["type"], "provider_error");
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}

#[tokio::test]
async fn a_job_whose_model_was_removed_fails() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    insert_model(&app, &fake).await;
    let customer = app.customer("removed", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "pictures", "prompt": "a cat"})).await;
    let removed = app.operator().delete("/gateway/v1/admin/models/pictures").await;
    assert_eq!(removed.status, "204 No Content", "{}", removed.text);
    worker_at(&app, Time::now()).generate_images(hint(&customer, &path)).await.unwrap();
    let job = customer.person.get(&path).await.json;
    assert_eq!(job["error"]["code"], "model_not_found", "{job}");
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}
