//! Test calls of a provider, for its operator: unlike a failure for clients, they say what the provider says.

use std::time::Duration;

use serde_json::json;

use super::failure::Failure;
use crate::chat::ChatRequest;
use shared::outbound::Patience;

/// A person waits, and API Gateway for no more than 29 s.
pub const PATIENCE: Patience =
    Patience { first_byte: Duration::from_secs(15), idle: Duration::from_secs(5), total: Duration::from_secs(15) };
/// Models that think refuse limits so small that no answer fits.
const MAX_TOKENS: u64 = 16;

/// What came of it. Without a status there was no answer, or nothing to call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    pub status: Option<u16>,
    /// A code and a message.
    pub error: Option<(String, String)>,
}

/// The chat of a test.
pub fn question() -> Result<ChatRequest, Failure> {
    let messages = json!([{"role": "user", "content": "Say yes."}]);
    let body = json!({"model": "test", "messages": messages, "max_tokens": MAX_TOKENS});
    ChatRequest::read(body).map_err(Failure::garbled)
}
