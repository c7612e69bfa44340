//! Calls of models in all dialects, an image, a batch, a key, and what it all cost.

use reqwest::Method;
use serde_json::{Value, json};
use tests::form::TestForm;
use tests::process::Result;

use crate::visitor::{Visitor, text};

const CHAT: &str = "/gateway/v1/chat/completions";
const RESPONSE: &str = "/gateway/v1/responses/{response}";
const KEYS: &str = "/gateway/v1/me/api-keys";

pub async fn visit(visitor: &mut Visitor) -> Result<()> {
    visitor.get("/gateway/v1/models").await?;
    let mut call = Value::Null;
    for number in 0..10 {
        let stream = number % 2 == 0;
        let messages = json!([{"role": "user", "content": "What is a workflow?"}]);
        let chat = json!({"model": "dev-chat", "max_tokens": 60, "stream": stream, "messages": messages});
        let answer = visitor.post(CHAT, chat).await?;
        if !stream {
            call = answer["id"].clone();
        }
    }
    dialects(visitor).await?;
    let embed = json!({"model": "dev-embed", "input": ["A workflow is a graph."], "dimensions": 8});
    visitor.post("/gateway/v1/embeddings", embed).await?;
    visitor.post("/gateway/v1/moderations", json!({"input": "How do I make a bomb?"})).await?;
    let image = json!({"preset": "dev-image", "prompt": "A red fox in the snow", "size": "64x64"});
    visitor.post("/gateway/v1/images/generations", image).await?;
    batch(visitor).await?;
    let created = visitor.post(KEYS, json!({"name": "Newsletter", "limits": {"rpm": 60}})).await?;
    visitor.set("created", &created["id"])?;
    visitor.get(KEYS).await?;
    visitor.delete("/gateway/v1/me/api-keys/{created}").await?;
    visitor.set("call", &call)?;
    for route in [
        "/gateway/v1/billing/calls/{call}",
        "/gateway/v1/billing/receipts/{call}",
        "/gateway/v1/billing/balance",
        "/gateway/v1/billing/usage",
        "/gateway/v1/billing/transactions",
        "/gateway/v1/billing/calls?limit=20",
    ] {
        visitor.get(route).await?;
    }
    Ok(())
}

/// The dialects of Anthropic, and of OpenAI's newer API.
async fn dialects(visitor: &mut Visitor) -> Result<()> {
    let messages = json!([{"role": "user", "content": "What is a workflow?"}]);
    let message = json!({"model": "dev-chat", "max_tokens": 60, "messages": messages});
    visitor.post("/gateway/v1/messages", message).await?;
    let response = json!({"model": "dev-chat", "input": "What is a workflow?", "max_output_tokens": 60});
    let created = visitor.post("/gateway/v1/responses", response).await?;
    visitor.set("response", &created["id"])?;
    visitor.get(RESPONSE).await?;
    visitor.delete(RESPONSE).await.map(drop)
}

/// A batch of two chats, from its file to its end.
async fn batch(visitor: &mut Visitor) -> Result<()> {
    let line = |number: u32| {
        let messages = json!([{"role": "user", "content": "What is a run?"}]);
        let body = json!({"model": "dev-chat", "max_tokens": 20, "messages": messages});
        json!({"custom_id": format!("{number}"), "method": "POST", "url": "/v1/chat/completions", "body": body})
    };
    let lines = format!("{}\n{}\n", line(1), line(2));
    let form = TestForm::default().text("purpose", "batch").file("file", "requests.jsonl", lines.as_bytes());
    let file = visitor.send(Method::POST, "/gateway/v1/files", |request| form.add_to(request)).await?;
    visitor.set("file", &file["id"])?;
    let batch = json!({
        "input_file_id": text(&file["id"])?, "endpoint": "/v1/chat/completions", "completion_window": "24h",
    });
    let created = visitor.post("/gateway/v1/batches", batch).await?;
    visitor.set("batch", &created["id"])?;
    visitor.until("/gateway/v1/batches/{batch}", |batch| batch["status"] == "completed").await?;
    visitor.delete("/gateway/v1/files/{file}").await.map(drop)
}
