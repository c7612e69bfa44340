//! How long runs are kept, and runs that their owner erases.

use std::time::SystemTime;

use aws_sdk_dynamodb::types::AttributeValue;
use store::keys;

use super::hooks::publish_hook;
use super::recovery::lose_hint;
use super::*;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const SECRET: &str = "4111 1111 1111 1111";

fn large(text: &str) -> Value {
    json!({"amount": 5, "card": text.repeat(2_000)})
}

/// The sort keys of the items of a run, in both tables.
async fn items(app: &TestApp, run: RunId) -> Vec<String> {
    let dynamodb = app.platform.context().aws.dynamodb().clone();
    let mut found = Vec::new();
    for (table, partition) in [("EntitiesTable", keys::run_items(run)), ("JournalTable", keys::run_log(run))] {
        let query = dynamodb.query().table_name(table).key_condition_expression("pk = :pk");
        let items = query.expression_attribute_values(":pk", AttributeValue::S(partition)).send().await.unwrap().items;
        for item in items.unwrap() {
            assert!(!format!("{item:?}").contains(SECRET), "{item:?}");
            found.push(item["sk"].as_s().unwrap().clone());
        }
    }
    found
}

#[tokio::test]
async fn an_erased_run_keeps_only_its_record() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, large(SECRET)).await;
    app.platform.drain().await;
    assert_eq!(refusal(&ada.delete(&path).await), ("409", "invalid_state"), "in progress");
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(app.objects("runs") > 0);

    assert_eq!(refusal(&app.person("eve").delete(&path).await).0, "404");
    for _ in 0..2 {
        assert_eq!(ada.delete(&path).await.status, "204 No Content");
        let erased = read(&ada, &path).await;
        assert_eq!(
            (&erased["state"], &erased["input"], &erased["output"]),
            (&json!("completed"), &json!(null), &json!(null))
        );
        assert!(erased["erasedAt"].is_string());
        for part in ["events", "events?follow=true", "activity", "trace", "analytics"] {
            assert_eq!(refusal(&ada.get(&format!("{path}/{part}")).await), ("409", "invalid_state"), "{part}");
        }
        app.platform.drain().await;
        assert_eq!(items(&app, run_id(&path)).await, ["RUN"]);
        assert_eq!(app.objects("runs"), 0);
    }
    assert_eq!(ada.get(&runs_path(&flow)).await.json["data"][0]["id"], run_id(&path).to_string(), "it is listed");
    assert_eq!(app.platform.tick(Time::now().plus(minutes(10))).await.unwrap(), 0, "nothing is left to do");
}

/// The worker that deletes the values dies, and the message is lost.
#[tokio::test]
async fn the_ticker_repeats_what_a_crash_left() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1, "card": SECRET})).await;
    app.platform.drain().await;
    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    lose_hint(&app).await;
    assert_eq!(app.platform.tick(Time::now().plus(minutes(2))).await.unwrap(), 1);
    app.platform.drain().await;
    assert_eq!(app.platform.take_denied_calls(), Vec::<String>::new());
    assert_eq!(items(&app, run_id(&path)).await, ["RUN"]);
}

#[tokio::test]
async fn called_runs_and_the_webhook_call_are_erased_too() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let inner = publish(&ada, double()).await;
    let nodes = [
        node("hook", "webhook", json!({})),
        node("call", "workflow", json!({"workflowId": inner, "input": "input"})),
        node("end", "send_result", json!({})),
    ];
    let hook = publish_hook(&app, &ada, graph(&nodes, &["hook.out call", "call.out end"]), "async").await;
    let called = hook.caller.post_json(&hook.url, json!({"n": 1, "card": SECRET})).await;
    assert_eq!(called.status, "202 Accepted", "{}", called.text);
    app.platform.drain().await;
    let path = format!("{}/{}", runs_path(&hook.workflow), called.json["runId"].as_str().unwrap());
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    let inner_runs = ada.get(&runs_path(&inner)).await;
    let inner_path = format!("{}/{}", runs_path(&inner), inner_runs.json["data"][0]["id"].as_str().unwrap());

    assert_eq!(ada.delete(&path).await.status, "204 No Content");
    app.platform.drain().await;
    assert!(read(&ada, &inner_path).await["erasedAt"].is_string());
    assert_eq!(items(&app, run_id(&inner_path)).await, ["RUN"]);
    let events = format!("{WORKFLOWS}/{}/webhooks/{}/events", hook.workflow, hook.webhook);
    let event = ada.get(&events).await.json["data"][0]["id"].as_str().unwrap().to_owned();
    let event = ada.get(&format!("{events}/{event}")).await;
    assert_eq!((&event.json["data"]["body"], event.text.contains(SECRET)), (&json!(""), false), "{}", event.text);
}

#[tokio::test]
async fn a_run_is_kept_for_the_days_of_the_plan() {
    let app = TestApp::start().await;
    let (ada, operator) = (app.person("ada"), app.operator());
    let plan = "/gateway/v1/admin/plans/default";
    let refused = operator.put(plan, json!({"name": "Default", "run_retention_days": 366})).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"), "{}", refused.text);
    let changed = operator.put(plan, json!({"name": "Default", "run_retention_days": 3})).await;
    assert_eq!(changed.json["run_retention_days"], 3, "{}", changed.text);
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1, "text": "x".repeat(40_000)})).await;
    app.platform.drain().await;
    let id = run_id(&path);
    let find = async |days: u32| {
        let context = context_at(&app, Time::now().plus(DAY * days));
        Runs::new(&context).unwrap().find(id).await.unwrap()
    };
    assert!(find(2).await.is_some());
    assert!(find(4).await.is_none());
    // The rule of the bucket also covers the longest run.
    assert_eq!(app.objects("runs/7d"), 1);
    app.platform.expire(SystemTime::now() + DAY * 96).await;
    assert_eq!(app.objects("runs"), 1);
    app.platform.expire(SystemTime::now() + DAY * 100).await;
    assert_eq!(app.objects("runs"), 0);
}
