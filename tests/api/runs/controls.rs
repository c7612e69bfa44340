//! Cancelling and stopping runs.

use super::*;

#[tokio::test]
async fn only_a_queued_run_is_cancelled() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    assert_eq!(refusal(&ada.post(&format!("{path}/stop")).await), ("409", "invalid_state"));
    let cancelled = ada.post(&format!("{path}/cancel")).await;
    assert_eq!((cancelled.status.as_str(), &cancelled.json["data"]["state"]), ("200 OK", &json!("cancelled")));
    assert_eq!(refusal(&ada.post(&format!("{path}/cancel")).await), ("409", "invalid_state"));
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["startedAt"]), (&json!("cancelled"), &Value::Null));

    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    let refused = ada.post(&format!("{path}/cancel")).await;
    assert_eq!(
        (refusal(&refused), message(&refused)),
        (("409", "invalid_state"), "the run has begun; stop it instead")
    );
    assert_eq!(read(&ada, &path).await["state"], "paused");
}

#[tokio::test]
async fn a_paused_run_is_stopped() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    let stopped = ada.post(&format!("{path}/stop")).await;
    let run = &stopped.json["data"];
    assert_eq!(
        (stopped.status.as_str(), &run["state"], &run["waiting"]),
        ("200 OK", &json!("cancelled"), &Value::Null)
    );
    assert!(run["finishedAt"].is_string());
    for action in ["stop", "cancel"] {
        assert_eq!(refusal(&ada.post(&format!("{path}/{action}")).await), ("409", "invalid_state"));
    }
    let late = ada.post_json(&format!("{path}/resolve-wait"), json!({"decision": "approve"})).await;
    assert_eq!(refusal(&late), ("409", "invalid_state"));
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["state"], "cancelled");
}
