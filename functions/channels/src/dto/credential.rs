//! Credentials: what calls of webhooks show, and what workflows show to the systems they call.

use serde::{Deserialize, Serialize};
use shared::domain::credential::{Credential, CredentialType};
use shared::domain::token::SecretToken;
use shared::domain::webhook::Webhook;
use shared::store::credentials::CredentialSummary;
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Serialize, ToSchema)]
#[schema(title = "WebhookCredentials")]
pub struct CredentialsOut {
    pub inbound: Vec<InboundOut>,
    pub outbound: Vec<CredentialOut>,
}

/// The token of a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "InboundCredential")]
pub struct InboundOut {
    webhook_id: Uuid,
    /// Only when it was just made: it is not shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    token: Option<String>,
    token_last4: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// When a call last showed it, to the minute.
    #[schema(required, format = DateTime)]
    last_used_at: Option<String>,
}

impl InboundOut {
    pub fn new(webhook: &Webhook, token: Option<&SecretToken>) -> Self {
        Self {
            webhook_id: webhook.id.uuid(),
            token: token.map(|token| token.reveal().to_owned()),
            token_last4: webhook.token_last4.clone(),
            created_at: webhook.token_created_at.to_string(),
            last_used_at: webhook.last_used_at.map(|at| at.to_string()),
        }
    }
}

/// A credential without its secrets, which are never shown.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Credential")]
pub struct CredentialOut {
    id: Uuid,
    name: String,
    r#type: CredentialType,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<CredentialSummary> for CredentialOut {
    fn from(CredentialSummary { id, name, r#type, created_at }: CredentialSummary) -> Self {
        Self { id: id.uuid(), name, r#type, created_at: created_at.to_string() }
    }
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schema(title = "InboundRegenerate")]
pub struct RegenerateIn {
    /// Only that of one webhook; all of the workflow when left out.
    pub webhook_id: Option<Uuid>,
}

/// A name, and the fields of the credential's type.
#[derive(Deserialize, ToSchema)]
#[schema(title = "CredentialCreate")]
pub struct CredentialIn {
    #[schema(min_length = 1, max_length = 200, example = "Ticket system")]
    pub name: String,
    #[serde(flatten)]
    pub credential: Credential,
}
