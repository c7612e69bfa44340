//! Test calls of a provider, for the operator. Unlike a `ProviderFailure` for clients, the result quotes the provider's
//! error.

use std::time::Duration;

use serde_json::Value;

use crate::chat::ChatRequest;
use crate::failure::ProviderFailure;
use domain::chat::{ChatPrompt, Message};
use outbound::RequestTimeouts;

/// Timeouts of a test call. They are short because a person waits, and API Gateway waits for at most 29 s.
pub const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(15),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(15),
};
/// Output limit of the test chat. Reasoning models refuse smaller limits.
const MAX_TOKENS: u32 = 16;

/// Longer lists are cut. The longest known one has some hundreds of models.
const MAX_OFFERED: usize = 2_000;
const MAX_NAME_BYTES: usize = 200;

/// The result of a test call. `status` is None if there was no answer, or if no HTTP call was needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    pub status: Option<u16>,
    /// The code and the message of the error.
    pub error: Option<(String, String)>,
}

/// The models that a provider offers, by its own names, and the outcome of the call that listed them. If the call failed,
/// there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferedModels {
    pub probe: Probe,
    pub models: Vec<String>,
}

/// The names in a list of models: `data` of OpenAI and Anthropic, `models` of Gemini, or a bare list.
pub(super) fn model_names(answer: &Value) -> Vec<String> {
    let entries = ["data", "models"].iter().find_map(|field| answer.get(field)?.as_array()).or(answer.as_array());
    let name = |entry: &Value| {
        let name = entry.get("id").or_else(|| entry.get("name"))?.as_str()?;
        let name = name.strip_prefix("models/").unwrap_or(name);
        (!name.is_empty() && name.len() <= MAX_NAME_BYTES).then(|| name.to_owned())
    };
    let mut names: Vec<String> = entries.into_iter().flatten().filter_map(name).take(MAX_OFFERED).collect();
    names.sort();
    names.dedup();
    names
}

/// The chat request of a test call.
pub fn question() -> Result<ChatRequest, ProviderFailure> {
    let (model, messages) = ("test".to_owned(), vec![Message::user("Say yes.")]);
    let prompt = ChatPrompt { model, messages, max_tokens: Some(MAX_TOKENS), ..ChatPrompt::default() };
    ChatRequest::new(prompt).map_err(ProviderFailure::malformed_answer)
}
