//! Test calls with a credential.

use serde::{Deserialize, Serialize};
use shared::outbound::{CallError, OutboundError};
use utoipa::ToSchema;

#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(title = "CredentialTest")]
pub struct TestIn {
    /// What to call. Without it a token is asked for, which is possible with `oauth2_client_credentials` alone.
    #[schema(max_length = 2000, example = "https://api.example.com/me")]
    pub url: Option<String>,
    pub method: TestMethod,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestMethod {
    #[default]
    Get,
    Head,
    Post,
}

/// What came of a test call.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "CredentialTestResult")]
pub struct TestOut {
    /// Whether the call was answered with a status under 400, or the token was given.
    pub ok: bool,
    /// The status of the answer.
    #[schema(required, minimum = 100, maximum = 599)]
    pub status: Option<u16>,
    /// Why there is no answer.
    #[schema(required)]
    pub error: Option<TestError>,
    pub duration_ms: u64,
}

#[derive(Serialize, ToSchema)]
#[schema(title = "CredentialTestError")]
pub struct TestError {
    #[schema(example = "destination_forbidden")]
    code: &'static str,
    message: String,
}

impl From<CallError> for TestError {
    fn from(error: CallError) -> Self {
        let code = match &error {
            CallError::Outbound(OutboundError::Forbidden) => "destination_forbidden",
            CallError::Outbound(OutboundError::NotHttp) => "url_not_http",
            CallError::Outbound(OutboundError::Unreachable) => "destination_unreachable",
            CallError::Outbound(OutboundError::Timeout { .. }) => "destination_timeout",
            CallError::Outbound(OutboundError::Cut) => "connection_cut",
            CallError::Outbound(OutboundError::TooLarge { .. }) => "answer_too_large",
            CallError::Outbound(OutboundError::TooManyRedirects) => "too_many_redirects",
            CallError::TokenRefused { .. } => "token_refused",
            CallError::NoToken => "token_missing",
            CallError::Unfit => "credential_unfit",
        };
        Self { code, message: error.to_string() }
    }
}
