//! Request and response bodies of credentials: inbound webhook tokens, and outbound credentials for calls of workflows and
//! of the tools of agents, and for channels.

use std::collections::BTreeMap;

use domain::credential::{ClientAuthentication, Credential, CredentialName, CredentialType};
use domain::token::SecretToken;
use domain::webhook::Webhook;
use domain::{Error, Result, schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
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

/// The request body of a new credential. It has the fields of all types, so that an error can name the field.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CredentialFields {
    name: Option<String>,
    r#type: CredentialType,
    token: Option<SecretText>,
    username: Option<SecretText>,
    password: Option<SecretText>,
    header: Option<SecretText>,
    parameter: Option<SecretText>,
    value: Option<SecretText>,
    service: Option<SecretText>,
    authorization_url: Option<SecretText>,
    token_url: Option<SecretText>,
    revocation_url: Option<SecretText>,
    client_id: Option<SecretText>,
    client_secret: Option<SecretText>,
    scope: Option<SecretText>,
    #[schema(value_type = Option<Object>)]
    authorization_parameters: Option<BTreeMap<String, SecretText>>,
    client_authentication: Option<ClientAuthentication>,
    bot_token: Option<SecretText>,
    signing_secret: Option<SecretText>,
    secret_token: Option<SecretText>,
    access_token: Option<SecretText>,
    phone_number_id: Option<SecretText>,
    app_secret: Option<SecretText>,
    verify_token: Option<SecretText>,
    url: Option<SecretText>,
    secret: Option<SecretText>,
}

/// A string field. The error for another JSON type does not echo the value, which may be a secret.
#[derive(ToSchema)]
struct SecretText(String);

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            _ => Err(serde::de::Error::custom("must be a string")),
        }
    }
}

impl CredentialFields {
    /// The name and the credential.
    pub fn into_named(mut self) -> Result<(String, Credential)> {
        let name = self.name.take().ok_or_else(|| Error::invalid_body("name", "is required"))?;
        schema::check_text::<CredentialName>("name", &name)?;
        Ok((name, self.into_credential()?))
    }

    /// The credential of a tool, which has no name of its own.
    pub fn into_unnamed(self) -> Result<Credential> {
        match self.name {
            Some(_) => Err(Error::invalid_body("name", "the credential of a tool has no name; remove it")),
            None => self.into_credential(),
        }
    }

    /// Missing fields, and fields of other types, are refused. All missing fields are named at once.
    fn into_credential(self) -> Result<Credential> {
        let Self { r#type, .. } = self;
        let mut given: BTreeMap<&str, String> = [
            ("token", self.token),
            ("username", self.username),
            ("password", self.password),
            ("header", self.header),
            ("parameter", self.parameter),
            ("value", self.value),
            ("service", self.service),
            ("authorizationUrl", self.authorization_url),
            ("tokenUrl", self.token_url),
            ("revocationUrl", self.revocation_url),
            ("clientId", self.client_id),
            ("clientSecret", self.client_secret),
            ("scope", self.scope),
            ("botToken", self.bot_token),
            ("signingSecret", self.signing_secret),
            ("secretToken", self.secret_token),
            ("accessToken", self.access_token),
            ("phoneNumberId", self.phone_number_id),
            ("appSecret", self.app_secret),
            ("verifyToken", self.verify_token),
            ("url", self.url),
            ("secret", self.secret),
        ]
        .into_iter()
        .filter_map(|(field, text)| Some((field, text?.0)))
        .collect();
        let is_consent = r#type == CredentialType::Oauth2AuthorizationCode;
        let is_oauth = is_consent || r#type == CredentialType::Oauth2ClientCredentials;
        let scope = if is_oauth { given.remove("scope") } else { None };
        let foreign = [
            self.authorization_parameters.as_ref().map(|_| "authorizationParameters"),
            self.client_authentication.map(|_| "clientAuthentication"),
        ];
        if let Some(field) = foreign.into_iter().flatten().find(|_| !is_consent) {
            return Err(foreign_field(field));
        }
        if is_consent {
            let mut optional = |field: &str| given.remove(field);
            let credential = Credential::Oauth2AuthorizationCode {
                service: optional("service"),
                authorization_url: optional("authorizationUrl"),
                token_url: optional("tokenUrl"),
                revocation_url: optional("revocationUrl"),
                client_id: optional("clientId"),
                client_secret: optional("clientSecret"),
                scope,
                authorization_parameters: self
                    .authorization_parameters
                    .map(|parameters| parameters.into_iter().map(|(name, value)| (name, value.0)).collect()),
                client_authentication: self.client_authentication,
            };
            return checked(credential, &given);
        }
        let mut missing = Vec::new();
        let mut needed = |field: &'static str| {
            given.remove(field).unwrap_or_else(|| {
                missing.push(field);
                String::new()
            })
        };
        let credential = match r#type {
            CredentialType::Bearer => Credential::Bearer { token: needed("token") },
            CredentialType::Basic => Credential::Basic { username: needed("username"), password: needed("password") },
            CredentialType::Header => Credential::Header { header: needed("header"), value: needed("value") },
            CredentialType::Query => Credential::Query { parameter: needed("parameter"), value: needed("value") },
            CredentialType::Oauth2ClientCredentials => Credential::Oauth2ClientCredentials {
                token_url: needed("tokenUrl"),
                client_id: needed("clientId"),
                client_secret: needed("clientSecret"),
                scope,
            },
            CredentialType::Slack => {
                Credential::Slack { bot_token: needed("botToken"), signing_secret: needed("signingSecret") }
            }
            CredentialType::Telegram => {
                Credential::Telegram { bot_token: needed("botToken"), secret_token: needed("secretToken") }
            }
            CredentialType::Whatsapp => Credential::Whatsapp {
                access_token: needed("accessToken"),
                phone_number_id: needed("phoneNumberId"),
                app_secret: needed("appSecret"),
                verify_token: needed("verifyToken"),
            },
            CredentialType::SignedHttp => Credential::SignedHttp { url: needed("url"), secret: needed("secret") },
            CredentialType::Oauth2AuthorizationCode => {
                return Err(Error::internal("a consent was read as another type"));
            }
        };
        if !missing.is_empty() {
            let problem = if missing.len() == 1 { "is required" } else { "are required" };
            return Err(Error::invalid_body(missing.join(", "), problem));
        }
        checked(credential, &given)
    }
}

/// Refuses the fields that are left, and wrong values.
fn checked(credential: Credential, left: &BTreeMap<&str, String>) -> Result<Credential> {
    if let Some(field) = left.keys().next() {
        return Err(foreign_field(field));
    }
    credential.check()?;
    Ok(credential)
}

fn foreign_field(field: &str) -> Error {
    Error::invalid_body(field, "a credential of this type has no such field; remove it")
}
