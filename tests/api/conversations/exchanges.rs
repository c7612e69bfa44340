//! The exchanges of a record: attempts of all kinds of steps, masked values, pages, and erased runs.

use tests::provider::{Behaviour, FakeProvider};

use super::*;

/// Calls a server for each line, asks a model and then a person.
fn orders(url: &str) -> Value {
    let nodes = [
        node("start", "input", json!({})),
        node("lines", "loop", json!({"items": "input.lines"})),
        node("send", "http", json!({"method": "POST", "url": url, "retry": {"maxAttempts": 2, "backoffMs": 0}})),
        node("ask", "model", json!({"model": "dev-chat", "prompt": "Thank {{ nodes.start.output.name }}"})),
        node("check", "review", json!({"title": "Send it?"})),
        node("end", "send_result", json!({"output": "nodes.ask.output"})),
    ];
    let ports = ["start.out lines", "lines.item send", "lines.done ask", "ask.out check", "check.approved end"];
    let mut graph = graph(&nodes, &ports);
    graph["connections"].as_array_mut().unwrap().push(json!({
        "from": {"node": "send", "port": "out"}, "to": {"node": "lines", "port": "next"},
    }));
    graph
}

async fn exchanges(person: &Person, record: &str, limit: usize) -> Vec<Value> {
    list(person, &format!("{record}/exchanges?limit={limit}")).await
}

#[tokio::test]
async fn each_attempt_of_an_effect_is_an_exchange() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.then_respond(Behaviour::json(503, json!({}))).then_respond(Behaviour::json(200, json!({"ok": true})));
    let flow = publish(&ada, orders(&server.base_url)).await;
    let path = start_run(&ada, &flow, json!({"name": "Eve", "lines": ["a", "b", "c"]})).await;
    let record = record_path(&path);
    assert!(exchanges(&ada, &record, 20).await.is_empty(), "the run has not begun");

    app.platform.drain().await;
    let so_far = exchanges(&ada, &record, 20).await;
    let last = so_far.last().unwrap();
    assert_eq!((&last["id"], &last["response"], &last["durationMs"]), (&json!("check#1"), &Value::Null, &Value::Null));
    assert_eq!(read(&ada, &record).await["exchangeCount"], so_far.len());

    let run = carry_out(&app, &ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    let all = exchanges(&ada, &record, 20).await;
    let mut ids: Vec<&str> = all.iter().map(|exchange| exchange["id"].as_str().unwrap()).collect();
    for limit in [1, 2, 5, 6] {
        assert_eq!(exchanges(&ada, &record, limit).await, all, "{limit}");
    }
    // The lines are sent at the same time, so any of them may get the failure.
    let failed = all.iter().find(|exchange| !exchange["error"].is_null()).unwrap();
    assert_eq!((&failed["nodeId"], &failed["response"]), (&json!("send"), &Value::Null), "{failed}");
    let repeated = failed["id"].as_str().unwrap().replace("#1", "#2");
    assert_eq!(ids[4..], ["ask#1", "check#1"], "in order of their start");
    ids.truncate(4);
    ids.sort_unstable();
    let mut expected = vec!["lines[0]/send#1", "lines[1]/send#1", "lines[2]/send#1", &repeated];
    expected.sort_unstable();
    assert_eq!(ids, expected);

    let answered = all.iter().find(|exchange| exchange["id"] == repeated).unwrap();
    assert_eq!((&answered["nodeType"], &answered["response"]["body"]), (&json!("http"), &json!({"ok": true})));
    assert_eq!(all[4]["response"], run["output"]);
    assert_eq!((&all[5]["nodeType"], &all[5]["response"]["decision"]), (&json!("review"), &json!("approved")));
    assert!(all.iter().all(|exchange| exchange["startedAt"].is_string() && exchange["durationMs"].is_u64()));
    let listed = list(&ada, &records_path(&flow)).await;
    assert_eq!((&listed[0]["exchangeCount"], &read(&ada, &record).await), (&json!(all.len()), &listed[0]));
}

