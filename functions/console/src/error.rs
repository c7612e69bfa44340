//! Why a sign-in failed, as a page that says what to do.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::language::Translated;
use domain::{Error, Refusal, translated};
use platform::telemetry;

use web::page::message_page;

pub enum SignInError {
    NotConfigured,
    IssuerUnreachable,
    /// The browser has no pending sign-in, or the answer is that of another one.
    OtherSignIn,
    /// The issuer answered with an error, whose code is safe to show.
    Denied(Translated<String>),
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
        Self::Denied(match is_code {
            true => Translated::untranslated(code),
            false => Translated::new("an error", "un error").into(),
        })
    }

    fn describe(&self) -> (StatusCode, &'static str, Translated<String>) {
        let (status, code, message) = match self {
            Self::NotConfigured => (
                StatusCode::NOT_FOUND,
                "sign_in_not_configured",
                Translated::new(
                    "Signing in with a browser is not set up. Ask the operator to set CONSOLE_CLIENT_ID.",
                    "El inicio de sesión con un navegador no está configurado. Pida al operador que defina CONSOLE_CLIENT_ID.",
                ),
            ),
            Self::IssuerUnreachable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "issuer_unavailable",
                Translated::new(
                    "The issuer of the sign-in does not answer as expected. Try again in a minute.",
                    "El emisor del inicio de sesión no responde como se esperaba. Inténtelo de nuevo en un minuto.",
                ),
            ),
            Self::OtherSignIn => (
                StatusCode::BAD_REQUEST,
                "sign_in_unknown",
                Translated::new(
                    "This sign-in began in another browser, has been used, or took longer than 10 minutes. Begin again.",
                    "Este inicio de sesión empezó en otro navegador, ya se usó o tardó más de 10 minutos. Empiece de nuevo.",
                ),
            ),
            Self::Denied(code) => {
                let message =
                    translated!("The issuer did not sign you in: ", "El emisor no inició su sesión: ").with(code);
                let advice = Translated::new(
                    ". Try again, or ask your administrator.",
                    ". Inténtelo de nuevo o consulte a su administrador.",
                );
                return (StatusCode::FORBIDDEN, "sign_in_denied", message.with(&advice));
            }
            Self::CodeRefused => (
                StatusCode::BAD_REQUEST,
                "sign_in_code_refused",
                Translated::new(
                    "The issuer refused the code of this sign-in, which is valid once and for a short time. Begin again.",
                    "El emisor rechazó el código de este inicio de sesión, que es válido una sola vez y por poco tiempo. Empiece de nuevo.",
                ),
            ),
            Self::NoIdToken => (
                StatusCode::BAD_GATEWAY,
                "sign_in_without_id_token",
                Translated::new(
                    "The issuer sent no ID token. Ask the operator to allow the scope openid for the console.",
                    "El emisor no envió ningún token de identidad. Pida al operador que permita el alcance openid para la consola.",
                ),
            ),
            Self::Failed(Error::Unauthenticated(Refusal::UserSuspended)) => (
                StatusCode::FORBIDDEN,
                "user_suspended",
                Translated::new(
                    "This user is suspended. Ask your administrator.",
                    "Este usuario está suspendido. Consulte a su administrador.",
                ),
            ),
            Self::Failed(Error::Unauthenticated(Refusal::OrgSuspended)) => (
                StatusCode::FORBIDDEN,
                "organization_suspended",
                Translated::new(
                    "This organization is suspended. Ask the operator.",
                    "Esta organización está suspendida. Consulte al operador.",
                ),
            ),
            Self::Failed(Error::Unauthenticated(_)) => (
                StatusCode::FORBIDDEN,
                "sign_in_refused",
                Translated::new(
                    "The token of the issuer is not valid for this sign-in, or names no organization. Begin again.",
                    "El token del emisor no es válido para este inicio de sesión o no indica ninguna organización. Empiece de nuevo.",
                ),
            ),
            Self::Failed(Error::Unavailable { .. } | Error::StorageTrouble(_)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "unavailable",
                Translated::new(
                    "The platform is busy. Try again in a few seconds.",
                    "La plataforma está ocupada. Inténtelo de nuevo en unos segundos.",
                ),
            ),
            Self::Failed(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_error",
                Translated::new(
                    "Something failed on our side. Quote the header X-Request-Id when you report it.",
                    "Algo falló por nuestra parte. Indique la cabecera X-Request-Id cuando lo comunique.",
                ),
            ),
        };
        (status, code, message.into())
    }
}

impl IntoResponse for SignInError {
    fn into_response(self) -> Response {
        let (status, code, message) = self.describe();
        tracing::Span::current().record("code", code);
        if let Self::Failed(error) = &self {
            telemetry::log_cause(error);
        }
        let title = Translated::new("You are not signed in", "No ha iniciado sesión");
        let sign_in = ("login", Translated::new("Sign in", "Iniciar sesión"));
        message_page(status, title, &message, Some(sign_in))
    }
}
