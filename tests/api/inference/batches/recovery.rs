//! Batches whose workers crash, are slow, or get their hints twice.

use domain::money::Money;
use futures::future::join_all;
use tests::provider::Gate;
use tokio::runtime::Builder;

use super::*;

#[tokio::test]
async fn repeated_hints_make_each_call_once() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("repeated", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("model", 20)).await;
    let workers: Vec<Worker> = (0..6).map(|_| worker_at(&app, Time::now())).collect();
    for handled in join_all(workers.iter().map(|worker| worker.handle_hint(hint(&customer, &path)))).await {
        handled.unwrap();
    }
    app.platform.drain().await;
    let batch = read(&customer.person, &path).await;
    assert_eq!(batch["request_counts"], json!({"total": 20, "completed": 20, "failed": 0}), "{batch}");
    assert_eq!((answers(&customer.person, &batch).await.len(), fake.take_requests().len()), (20, 20));
    assert_eq!(app.sum_charges(customer.account.org).await, (CALL_COST.times(20), 20));
}

/// The first worker is killed before its first call to DynamoDB or S3, the second one before its second call, and so on, until one
/// completes the batch. Then each request has one result, and each answer was charged once.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_survives_a_crash_at_each_step() {
    const LINES: usize = 12;
    let (app, gate) = TestApp::start_gated().await;
    insert_model(&app, "model", |_| {}).await;
    let customer = app.customer("crashes", Money::from_usd(10)).await;
    let path = start(&customer.person, CHATS, &chats("model", LINES)).await;
    let (mut now, mut killed) = (Time::now(), 0);
    loop {
        // Each worker has its own runtime and connections, and the runtime's shutdown cancels the calls in flight.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let context = Context { clock: Clock::new(move || now), ..app.platform.new_environment_context() };
        let (worker, hint) = (Worker::new(&context).unwrap(), hint(&customer, &path));
        let cut = gate.cut_after(killed);
        let mut handled = runtime.spawn(async move { worker.handle_hint(hint).await });
        let has_ended = tokio::select! {
            handled = &mut handled => { handled.unwrap().unwrap(); true }
            _ = cut => false,
        };
        runtime.shutdown_background();
        gate.reopen();
        now = now.plus(minutes(10));
        if has_ended {
            break;
        }
        killed += 1;
    }
    assert!(killed > 10, "{killed} workers were killed");
    app.platform.tick(now.plus(minutes(60))).await.unwrap();
    let batch = read(&customer.person, &path).await;
    assert_eq!(batch["request_counts"], json!({"total": LINES, "completed": LINES, "failed": 0}), "{batch}");
    assert_eq!(answers(&customer.person, &batch).await.len(), LINES);
    let charges = app.charges(customer.account.org).await;
    assert_eq!((charges.len(), app.sum_charges(customer.account.org).await.0), (LINES, CALL_COST.times(LINES as u64)));
    assert_eq!(app.balance(customer.account.org).await + CALL_COST.times(LINES as u64), Money::from_usd(10));
}

/// The first worker is suspended during its calls. Another one makes the calls and ends the batch.
#[tokio::test]
async fn a_slow_worker_changes_nothing_and_is_not_paid() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "model", |_| {}).await;
    let gate = Gate::closed();
    let slow = || completion("slow").gated_by(&gate);
    fake.respond_with(slow()).then_respond(slow()).then_respond(slow()).then_respond(completion("Hi"));
    let customer = app.customer("slow", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("model", 3)).await;
    let (slow, fast) = (worker_at(&app, Time::now()), worker_at(&app, Time::now().plus(minutes(10))));
    let second = async {
        let mut calls = 0;
        tests::polling::eventually("the calls of the slow worker", async || {
            calls += fake.take_requests().len();
            (calls == 3).then_some(())
        })
        .await;
        fast.handle_hint(hint(&customer, &path)).await.unwrap();
        let done = read(&customer.person, &path).await;
        assert_eq!(done["status"], "completed");
        gate.open();
        done
    };
    let (handled, done) = tokio::join!(slow.handle_hint(hint(&customer, &path)), second);
    handled.unwrap();
    assert_eq!(read(&customer.person, &path).await, done);
    for answer in answers(&customer.person, &done).await.values() {
        assert_eq!(answer["response"]["body"]["choices"][0]["message"]["content"], "Hi");
    }
    assert_eq!(app.sum_charges(customer.account.org).await, (CALL_COST.times(3), 3));
}

/// A worker is killed after some calls were charged. Then the user revokes the key and cancels the batch: the output has the charged
/// answers all the same.
#[tokio::test(flavor = "multi_thread")]
async fn charged_answers_of_a_killed_worker_are_in_the_output() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "model", |_| {}).await;
    let gate = Gate::closed();
    let held = completion("Hi").gated_by(&gate);
    fake.respond_with(completion("Hi")).then_respond(completion("Hi")).then_respond(held);
    let customer = app.customer("killed", Money::from_usd(1)).await;
    let path = start(&customer.person, CHATS, &chats("model", 4)).await;
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (worker, first) = (worker_at(&app, Time::now()), hint(&customer, &path));
    runtime.spawn(async move { worker.handle_hint(first).await });
    tests::polling::eventually("two charges", async || {
        (app.sum_charges(customer.account.org).await.1 == 2).then_some(())
    })
    .await;
    runtime.shutdown_background();
    let reader = app.customer("killed", Money::ZERO).await;
    assert_eq!(customer.person.post(&format!("{path}/cancel")).await.json["status"], "cancelling");
    let revoked = customer.person.delete(&format!("/gateway/v1/me/api-keys/{}", customer.key)).await;
    assert_eq!(revoked.status, "204 No Content", "{}", revoked.text);

    let later = Time::now().plus(minutes(10));
    assert!(app.platform.tick(later).await.unwrap() >= 1, "the batch is due");
    worker_at(&app, later).handle_hint(hint(&customer, &path)).await.unwrap();
    let batch = read(&reader.person, &path).await;
    assert_eq!(
        (&batch["status"], &batch["request_counts"]),
        (&json!("cancelled"), &json!({"total": 4, "completed": 2, "failed": 0}))
    );
    assert_eq!(answers(&reader.person, &batch).await.len(), 2);
    gate.open();
    app.platform.drain().await;
    assert_eq!(app.sum_charges(customer.account.org).await.1, 2);
}
