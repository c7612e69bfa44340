//! Outbound credentials, with which workflows and agents authenticate at other systems, and with which the events of
//! messaging providers are verified. They are stored encrypted and never shown.

mod checks;
mod consent;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::{MapOf, ONE_LINE};
use crate::text_schemas;

pub use checks::signing_key;

text_schemas! {
    CredentialName(1, 200);
    Secret(1, 8_192, ONE_LINE, "one line");
    Username(1, 8_192, r"^[^:\x00-\x1f\x7f-\x9f]*$", "one line without a colon");
    Password(0, 8_192, ONE_LINE, "one line");
    HeaderName(1, 200, r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "a valid header name");
    Parameter(1, 200, ONE_LINE, "one line");
    PathPart(1, 8_192, r"^[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$", "characters of the path of a URL");
    Scope(0, 1_000, ONE_LINE, "one line");
    ServiceName(1, 60, "^[a-z0-9_-]+$", "characters of a-z, 0-9, _ and -");
    AuthorizationParameter(0, 1_000, ONE_LINE, "one line");
    BotToken(1, 200, "^[0-9]{1,20}:[A-Za-z0-9_-]+$", "the token that BotFather shows, such as 123456:ABC-DEF1234");
    SecretToken(1, 256, "^[A-Za-z0-9_-]+$", "characters of A-Z, a-z, 0-9, _ and -");
    PhoneNumberId(1, 32, "^[0-9]+$", "only digits; it is the id of the phone number, not the number itself");
}

/// Further parameters of an authorization URL.
pub type AuthorizationParameters = MapOf<AuthorizationParameter, 20>;

/// How a client of OAuth 2 sends its secret: in the header `Authorization`, or in the body
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuthentication {
    Basic,
    Body,
}

