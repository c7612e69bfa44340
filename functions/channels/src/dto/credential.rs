//! Request and response bodies of credentials: inbound webhook tokens, and outbound credentials for calls of workflows and
//! of the tools of agents, and for channels.

use domain::credential::{Credential, CredentialName, CredentialType};
use domain::token::SecretToken;
use domain::webhook::Webhook;
use serde::{Deserialize, Serialize};
use store::credentials::CredentialSummary;
use utoipa::ToSchema;
use uuid::Uuid;

use super::authorization::AuthorizationOut;

/// The inbound and outbound credentials of a workflow, without their secrets.
#[derive(Serialize, ToSchema)]
#[schema(title = "WebhookCredentials")]
pub struct CredentialsOut {
    /// The tokens of the workflow's webhooks.
    pub inbound: Vec<InboundOut>,
    /// The credentials for calls to external systems.
    pub outbound: Vec<CredentialOut>,
}

/// The token of a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "InboundCredential")]
pub struct InboundOut {
    /// The id of the webhook.
    webhook_id: Uuid,
    /// The token. Returned only when it is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    token: Option<String>,
    /// The last 4 characters of the token.
    token_last4: String,
    /// When the token was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When a call last used the token, accurate to the minute.
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

/// An outbound credential without its secrets, which are never returned.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Credential")]
pub struct CredentialOut {
    id: Uuid,
    name: String,
    r#type: CredentialType,
    #[schema(format = DateTime)]
    created_at: String,
    /// Whether a user has consented. Only credentials of type `oauth2_authorization_code` have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    authorization: Option<AuthorizationOut>,
}

impl CredentialOut {
    pub fn new(summary: CredentialSummary, authorization: Option<AuthorizationOut>) -> Self {
        let CredentialSummary { id, name, r#type, created_at } = summary;
        Self { id: id.uuid(), name, r#type, created_at: created_at.to_string(), authorization }
    }
}

/// The credential of a tool, in the fields of its type.
#[derive(ToSchema)]
#[schema(title = "ToolCredentialReplace")]
#[expect(dead_code, reason = "only the OpenAPI document uses it; `CredentialFields` parses the body")]
pub struct ToolCredentialIn {
    #[serde(flatten)]
    credential: Credential,
}

/// The webhooks whose tokens are replaced.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schema(title = "InboundRegenerate")]
pub struct RegenerateIn {
    /// The webhook whose token is replaced. Defaults to all webhooks of the workflow.
    pub webhook_id: Option<Uuid>,
}

/// A new outbound credential: a name, and the fields of the credential's type.
#[derive(ToSchema)]
#[schema(title = "CredentialCreate")]
#[expect(dead_code, reason = "only the OpenAPI document uses it; `CredentialFields` parses the body")]
pub struct CredentialIn {
    #[schema(value_type = CredentialName, example = "Ticket system")]
    name: String,
    #[serde(flatten)]
    credential: Credential,
}
