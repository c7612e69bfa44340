//! Inbound webhooks: URLs where other systems start runs, each with its own token.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::id::{WebhookEventId, WebhookId, WorkflowId};
use super::identity::Account;
use super::time::Time;
use super::token::TokenHash;

pub const DEFAULT_TIMEOUT_MS: u64 = 25_000;

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
    /// When the token was last used, to the minute.
    pub last_used_at: Option<Time>,
    /// The number of refused calls whose events were not stored; see [`RefusedSender::max_stored`].
    pub unstored_calls: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookMode {
    /// The response carries the output of the run
    #[default]
    Sync,
    /// The response is immediate and carries the id of the run
    Async,
}

/// A call that a webhook received, and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookEvent {
    pub id: WebhookEventId,
    pub outcome: WebhookOutcome,
    /// The status of the response.
    pub status: u16,
    pub run: Option<Uuid>,
    /// The error code, if no run was started.
    pub error_code: Option<String>,
    pub content_type: Option<String>,
    /// Without secrets; see [`kept_headers`].
    pub headers: BTreeMap<String, String>,
    /// Truncated to [`MAX_KEPT_BYTES`].
    pub body: String,
    pub body_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookOutcome {
    /// The call started a run
    Accepted,
    /// The call repeats an accepted one
    Repeated,
    Refused,
}

/// Who sent a refused call. Each has a limit of its own, so that strangers do not displace the calls of the real sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusedSender {
    /// Anyone: the call had no token, or another one.
    Stranger,
    /// The call had the token of the webhook.
    Authorized,
}

impl RefusedSender {
    /// The maximum number of events that a webhook stores in an hour.
    pub fn max_stored(self) -> u64 {
        match self {
            Self::Stranger => 50,
            Self::Authorized => 500,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stranger => "stranger",
            Self::Authorized => "authorized",
        }
    }
}

/// The maximum size of a stored request body.
pub const MAX_KEPT_BYTES: usize = 64 * 1024;

/// The headers of a call that are stored: without those that may hold secrets, without the platform's own host, and without
/// those that are too many or too large. Long values are truncated.
pub fn kept_headers<'h>(headers: impl Iterator<Item = (&'h str, &'h str)>) -> BTreeMap<String, String> {
    const MAX_HEADERS: usize = 40;
    const MAX_HEADER_NAME_BYTES: usize = 100;
    const MAX_TOTAL_BYTES: usize = 8 * 1024;
    let kept = headers.filter(|(name, _)| name.len() <= MAX_HEADER_NAME_BYTES && is_kept_header(name));
    let mut left = MAX_TOTAL_BYTES;
    let kept = kept.take(MAX_HEADERS).filter_map(|(name, value)| {
        let value = kept_value(value);
        left = left.checked_sub(name.len() + value.len())?;
        Some((name.to_ascii_lowercase(), value))
    });
    kept.collect()
}

/// Whether a header is stored: not if it may hold a secret, and not the platform's own host.
pub fn is_kept_header(name: &str) -> bool {
    const SECRET: [&str; 11] =
        ["auth", "cookie", "token", "secret", "signature", "key", "jwt", "password", "session", "credential", "hmac"];
    let name = name.to_ascii_lowercase();
    name != "host" && !SECRET.iter().any(|secret| name.contains(secret))
}

/// A header's value as it is stored.
pub fn kept_value(value: &str) -> String {
    const MAX_VALUE_CHARS: usize = 500;
    value.chars().take(MAX_VALUE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_headers_are_not_stored() {
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

    #[test]
    fn the_stored_headers_of_a_call_are_bounded() {
        let long = ["x".repeat(50_000), "v".repeat(50_000)];
        let names: Vec<_> = (0..10_000).map(|index| format!("x-{index}")).collect();
        let sent = [(&*long[0], "1"), ("x-long", &*long[1])].into_iter();
        let kept = kept_headers(sent.chain(names.iter().map(|name| (&**name, &*long[1]))));
        assert_eq!(kept["x-long"].len(), 500);
        let bytes: usize = kept.iter().map(|(name, value)| name.len() + value.len()).sum();
        assert!(kept.len() > 10 && bytes <= 8 * 1024, "{} headers, {bytes} bytes", kept.len());
    }
}
