//! Routes of the builder: agents, workflows, their runs, and the tools that assistants find.

use std::time::Duration;

use platform::config::STREAM_SECONDS;
use serde_json::{Value, json};
use web::follow::LONGEST_WAIT;

use super::steps::{WORKFLOWS, multiply, publish, send_message, start};
use crate::cost::graphs::{graph, node, refund};
use crate::cost::recorded::{Recorded, Wait};
use crate::cost::stage::{Stage, failure};
use crate::failure::Failure;

const AGENTS: &str = "/builder/v1/agents";
const MCP: &str = "/mcp/v1";
const TOOLS: usize = 11;
const AGENTS_OF_A_PAGE: usize = 50;
const MINUTE: Duration = Duration::from_secs(60);

pub async fn record() -> Result<Vec<Recorded>, Failure> {
    let mut stage = Stage::start().await?;
    let stage = &mut stage;
    let mut recorded = Vec::new();
    for _ in 1..AGENTS_OF_A_PAGE {
        stage.post(AGENTS, json!({})).await?;
    }
    let agent = format!("{AGENTS}/{}", stage.post(AGENTS, json!({})).await?.text_at("/data/id")?);
    let get = async |stage: &mut Stage, path: &str| stage.get(path).await.map(drop);
    recorded.push(stage.record_warm("read an agent", async |stage| get(stage, &agent).await).await?);
    recorded.push(stage.record_warm("list 50 agents", async |stage| get(stage, AGENTS).await).await?);
    let create = async |stage: &mut Stage| stage.post(AGENTS, json!({})).await.map(drop);
    recorded.push(stage.record_warm("create an agent", create).await?);

    let flow = publish(stage, multiply(2)).await?;
    recorded.push(stage.record_warm("read a workflow", async |stage| get(stage, &flow).await).await?);
    recorded.push(stage.record_warm("list workflows", async |stage| get(stage, WORKFLOWS).await).await?);
    let publication = format!("{flow}/publish");
    // A publication needs a change.
    let mut factor = 2;
    let publish_again = async |stage: &mut Stage| {
        factor += 1;
        stage.send_json("PATCH", &flow, &json!({"graph": multiply(factor)}), &[]).await?;
        stage.forget();
        stage.post(&publication, json!({})).await.map(drop)
    };
    recorded.push(stage.record_warm("publish a workflow", publish_again).await?);
    let preview = format!("{flow}/preview");
    let preview = async |stage: &mut Stage| stage.post(&preview, json!({"input": {"n": 1}})).await.map(drop);
    recorded.push(stage.record_warm("preview a workflow without effects", preview).await?);
    let credentials = format!("{flow}/webhook-credentials/outbound");
    let store = async |stage: &mut Stage| {
        stage.post(&credentials, json!({"name": "Bot", "type": "bearer", "token": "x"})).await.map(drop)
    };
    // Later ones use the same data key for some minutes.
    recorded.push(stage.record("store the first credential of a process", store).await?);
    let run = start(stage, &flow, json!({"n": 1})).await?;
    stage.work().await?;
    recorded.push(stage.record_warm("read a run", async |stage| get(stage, &run).await).await?);
    let runs = format!("{flow}/runs");
    recorded.push(stage.record_warm("list the runs of a workflow", async |stage| get(stage, &runs).await).await?);
    recorded.push(stage.record_warm("read the inbox", async |stage| get(stage, "/builder/v1/inbox").await).await?);
    recorded.push(record_follower().await?);

    recorded.push(record_tools().await?);
    Ok(recorded)
}

/// A follower of a run in which nothing happens, for a minute of the stream. Elsewhere than in `local`, the run is carried out by
/// another process, so the stream reads again and again: its last read is counted for each of those of a minute.
async fn record_follower() -> Result<Recorded, Failure> {
    let mut streams = Vec::new();
    for seconds in ["0", "1"] {
        let mut stage = Stage::start_with(vec![(STREAM_SECONDS.to_owned(), seconds.to_owned())]).await?;
        let flow = publish(&mut stage, refund()).await?;
        let run = start(&mut stage, &flow, json!({"amount": 1})).await?;
        stage.work().await?;
        let events = format!("{run}/events?follow=true");
        let follow = async |stage: &mut Stage| stage.get(&events).await.map(drop);
        streams.push(stage.record_warm("follow an idle run for a minute", follow).await?);
    }
    let without_reads = || failure("a stream that was open for a second has read nothing".to_owned());
    let (Some(second), Some(mut opened)) = (streams.pop(), streams.pop()) else { return Err(without_reads()) };
    let read = second.calls().last().cloned().ok_or_else(without_reads)?;
    let reads = MINUTE.div_duration_f64(LONGEST_WAIT).ceil() as usize;
    for invocation in &mut opened.invocations {
        invocation.calls.extend(std::iter::repeat_n(read.clone(), reads));
    }
    Ok(opened.waiting("run-events", Wait::Open(MINUTE)))
}

async fn record_tools() -> Result<Recorded, Failure> {
    let stage = &mut Stage::start().await?;
    for number in 0..TOOLS {
        let tool = publish(stage, greet()).await?;
        stage.put(&format!("{tool}/tool"), json!({"name": format!("greet_{number}")})).await?;
    }
    let list = async |stage: &mut Stage| send_message(stage, MCP, "tools/list", json!({})).await;
    stage.record_warm("list 11 tools for an assistant", list).await
}

/// A workflow that is a tool.
fn greet() -> Value {
    let schema = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}});
    let start = node("start", "input", json!({"schema": schema}));
    let text = node("text", "template", json!({"template": "Hello {{ input.name }}"}));
    graph(&[start, text, node("end", "send_result", json!({}))], &["start.out text", "text.out end"])
}
