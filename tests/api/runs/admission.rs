//! Runs that may not go on: those of a paused workflow that have not begun, and those of a suspended organization.

use super::*;

fn waits_an_hour() -> Value {
    let wait = node("wait", "delay", json!({"seconds": 3600}));
    let nodes = [node("start", "input", json!({})), wait, node("end", "send_result", json!({}))];
    graph(&nodes, &["start.out wait", "wait.out end"])
}

async fn state(person: &Person, path: &str) -> String {
    read(person, path).await["state"].as_str().unwrap().to_owned()
}

async fn suspend(app: &TestApp, suspended: bool) {
    let org = format!("/gateway/v1/admin/orgs/{}", app.account("ada").org);
    let changed = app.operator().patch(&org, json!({"suspended": suspended})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
}

/// After some minutes, the ticker sends the messages of the runs that are due.
async fn tick_and_work(app: &TestApp, later: u64) {
    app.platform.tick(Time::now().plus(minutes(later))).await.unwrap();
    app.platform.drain().await;
}

#[tokio::test]
async fn queued_runs_wait_until_their_workflow_is_resumed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    assert_eq!(ada.post(&format!("{WORKFLOWS}/{flow}/pause")).await.status, "200 OK");
    app.platform.drain().await;
    tick_and_work(&app, 10).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["startedAt"]), (&json!("queued"), &Value::Null), "{run}");
    assert_eq!(ada.post(&format!("{WORKFLOWS}/{flow}/resume")).await.status, "200 OK");
    tick_and_work(&app, 20).await;
    assert_eq!(state(&ada, &path).await, "completed");
}

#[tokio::test]
async fn a_run_that_has_begun_goes_on_while_its_workflow_is_paused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, waits_an_hour()).await;
    let path = start_run(&ada, &flow, json!(1)).await;
    app.platform.drain().await;
    assert_eq!(ada.post(&format!("{WORKFLOWS}/{flow}/pause")).await.status, "200 OK");
    work_at(&app, &path, Time::now().plus(minutes(61))).await;
    assert_eq!(state(&ada, &path).await, "completed");
}

#[tokio::test]
async fn the_runs_of_a_suspended_organization_wait() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, waits_an_hour()).await;
    let begun = start_run(&ada, &flow, json!(1)).await;
    app.platform.drain().await;
    let queued = start_run(&ada, &flow, json!(2)).await;
    suspend(&app, true).await;
    app.platform.drain().await;
    work_at(&app, &begun, Time::now().plus(minutes(61))).await;
    suspend(&app, false).await;
    assert_eq!((&*state(&ada, &begun).await, &*state(&ada, &queued).await), ("paused", "queued"));
    work_at(&app, &begun, Time::now().plus(minutes(61))).await;
    tick_and_work(&app, 10).await;
    assert_eq!((&*state(&ada, &begun).await, &*state(&ada, &queued).await), ("completed", "paused"));
}

#[tokio::test]
async fn a_run_that_waits_for_its_workflow_can_be_cancelled() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    assert_eq!(ada.post(&format!("{WORKFLOWS}/{flow}/pause")).await.status, "200 OK");
    app.platform.drain().await;
    assert_eq!(ada.post(&format!("{path}/cancel")).await.status, "200 OK");
    assert_eq!(state(&ada, &path).await, "cancelled");
}
