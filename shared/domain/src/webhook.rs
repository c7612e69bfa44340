//! A webhook: an address at which others start runs, and the token they need for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::id::{WebhookEventId, WebhookId, WorkflowId};
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
    /// When a call last showed the token, to the minute.
    pub last_used_at: Option<Time>,
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

/// A call that a webhook received, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookEvent {
    pub id: WebhookEventId,
    pub outcome: WebhookOutcome,
    /// What the call was answered with.
    pub status: u16,
    pub run: Option<Uuid>,
    /// Why there is no run.
    pub error_code: Option<String>,
    pub content_type: Option<String>,
    /// Without what is secret: see [`kept_headers`].
    pub headers: BTreeMap<String, String>,
    /// At most [`MAX_KEPT_BYTES`] of it.
    pub body: String,
    pub body_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookOutcome {
    /// It started a run.
    Accepted,
    /// It is the repetition of a call that did.
    Repeated,
    Refused,
}

/// How much of a call's body is kept.
pub const MAX_KEPT_BYTES: usize = 64 * 1024;

/// The headers of a call that may be kept: those that say what was sent, and no secret.
pub fn kept_headers<'h>(headers: impl Iterator<Item = (&'h str, &'h str)>) -> BTreeMap<String, String> {
    const SECRET: [&str; 6] = ["auth", "cookie", "token", "secret", "signature", "key"];
    const MAX_HEADERS: usize = 40;
    const MAX_VALUE_CHARS: usize = 500;
    let is_kept = |name: &str| !SECRET.iter().any(|secret| name.to_ascii_lowercase().contains(secret));
    let kept = headers.filter(|(name, _)| is_kept(name)).take(MAX_HEADERS);
    kept.map(|(name, value)| (name.to_ascii_lowercase(), value.chars().take(MAX_VALUE_CHARS).collect())).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_kept_of_a_calls_headers() {
        let sent = [
            ("Content-Type", "application/json"),
            ("Authorization", "Bearer whk_x"),
            ("X-Hub-Signature-256", "sha256=x"),
            ("Cookie", "a=b"),
            ("X-Api-Key", "x"),
            ("X-Telegram-Bot-Api-Secret-Token", "x"),
            ("User-Agent", "curl"),
        ];
        let kept = kept_headers(sent.into_iter());
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["content-type", "user-agent"]);
    }
}
