//! Runs are started, followed, decided by a person, and looked at.

use serde_json::json;
use tests::process::Result;

use super::graphs::{self, chain, node};
use crate::visitor::Visitor;

const RUNS: &str = "/builder/v1/workflows/{id}/runs";
const RUN: &str = "/builder/v1/workflows/{id}/runs/{run}";

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    let order = graphs::order("input", visitor);
    graphs::create_published(visitor, &order).await?;
    for _ in 0..5 {
        let started = visitor.post(RUNS, json!({"input": graphs::input()})).await?;
        visitor.set("run", &started["data"]["id"])?;
        visitor.get("/builder/v1/workflows/{id}/runs/{run}/events?follow=true").await?;
        let ended = visitor.get(RUN).await?;
        if ended["data"]["output"] != "The total is 42" {
            return Err(format!("a run did not answer as expected: {ended}").into());
        }
    }
    visitor.get("/builder/v1/workflows/{id}/runs/{run}/trace").await?;
    visitor.get("/builder/v1/workflows/{id}/runs/{run}/activity").await?;
    visitor.get("/builder/v1/workflows/{id}/records").await?;
    visitor.get("/builder/v1/workflows/{id}/analytics/summary").await?;
    visitor.get("/builder/v1/runs").await?;
    graphs::delete(visitor).await?;
    review(visitor).await
}

/// A run that waits for a person.
async fn review(visitor: &mut Visitor) -> Result<()> {
    let review = json!({"title": "Refund {{ nodes.start.output.name }}?"});
    let graph = chain(&[
        node("start", "input", json!({})),
        node("draft", "model", json!({"model": "dev-chat", "prompt": "Answer {{ input.name }}"})),
        node("check", "review", review),
        node("end", "send_result", json!({"output": "nodes.check.output.decision"})),
    ]);
    graphs::create_published(visitor, &graph).await?;
    let started = visitor.post(RUNS, json!({"input": graphs::input()})).await?;
    visitor.set("run", &started["data"]["id"])?;
    visitor.until(RUN, |run| run["data"]["state"] == "paused").await?;
    visitor.get("/builder/v1/reviews").await?;
    visitor.get("/builder/v1/inbox").await?;
    visitor.post("/builder/v1/workflows/{id}/runs/{run}/resolve-wait", json!({"decision": "approve"})).await?;
    visitor.until(RUN, |run| run["data"]["state"] == "completed").await?;
    graphs::delete(visitor).await
}
