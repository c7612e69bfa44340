//! Credentials: what calls of webhooks show, and what workflows show to the systems they call.

use std::collections::BTreeMap;

use domain::credential::{Credential, CredentialType};
use domain::token::SecretToken;
use domain::webhook::Webhook;
use domain::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
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
#[derive(ToSchema)]
#[schema(title = "CredentialCreate")]
#[expect(dead_code, reason = "the OpenAPI document is made of it; `CredentialFields` reads it")]
pub struct CredentialIn {
    #[schema(min_length = 1, max_length = 200, example = "Ticket system")]
    name: String,
    #[serde(flatten)]
    credential: Credential,
}

/// A credential as it is sent: the fields of all types, so that what is wrong is told by its field.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CredentialFields {
    name: String,
    r#type: CredentialType,
    token: Option<Part>,
    username: Option<Part>,
    password: Option<Part>,
    header: Option<Part>,
    parameter: Option<Part>,
    value: Option<Part>,
    token_url: Option<Part>,
    client_id: Option<Part>,
    client_secret: Option<Part>,
    scope: Option<Part>,
}

/// A text. What else was sent may be a secret all the same, and is not told back.
struct Part(String);

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            _ => Err(serde::de::Error::custom("must be a string")),
        }
    }
}

impl CredentialFields {
    /// The name and the credential, which has the fields of its type and no other.
    pub fn read(self) -> Result<(String, Credential)> {
        let Self { name, r#type, .. } = self;
        let mut given: BTreeMap<&str, String> = [
            ("token", self.token),
            ("username", self.username),
            ("password", self.password),
            ("header", self.header),
            ("parameter", self.parameter),
            ("value", self.value),
            ("tokenUrl", self.token_url),
            ("clientId", self.client_id),
            ("clientSecret", self.client_secret),
            ("scope", self.scope),
        ]
        .into_iter()
        .filter_map(|(field, part)| Some((field, part?.0)))
        .collect();
        let mut needed =
            |field: &'static str| given.remove(field).ok_or_else(|| Error::invalid_body(field, "is needed"));
        let credential = match r#type {
            CredentialType::Bearer => Credential::Bearer { token: needed("token")? },
            CredentialType::Basic => Credential::Basic { username: needed("username")?, password: needed("password")? },
            CredentialType::Header => Credential::Header { header: needed("header")?, value: needed("value")? },
            CredentialType::Query => Credential::Query { parameter: needed("parameter")?, value: needed("value")? },
            CredentialType::Oauth2ClientCredentials => Credential::Oauth2ClientCredentials {
                token_url: needed("tokenUrl")?,
                client_id: needed("clientId")?,
                client_secret: needed("clientSecret")?,
                scope: needed("scope").ok(),
            },
        };
        match given.keys().next() {
            Some(field) => Err(Error::invalid_body(*field, "a credential of this type has no such field")),
            None => Ok((name, credential)),
        }
    }
}
