//! Requests that are refused.

use domain::identity::Role;

use super::*;

#[tokio::test]
async fn wrong_requests_are_refused_by_name() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut draft = refund();
    draft["nodes"].as_array_mut().unwrap().extend([
        node("ask", "model", json!({"model": "dev-chat", "prompt": "Hi", "onError": "branch"})),
        node("each", "loop", json!({"items": "[1]"})),
        node("step", "transform", json!({"value": "1"})),
        node("done", "send_result", json!({})),
    ]);
    let more = ["start.out ask", "ask.out each", "ask.error done", "each.item step", "each.done done"];
    draft["connections"].as_array_mut().unwrap().extend(more.iter().map(|text| connection(text)));
    let path = preview_path(&create(&ada, draft).await);
    let deep = (0..101).fold(json!({}), |value, _| json!([value]));
    let bodies = [
        (json!({"inputs": 1}), "inputs"),
        (json!({"input": "x".repeat(1024 * 1024)}), "input: at most 1048576 bytes"),
        (json!({"trigger": "nowhere"}), "trigger: the draft has no trigger with this id"),
        (json!({"trigger": "ask"}), "trigger: the draft has no trigger with this id"),
        (json!({"until": "nowhere"}), "until: the draft has no node with this id"),
        (json!({"until": 1}), "until: "),
        (json!({"pinned": []}), "pinned"),
        (json!({"pinned": {"nowhere": {"output": 1}}}), "pinned.nowhere: the draft has no node with this id"),
        (json!({"pinned": {"ask": "Hello"}}), "pinned.ask"),
        (json!({"pinned": {"ask": {}}}), "pinned.ask"),
        (json!({"pinned": {"ask": {"output": 1, "value": 1}}}), "pinned.ask"),
        (json!({"pinned": {"ask": {"output": deep}}}), "pinned.ask.output: lists and objects nest"),
        (
            json!({"pinned": {"ask": {"port": "other", "output": 1}}}),
            "pinned.ask.port: the node has no such port; choose one of out, error",
        ),
        (
            json!({"pinned": {"each": {"port": "item", "output": 1}}}),
            "pinned.each.port: the node has no such port; choose one of done",
        ),
        (
            json!({"pinned": {"check": {"output": 1}}}),
            "pinned.check.port: the node has several ports; choose one of approved, rejected, expired",
        ),
    ];
    for (body, beginning) in bodies {
        let refused = ada.post_json(&path, body).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"), "{beginning}: {}", refused.text);
        assert!(message(&refused).starts_with(beginning), "{}", message(&refused));
    }
    let body = json!({"until": "start", "pinned": {"ask": {"port": "error", "output": 1}}});
    assert_eq!(ada.post_json(&path, body).await.status, "200 OK");
}

#[tokio::test]
async fn an_invalid_graph_is_refused_as_in_a_publication() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut draft = double();
    draft["nodes"][1]["config"]["output"] = json!("input.n *");
    let workflow = create(&ada, draft).await;
    let refused = ada.post(&preview_path(&workflow)).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"));
    assert!(message(&refused).contains("node `end`, config.output"), "{}", refused.text);
    assert_eq!(refused.json["error"]["details"][0]["nodeId"], "end");
    let unpublished = ada.post(&format!("{WORKFLOWS}/{workflow}/publish")).await;
    assert_eq!(refused.json, unpublished.json);
    let empty = ada.post(&preview_path(&create(&ada, graph(&[], &[])).await)).await;
    assert_eq!(refusal(&empty), ("400", "invalid_body"));
}

#[tokio::test]
async fn archived_workflows_are_not_previewed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let workflow = create(&ada, double()).await;
    ada.post(&format!("{WORKFLOWS}/{workflow}/archive")).await;
    assert_eq!(refusal(&ada.post(&preview_path(&workflow)).await), ("409", "invalid_state"));
}

#[tokio::test]
async fn only_the_owner_previews_a_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = preview_path(&create(&ada, double()).await);
    assert_eq!(refusal(&app.anonymous().post(&path).await), ("401", "unauthorized"));
    for stranger in [app.person("bob"), app.person_of("eve", "globex", Role::Admin)] {
        let refused = stranger.post(&path).await;
        assert_eq!(refusal(&refused), ("404", "workflow_not_found"));
        assert_eq!(refused.text, stranger.post(&preview_path(NOWHERE)).await.text);
    }
    assert_eq!(refusal(&ada.get(&path).await), ("405", "method_not_allowed"));
}