/// A credential with its secrets
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Credential {
    /// `Authorization: Bearer <token>`
    Bearer {
        #[schema(value_type = Secret)]
        token: String,
    },
    /// `Authorization: Basic …`
    Basic {
        #[schema(value_type = Username)]
        username: String,
        #[schema(value_type = Password)]
        password: String,
    },
    /// A custom header
    Header {
        #[schema(value_type = HeaderName)]
        header: String,
        #[schema(value_type = Secret)]
        value: String,
    },
    /// A query parameter
    Query {
        #[schema(value_type = Parameter)]
        parameter: String,
        #[schema(value_type = Secret)]
        value: String,
    },
    /// A part of the path of the URL, which has `{credential}` in its place
    Path {
        #[schema(value_type = PathPart)]
        value: String,
    },
    /// OAuth 2 client credentials. The token is fetched with them and cached until it expires
    #[serde(rename_all = "camelCase")]
    Oauth2ClientCredentials {
        #[schema(min_length = 1, max_length = 2000, example = "https://auth.example.com/oauth/token")]
        token_url: String,
        #[schema(value_type = Secret)]
        client_id: String,
        #[schema(value_type = Secret)]
        client_secret: String,
        #[serde(default)]
        #[schema(value_type = Option<Scope>)]
        scope: Option<String>,
    },
    /// OAuth 2 with the consent of a user (authorization code with PKCE). A user permits the access once, in a browser; then
    /// the token is renewed before it expires. Either `service`, or the fields of a client of your own
    #[serde(rename_all = "camelCase")]
    Oauth2AuthorizationCode {
        /// A service whose client the operator has configured. It replaces the URLs and the fields of the client
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<ServiceName>, example = "google")]
        service: Option<String>,
        /// Where the user permits the access
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 2000, example = "https://auth.example.com/oauth/authorize")]
        authorization_url: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 2000, example = "https://auth.example.com/oauth/token")]
        token_url: Option<String>,
        /// Where the tokens are revoked when the credential is deleted (RFC 7009)
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 2000, example = "https://auth.example.com/oauth/revoke")]
        revocation_url: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Secret>)]
        client_id: Option<String>,
        /// Public clients have none
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Secret>)]
        client_secret: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Scope>)]
        scope: Option<String>,
        /// Further parameters of the authorization URL, such as `access_type`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<AuthorizationParameters>)]
        authorization_parameters: Option<BTreeMap<String, String>>,
        /// How the secret reaches the token URL. Defaults to `basic`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_authentication: Option<ClientAuthentication>,
    },
    /// A Slack app
    #[serde(rename_all = "camelCase")]
    Slack {
        #[schema(value_type = Secret)]
        bot_token: String,
        /// Verifies the events that Slack sends
        #[schema(value_type = Secret)]
        signing_secret: String,
    },
    /// A Telegram bot
    #[serde(rename_all = "camelCase")]
    Telegram {
        /// The token that BotFather shows
        #[schema(value_type = BotToken)]
        bot_token: String,
        /// The `secret_token` of the bot's webhook. Telegram sends it with each update
        #[schema(value_type = SecretToken)]
        secret_token: String,
    },
    /// A phone number of WhatsApp Business (Cloud API)
    #[serde(rename_all = "camelCase")]
    Whatsapp {
        #[schema(value_type = Secret)]
        access_token: String,
        /// The id of the phone number, not the number itself
        #[schema(value_type = PhoneNumberId)]
        phone_number_id: String,
        /// Verifies the events that WhatsApp sends
        #[schema(value_type = Secret)]
        app_secret: String,
        /// A text of your choice. WhatsApp sends it back once, to verify the webhook
        #[schema(value_type = Secret)]
        verify_token: String,
    },
    /// Messages by signed HTTP requests (Standard Webhooks), in both directions. The type has the name of its messaging
    /// provider; `signed_http`, its name in older versions, is accepted, too
    #[serde(rename = "http", alias = "signed_http")]
    SignedHttp {
        /// Receives the messages of the workflow
        #[schema(min_length = 1, max_length = 2000, example = "https://chat.example.com/messages")]
        url: String,
        /// Signs the requests of both sides: `whsec_` and 24 to 64 bytes in base64
        #[schema(pattern = "^whsec_[A-Za-z0-9+/]{32,86}=*$", example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
        secret: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialType {
    Bearer,
    Basic,
    Header,
    Query,
    Path,
    Oauth2ClientCredentials,
    Oauth2AuthorizationCode,
    Slack,
    Telegram,
    Whatsapp,
    /// For messages by signed HTTP requests. In older versions its name was `signed_http`
    #[serde(rename = "http", alias = "signed_http")]
    SignedHttp,
}

impl CredentialType {
    const ALL: [Self; 11] = [
        Self::Bearer,
        Self::Basic,
        Self::Header,
        Self::Query,
        Self::Path,
        Self::Oauth2ClientCredentials,
        Self::Oauth2AuthorizationCode,
        Self::Slack,
        Self::Telegram,
        Self::Whatsapp,
        Self::SignedHttp,
    ];

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
            Self::Path => "path",
            Self::Oauth2ClientCredentials => "oauth2_client_credentials",
            Self::Oauth2AuthorizationCode => "oauth2_authorization_code",
            Self::Slack => "slack",
            Self::Telegram => "telegram",
            Self::Whatsapp => "whatsapp",
            Self::SignedHttp => "http",
        }
    }
}

impl fmt::Display for CredentialType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Credential {
    /// The place in the path of a URL that a credential of the type `path` fills.
    pub const PATH_PLACE: &str = "{credential}";

    pub fn r#type(&self) -> CredentialType {
        match self {
            Self::Bearer { .. } => CredentialType::Bearer,
            Self::Basic { .. } => CredentialType::Basic,
            Self::Header { .. } => CredentialType::Header,
            Self::Query { .. } => CredentialType::Query,
            Self::Path { .. } => CredentialType::Path,
            Self::Oauth2ClientCredentials { .. } => CredentialType::Oauth2ClientCredentials,
            Self::Oauth2AuthorizationCode { .. } => CredentialType::Oauth2AuthorizationCode,
            Self::Slack { .. } => CredentialType::Slack,
            Self::Telegram { .. } => CredentialType::Telegram,
            Self::Whatsapp { .. } => CredentialType::Whatsapp,
            Self::SignedHttp { .. } => CredentialType::SignedHttp,
        }
    }
}

/// Prints only the type, because logs and panics may contain it.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential({:?})", self.r#type())
    }
}
