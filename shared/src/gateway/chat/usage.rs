//! Usage as OpenAI tells it, with what it cost.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::domain::money::Money;
use crate::domain::usage::Tokens;

#[derive(Serialize)]
pub struct UsageOut {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: PromptDetails,
    completion_tokens_details: CompletionDetails,
    /// US dollars; OpenAI has no such field.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct PromptDetails {
    cached_tokens: u64,
}

#[derive(Serialize)]
struct CompletionDetails {
    reasoning_tokens: u64,
}

impl UsageOut {
    pub fn new(tokens: &Tokens, cost: Option<Money>) -> Self {
        Self {
            prompt_tokens: tokens.input,
            completion_tokens: tokens.output,
            total_tokens: tokens.total(),
            prompt_tokens_details: PromptDetails { cached_tokens: tokens.cached },
            completion_tokens_details: CompletionDetails { reasoning_tokens: tokens.reasoning },
            // As decimal digits: a float would round it.
            cost: cost.and_then(|cost| RawValue::from_string(cost.to_string()).ok()),
        }
    }
}