#[tokio::test]
async fn the_calls_of_an_agent_are_exchanges() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let lookup = json!({
        "type": "http", "name": "lookup", "method": "GET", "url": server.base_url,
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
    });
    let agent = ada.post("/builder/v1/agents").await.id().to_owned();
    let config = json!({"config": {"model": "dev-chat", "tools": [lookup]}});
    let configured = ada.patch(&format!("/builder/v1/agents/{agent}"), config).await;
    assert_eq!(configured.status, "200 OK", "{}", configured.text);
    let nodes = [
        node("start", "input", json!({})),
        node("scout", "agent", json!({"agentId": agent, "message": "{{ input }}"})),
        node("end", "send_result", json!({"output": "input"})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out scout", "scout.out end"])).await;
    let path = start_run(&ada, &flow, json!("Please lookup my order")).await;
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    let record = record_path(&path);
    let all = exchanges(&ada, &record, 20).await;
    let kinds: Vec<&Value> = all.iter().map(|exchange| &exchange["action"]["kind"]).collect();
    assert_eq!(kinds, ["model", "http", "model"], "reading the configuration of the agent is no exchange: {all:?}");
    assert_eq!((&all[0]["nodeId"], &all[0]["nodeType"]), (&json!("scout"), &json!("agent")));
    assert_eq!(all[1]["response"]["body"], json!({"state": "lost"}));
    assert_eq!(read(&ada, &record).await["exchangeCount"], 3);
}

#[tokio::test]
async fn masked_values_are_hidden() {
    const CARD: &str = "4111 1111 1111 1111";
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"token": "tok_8f2b91", "text": format!("paid with {CARD}")})));
    let pay = json!({
        "method": "POST", "url": server.base_url, "body": {"type": "json", "value": "{'number': input.card}"},
        "redact": ["output.body.token"],
    });
    let nodes = [
        node("start", "input", json!({"redact": ["output.card"]})),
        node("pay", "http", pay),
        node("end", "send_result", json!({"output": "input.body"})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out pay", "pay.out end"])).await;
    let path = start_run(&ada, &flow, json!({"card": CARD, "amount": 5})).await;
    assert_eq!(carry_out(&app, &ada, &path).await["state"], "completed");
    let shown = exchanges(&ada, &record_path(&path), 20).await;
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0]["request"], json!({"card": "***", "amount": 5}));
    assert_eq!(shown[0]["response"]["body"], json!({"token": "***", "text": "***"}));
    assert!(!json!(shown).to_string().contains(CARD));
}

#[tokio::test]
async fn large_values_are_left_out_by_name() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"ok": true})));
    let nodes = [
        node("start", "input", json!({})),
        node("send", "http", json!({"method": "GET", "url": server.base_url})),
        node("end", "send_result", json!({"output": "input.status"})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out send", "send.out end"])).await;
    let path = start_run(&ada, &flow, json!("x".repeat(70_000))).await;
    carry_out(&app, &ada, &path).await;
    let shown = exchanges(&ada, &record_path(&path), 20).await;
    assert_eq!((&shown[0]["request"], &shown[0]["omitted"]), (&Value::Null, &json!(["request"])), "{shown:?}");
    assert_eq!(shown[0]["response"]["body"], json!({"ok": true}));
}

#[tokio::test]
async fn a_retry_counts_only_its_own_exchanges() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({})));
    let flow = publish(&ada, orders(&server.base_url)).await;
    let path = start_run(&ada, &flow, json!({"name": "Eve", "lines": ["a"]})).await;
    carry_out(&app, &ada, &path).await;
    assert_eq!(exchanges(&ada, &record_path(&path), 20).await.len(), 3);
    let retried = ada.post_json(&format!("{path}/retry"), json!({"fromNode": "check"})).await;
    let retried = format!("{}/{}", runs_path(&flow), retried.id());
    carry_out(&app, &ada, &retried).await;
    let record = record_path(&retried);
    let all = exchanges(&ada, &record, 20).await;
    assert_eq!(all.iter().map(|exchange| &exchange["id"]).collect::<Vec<_>>(), ["check#1"]);
    assert_eq!(read(&ada, &record).await["exchangeCount"], 1);
}

#[tokio::test]
async fn an_erased_run_keeps_its_record_without_exchanges() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    carry_out(&app, &ada, &path).await;
    let record = record_path(&path);
    let before = read(&ada, &record).await;
    assert_eq!(before["exchangeCount"], 1);
    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    for _ in 0..2 {
        let refused = ada.get(&format!("{record}/exchanges")).await;
        assert_eq!(refusal(&refused), ("409", "invalid_state"), "{}", refused.text);
        assert_eq!(message(&refused), message(&ada.get(&format!("{path}/trace")).await));
        assert_eq!(read(&ada, &record).await, before);
        app.platform.drain().await;
    }
    assert_eq!(list(&ada, &records_path(&flow)).await, [before]);
}
