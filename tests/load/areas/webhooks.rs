//! A webhook is called, and answers with the result of its run.

use serde_json::json;
use tests::process::Result;

use super::graphs;
use crate::visitor::Visitor;

const HOOK: &str = "/hooks/v1/{webhook}";
const WEBHOOKS: &str = "/builder/v1/workflows/{id}/webhooks";

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    let order = graphs::order("webhook", visitor);
    graphs::create(visitor, &order).await?;
    let webhook = visitor.post(WEBHOOKS, json!({"name": "Shop", "mode": "sync"})).await?;
    visitor.set("webhook", &webhook["data"]["id"])?;
    visitor.set("hook_token", &webhook["data"]["token"])?;
    let channel = json!({"inputs": [{"nodeId": "start", "config": {"webhookId": webhook["data"]["id"]}}]});
    visitor.put("/builder/v1/workflows/{id}/connections", channel).await?;
    graphs::publish(visitor).await?;
    for _ in 0..20 {
        let answer = visitor.post(HOOK, graphs::input()).await?;
        if !answer.to_string().contains("The total is 42") {
            return Err(format!("a webhook did not answer as expected: {answer}").into());
        }
    }
    visitor.get("/builder/v1/workflows/{id}/webhooks/{webhook}/events").await?;
    graphs::delete(visitor).await
}
