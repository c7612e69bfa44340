//! Routes of the gateway: calls of models, alone and many, and calls of tools.

use bytes::Bytes;
use serde_json::{Value, json};

use super::steps::{SPENT_FOR_CHATS, send_message, spend_credits};
use crate::cost::outside::OutsideSystem;
use crate::cost::recorded::{Recorded, Wait};
use crate::cost::stage::Stage;
use crate::failure::Failure;

const CHAT: &str = "/gateway/v1/chat/completions";
const IMAGES: &str = "/gateway/v1/images/generations";
const BATCHES: &str = "/gateway/v1/batches";
const CHATS_OF_A_BATCH: u32 = 100;
/// The calls of a batch that its worker makes at once.
const AT_ONCE: u32 = 8;
/// The leases of a process are for one, two, four and eight calls. This call is the second one of the third lease.
const CALL_WITHIN_A_LEASE: usize = 5;

/// A request for embeddings takes more than 1 % of what is left.
const SPENT_FOR_EMBEDDINGS: &str = "24.999999";
const ONE_CALL: Wait = Wait::ModelCalls { calls: 1, at_once: 1 };

pub async fn record() -> Result<Vec<Recorded>, Failure> {
    let mut recorded = Vec::new();
    let stage = &mut start_as_ada().await?;
    let get = async |stage: &mut Stage, path: &str| stage.get(path).await.map(drop);
    let models = async |stage: &mut Stage| get(stage, "/gateway/v1/models").await;
    recorded.push(stage.record_warm("list the models of the gateway", models).await?);
    let balance = async |stage: &mut Stage| get(stage, "/gateway/v1/billing/balance").await;
    recorded.push(stage.record_warm("read the balance", balance).await?);
    spend_credits(stage, SPENT_FOR_CHATS).await?;
    let chat = async |stage: &mut Stage| stage.post(CHAT, ask("Hello")).await.map(drop);
    recorded.push(stage.record_warm("chat completion, alone", chat).await?.waiting("inference", ONE_CALL));

    let stage = &mut start_as_ada().await?;
    spend_credits(stage, SPENT_FOR_EMBEDDINGS).await?;
    let embed = async |stage: &mut Stage| {
        stage.post("/gateway/v1/embeddings", json!({"model": "dev-embed", "input": "Hello"})).await.map(drop)
    };
    recorded.push(stage.record_warm("embeddings, alone", embed).await?.waiting("inference", ONE_CALL));

    let stage = &mut start_as_ada().await?;
    let mut call = stage.record("chat completion, within a lease", chat).await?;
    for _ in 1..CALL_WITHIN_A_LEASE {
        call = stage.record(call.name, chat).await?;
    }
    recorded.push(call.waiting("inference", ONE_CALL));

    let stage = &mut start_as_ada().await?;
    let image = async |stage: &mut Stage| {
        let fox = json!({"preset": "dev-image", "prompt": "a red fox in the snow", "size": "64x32"});
        let job = stage.send_json("POST", IMAGES, &fox, &[("prefer", "respond-async")]).await?;
        stage.work().await?;
        stage.get(&job.location).await.map(drop)
    };
    let job = stage.record_warm("an image, by a job", image).await?;
    recorded.push(job.waiting("image-worker", ONE_CALL));

    let batch = async |stage: &mut Stage| {
        let file = upload(stage, &chats()).await?;
        let batch = json!({"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h"});
        stage.post(BATCHES, batch).await?;
        stage.work().await
    };
    let batch = stage.record("a batch of 100 chats (varies)", batch).await?;
    let calls = Wait::ModelCalls { calls: CHATS_OF_A_BATCH, at_once: AT_ONCE };
    // How many charges share a record, and how fast leases grow, depends on the time.
    recorded.push(batch.waiting("batch-worker", calls).varying());

    let outside = OutsideSystem::start().await?;
    let stage = &mut start_as_ada().await?;
    let org = stage.get("/gateway/v1/me").await?.text_at("/org/id")?;
    let server = json!({"org": org, "name": "crm", "url": outside.url, "access": [{"tools": ["*"]}]});
    stage.post_as_operator("/gateway/v1/admin/mcp-servers", server).await?;
    let door = "/gateway/v1/mcp/crm";
    let list = async |stage: &mut Stage| send_message(stage, door, "tools/list", json!({})).await;
    let list = stage.record_warm("list the tools of a server", list).await?;
    recorded.push(list.waiting("mcp-gateway", Wait::HttpCalls(1)));
    let call = async |stage: &mut Stage| {
        send_message(stage, door, "tools/call", json!({"name": "search", "arguments": {"text": "Lima"}})).await
    };
    let call = stage.record_warm("call a tool of a server", call).await?;
    recorded.push(call.waiting("mcp-gateway", Wait::HttpCalls(1)));
    Ok(recorded)
}

/// Starts a platform whose requests have the API key of ada.
async fn start_as_ada() -> Result<Stage, Failure> {
    let mut stage = Stage::start().await?;
    let ada = stage.platform().credentials.users.get("ada").map(|ada| ada.api_key.clone());
    stage.switch_token(&ada.unwrap_or_default());
    Ok(stage)
}

fn ask(text: &str) -> Value {
    json!({"model": "dev-chat", "max_tokens": 1, "messages": [{"role": "user", "content": text}]})
}

/// The lines of a file of chats.
fn chats() -> String {
    let line = |number: u32| {
        let body = ask(&format!("Question {number}"));
        let line = json!({
            "custom_id": number.to_string(), "method": "POST", "url": "/v1/chat/completions", "body": body,
        });
        line.to_string() + "\n"
    };
    (0..CHATS_OF_A_BATCH).map(line).collect()
}

/// Uploads a file for a batch, and returns its id.
async fn upload(stage: &mut Stage, content: &str) -> Result<String, Failure> {
    let form = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"chats.jsonl\"\r\n\r\n{content}\r\n--edge--\r\n"
    );
    let headers = [("content-type", "multipart/form-data; boundary=edge")];
    stage.send("POST", "/gateway/v1/files", Bytes::from(form), &headers).await?.text_at("/id")
}
