//! The witness as an MCP server without sessions: one tool, which notes and performs each call like the other calls.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::witness::{Witness, receive_call};

/// The name of the tool, and the beginning of the ids of nodes whose calls must not be repeated.
pub const WITNESS_TOOL: &str = "tell";
pub const ONCE: &str = "once";

pub async fn receive(
    State(witness): State<Witness>,
    Path(path): Path<String>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Response {
    let id = message["id"].clone();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "witness", "version": "1"},
        }),
        "tools/list" => {
            let tool =
                json!({"name": WITNESS_TOOL, "description": "Tells the witness.", "inputSchema": {"type": "object"}});
            json!({"tools": [tool]})
        }
        "tools/call" => match receive_call(&witness, &path, &headers).await {
            Ok(answer) => json!({"content": [], "structuredContent": answer}),
            Err(status) => return status.into_response(),
        },
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
}
