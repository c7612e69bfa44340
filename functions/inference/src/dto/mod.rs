//! The request and response schemas of the OpenAPI document.
//!
//! The code does not use most of these types: the crate `gateway` parses the requests and keeps unknown parameters, and
//! `writers/chat.rs` forwards the `choices` of OpenAI-compatible providers unchanged.

pub mod audio;
pub mod call_headers;
pub mod chat;
pub mod completions;
pub mod embeddings;
pub mod guard;
pub mod images;
pub mod messages;
pub mod rerank;
pub mod responses;

use domain::usd::Usd;
use gateway::Usage;
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub struct UsageOut {
    prompt_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    completion_tokens: Option<u64>,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    completion_tokens_details: Option<CompletionDetails>,
    /// US dollars
    #[schema(value_type = f64)]
    cost: Usd,
}

#[derive(Serialize)]
struct PromptDetails {
    cached_tokens: u64,
    cache_write_tokens: u64,
}

#[derive(Serialize)]
struct CompletionDetails {
    reasoning_tokens: u64,
}

impl UsageOut {
    /// The usage of a chat completion.
    pub fn of_chat(usage: &Usage) -> Self {
        Self {
            completion_tokens: Some(usage.tokens.output),
            prompt_tokens_details: Some(PromptDetails {
                cached_tokens: usage.tokens.cached,
                cache_write_tokens: usage.tokens.written,
            }),
            completion_tokens_details: Some(CompletionDetails { reasoning_tokens: usage.tokens.reasoning }),
            ..Self::of_input(usage)
        }
    }

    /// The usage of a call without output tokens, such as embeddings.
    pub fn of_input(Usage { tokens, cost }: &Usage) -> Self {
        Self {
            prompt_tokens: tokens.input,
            completion_tokens: None,
            total_tokens: tokens.total(),
            prompt_tokens_details: None,
            completion_tokens_details: None,
            cost: (*cost).into(),
        }
    }
}
