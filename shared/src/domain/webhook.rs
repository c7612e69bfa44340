//! A webhook: an address at which others start runs, and the token they need for it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::id::{WebhookId, WorkflowId};
use super::identity::Account;
use super::text;
use super::time::Time;
use super::token::TokenHash;
use crate::{Error, Result};

pub const DEFAULT_TIMEOUT_MS: u64 = 25_000;
const TIMEOUT_MS: std::ops::RangeInclusive<u64> = 1_000..=25_000;
const MAX_NAME_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub struct Webhook {
    pub id: WebhookId,
    pub account: Account,
    pub workflow: WorkflowId,
    pub name: String,
    pub mode: WebhookMode,
    /// How long a synchronous call waits for the run.
    pub timeout_ms: u64,
    pub token: TokenHash,
    pub token_last4: String,
    pub token_created_at: Time,
    pub created_at: Time,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookMode {
    /// The answer carries the run's output.
    #[default]
    Sync,
    /// The answer carries the run's id, at once.
    Async,
}

/// Whether a webhook may be called so and wait so long.
pub fn check(name: &str, timeout_ms: u64) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid_body("name", "must not be empty"));
    }
    text::at_most("name", name, MAX_NAME_CHARS)?;
    if !TIMEOUT_MS.contains(&timeout_ms) {
        return Err(Error::invalid_body("timeoutMs", "between 1000 and 25000"));
    }
    Ok(())
}
