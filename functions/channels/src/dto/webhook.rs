//! Request and response bodies of webhooks.

use domain::token::SecretToken;
use domain::webhook::{DEFAULT_TIMEOUT_MS, Webhook, WebhookMode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use web::base_url::BaseUrl;

/// A new webhook.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schema(title = "WebhookCreate")]
pub struct WebhookIn {
    /// The name to display. Defaults to `Webhook`.
    #[schema(min_length = 1, max_length = 200, example = "Help desk")]
    pub name: String,
    /// Whether a call waits for the run (`sync`) or returns immediately (`async`). Defaults to `sync`.
    pub mode: WebhookMode,
    /// The maximum time that a synchronous call waits for the run.
    #[schema(minimum = 1000, maximum = 25000)]
    pub timeout_ms: u64,
}

impl Default for WebhookIn {
    fn default() -> Self {
        Self { name: "Webhook".to_owned(), mode: WebhookMode::default(), timeout_ms: DEFAULT_TIMEOUT_MS }
    }
}

/// A webhook: a URL that starts runs of a workflow.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Webhook")]
pub struct WebhookOut {
    id: Uuid,
    name: String,
    /// The URL to call, with the token in the header `Authorization`, or as `?token=` if the caller can send no such header.
    #[schema(example = "https://api.example.com/hooks/v1/0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11")]
    url: String,
    /// Whether a call waits for the run (`sync`) or returns immediately (`async`).
    mode: WebhookMode,
    /// The maximum time that a synchronous call waits for the run, in milliseconds.
    timeout_ms: u64,
    /// The token. Returned only when it is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    token: Option<String>,
    /// The last 4 characters of the token.
    token_last4: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// The number of refused calls since the creation that are not in the list of calls, because an hour had too many of
    /// them. It can be 1 % too low.
    #[schema(example = 0)]
    unstored_calls: u64,
}

impl WebhookOut {
    pub fn new(webhook: Webhook, base_url: &BaseUrl, token: Option<&SecretToken>) -> Self {
        let base_url = base_url.0.as_deref().unwrap_or_default();
        Self {
            id: webhook.id.uuid(),
            name: webhook.name,
            url: format!("{base_url}/hooks/v1/{}", webhook.id),
            mode: webhook.mode,
            timeout_ms: webhook.timeout_ms,
            token: token.map(|token| token.reveal().to_owned()),
            token_last4: webhook.token_last4,
            created_at: webhook.created_at.to_string(),
            unstored_calls: webhook.unstored_calls,
        }
    }
}
