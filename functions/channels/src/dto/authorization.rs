//! The consent to a credential, and where it begins.

use domain::oauth::OauthTokens;
use domain::time::Time;
use oauth::Beginning;
use serde::Serialize;
use utoipa::ToSchema;

/// Whether a user has consented to the credential. Tokens are never returned.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "CredentialAuthorization")]
pub struct AuthorizationOut {
    status: AuthorizationStatus,
    /// The scope that the provider has granted. Null if it names none.
    #[schema(required)]
    scope: Option<String>,
    /// When the access token expires. It is renewed before, if the provider permits it. Null if the provider does not say it.
    #[schema(required, format = DateTime)]
    expires_at: Option<String>,
    /// The name of the account at the provider. Null if it names none.
    #[schema(required)]
    account: Option<String>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum AuthorizationStatus {
    /// No user has consented, or the provider has ended the consent.
    Unauthorized,
    Authorized,
    /// The access token has expired, and the provider has granted none to renew it with.
    Expired,
}

impl AuthorizationOut {
    pub fn new(tokens: Option<OauthTokens>, now: Time) -> Self {
        let Some(OauthTokens { refresh_token, expires_at, scope, account, .. }) = tokens else {
            return Self { status: AuthorizationStatus::Unauthorized, scope: None, expires_at: None, account: None };
        };
        let is_over = refresh_token.is_none() && expires_at.is_some_and(|at| at <= now);
        let status = if is_over { AuthorizationStatus::Expired } else { AuthorizationStatus::Authorized };
        Self { status, scope, expires_at: expires_at.map(|at| at.to_string()), account }
    }
}

/// Where the browser of the user goes to consent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "CredentialAuthorizationBeginning")]
pub struct BeginningOut {
    authorization_url: String,
    /// Until when the URL is valid.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl From<Beginning> for BeginningOut {
    fn from(Beginning { authorization_url, until }: Beginning) -> Self {
        Self { authorization_url, expires_at: until.to_string() }
    }
}
