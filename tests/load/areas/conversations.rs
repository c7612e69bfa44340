//! A customer writes to a workflow, gets its answer, and a person reads the conversation.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::time::Time;
use reqwest::Method;
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde_json::json;
use tests::process::Result;

use super::graphs::{self, chain, node};
use crate::visitor::Visitor;

const SECRET: &[u8] = b"a secret of the load, 32 bytes ..";
const THREAD: &str = "/builder/v1/workflows/{id}/threads/{thread}";
const MESSAGES: &str = "/builder/v1/workflows/{id}/threads/{thread}/messages";

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    let reply = json!({"text": "You asked: {{ input.text }}"});
    let graph = chain(&[node("ask", "message", json!({})), node("reply", "send_message", reply)]);
    graphs::create(visitor, &graph).await?;
    let secret = format!("whsec_{}", BASE64_STANDARD.encode(SECRET));
    let credential = json!({"name": "Chat", "type": "http", "url": visitor.platform.receiver, "secret": secret});
    let stored = visitor.post("/builder/v1/workflows/{id}/webhook-credentials/outbound", credential).await?;
    visitor.set("credential", &stored["data"]["id"])?;
    let config = json!({"provider": "http", "credentialId": stored["data"]["id"]});
    let channels = json!({
        "inputs": [{"nodeId": "ask", "config": config}], "outputs": [{"nodeId": "reply", "config": config}],
    });
    visitor.put("/builder/v1/workflows/{id}/connections", channels).await?;
    graphs::publish(visitor).await?;
    for number in 1..=3 {
        deliver(visitor, &format!("{}-{number}", stored["data"]["id"])).await?;
    }
    let threads = visitor.get("/builder/v1/workflows/{id}/threads").await?;
    visitor.set("thread", &threads["data"][0]["id"])?;
    visitor.until(MESSAGES, |messages| messages["data"].as_array().is_some_and(|all| all.len() == 6)).await?;
    visitor.get(THREAD).await?;
    graphs::delete(visitor).await
}

/// Delivers a message, signed as Standard Webhooks specifies it.
async fn deliver(visitor: &Visitor, id: &str) -> Result<()> {
    let participant = json!({"id": "grace", "name": "Grace"});
    let body = json!({"conversation": "room-7", "participant": participant, "text": "Where is my order?"}).to_string();
    let time = Time::now().as_seconds().to_string();
    let tag = sign(&Key::new(HMAC_SHA256, SECRET), format!("{id}.{time}.{body}").as_bytes());
    let signature = format!("v1,{}", BASE64_STANDARD.encode(tag));
    let complete = |request: reqwest::RequestBuilder| {
        let request = request.header("content-type", "application/json").header("webhook-id", id);
        request.header("webhook-timestamp", &time).header("webhook-signature", &signature).body(body.clone())
    };
    visitor.send(Method::POST, "/hooks/v1/messages/{credential}", complete).await.map(drop)
}
