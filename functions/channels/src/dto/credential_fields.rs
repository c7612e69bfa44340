//! The request body of a new credential, of a workflow or of the tool of an agent.

use std::collections::BTreeMap;

use domain::credential::{ClientAuthentication, Credential, CredentialName, CredentialType};
use domain::{Error, Result, schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::ToSchema;

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
        let Self { r#type, authorization_parameters, client_authentication, .. } = self;
        let fields = [
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
        ];
        if r#type != CredentialType::Oauth2AuthorizationCode {
            let foreign = authorization_parameters.as_ref().map(|_| "authorizationParameters");
            if let Some(field) = foreign.or(client_authentication.map(|_| "clientAuthentication")) {
                return Err(foreign_field(field));
            }
        }
        let parameters =
            authorization_parameters.map(|all| all.into_iter().map(|(name, text)| (name, text.0)).collect());
        let mut given = GivenFields::new(fields);
        let credential = match r#type {
            CredentialType::Bearer => Credential::Bearer { token: given.needed("token") },
            CredentialType::Basic => {
                Credential::Basic { username: given.needed("username"), password: given.needed("password") }
            }
            CredentialType::Header => {
                Credential::Header { header: given.needed("header"), value: given.needed("value") }
            }
            CredentialType::Query => {
                Credential::Query { parameter: given.needed("parameter"), value: given.needed("value") }
            }
            CredentialType::Path => Credential::Path { value: given.needed("value") },
            CredentialType::Oauth2ClientCredentials => Credential::Oauth2ClientCredentials {
                token_url: given.needed("tokenUrl"),
                client_id: given.needed("clientId"),
                client_secret: given.needed("clientSecret"),
                scope: given.optional("scope"),
            },
            CredentialType::Oauth2AuthorizationCode => Credential::Oauth2AuthorizationCode {
                service: given.optional("service"),
                authorization_url: given.optional("authorizationUrl"),
                token_url: given.optional("tokenUrl"),
                revocation_url: given.optional("revocationUrl"),
                client_id: given.optional("clientId"),
                client_secret: given.optional("clientSecret"),
                scope: given.optional("scope"),
                authorization_parameters: parameters,
                client_authentication,
            },
            CredentialType::Slack => {
                Credential::Slack { bot_token: given.needed("botToken"), signing_secret: given.needed("signingSecret") }
            }
            CredentialType::Telegram => {
                Credential::Telegram { bot_token: given.needed("botToken"), secret_token: given.needed("secretToken") }
            }
            CredentialType::Whatsapp => Credential::Whatsapp {
                access_token: given.needed("accessToken"),
                phone_number_id: given.needed("phoneNumberId"),
                app_secret: given.needed("appSecret"),
                verify_token: given.needed("verifyToken"),
            },
            CredentialType::SignedHttp => {
                Credential::SignedHttp { url: given.needed("url"), secret: given.needed("secret") }
            }
        };
        given.check_all_taken()?;
        credential.check()?;
        Ok(credential)
    }
}

/// The fields of a body that no credential has taken yet.
struct GivenFields {
    left: BTreeMap<&'static str, String>,
    missing: Vec<&'static str>,
}

impl GivenFields {
    fn new(fields: impl IntoIterator<Item = (&'static str, Option<SecretText>)>) -> Self {
        let left = fields.into_iter().filter_map(|(field, text)| Some((field, text?.0))).collect();
        Self { left, missing: Vec::new() }
    }

    fn needed(&mut self, field: &'static str) -> String {
        self.optional(field).unwrap_or_else(|| {
            self.missing.push(field);
            String::new()
        })
    }

    fn optional(&mut self, field: &str) -> Option<String> {
        self.left.remove(field)
    }

    /// Refuses missing fields, and those that are left.
    fn check_all_taken(&self) -> Result<()> {
        if !self.missing.is_empty() {
            let problem = if self.missing.len() == 1 { "is required" } else { "are required" };
            return Err(Error::invalid_body(self.missing.join(", "), problem));
        }
        self.left.keys().next().map_or(Ok(()), |field| Err(foreign_field(field)))
    }
}

fn foreign_field(field: &str) -> Error {
    Error::invalid_body(field, "a credential of this type has no such field; remove it")
}
