//! An agent is made, called with and without a stream, and deleted.

use serde_json::json;
use tests::process::Result;

use crate::visitor::Visitor;

const AGENTS: &str = "/builder/v1/agents";
const AGENT: &str = "/builder/v1/agents/{id}";
const INVOKE: &str = "/builder/v1/agents/{id}/invoke";

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    let config = json!({"model": "dev-chat", "instructions": "Answer in one sentence."});
    let agent = visitor.post(AGENTS, json!({"name": "Support", "config": config})).await?;
    visitor.set("id", &agent["data"]["id"])?;
    visitor.get(AGENTS).await?;
    visitor.patch(AGENT, json!({"config": {"temperature": 0.2}})).await?;
    visitor.get(AGENT).await?;
    for stream in [false, true, false] {
        visitor.post(INVOKE, json!({"input": "Where is my order?", "stream": stream})).await?;
    }
    let invocations = visitor.get("/builder/v1/agents/{id}/invocations").await?;
    visitor.set("invocation", &invocations["data"][0]["id"])?;
    visitor.get("/builder/v1/agents/{id}/invocations/{invocation}").await?;
    visitor.delete(AGENT).await.map(drop)
}
