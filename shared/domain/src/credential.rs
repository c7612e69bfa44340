//! Outbound credentials, with which workflows and agents authenticate at other systems. They are stored encrypted and
//! never shown.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{address, header, length};
use crate::{Error, Result};

const MAX_NAME_CHARS: usize = 200;
const MAX_PART_CHARS: usize = 8_192;
const MAX_PLACE_CHARS: usize = 200;
const MAX_SCOPE_CHARS: usize = 1_000;

/// A credential with its secrets
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Credential {
    /// `Authorization: Bearer <token>`
    Bearer {
        #[schema(min_length = 1, max_length = 8192)]
        token: String,
    },
    /// `Authorization: Basic …`
    Basic {
        #[schema(min_length = 1, max_length = 8192)]
        username: String,
        #[schema(max_length = 8192)]
        password: String,
    },
    /// A custom header
    Header {
        #[schema(min_length = 1, max_length = 200, example = "X-Api-Key")]
        header: String,
        #[schema(min_length = 1, max_length = 8192)]
        value: String,
    },
    /// A query parameter
    Query {
        #[schema(min_length = 1, max_length = 200, example = "api_key")]
        parameter: String,
        #[schema(min_length = 1, max_length = 8192)]
        value: String,
    },
    /// OAuth 2 client credentials. The token is fetched with them and cached until it expires
    #[serde(rename_all = "camelCase")]
    Oauth2ClientCredentials {
        #[schema(min_length = 1, max_length = 2000, example = "https://auth.example.com/oauth/token")]
        token_url: String,
        #[schema(min_length = 1, max_length = 8192)]
        client_id: String,
        #[schema(min_length = 1, max_length = 8192)]
        client_secret: String,
        #[serde(default)]
        #[schema(max_length = 1000)]
        scope: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialType {
    Bearer,
    Basic,
    Header,
    Query,
    Oauth2ClientCredentials,
}

pub fn check_name(name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid_body("name", "must not be empty"));
    }
    length::check_max_chars("name", name, MAX_NAME_CHARS)
}

impl CredentialType {
    const ALL: [Self; 5] = [Self::Bearer, Self::Basic, Self::Header, Self::Query, Self::Oauth2ClientCredentials];

    /// The type with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bearer => "bearer",
            Self::Basic => "basic",
            Self::Header => "header",
            Self::Query => "query",
            Self::Oauth2ClientCredentials => "oauth2_client_credentials",
        }
    }
}

impl fmt::Display for CredentialType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Credential {
    pub fn r#type(&self) -> CredentialType {
        match self {
            Self::Bearer { .. } => CredentialType::Bearer,
            Self::Basic { .. } => CredentialType::Basic,
            Self::Header { .. } => CredentialType::Header,
            Self::Query { .. } => CredentialType::Query,
            Self::Oauth2ClientCredentials { .. } => CredentialType::Oauth2ClientCredentials,
        }
    }

    pub fn check(&self) -> Result<()> {
        let part = |field: &str, value: &str, most: usize, may_be_empty: bool| {
            if value.is_empty() && !may_be_empty {
                return Err(Error::invalid_body(field, "must not be empty"));
            }
            length::check_max_chars(field, value, most)?;
            // A line break would allow header injection.
            if value.chars().any(char::is_control) {
                return Err(Error::invalid_body(field, "must not hold control characters"));
            }
            Ok(())
        };
        let secret = |field: &str, value: &str| part(field, value, MAX_PART_CHARS, false);
        match self {
            Self::Bearer { token } => secret("token", token),
            Self::Basic { username, password } => {
                if username.contains(':') {
                    return Err(Error::invalid_body("username", "must not hold a colon"));
                }
                secret("username", username)?;
                part("password", password, MAX_PART_CHARS, true)
            }
            Self::Header { header, value } => {
                if let Some(problem) = header::problem(header) {
                    return Err(Error::invalid_body("header", problem));
                }
                part("header", header, MAX_PLACE_CHARS, false)?;
                secret("value", value)
            }
            Self::Query { parameter, value } => {
                part("parameter", parameter, MAX_PLACE_CHARS, false)?;
                secret("value", value)
            }
            Self::Oauth2ClientCredentials { token_url, client_id, client_secret, scope } => {
                address::check("tokenUrl", token_url)?;
                secret("clientId", client_id)?;
                secret("clientSecret", client_secret)?;
                part("scope", scope.as_deref().unwrap_or_default(), MAX_SCOPE_CHARS, true)
            }
        }
    }
}

/// Prints only the type, because logs and panics may contain it.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential({:?})", self.r#type())
    }
}
