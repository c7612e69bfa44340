//! The request and response schemas of the OpenAPI document.
//!
//! The code does not use most of these types: the crate `gateway` parses the requests and keeps unknown parameters, and
//! forwards the `choices` of OpenAI-compatible providers unchanged.

pub mod call_headers;
pub mod chat;
pub mod embeddings;
pub mod guard;
pub mod images;

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub struct UsageOut {
    prompt_tokens: u64,
    #[schema(nullable = false)]
    completion_tokens: Option<u64>,
    total_tokens: u64,
    /// US dollars
    cost: f64,
}
