//! Publishes workflows.

use reqwest::Method;
use serde_json::{Value, json};

use crate::Result;
use crate::admin::call;

pub struct PublishedWebhook {
    pub path: String,
    pub token: String,
}

const WORKFLOWS: &str = "/builder/v1/workflows";

/// Publishes a graph, and returns the path of its workflow.
pub async fn publish(base: &str, token: &str, graph: &Value) -> Result<String> {
    let path = create(base, token, graph).await?;
    call(Method::POST, &format!("{base}{path}/publish"), token, &json!({})).await?;
    Ok(path)
}

/// Publishes a graph behind a synchronous webhook, which is the node `hook`.
pub async fn publish_webhook(base: &str, token: &str, graph: &Value) -> Result<PublishedWebhook> {
    let workflow = format!("{base}{}", create(base, token, graph).await?);
    let created = call(Method::POST, &format!("{workflow}/webhooks"), token, &json!({"name": "Bench"})).await?;
    let webhook = text(&created, "id")?;
    let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook}}]});
    call(Method::PUT, &format!("{workflow}/connections"), token, &channel).await?;
    call(Method::POST, &format!("{workflow}/publish"), token, &json!({})).await?;
    Ok(PublishedWebhook { path: format!("/hooks/v1/{webhook}"), token: text(&created, "token")? })
}

async fn create(base: &str, token: &str, graph: &Value) -> Result<String> {
    let body = json!({"name": "Bench", "graph": graph});
    let created = call(Method::POST, &format!("{base}{WORKFLOWS}"), token, &body).await?;
    Ok(format!("{WORKFLOWS}/{}", text(&created, "id")?))
}

fn text(created: &Value, field: &str) -> Result<String> {
    let text = created["data"][field].as_str();
    text.map(str::to_owned).ok_or_else(|| format!("a response has no {field}").into())
}
