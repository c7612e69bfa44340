//! The activity of a workflow: its changes and its runs, newest first.

use super::*;

async fn page(person: &Person, workflow: &str, query: &str) -> (Vec<Value>, Option<String>) {
    let answer = person.get(&format!("{WORKFLOWS}/{workflow}/activity?{query}")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let cursor = answer.json["meta"]["nextCursor"].as_str().map(str::to_owned);
    (answer.json["data"].as_array().unwrap().clone(), cursor)
}

async fn list(person: &Person, workflow: &str, limit: usize) -> Vec<Value> {
    let (mut entries, mut cursor) = page(person, workflow, &format!("limit={limit}")).await;
    while let Some(next) = cursor {
        let (more, next) = page(person, workflow, &format!("limit={limit}&cursor={next}")).await;
        assert!(more.len() <= limit);
        entries.extend(more);
        cursor = next;
    }
    entries
}

fn texts(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["text"].as_str().unwrap()).collect()
}

async fn post(person: &Person, path: &str) -> Value {
    let answer = person.post(path).await;
    assert!(answer.status.starts_with('2'), "{path}: {}", answer.text);
    answer.json["data"].clone()
}

#[tokio::test]
async fn changes_and_runs_are_one_list() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = format!("{WORKFLOWS}/{flow}");
    let run = start_run(&ada, &flow, json!({"n": 1})).await;
    app.platform.drain().await;
    post(&ada, &format!("{path}/pause")).await;
    post(&ada, &format!("{path}/resume")).await;
    let broken = start_run(&ada, &flow, json!({"n": "one"})).await;
    app.platform.drain().await;
    let renamed = ada.patch(&path, json!({"graph": refund()})).await;
    assert_eq!(renamed.status, "200 OK", "{}", renamed.text);
    let first = ada.get(&format!("{path}/deployments")).await.json["data"][0]["id"].as_str().unwrap().to_owned();
    post(&ada, &format!("{path}/publish")).await;
    post(&ada, &format!("{path}/deployments/{first}/activate")).await;
    start_run(&ada, &flow, json!({"n": 1})).await;
    post(&ada, &format!("{path}/archive")).await;
    post(&ada, &format!("{path}/restore")).await;

    let all = list(&ada, &flow, 100).await;
    let shown = texts(&all);
    assert!(shown[5].starts_with("A run that was started by hand failed at the node `end`: "), "{shown:?}");
    assert_eq!(
        [&shown[..5], &shown[6..]].concat(),
        [
            "The workflow was restored.",
            "The workflow was archived.",
            "A run that was started by hand is queued.",
            "Release 1 was activated again.",
            "Release 2 was published.",
            "The workflow was resumed.",
            "The workflow was paused.",
            "A run that was started by hand completed.",
            "Release 1 was published.",
            "The workflow was created.",
        ]
    );
    let levels: Vec<_> = all.iter().filter(|entry| entry["level"] != "info").map(|entry| &entry["runId"]).collect();
    assert_eq!(levels, [&json!(run_id(&broken).to_string())]);
    assert_eq!(all.iter().filter(|entry| entry["runId"] == run_id(&run).to_string()).count(), 1);
    for limit in [1, 3, 11] {
        assert_eq!(list(&ada, &flow, limit).await, all, "{limit}");
    }
}

#[tokio::test]
async fn a_deleted_model_is_in_the_activity() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let operator = app.operator();
    let model = json!({
        "name": "vendor/m", "type": "Others", "capabilities": ["chat"], "max_output_tokens": 256,
        "pricing": {"input": "0.10", "output": 0.4}, "deployments": [{"provider": "dev", "model": "dev-chat"}],
    });
    assert_eq!(operator.post_json("/gateway/v1/admin/models", model).await.status, "201 Created");
    let ask = node("ask", "model", json!({"model": "vendor/m", "prompt": "Hello"}));
    let nodes = [node("start", "input", json!({})), ask, node("end", "send_result", json!({}))];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    operator.delete("/gateway/v1/admin/models/vendor/m").await;
    app.platform.drain().await;
    let entries = list(&ada, &flow, 100).await;
    assert_eq!(texts(&entries)[0], "The workflow needs attention: the model `vendor/m` was deleted.");
    assert_eq!(entries[0]["level"], "warning");
}

#[tokio::test]
async fn the_activity_of_others_is_not_found() {
    let app = TestApp::start().await;
    let flow = publish(&app.person("ada"), double()).await;
    let path = format!("{WORKFLOWS}/{flow}/activity");
    assert_eq!(refusal(&app.person("eve").get(&path).await).0, "404");
    assert_eq!(refusal(&app.person("ada").get(&format!("{path}?cursor=x")).await), ("400", "invalid_query"));
}
