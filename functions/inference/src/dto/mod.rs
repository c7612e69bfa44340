//! The request and response schemas of the OpenAPI document.
//!
//! The code does not use most of these types: the crate `gateway` parses the requests and keeps unknown parameters, and
//! forwards the `choices` of OpenAI-compatible providers unchanged.

pub mod chat;
pub mod embeddings;
pub mod images;

use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct CallHeaders {
    /// Makes retries safe: a request repeated within 24 hours with the same key and body returns the first answer, and
    /// is not charged again.
    #[param(rename = "Idempotency-Key", nullable = false, min_length = 1, max_length = 255)]
    #[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
    idempotency_key: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct UsageOut {
    prompt_tokens: u64,
    #[schema(nullable = false)]
    completion_tokens: Option<u64>,
    total_tokens: u64,
    /// US dollars
    cost: f64,
}
