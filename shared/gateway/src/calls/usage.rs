//! The usage of a call: the tokens to charge, and the `usage` object of the response.

use serde::Serialize;

use crate::tokens;
use domain::money::Money;
use domain::usage::{Tokens, UsageSource};
use domain::usd::Usd;

/// The tokens to charge for a call without output tokens: what the provider counted, or else the likely input.
pub fn count_input(reported: Option<Tokens>, greatest_input: u64) -> (Tokens, UsageSource) {
    match reported {
        Some(tokens) => (tokens, UsageSource::Provider),
        None => (Tokens { input: tokens::likely(greatest_input), ..Tokens::default() }, UsageSource::Counted),
    }
}

#[derive(Serialize)]
pub struct UsageOut {
    prompt_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_tokens: Option<u64>,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_tokens_details: Option<CompletionDetails>,
    /// The cost of the call in US dollars: an extension of OpenAI's format.
    cost: Usd,
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
    /// The usage of a chat completion.
    pub fn new(tokens: &Tokens, cost: Money) -> Self {
        Self {
            completion_tokens: Some(tokens.output),
            prompt_tokens_details: Some(PromptDetails { cached_tokens: tokens.cached }),
            completion_tokens_details: Some(CompletionDetails { reasoning_tokens: tokens.reasoning }),
            ..Self::from_input(tokens, cost)
        }
    }

    /// The usage of embeddings, which have no output tokens.
    pub fn from_input(tokens: &Tokens, cost: Money) -> Self {
        Self {
            prompt_tokens: tokens.input,
            completion_tokens: None,
            total_tokens: tokens.total(),
            prompt_tokens_details: None,
            completion_tokens_details: None,
            cost: cost.into(),
        }
    }
}
