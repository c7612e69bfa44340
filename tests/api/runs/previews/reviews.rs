//! Waits: a preview ends at a review, and does not wait for delays.

use super::*;

#[tokio::test]
async fn a_preview_ends_at_a_review() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let body = json!({"input": {"amount": 120}});
    let workflow = create(&ada, refund()).await;
    let shown = ada.post_json(&preview_path(&workflow), body).await.json["data"].clone();
    assert_eq!((&shown["state"], &shown["output"]), (&json!("waiting"), &Value::Null));
    let error = &shown["error"];
    assert_eq!((&error["code"], &error["nodeId"]), (&json!("review_open"), &json!("check")));
    assert!(error["message"].as_str().unwrap().contains("pinned.check"), "{error}");
    let check = json!({"amount": 120});
    assert_eq!(steps(&shown), [("start", "completed", &check), ("check", "waiting", &Value::Null)]);

    let answer = json!({"decision": "approved", "fields": {"amount": 90}, "comment": null, "reviewer": "ada"});
    let body = json!({"input": {"amount": 120}, "pinned": {"check": {"port": "approved", "output": answer}}});
    let shown = ada.post_json(&preview_path(&workflow), body).await.json["data"].clone();
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &answer));
}

#[tokio::test]
async fn other_branches_end_before_a_preview_waits() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        start(),
        node("check", "review", json!({"title": "Sure?"})),
        node("ask", "model", json!({"model": "dev-chat", "prompt": "Hi"})),
        node("join", "merge", json!({})),
        end("input"),
    ];
    let ports = ["start.out check", "start.out ask", "check.approved join", "ask.out join", "join.out end"];
    let shown = preview(&ada, graph(&nodes, &ports), json!({})).await;
    assert_eq!(shown["state"], "waiting", "{shown}");
    assert_eq!(step(&shown, "ask")["state"], "completed");
}

#[tokio::test]
async fn delays_do_not_wait() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let delays = [json!({"seconds": 2_000_000}), json!({"until": "timestamp(input)"})];
    for config in delays {
        let draft = graph(&[start(), node("wait", "delay", config), end("input")], &["start.out wait", "wait.out end"]);
        let tomorrow = Time::now().plus(minutes(24 * 60)).to_string();
        let shown = preview(&ada, draft, json!({"input": tomorrow})).await;
        assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!(tomorrow)), "{shown}");
    }
    let wrong = node("wait", "delay", json!({"until": "input"}));
    let shown =
        preview(&ada, graph(&[start(), wrong, end("input")], &["start.out wait", "wait.out end"]), json!({"input": 1}))
            .await;
    assert_eq!((&shown["state"], &shown["error"]["nodeId"]), (&json!("failed"), &json!("wait")));
}
