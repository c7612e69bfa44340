//! Inputs and outputs of runs: limits, schemas, and large values.

use super::*;

fn with_input(config: Value) -> Value {
    let end = node("end", "send_result", json!({"output": "input"}));
    graph(&[node("start", "input", config), end], &["start.out end"])
}

#[tokio::test]
async fn wrong_inputs_are_refused_by_name() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let flow = publish(&ada, with_input(json!({"schema": schema, "example": {"n": 3}}))).await;
    let deep = (0..100).fold(json!({}), |value, _| json!([value]));
    let bodies = [
        (json!({"input": {"n": "x"}}), "input.n: "),
        (json!({"input": {}}), "input"),
        (json!({"input": {"n": 1, "text": "x".repeat(1024 * 1024)}}), "input: at most 1048576 bytes"),
        (json!({"input": {"n": 1, "deep": deep}}), "input: lists and objects nest at most 100"),
        (json!({"input": {"n": 1}, "idempotencyKey": ""}), "idempotencyKey: "),
        (json!({"input": {"n": 1}, "idempotencyKey": "k".repeat(201)}), "idempotencyKey: "),
        (json!({"inputs": {"n": 1}}), "inputs: "),
    ];
    for (body, beginning) in bodies {
        let refused = ada.post_json(&runs_path(&flow), body).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"), "{beginning}");
        assert!(message(&refused).starts_with(beginning), "{}", message(&refused));
    }
    // Without an input, the example is used.
    let started = ada.post(&runs_path(&flow)).await;
    assert_eq!((started.status.as_str(), &started.json["data"]["input"]), ("202 Accepted", &json!({"n": 3})));
}

#[tokio::test]
async fn without_an_input_node_the_first_trigger_starts() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let schedule = |cron: &str| json!({"cron": cron, "zone": "Europe/Madrid"});
    let end = |id: &str| node(id, "send_result", json!({"output": format!("'{id}'")}));
    let nodes = [
        node("morning", "schedule", schedule("0 9 * * *")),
        node("evening", "schedule", schedule("0 21 * * *")),
        end("early"),
        end("late"),
    ];
    let flow = publish(&ada, graph(&nodes, &["morning.out early", "evening.out late"])).await;
    let path = start_run(&ada, &flow, json!(null)).await;
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["output"], "early");
}

#[tokio::test]
async fn values_over_256_kb_are_shown_as_a_url() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, with_input(json!({}))).await;
    for (bytes, is_inlined) in [(40 * 1024, true), (300 * 1024, false)] {
        let input = json!({"text": "x".repeat(bytes)});
        let path = start_run(&ada, &flow, input.clone()).await;
        app.platform.drain().await;
        let run = read(&ada, &path).await;
        assert_eq!(run["state"], "completed");
        for (value, url) in [("input", "inputUrl"), ("output", "outputUrl")] {
            if is_inlined {
                assert!(run[value] == input && run[url].is_null(), "{value}");
            } else {
                let stored = reqwest::get(run[url].as_str().unwrap()).await.unwrap().text().await.unwrap();
                assert!(run[value].is_null() && serde_json::from_str::<Value>(&stored).unwrap() == input, "{value}");
            }
        }
    }
}
