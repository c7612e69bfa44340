//! Publishes the workflows and the agent of a scenario, while there are no faults yet.

use serde_json::{Value, json};
use tests::client::{Answer, Person};

use crate::Result;
use crate::mcp_witness::WITNESS_TOOL;
use crate::steps::TOOL;

/// The path of all effects of agents.
pub const AGENT_PATH: &str = "agent";
const WORKFLOWS: &str = "/builder/v1/workflows";

/// A published workflow.
pub struct Flow {
    pub id: String,
    /// The path and the token of its webhook, if it has one.
    pub webhook: Option<(String, String)>,
}

impl Flow {
    pub fn runs_path(&self) -> String {
        format!("{WORKFLOWS}/{}/runs", self.id)
    }

    /// Publishes a graph that starts at the node `start`.
    pub async fn publish(person: &Person, graph: Value) -> Result<Self> {
        let created = succeeded(person.post_json(WORKFLOWS, json!({"name": "Chaos", "graph": graph})).await)?;
        succeeded(person.post(&format!("{WORKFLOWS}/{}/publish", created.id())).await)?;
        Ok(Self { id: created.id().to_owned(), webhook: None })
    }

    /// Publishes a graph that a webhook starts at the node `hook`, too.
    pub async fn publish_with_webhook(person: &Person, graph: Value, mode: &str) -> Result<Self> {
        let created = succeeded(person.post_json(WORKFLOWS, json!({"name": "Chaos", "graph": graph})).await)?;
        let path = format!("{WORKFLOWS}/{}", created.id());
        let settings = json!({"name": "Chaos", "mode": mode, "timeoutMs": 10_000});
        let webhook = succeeded(person.post_json(&format!("{path}/webhooks"), settings).await)?;
        let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook.id()}}]});
        succeeded(person.put(&format!("{path}/connections"), channel).await)?;
        succeeded(person.post(&format!("{path}/publish")).await)?;
        let token = webhook.json["data"]["token"].as_str().ok_or("a webhook has no token")?;
        let webhook = Some((format!("/hooks/v1/{}", webhook.id()), token.to_owned()));
        Ok(Self { id: created.id().to_owned(), webhook })
    }
}

/// Publishes an agent that can call the witness, and returns its id.
pub async fn publish_agent(person: &Person, witness: u16) -> Result<String> {
    const AGENTS: &str = "/builder/v1/agents";
    let id = succeeded(person.post(AGENTS).await)?.id().to_owned();
    let url = format!("http://127.0.0.1:{witness}/effects/{AGENT_PATH}");
    let tool = json!({"type": "http", "name": TOOL, "method": "POST", "url": url});
    let server = |pins: Value| {
        let url = format!("http://127.0.0.1:{witness}/mcp/{AGENT_PATH}");
        json!({"type": "mcp", "name": "crm", "url": url, "tools": pins, "onUncertain": "retry"})
    };
    let set = async |pins: Value| {
        let config = json!({"model": "dev-chat", "tools": [tool, server(pins)]});
        succeeded(person.patch(&format!("{AGENTS}/{id}"), json!({"name": "Reporter", "config": config})).await)
    };
    set(json!([])).await?;
    let listed = succeeded(person.get(&format!("{AGENTS}/{id}/tools/crm/server")).await)?;
    let hash = &listed.json["data"]["tools"][0]["schemaHash"];
    set(json!([{"name": WITNESS_TOOL, "schemaHash": hash}])).await?;
    Ok(id)
}

fn succeeded(answer: Answer) -> Result<Answer> {
    if answer.status.starts_with('2') { Ok(answer) } else { Err(format!("{}: {}", answer.status, answer.text).into()) }
}
