//! Runs of workflows: started by webhooks and by the API, with and without effects.

use serde_json::{Value, json};

use super::steps::{SPENT_FOR_CHATS, WORKFLOWS, multiply, publish, spend_credits, start};
use crate::cost::graphs::{graph, node, refund};
use crate::cost::outside::OutsideSystem;
use crate::cost::recorded::{Recorded, Wait};
use crate::cost::stage::Stage;
use crate::failure::Failure;

/// The HTTP calls of the runs that make some.
const CALLS: u32 = 5;

pub async fn record() -> Result<Vec<Recorded>, Failure> {
    let mut stage = Stage::start().await?;
    let stage = &mut stage;
    let outside = OutsideSystem::start().await?;
    let mut recorded = Vec::new();

    let hook = publish_webhook(stage, five_steps(), "sync").await?;
    let name = "webhook, five steps without effects";
    recorded.push(stage.record_warm(name, async |stage| call(stage, &hook, 200).await).await?.run(5));

    let hook = publish_webhook(stage, http_calls(&outside.url), "sync").await?;
    let name = "webhook, five HTTP calls, the caller waits";
    let run = stage.record_warm(name, async |stage| call(stage, &hook, 200).await).await?;
    recorded.push(run.waiting("hooks", Wait::HttpCalls(CALLS)).run(CALLS + 2));

    let hook = publish_webhook(stage, http_calls(&outside.url), "async").await?;
    let scenario = async |stage: &mut Stage| {
        call(stage, &hook, 202).await?;
        stage.work().await
    };
    let run = stage.record_warm("webhook, five HTTP calls, by a worker", scenario).await?;
    recorded.push(run.waiting("run-worker", Wait::HttpCalls(CALLS)).run(CALLS + 2));

    let flow = publish(stage, multiply(2)).await?;
    let scenario = async |stage: &mut Stage| {
        start(stage, &flow, json!({"n": 1})).await?;
        stage.work().await
    };
    recorded.push(stage.record_warm("run by the API, without effects", scenario).await?.run(2));

    let flow = publish(stage, refund()).await?;
    let scenario = async |stage: &mut Stage| {
        let run = start(stage, &flow, json!({"amount": 1})).await?;
        stage.work().await?;
        stage.post(&format!("{run}/resolve-wait"), json!({"decision": "approve"})).await?;
        stage.work().await
    };
    recorded.push(stage.record_warm("run by the API, with a review", scenario).await?.long_run(3));

    spend_credits(stage, SPENT_FOR_CHATS).await?;
    let flow = publish(stage, ask()).await?;
    let scenario = async |stage: &mut Stage| {
        start(stage, &flow, json!("Hello")).await?;
        stage.work().await
    };
    let run = stage.record_warm("run by the API, with a model call", scenario).await?;
    recorded.push(run.waiting("run-worker", Wait::ModelCalls { calls: 1, at_once: 1 }).run(3));
    Ok(recorded)
}

/// A workflow that asks a model.
fn ask() -> Value {
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "dev-chat", "prompt": "{{ input }}"})),
        node("end", "send_result", json!({})),
    ];
    graph(&nodes, &["start.out ask", "ask.out end"])
}

/// A webhook, three steps without effects and the result.
fn five_steps() -> Value {
    let nodes = [
        node("hook", "webhook", json!({})),
        node("check", "condition", json!({"expression": "input.n > 0"})),
        node("double", "transform", json!({"value": "{'n': input.n * 2}"})),
        node("text", "template", json!({"template": "n is {{ input.n }}"})),
        node("no", "fail", json!({"message": "n is not positive"})),
        node("end", "send_result", json!({"output": "input"})),
    ];
    let ports = ["hook.out check", "check.true double", "check.false no", "double.out text", "text.out end"];
    graph(&nodes, &ports)
}

/// A webhook, HTTP calls one after the other, and the result.
fn http_calls(url: &str) -> Value {
    let (mut nodes, mut ports) = (vec![node("hook", "webhook", json!({}))], Vec::new());
    let mut from = "hook".to_owned();
    for number in 0..CALLS {
        let id = format!("call{number}");
        nodes.push(node(&id, "http", json!({"method": "POST", "url": url})));
        ports.push(format!("{from}.out {id}"));
        from = id;
    }
    ports.push(format!("{from}.out end"));
    nodes.push(node("end", "send_result", json!({"output": "input.body"})));
    graph(&nodes, &ports.iter().map(String::as_str).collect::<Vec<_>>())
}

struct Webhook {
    path: String,
    token: String,
}

/// Publishes a workflow that a webhook starts.
async fn publish_webhook(stage: &mut Stage, graph: Value, mode: &str) -> Result<Webhook, Failure> {
    let created = stage.post(WORKFLOWS, json!({"name": "Flow", "graph": graph})).await?;
    let flow = format!("{WORKFLOWS}/{}", created.text_at("/data/id")?);
    let settings = json!({"name": "Shop", "mode": mode, "timeoutMs": 20_000});
    let webhook = stage.post(&format!("{flow}/webhooks"), settings).await?;
    let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook.text_at("/data/id")?}}]});
    stage.put(&format!("{flow}/connections"), channel).await?;
    stage.post(&format!("{flow}/publish"), json!({})).await?;
    Ok(Webhook { path: webhook.text_at("/data/url")?, token: webhook.text_at("/data/token")? })
}

async fn call(stage: &mut Stage, webhook: &Webhook, status: u16) -> Result<(), Failure> {
    let token = stage.switch_token(&webhook.token);
    let answer = stage.post(&webhook.path, json!({"n": 21})).await;
    stage.switch_token(&token);
    let answer = answer?;
    let unexpected = || format!("the webhook answered {}, not {status}: {}", answer.status, answer.text);
    if answer.status == status { Ok(()) } else { Err(Failure::Other(unexpected())) }
}
