//! Starts of runs: what is answered, and how often the same start counts.

use super::*;

#[tokio::test]
async fn a_run_is_started_carried_out_and_shown() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let started = ada.post_json(&runs_path(&flow), json!({"input": {"n": 21}})).await;
    assert_eq!(started.status, "202 Accepted");
    let run = &started.json["data"];
    assert_eq!((&run["state"], &run["origin"], &run["workflowId"]), (&json!("queued"), &json!("manual"), &json!(flow)));
    assert_eq!((&run["releaseNumber"], &run["input"], &run["output"]), (&json!(1), &json!({"n": 21}), &Value::Null));
    assert_eq!((&run["startedAt"], &run["finishedAt"]), (&Value::Null, &Value::Null));

    assert_eq!(app.platform.drain().await, 1);
    let run = read(&ada, &format!("{}/{}", runs_path(&flow), started.id())).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!({"doubled": 42})));
    assert_eq!((&run["input"], &run["error"], &run["waiting"]), (&json!({"n": 21}), &Value::Null, &Value::Null));
    assert!(run["durationMs"].as_u64().is_some() && run["finishedAt"].as_str() >= run["startedAt"].as_str());
}

#[tokio::test]
async fn a_failed_run_names_the_node() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fail = node("stop", "fail", json!({"message": "No order {{ input.order }}.", "code": "order_unknown"}));
    let choice = node("choice", "condition", json!({"expression": "input.order == 1"}));
    let nodes = [node("start", "input", json!({})), choice, fail, node("end", "send_result", json!({}))];
    let ports = ["start.out choice", "choice.true end", "choice.false stop"];
    let flow = publish(&ada, graph(&nodes, &ports)).await;
    let path = start_run(&ada, &flow, json!({"order": 7})).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("failed"), &Value::Null));
    assert_eq!(run["error"], json!({"code": "order_unknown", "message": "No order 7.", "nodeId": "stop"}));
}

#[tokio::test]
async fn model_nodes_call_the_gateway_and_are_charged() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let ask = node("ask", "model", json!({"model": "dev-chat", "prompt": "Greet {{ input.name }}"}));
    let vectors = node("vectors", "embeddings", json!({"model": "dev-embed", "input": "[input, 'two']"}));
    let output = json!({"output": "{'text': nodes.ask.output, 'vectors': input.size()}"});
    let nodes = [node("start", "input", json!({})), ask, vectors, node("end", "send_result", output)];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out vectors", "vectors.out end"])).await;
    let path = start_run(&ada, &flow, json!({"name": "Ada"})).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(run["output"]["text"].as_str().unwrap().ends_with("Greet Ada"), "{run}");
    assert_eq!(run["output"]["vectors"], 2);
    let usage = app.key_client("ada").get("/gateway/v1/billing/usage").await;
    assert_eq!(usage.json["total_requests"], 2, "{}", usage.text);
}

#[tokio::test]
async fn the_release_of_the_start_counts() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1})).await;
    let end = node("end", "send_result", json!({"output": "'new'"}));
    let draft = graph(&[node("start", "input", json!({})), end], &["start.out end"]);
    ada.patch(&format!("{WORKFLOWS}/{flow}"), json!({"graph": draft})).await;
    assert_eq!(ada.post(&format!("{WORKFLOWS}/{flow}/publish")).await.status, "201 Created");
    let newer = start_run(&ada, &flow, json!({"n": 1})).await;
    app.platform.drain().await;
    let (old, new) = (read(&ada, &path).await, read(&ada, &newer).await);
    assert_eq!((&old["output"], &old["releaseNumber"]), (&json!({"doubled": 2}), &json!(1)));
    assert_eq!((&new["output"], &new["releaseNumber"]), (&json!("new"), &json!(2)));
}

#[tokio::test]
async fn only_published_workflows_start_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let draft = ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": double()})).await;
    assert_eq!(refusal(&ada.post(&runs_path(draft.id())).await), ("409", "unpublished_changes"));
    let flow = publish(&ada, double()).await;
    ada.post(&format!("{WORKFLOWS}/{flow}/pause")).await;
    assert_eq!(refusal(&ada.post(&runs_path(&flow)).await), ("409", "workflow_paused"));
    ada.post(&format!("{WORKFLOWS}/{flow}/archive")).await;
    assert_eq!(refusal(&ada.post(&runs_path(&flow)).await), ("409", "invalid_state"));
}

#[tokio::test]
async fn a_repeated_key_starts_no_second_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = runs_path(&flow);
    let body = |n: u64| json!({"input": {"n": n}, "idempotencyKey": "order-1"});
    let (one, other) = futures::join!(ada.post_json(&path, body(1)), ada.post_json(&path, body(1)));
    assert_eq!((one.status.as_str(), other.status.as_str()), ("202 Accepted", "202 Accepted"));
    assert_eq!(one.id(), other.id());
    app.platform.drain().await;
    ada.post(&format!("{WORKFLOWS}/{flow}/pause")).await;
    let again = ada.post_json(&path, body(1)).await;
    assert_eq!((again.id(), &again.json["data"]["output"]), (one.id(), &json!({"doubled": 2})));
    assert_eq!(refusal(&ada.post_json(&path, body(2)).await), ("409", "idempotency_conflict"));
    // The key belongs to one workflow.
    let another = publish(&ada, double()).await;
    assert_ne!(ada.post_json(&runs_path(&another), body(2)).await.id(), one.id());
}
