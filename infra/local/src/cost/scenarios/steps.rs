//! Steps that several scenarios take.

use serde_json::{Value, json};

use crate::cost::graphs::{graph, node};
use crate::cost::stage::{Stage, failure};
use crate::failure::Failure;

pub const WORKFLOWS: &str = "/builder/v1/workflows";
/// A chat takes more than 1 % of what is left.
pub const SPENT_FOR_CHATS: &str = "24.9999";
const MCP_VERSION: &str = "2026-07-28";

/// A workflow without effects: it multiplies a number.
pub fn multiply(factor: u32) -> Value {
    let end = node("end", "send_result", json!({"output": format!("{{'product': input.n * {factor}}}")}));
    graph(&[node("start", "input", json!({})), end], &["start.out end"])
}

/// Publishes a workflow, and returns its path.
pub async fn publish(stage: &mut Stage, graph: Value) -> Result<String, Failure> {
    let created = stage.post(WORKFLOWS, json!({"name": "Flow", "graph": graph})).await?;
    let path = format!("{WORKFLOWS}/{}", created.text_at("/data/id")?);
    stage.post(&format!("{path}/publish"), json!({})).await?;
    Ok(path)
}

/// Starts a run, and returns its path.
pub async fn start(stage: &mut Stage, flow: &str, input: Value) -> Result<String, Failure> {
    let started = stage.post(&format!("{flow}/runs"), json!({"input": input})).await?;
    Ok(format!("{flow}/runs/{}", started.text_at("/data/id")?))
}

/// Sends a message of the Model Context Protocol, in the version without sessions.
pub async fn send_message(stage: &mut Stage, path: &str, method: &str, mut params: Value) -> Result<(), Failure> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MCP_VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "cost", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let tool = params["name"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MCP_VERSION),
        ("mcp-method", method),
    ];
    if !tool.is_empty() {
        headers.push(("mcp-name", &tool));
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = stage.send_json("POST", path, &message, &headers).await?;
    match answer.text.contains("\"error\"") {
        true => Err(failure(format!("{method}: {}", answer.text))),
        false => Ok(()),
    }
}

/// Takes this amount of the 25 USD that the organization has. With little credit, each lease is for one call, as those of calls
/// that are rare.
pub async fn spend_credits(stage: &mut Stage, amount: &str) -> Result<(), Failure> {
    let org = stage.get("/gateway/v1/me").await?.text_at("/org/id")?;
    let debit = json!({"org": org, "kind": "debit", "amount": amount, "reason": "spent"});
    stage.post_as_operator("/gateway/v1/billing/admin/credits", debit).await
}
