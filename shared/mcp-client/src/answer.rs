//! The messages of JSON-RPC that a server sends.

use domain::json;
use serde_json::Value;

use crate::error::McpError;

/// A message of the server, while the client waits for the answer to a request.
pub enum Incoming {
    /// The answer.
    Result(Value),
    Error(McpError),
    /// A request of the server, with its id and its method.
    Request {
        id: Value,
        is_ping: bool,
    },
    /// A notification, or the answer to another request.
    Other,
}

/// Reads a message. `id` is that of the client's request.
pub fn read_message(bytes: &[u8], id: u64) -> Result<Incoming, McpError> {
    let text = str::from_utf8(bytes).map_err(|_| McpError::InvalidAnswer("it is not UTF-8"))?;
    json::check_size(bytes).map_err(|_| McpError::InvalidAnswer("it has too many values"))?;
    let message = json::parse_text(text).ok_or(McpError::InvalidAnswer("it is not JSON"))?;
    let Value::Object(mut message) = message else { return Err(McpError::InvalidAnswer("it is no JSON-RPC message")) };
    let its_id = message.remove("id");
    if let Some(method) = message.get("method") {
        return Ok(match its_id {
            Some(id) if id.is_number() || id.is_string() => Incoming::Request { id, is_ping: method == "ping" },
            _ => Incoming::Other,
        });
    }
    // An error without an id is about the request, because the client sends no others meanwhile.
    let is_own = its_id.as_ref().is_none_or(|its_id| its_id.is_null() || its_id.as_u64() == Some(id));
    if let Some(error) = message.get("error").filter(|_| is_own) {
        return Ok(Incoming::Error(read_error(error)));
    }
    match message.remove("result") {
        Some(result) if its_id.is_some_and(|its_id| its_id.as_u64() == Some(id)) => Ok(Incoming::Result(result)),
        _ => Ok(Incoming::Other),
    }
}

fn read_error(error: &Value) -> McpError {
    let message = error["message"].as_str().unwrap_or("no message");
    McpError::refused(error["code"].as_i64().unwrap_or_default(), message)
}
