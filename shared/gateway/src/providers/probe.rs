//! Test calls of a provider, for the operator. Unlike a `ProviderFailure` for clients, the result quotes the provider's
//! error.

use std::time::Duration;

use serde_json::json;

use crate::chat::ChatRequest;
use crate::failure::ProviderFailure;
use shared::outbound::RequestTimeouts;

/// Timeouts of a test call. They are short because a person waits, and API Gateway waits for at most 29 s.
pub const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(15),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(15),
};
/// Output limit of the test chat. Reasoning models refuse smaller limits.
const MAX_TOKENS: u64 = 16;

/// The result of a test call. `status` is None if there was no answer, or if no HTTP call was needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    pub status: Option<u16>,
    /// The code and the message of the error.
    pub error: Option<(String, String)>,
}

/// The chat request of a test call.
pub fn question() -> Result<ChatRequest, ProviderFailure> {
    let messages = json!([{"role": "user", "content": "Say yes."}]);
    let body = json!({"model": "test", "messages": messages, "max_tokens": MAX_TOKENS});
    ChatRequest::read(body).map_err(ProviderFailure::malformed_answer)
}
