//! Restarts: a run whose worker disappeared continues with another one.

use std::future::ready;
use std::sync::Arc;

use domain::Error;
use domain::run::Run;
use engine::compile::ExecutionPlan;
use runner::Plans;
use tests::polling::eventually;

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
    assert!(matches!(
        runs.claim(run_id(&path), now.plus(minutes(15)), |_| ready(Ok(true))).await.unwrap(),
        Claim::Claimed(_)
    ));
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["state"], "running");

    let later = now.plus(minutes(16));
    assert_eq!(app.platform.tick(later).await.unwrap(), 1);
    work_at(&app, &path, later).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!({"doubled": 8})));
}

/// Loses the message in the queue: it is received, and its worker fails before the claim.
pub async fn lose_hint(app: &TestApp) {
    let context = app.platform.context();
    let queue = context.config.required("QUEUE_RUNS").unwrap();
    let received = context.aws.sqs().receive_message().queue_url(queue).send().await.unwrap();
    assert_eq!(received.messages().len(), 1);
    assert_eq!(app.platform.drain().await, 0);
}

#[tokio::test]
async fn a_lost_hint_is_sent_again() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    lose_hint(&app).await;

    assert_eq!(app.platform.tick(Time::now().plus(minutes(2))).await.unwrap(), 1);
    assert_eq!(app.platform.drain().await, 1);
    assert_eq!(read(&ada, &path).await["state"], "completed");
}

#[tokio::test]
async fn a_run_with_a_slow_write_keeps_no_other_run_waiting() {
    let (app, gate) = TestApp::start_gated().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    for n in 0..3 {
        start_run(&ada, &flow, json!({"n": n})).await;
        lose_hint(&app).await;
    }
    let runs = Runs::new(&app.platform.context()).unwrap();
    let held = gate.hold("UpdateItem");
    let others = async {
        let release = held.arrived().await;
        let mut handled = 0;
        eventually("the hints of all runs", async || {
            handled += app.platform.drain().await;
            (handled == 3).then_some(())
        })
        .await;
        release.send(()).unwrap();
    };
    let (sent, ()) = tokio::join!(runs.send_due(Time::now().plus(minutes(2))), others);
    assert_eq!(sent.unwrap(), 3);
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
        assert!(matches!(
            runs.claim(run_id(&path), now.plus(minutes(15)), |_| ready(Ok(true))).await.unwrap(),
            Claim::Claimed(_)
        ));
        now = now.plus(minutes(16));
    }
    work_at(&app, &path, now).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("crashed")));
    assert_eq!(run["error"]["nodeId"], "start");
}

/// A release that cannot be read.
struct UnreadableRelease(fn() -> Error);

impl Plans for UnreadableRelease {
    async fn plan(&self, _: &Run) -> Result<Arc<ExecutionPlan>, Error> {
        Err((self.0)())
    }
}

/// Handles a message about a run at a time, in a process that cannot read its release.
async fn fail_to_load(app: &TestApp, path: &str, now: Time, error: fn() -> Error) -> Result<(), Error> {
    let Worker { runs, admission, performers, clock, stop, suspects, .. } = worker(&context_at(app, now));
    let worker = Worker { runs, admission, plans: UnreadableRelease(error), performers, clock, stop, suspects };
    worker.handle(RunHint { run_id: run_id(path) }, now.plus(minutes(15))).await
}

#[tokio::test]
async fn a_run_waits_while_the_storage_does_not_answer() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    let mut now = Time::now();
    for _ in 0..10 {
        fail_to_load(&app, &path, now, || Error::busy("S3 does not answer")).await.unwrap();
        assert_eq!(read(&ada, &path).await["state"], "paused");
        now = now.plus(minutes(2));
    }
    work_at(&app, &path, now).await;
    assert_eq!(read(&ada, &path).await["output"], json!({"doubled": 8}));
    app.platform.drain().await;
}

#[tokio::test]
async fn a_run_that_can_never_be_loaded_fails() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    let (mut now, mut failures) = (Time::now(), 0);
    while fail_to_load(&app, &path, now, || Error::internal("the manifest is damaged")).await.is_err() {
        now = now.plus(minutes(16));
        failures += 1;
    }
    assert_eq!(failures, 6);
    let error = &read(&ada, &path).await["error"];
    assert_eq!((&error["code"], &error["nodeId"]), (&json!("crashed"), &Value::Null));
    app.platform.drain().await;
}

#[tokio::test]
async fn a_platform_of_one_process_ends_the_claims_of_its_predecessor() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    let waiting = publish(&ada, refund()).await;
    let waiting = start_run(&ada, &waiting, json!({"amount": 1})).await;
    work_at(&app, &waiting, Time::now()).await;
    let runs = Runs::new(&app.platform.context()).unwrap();
    // The process is killed in the middle of the run.
    assert!(matches!(
        runs.claim(run_id(&path), Time::now().plus(minutes(15)), |_| ready(Ok(true))).await.unwrap(),
        Claim::Claimed(_)
    ));
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["state"], "running");
    assert_eq!(runs.resume(Time::now()).await.unwrap(), 1);
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["output"], json!({"doubled": 8}));
    assert_eq!(read(&ada, &waiting).await["state"], "paused");
    assert_eq!(runs.resume(Time::now()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_platform_of_one_process_sends_the_hints_that_its_predecessor_lost() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let runs = Runs::new(&app.platform.context()).unwrap();
    let double = publish(&ada, double()).await;
    let queued = start_run(&ada, &double, json!({"n": 4})).await;
    lose_hint(&app).await;
    let pause = node("pause", "delay", json!({"seconds": 60}));
    let ends = [node("start", "input", json!({})), node("end", "send_result", json!({}))];
    let delayed = graph(&[&ends[..], &[pause]].concat(), &["start.out pause", "pause.out end"]);
    let waiting = start_run(&ada, &publish(&ada, delayed).await, json!(null)).await;
    work_at(&app, &waiting, Time::now()).await;

    assert_eq!(runs.resume(Time::now()).await.unwrap(), 0, "no run is held");
    app.platform.drain().await;
    assert_eq!(read(&ada, &queued).await["output"], json!({"doubled": 8}));
    assert_eq!(read(&ada, &waiting).await["state"], "paused");
}
