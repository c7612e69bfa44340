//! The error of a call of a workflow.

use super::OutboundError;
use domain::credential::Credential;
use domain::id::CredentialId;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// `reason` is the error code of RFC 6749, if the response has one.
    #[error("the token endpoint answered {status}{}", reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    TokenRefused { status: u16, reason: Option<String> },
    #[error("the token endpoint did not return a bearer token")]
    NoToken,
    /// The token was not renewed, for a reason that may pass. Nothing else was sent.
    #[error("the access token cannot be renewed now: {cause}; try again later")]
    TokenUnavailable { cause: String },
    /// No user has consented, or the consent has ended.
    #[error(
        "the credential {0} must be authorized again. Open the connections of its workflow in the console, and authorize it there"
    )]
    ConsentNeeded(CredentialId),
    #[error("the credential cannot be sent in a request; check its header name and its values")]
    InvalidCredential,
    #[error(
        "the path of the URL has no place for the credential; write {} where its value belongs",
        Credential::PATH_PLACE
    )]
    NoPlaceInPath,
    #[error("the credential belongs to a messaging provider; use a credential for HTTP calls")]
    MessagingCredential,
}

impl CallError {
    /// The error code in the result of a test call, and of a step of a run.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Outbound(error) => error.code(),
            Self::TokenRefused { .. } => "token_refused",
            Self::NoToken => "token_missing",
            Self::TokenUnavailable { .. } => "token_unavailable",
            Self::ConsentNeeded(_) => "credential_unauthorized",
            Self::InvalidCredential | Self::NoPlaceInPath | Self::MessagingCredential => "credential_unfit",
        }
    }
}
