//! Another system on this machine, for the HTTP calls of workflows and for the gateway's door: it answers every call at once.

use axum::body::Bytes;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::stage::failure;
use crate::failure::Failure;

pub struct OutsideSystem {
    pub url: String,
    serving: JoinHandle<()>,
}

impl Drop for OutsideSystem {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl OutsideSystem {
    pub async fn start() -> Result<Self, Failure> {
        let failed = |cause: std::io::Error| {
            failure(format!("no port of this machine can be used ({cause}); stop programs with many connections"))
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let url = format!("http://{}/mcp", listener.local_addr().map_err(failed)?);
        let router = Router::new().fallback(async |body: Bytes| Json(answer(&body)));
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(?error, "the system that scenarios call has stopped");
            }
        });
        Ok(Self { url, serving })
    }
}

/// The answer to a message of an MCP client, or to any other call.
fn answer(body: &[u8]) -> Value {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "outside", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [{"name": "search", "inputSchema": {"type": "object"}}]}),
        Some("tools/call") => json!({"content": [{"type": "text", "text": "found"}]}),
        _ => return json!({"state": "open"}),
    };
    json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
}
