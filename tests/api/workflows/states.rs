//! State transitions of a workflow: pause, resume, archive and restore.

use futures::future::join_all;
use serde_json::json;
use tests::TestApp;

use super::*;

#[tokio::test]
async fn only_allowed_state_transitions_succeed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let draft = create_workflow(&ada, "Draft", echo()).await;
    for what in ["pause", "resume"] {
        let refused = post_action(&ada, &draft, what).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("409 Conflict", "unpublished_changes"));
    }
    let id = publish_workflow(&ada, "Live").await;
    let state = async |what: &str| {
        let answer = post_action(&ada, &id, what).await;
        let state = answer.json["data"]["state"].as_str().map(str::to_owned);
        state.unwrap_or_else(|| answer.code().to_owned())
    };
    assert_eq!(state("resume").await, "invalid_state");
    assert_eq!(state("pause").await, "paused");
    assert_eq!(state("pause").await, "invalid_state");
    assert_eq!(state("resume").await, "published");
    assert_eq!(state("restore").await, "invalid_state");
    assert_eq!(state("archive").await, "archived");
    assert_eq!(state("archive").await, "invalid_state");
    assert_eq!(state("publish").await, "invalid_state");
    let edited = ada.patch(&format!("{WORKFLOWS}/{id}"), json!({"name": "Other"})).await;
    assert_eq!(edited.json["error"]["message"], "the workflow cannot be edited: it is archived; restore it first");
    assert_eq!(state("restore").await, "paused");
    assert_eq!(state("resume").await, "published");

    assert_eq!(post_action(&ada, &draft, "archive").await.json["data"]["state"], "archived");
    assert_eq!(post_action(&ada, &draft, "restore").await.json["data"]["state"], "draft");
}

#[tokio::test]
async fn one_of_many_concurrent_pauses_succeeds() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = publish_workflow(&ada, "Live").await;
    let answers = join_all((0..10).map(|_| post_action(&ada, &id, "pause"))).await;
    let paused = answers.iter().filter(|answer| answer.status == "200 OK").count();
    assert_eq!(paused, 1);
    assert!(answers.iter().all(|answer| answer.status == "200 OK" || answer.code() == "invalid_state"));
}

#[tokio::test]
async fn a_batch_reports_what_it_archived_and_what_failed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (one, two) = (publish_workflow(&ada, "One").await, create_workflow(&ada, "Two", echo()).await);
    let archived = create_workflow(&ada, "Archived", echo()).await;
    post_action(&ada, &archived, "archive").await;
    let theirs = publish_workflow(&app.person("bob"), "Theirs").await;
    let ids = json!({"ids": [one, archived, theirs, "no-id", two, one]});
    let answer = ada.post_json(&format!("{WORKFLOWS}/batch/archive"), ids).await;
    assert_eq!(answer.status, "200 OK");
    assert_eq!(answer.json["data"]["archived"], json!([one, two]));
    let codes: Vec<_> =
        answer.json["data"]["failed"].as_array().unwrap().iter().map(|failed| failed["code"].clone()).collect();
    assert_eq!(codes, ["invalid_state", "workflow_not_found", "workflow_not_found"]);
    assert_eq!(ada.get(&format!("{WORKFLOWS}?state=archived")).await.json["meta"]["total"], 3);
    for wrong in [json!({"ids": []}), json!({"ids": vec!["x"; 101]}), json!({})] {
        assert_eq!(ada.post_json(&format!("{WORKFLOWS}/batch/archive"), wrong).await.code(), "invalid_body");
    }
}
