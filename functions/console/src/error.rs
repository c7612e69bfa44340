//! Why a sign-in failed, as a page that says what to do.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Error, Refusal};
use platform::telemetry;

use crate::page::message_page;

pub enum SignInError {
    NotConfigured,
    IssuerUnreachable,
    /// The browser has no pending sign-in, or the answer is that of another one.
    OtherSignIn,
    /// The issuer answered with an error, whose code is safe to show.
    Denied(String),
    CodeRefused,
    NoIdToken,
    Failed(Error),
}

impl From<Error> for SignInError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl SignInError {
    /// The error that the issuer has sent with the browser. Other texts than a code are not shown.
    pub fn denied(code: &str) -> Self {
        let is_code = code.len() <= 64 && code.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        Self::Denied(if is_code { code.to_owned() } else { "an error".to_owned() })
    }

    fn describe(&self) -> (StatusCode, &'static str, String) {
        let (status, code, message) = match self {
            Self::NotConfigured => (
                StatusCode::NOT_FOUND,
                "sign_in_not_configured",
                "Signing in with a browser is not set up. Ask the operator to set CONSOLE_CLIENT_ID.",
            ),
            Self::IssuerUnreachable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "issuer_unavailable",
                "The issuer of the sign-in does not answer as expected. Try again in a minute.",
            ),
            Self::OtherSignIn => (
                StatusCode::BAD_REQUEST,
                "sign_in_unknown",
                "This sign-in began in another browser, has been used, or took longer than 10 minutes. Begin again.",
            ),
            Self::Denied(code) => {
                let message = format!("The issuer did not sign you in: {code}. Try again, or ask your administrator.");
                return (StatusCode::FORBIDDEN, "sign_in_denied", message);
            }
            Self::CodeRefused => (
                StatusCode::BAD_REQUEST,
                "sign_in_code_refused",
                "The issuer refused the code of this sign-in, which is valid once and for a short time. Begin again.",
            ),
            Self::NoIdToken => (
                StatusCode::BAD_GATEWAY,
                "sign_in_without_id_token",
                "The issuer sent no ID token. Ask the operator to allow the scope openid for the console.",
            ),
            Self::Failed(Error::Unauthenticated(Refusal::UserSuspended)) => {
                (StatusCode::FORBIDDEN, "user_suspended", "This user is suspended. Ask your administrator.")
            }
            Self::Failed(Error::Unauthenticated(Refusal::OrgSuspended)) => {
                (StatusCode::FORBIDDEN, "organization_suspended", "This organization is suspended. Ask the operator.")
            }
            Self::Failed(Error::Unauthenticated(_)) => (
                StatusCode::FORBIDDEN,
                "sign_in_refused",
                "The token of the issuer is not valid for this sign-in, or names no organization. Begin again.",
            ),
            Self::Failed(Error::Unavailable { .. } | Error::StorageTrouble(_)) => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "The platform is busy. Try again in a few seconds.")
            }
            Self::Failed(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_error",
                "Something failed on our side. Quote the header X-Request-Id when you report it.",
            ),
        };
        (status, code, message.to_owned())
    }
}

impl IntoResponse for SignInError {
    fn into_response(self) -> Response {
        let (status, code, message) = self.describe();
        tracing::Span::current().record("code", code);
        if let Self::Failed(error) = &self {
            telemetry::log_cause(error);
        }
        message_page(status, "You are not signed in", &message)
    }
}
