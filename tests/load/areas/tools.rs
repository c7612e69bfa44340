//! A workflow is a tool of an assistant, which calls it by the Model Context Protocol.

use reqwest::Method;
use serde_json::{Value, json};
use tests::assistant::{LATEST, introduce};
use tests::process::Result;

use super::graphs;
use crate::visitor::Visitor;

const TOOL: &str = "/builder/v1/workflows/{id}/tool";

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    let order = graphs::order("input", visitor);
    graphs::create_published(visitor, &order).await?;
    let name = format!("total_of_{}", visitor.name);
    visitor.put(TOOL, json!({"name": name, "description": "Computes what a customer owes."})).await?;
    send(visitor, "tools/list", None).await?;
    for _ in 0..5 {
        let answer = send(visitor, "tools/call", Some(&name)).await?;
        if !answer.to_string().contains("The total is 42") {
            return Err(format!("a tool did not answer as expected: {answer}").into());
        }
    }
    visitor.delete(TOOL).await?;
    graphs::delete(visitor).await
}

/// Sends a message without a session.
async fn send(visitor: &Visitor, method: &str, tool: Option<&str>) -> Result<Value> {
    let mut params = json!({});
    introduce(&mut params, "load", "1");
    if let Some(name) = tool {
        params["name"] = json!(name);
        params["arguments"] = json!({"input": graphs::input()});
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let complete = |request: reqwest::RequestBuilder| {
        let request = request.header("accept", "application/json, text/event-stream");
        let request = request.header("mcp-protocol-version", LATEST).header("mcp-method", method);
        let request = tool.iter().fold(request, |request, name| request.header("mcp-name", *name));
        request.json(&message)
    };
    visitor.send(Method::POST, "/mcp/v1", complete).await
}
