//! The life of a workbench: from its creation to its deletion, with stops, failures and idle times.

use domain::workbench::{Phase, Report};
use reqwest::Method;
use serde_json::json;
use tests::client::{refusal, send};

use super::*;

#[tokio::test]
async fn a_workbench_becomes_ready_and_is_deleted_with_everything_it_had() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    let early = ada.delete(&path(&id)).await;
    assert_eq!(refusal(&early), ("409", "LAB_INVALID_STATE"), "{}", early.text);
    lab.settle(&id).await;
    let ready = read(&ada, &id).await;
    assert_eq!((&ready["status"], &ready["runState"]), (&json!("ready"), &json!("running")));
    assert_eq!(ready["dashboardUrl"], format!("https://labs.test/{id}/"));
    assert_eq!(ready["usage"], json!({"cpu": "250m", "memory": "512Mi", "gpumem": null, "storage": null}));
    assert_eq!(lab.cluster.objects(id_of(&id)).len(), 4);

    let deleting = ada.delete(&path(&id)).await;
    assert_eq!((deleting.status.as_str(), &deleting.json["status"]), ("202 Accepted", &json!("deleting")));
    assert_eq!(deleting.json["dashboardUrl"], Value::Null);
    for refused in [
        ada.delete(&path(&id)).await,
        ada.post(&format!("{}/start", path(&id))).await,
        ada.post(&format!("{}/stop", path(&id))).await,
        share(&ada, &id, &lab.app.account("ada").user.to_string()).await,
    ] {
        assert_eq!(refusal(&refused), ("409", "LAB_DELETION_IN_PROGRESS"), "{}", refused.text);
    }
    let taken = ada.post_json(WORKBENCHES, json!({"name": "lab"})).await;
    assert_eq!(refusal(&taken), ("409", "LAB_NAME_TAKEN"), "the name is free only after the deletion");
    assert_eq!(event_types(&ada, &id).await, ["created", "ready", "deleting"]);
    lab.settle(&id).await;
    assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
    assert!(lab.cluster.is_empty());
    assert_eq!(ada.get(WORKBENCHES).await.json["total"], 0);
    lab.ready(&ada, "lab").await;
}

#[tokio::test]
async fn polling_with_an_etag_costs_no_body() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    let found = ada.get(&path(&id)).await;
    let (etag, pause) = (found.header("etag").unwrap().to_owned(), found.header("retry-after"));
    assert_eq!(pause, Some("10"));
    let poll = async || send(ada.request(Method::GET, &path(&id)).header("If-None-Match", &etag)).await;
    let unchanged = poll().await;
    assert_eq!((unchanged.status.as_str(), unchanged.text.as_str()), ("304 Not Modified", ""));
    assert_eq!(unchanged.header("etag"), Some(etag.as_str()));
    lab.settle(&id).await;
    let ready = poll().await;
    assert_eq!((ready.status.as_str(), ready.header("retry-after")), ("200 OK", None));
}

#[tokio::test]
async fn a_stopped_workbench_keeps_its_storage_and_starts_again() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    let stopping = ada.post(&format!("{}/stop", path(&id))).await;
    assert_eq!(stopping.status, "202 Accepted", "{}", stopping.text);
    assert_eq!((&stopping.json["status"], &stopping.json["runState"]), (&json!("ready"), &json!("stopping")));
    lab.settle(&id).await;
    let stopped = read(&ada, &id).await;
    assert_eq!((&stopped["runState"], &stopped["stoppedBy"]), (&json!("stopped"), &json!("user")));
    assert_eq!(lab.cluster.objects(id_of(&id)), ["storage"]);
    let revision = ada.post(&format!("{}/stop", path(&id))).await;
    assert_eq!(revision.json, stopped, "another stop changes nothing");

    let starting = ada.post(&format!("{}/start", path(&id))).await.json;
    assert_eq!((&starting["status"], &starting["stoppedBy"]), (&json!("provisioning"), &Value::Null));
    lab.settle(&id).await;
    assert_eq!(read(&ada, &id).await["runState"], "running");
    let types = event_types(&ada, &id).await;
    assert_eq!(types, ["created", "ready", "stopping", "stopped", "starting", "ready"]);
}

#[tokio::test]
async fn an_idle_workbench_is_stopped_and_a_busy_one_is_not() {
    let lab = Lab::start().await;
    let capacity = json!({"cpu": "10", "memory": "10Gi", "storage": "10Gi"});
    put_plan(&lab.app, plan(5, &capacity)).await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    lab.pass(minutes(29));
    lab.cluster.set_active_at(lab.now());
    lab.pass(minutes(29));
    lab.settle(&id).await;
    assert_eq!(read(&ada, &id).await["runState"], "running");
    lab.pass(minutes(2));
    lab.settle(&id).await;
    let idle = read(&ada, &id).await;
    assert_eq!((&idle["runState"], &idle["stoppedBy"]), (&json!("stopped"), &json!("idle")));
}

#[tokio::test]
async fn a_refused_environment_fails_at_its_deadline_with_its_reason() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let message = "exceeded quota: requests.cpu=1, used: 8, limited: 8";
    lab.cluster.set_trouble(Some(Report::new(Phase::Progressing).rejected("QUOTA_EXCEEDED", message)));
    let id = create(&ada, json!({"name": "lab"})).await;
    lab.step(&id).await;
    let waiting = read(&ada, &id).await;
    assert_eq!(
        (&waiting["status"], &waiting["rejections"][0]["reason"]),
        (&json!("provisioning"), &json!("QUOTA_EXCEEDED"))
    );
    lab.pass(Duration::from_secs(15 * 60));
    lab.settle(&id).await;
    let failed = read(&ada, &id).await;
    assert_eq!(failed["status"], "failed");
    let reasons: Vec<_> = failed["rejections"].as_array().unwrap().iter().map(|found| &found["reason"]).collect();
    assert_eq!(reasons, ["PROVISIONING_TIMEOUT", "QUOTA_EXCEEDED"]);
    assert_eq!(lab.cluster.objects(id_of(&id)), ["storage"], "a failed environment does not run");

    lab.cluster.set_trouble(None);
    assert_eq!(ada.post(&format!("{}/start", path(&id))).await.json["status"], "pending");
    lab.settle(&id).await;
    assert_eq!(read(&ada, &id).await["status"], "ready");
}

#[tokio::test]
async fn a_failed_workbench_can_be_deleted() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    lab.cluster.set_trouble(Some(Report::new(Phase::Failed).rejected("IMAGE_PULL", "the image does not exist")));
    let id = create(&ada, json!({"name": "lab"})).await;
    lab.settle(&id).await;
    assert_eq!(read(&ada, &id).await["status"], "failed");
    assert_eq!(ada.delete(&path(&id)).await.status, "202 Accepted");
    lab.settle(&id).await;
    assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
    assert!(lab.cluster.is_empty());
}

#[tokio::test]
async fn without_a_backend_the_status_says_so() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    // The worker of the platform has no backend.
    app.platform.drain().await;
    let waiting = ada.get(&path(&id)).await;
    assert_eq!((&waiting.json["status"], waiting.header("retry-after")), (&json!("not_installed"), Some("10")));
    assert_eq!(event_types(&ada, &id).await, ["created", "not_installed"]);
    // As soon as there is one, the workbench becomes ready.
    let lab = Lab::with_app(app);
    lab.pass(Duration::from_secs(30));
    lab.settle(&id).await;
    assert_eq!(read(&ada, &id).await["status"], "ready");
}
