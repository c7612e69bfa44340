//! Releases, deployments, runtime status and diffs.

use serde_json::{Value, json};
use tests::TestApp;

use super::*;

#[tokio::test]
async fn an_earlier_release_can_be_activated_again() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", template_graph("one")).await;
    let path = format!("{WORKFLOWS}/{id}");
    post_action(&ada, &id, "publish").await;
    ada.patch(&path, json!({"graph": template_graph("two")})).await;
    post_action(&ada, &id, "publish").await;

    let deployments = ada.get(&format!("{path}/deployments")).await;
    let shown = |list: &Value| -> Vec<(u64, bool)> {
        let all = list["data"].as_array().unwrap().iter();
        all.map(|one| (one["releaseNumber"].as_u64().unwrap(), one["active"].as_bool().unwrap())).collect()
    };
    assert_eq!(shown(&deployments.json), [(2, true), (1, false)]);
    let first = deployments.column("id")[1].to_owned();
    let activated = ada.post(&format!("{path}/deployments/{first}/activate")).await;
    assert_eq!(activated.status, "200 OK", "{}", activated.text);
    assert_eq!(activated.json["data"]["workflow"]["activeRelease"]["number"], 1);
    // The draft still has the second version, while the first one is active.
    assert_eq!(activated.json["data"]["workflow"]["graph"], template_graph("two"));
    assert_eq!(activated.json["data"]["workflow"]["hasUnpublishedChanges"], true);
    assert_eq!(shown(&ada.get(&format!("{path}/deployments")).await.json), [(2, false), (1, true)]);
    // The next publication gets the next number.
    assert_eq!(post_action(&ada, &id, "publish").await.json["data"]["release"]["number"], 3);

    post_action(&ada, &id, "pause").await;
    let paused = ada.post(&format!("{path}/deployments/{first}/activate")).await;
    assert_eq!(paused.json["data"]["workflow"]["state"], "paused");
    post_action(&ada, &id, "archive").await;
    assert_eq!(ada.post(&format!("{path}/deployments/{first}/activate")).await.code(), "invalid_state");
    let unknown = ada.post(&format!("{path}/deployments/019cb8e2-3f4a-7c21-9b6d-000000000000/activate")).await;
    assert_eq!(unknown.code(), "deployment_not_found");
}

#[tokio::test]
async fn a_release_reports_its_runtime_status() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let member = ada.post("/builder/v1/agents").await.id().to_owned();
    let mut graph = echo();
    graph["nodes"][1] =
        json!({"id": "end", "type": "agent", "name": "", "config": {"agentId": member, "message": "hi"}});
    let id = create_workflow(&ada, "Asks", graph).await;
    let path = format!("{WORKFLOWS}/{id}");
    let release = post_action(&ada, &id, "publish").await.json["data"]["release"]["id"].as_str().unwrap().to_owned();
    let status = async || {
        let answer = ada.get(&format!("{path}/releases/{release}/runtime-status")).await;
        let data = answer.json["data"].clone();
        assert_eq!(data["manifestIntact"], true);
        (data["status"].as_str().unwrap().to_owned(), data["loaded"].as_bool().unwrap())
    };
    assert_eq!(status().await, ("loaded".to_owned(), true));
    post_action(&ada, &id, "pause").await;
    assert_eq!(status().await, ("paused".to_owned(), false));
    post_action(&ada, &id, "resume").await;
    ada.patch(&path, json!({"graph": echo()})).await;
    post_action(&ada, &id, "publish").await;
    assert_eq!(status().await, ("standby".to_owned(), false));
    ada.delete(&format!("/builder/v1/agents/{member}")).await;
    app.platform.drain().await;
    assert_eq!(status().await, ("failed".to_owned(), false));
    // The active release references no agent, so the workflow stays published.
    assert_eq!(ada.get(&path).await.json["data"]["state"], "published");
    let first = ada.get(&format!("{path}/deployments")).await.column("id")[1].to_owned();
    let refused = ada.post(&format!("{path}/deployments/{first}/activate")).await;
    assert_eq!(
        (refused.code(), refused.json["error"]["details"][0]["code"].as_str()),
        ("invalid_body", Some("reference_gone"))
    );
}

#[tokio::test]
async fn a_diff_summarizes_the_changes() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let one = post_action(&ada, &id, "publish").await.json["data"]["release"]["id"].as_str().unwrap().to_owned();
    ada.patch(&path, json!({"graph": template_graph("hello")})).await;
    let two = post_action(&ada, &id, "publish").await.json["data"]["release"]["id"].as_str().unwrap().to_owned();
    let diff = ada.get(&format!("{path}/releases/{one}/diff/{two}")).await;
    assert_eq!((&diff.json["data"]["from"], &diff.json["data"]["to"]), (&json!(1), &json!(2)));
    assert_eq!(
        diff.json["data"]["summary"],
        json!([
            "node `Say` (say) added",
            "connection `start`.out → `say`.in added",
            "connection `say`.out → `end`.in added",
            "connection `start`.out → `end`.in removed",
        ])
    );
    ada.patch(&path, json!({"graph": template_graph("good bye")})).await;
    let draft = ada.get(&format!("{path}/releases/{two}/diff/draft")).await;
    assert_eq!(draft.json["data"]["to"], Value::Null);
    assert_eq!(
        draft.json["data"]["nodes"][0]["fields"],
        json!([{"field": "config.template", "before": "hello", "after": "good bye", "omitted": false}])
    );
    let webhook_less = ada.get(&format!("{path}/releases/{two}/diff/draft")).await;
    assert_eq!(webhook_less.json["data"]["channels"], json!([]));
    let same = ada.get(&format!("{path}/releases/{two}/diff/{two}")).await;
    assert_eq!(same.json["data"]["summary"], json!([]));
    let nowhere = ada.get(&format!("{path}/releases/{two}/diff/019cb8e2-3f4a-7c21-9b6d-000000000000")).await;
    assert_eq!(nowhere.code(), "release_not_found");
    assert_eq!(ada.get(&format!("{path}/releases/x/manifest")).await.code(), "release_not_found");
}
