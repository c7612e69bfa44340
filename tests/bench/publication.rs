//! Publishes workflows, each behind a synchronous webhook.

use reqwest::Method;
use serde_json::{Value, json};

use crate::Result;
use crate::admin::call;

pub struct PublishedWebhook {
    pub path: String,
    pub token: String,
}

/// Publishes a graph. Its webhook is the node `hook`.
pub async fn publish(base: &str, token: &str, graph: &Value) -> Result<PublishedWebhook> {
    let workflows = format!("{base}/builder/v1/workflows");
    let created = call(Method::POST, &workflows, token, &json!({"name": "Bench", "graph": graph})).await?;
    let workflow = format!("{workflows}/{}", text(&created, "id")?);
    let created = call(Method::POST, &format!("{workflow}/webhooks"), token, &json!({"name": "Bench"})).await?;
    let webhook = text(&created, "id")?;
    let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook}}]});
    call(Method::PUT, &format!("{workflow}/connections"), token, &channel).await?;
    call(Method::POST, &format!("{workflow}/publish"), token, &json!({})).await?;
    Ok(PublishedWebhook { path: format!("/hooks/v1/{webhook}"), token: text(&created, "token")? })
}

fn text(created: &Value, field: &str) -> Result<String> {
    let text = created["data"][field].as_str();
    text.map(str::to_owned).ok_or_else(|| format!("a response has no {field}").into())
}
