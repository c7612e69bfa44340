//! A record: what it has, and who may read it.

use super::*;
use crate::runs::hooks::publish_hook;

#[tokio::test]
async fn the_record_of_a_manual_run_follows_it() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    let record = read(&ada, &record_path(&path)).await;
    assert_eq!(
        record,
        json!({
            "id": run_id(&path), "runId": run_id(&path), "threadId": null, "participant": null, "channel": "internal",
            "origin": "manual", "state": "queued", "startedAt": null, "finishedAt": null, "exchangeCount": 0,
        })
    );
    app.platform.drain().await;
    let paused = read(&ada, &record_path(&path)).await;
    assert_eq!((&paused["state"], &paused["exchangeCount"]), (&json!("paused"), &json!(1)), "the person is asked");
    let run = carry_out(&app, &ada, &path).await;
    let ended = read(&ada, &record_path(&path)).await;
    for name in ["state", "startedAt", "finishedAt"] {
        assert_eq!(ended[name], run[name], "{name}");
    }
    assert_eq!((&ended["state"], &ended["exchangeCount"]), (&json!("completed"), &json!(1)));
    assert_eq!(list(&ada, &records_path(&flow)).await, [ended]);
}

#[tokio::test]
async fn the_record_of_a_webhook_run_names_its_channel() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [node("hook", "webhook", json!({})), node("end", "send_result", json!({"output": "input.n"}))];
    let hook = publish_hook(&app, &ada, graph(&nodes, &["hook.out end"]), "sync").await;
    let id = hook.call(json!({"n": 21})).await.json["runId"].clone();
    let record = read(&ada, &format!("{}/{}", records_path(&hook.workflow), id.as_str().unwrap())).await;
    assert_eq!((&record["channel"], &record["origin"]), (&json!("webhook"), &json!("webhook")), "{record}");
    assert_eq!((&record["state"], &record["exchangeCount"]), (&json!("completed"), &json!(0)), "{record}");
    for query in ["channel=webhook", "channel=webhook&state=completed", "channel=internal,webhook"] {
        let listed = list(&ada, &format!("{}?{query}", records_path(&hook.workflow))).await;
        assert_eq!(listed, std::slice::from_ref(&record), "{query}");
    }
    assert!(list(&ada, &format!("{}?channel=internal", records_path(&hook.workflow))).await.is_empty());
}

#[tokio::test]
async fn the_record_of_a_conversation_names_its_participant() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let thread = thread(MessagingProvider::Telegram, ParticipantId::new());
    let new = new_run(&app, &flow, RunOrigin::Channel, Some(thread.clone()));
    let id = new.id;
    Runs::new(&app.platform.context()).unwrap().start(new, None).await.unwrap();
    let record = read(&ada, &format!("{}/{id}", records_path(&flow))).await;
    assert_eq!(
        record,
        json!({
            "id": id, "runId": id, "threadId": thread.id, "participant": {"id": thread.participant, "name": null},
            "channel": "telegram", "origin": "channel", "state": "queued", "startedAt": null, "finishedAt": null,
            "exchangeCount": 0,
        })
    );
}

#[tokio::test]
async fn the_filters_name_the_channels_of_the_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [node("in", "message", json!({})), node("end", "send_message", json!({"text": "Hello"}))];
    let flow = ada.post_json(WORKFLOWS, json!({"name": "Flow", "graph": graph(&nodes, &["in.out end"])})).await;
    assert_eq!(flow.status, "201 Created", "{}", flow.text);
    let path = format!("{}/filters", records_path(flow.id()));
    let expected = |channels: Value| {
        json!({
            "channels": channels,
            "origins": ["manual", "webhook", "scheduled", "channel", "mcp"],
            "states": ["queued", "running", "paused", "completed", "failed", "cancelled"],
        })
    };
    assert_eq!(read(&ada, &path).await, expected(json!(["internal", "webhook"])));
    let channels = json!({
        "inputs": [{"nodeId": "in", "config": {"provider": "telegram"}}],
        "outputs": [{"nodeId": "end", "config": {"provider": "telegram"}}],
    });
    let configured = ada.put(&format!("{WORKFLOWS}/{}/connections", flow.id()), channels).await;
    assert_eq!(configured.status, "200 OK", "{}", configured.text);
    assert_eq!(read(&ada, &path).await, expected(json!(["internal", "webhook", "telegram"])));
}

#[tokio::test]
async fn the_records_of_others_do_not_exist() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let (flow, other) = (publish(&ada, double()).await, publish(&ada, double()).await);
    let record = record_path(&start_run(&ada, &flow, json!({"n": 1})).await);
    let path = records_path(&flow);
    let routes = [path.clone(), format!("{path}/filters"), record.clone(), format!("{record}/exchanges")];
    for route in &routes {
        assert_eq!(refusal(&bob.get(route).await), ("404", "workflow_not_found"), "{route}");
        assert_eq!(refusal(&app.anonymous().get(route).await), ("401", "unauthorized"), "{route}");
        assert_eq!(refusal(&ada.post(route).await), ("405", "method_not_allowed"), "{route}");
    }
    let id = record.rsplit('/').next().unwrap();
    for missing in [format!("{}/{id}", records_path(&other)), format!("{path}/{NOWHERE}"), format!("{path}/x")] {
        for route in [missing.clone(), format!("{missing}/exchanges")] {
            assert_eq!(refusal(&ada.get(&route).await), ("404", "record_not_found"), "{route}");
        }
    }
    ada.delete(&format!("{WORKFLOWS}/{flow}")).await;
    for route in &routes {
        assert_eq!(refusal(&ada.get(route).await), ("404", "workflow_not_found"), "{route}, of a deleted workflow");
    }
}
