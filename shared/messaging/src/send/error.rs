//! Why a message was not sent, and whether another attempt is safe.

use std::time::Duration;

use domain::credential::Credential;
use http::StatusCode;
use outbound::OutboundError;

/// The code and the message of a refusal because the person has not written for too long.
pub const OUTSIDE_WINDOW: (&str, &str) = (
    "outside_window",
    "the person has not written for 24 hours, and WhatsApp then allows only templates; wait for their message",
);

/// The messages say what to do. They contain no token, URL or text of a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// A final answer: another attempt would be refused, too.
    #[error("{message}")]
    Refused { code: String, message: String },
    /// Not delivered, or the receiver recognizes a repeated message. Another attempt, after the wait if there is one, may
    /// succeed.
    #[error("{message}")]
    NotSent { wait: Option<Duration>, message: String },
    /// The provider may have accepted the message. Another attempt could deliver it twice.
    #[error("{message}")]
    Uncertain { message: String },
}

impl SendError {
    /// The error code in the result of a step or of a test call.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused { code, .. } => code,
            Self::NotSent { .. } => "not_sent",
            Self::Uncertain { .. } => "delivery_uncertain",
        }
    }

    pub(crate) fn refused(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Refused { code: code.into(), message: message.into() }
    }

    pub(crate) fn uncertain(message: impl Into<String>) -> Self {
        Self::Uncertain { message: message.into() }
    }

    /// The error of a receiver that recognizes a repeated message: another attempt is safe.
    pub(crate) fn repeatable(self) -> Self {
        match self {
            Self::Uncertain { message } => Self::NotSent { wait: None, message },
            error => error,
        }
    }

    pub(crate) fn rate_limited(provider: &str, wait: Option<Duration>) -> Self {
        Self::NotSent { wait, message: format!("{provider} limits the rate of calls; try again later") }
    }

    pub(crate) fn unavailable(provider: &str, wait: Option<Duration>) -> Self {
        Self::NotSent { wait, message: format!("{provider} is not available; try again later") }
    }

    pub(crate) fn not_messaging(credential: &Credential) -> Self {
        let r#type = credential.r#type();
        let message =
            format!("a credential of the type `{type}` cannot send messages; use one of a messaging provider");
        Self::refused("credential_unfit", message)
    }

    /// The provider accepts messages only for some time after the last one of the person.
    pub(crate) fn outside_window() -> Self {
        let (code, message) = OUTSIDE_WINDOW;
        Self::refused(code, message)
    }

    /// The error of a call without an answer.
    pub(crate) fn from_outbound(error: OutboundError, provider: &str) -> Self {
        match error {
            OutboundError::Forbidden | OutboundError::NotHttp | OutboundError::TooManyRedirects => {
                Self::refused(error.code(), error.to_string())
            }
            OutboundError::Exhausted | OutboundError::Unreachable | OutboundError::Timeout { sent: false } => {
                Self::NotSent { wait: None, message: error.to_string() }
            }
            OutboundError::Timeout { sent: true } | OutboundError::Cut | OutboundError::TooLarge { .. } => {
                Self::uncertain(format!("{provider} did not confirm the call: {error}"))
            }
        }
    }

    /// The error of a status that has no further explanation. A server that names a time for the next attempt has not
    /// accepted this one.
    pub(crate) fn from_status(status: StatusCode, wait: Option<Duration>, provider: &str) -> Self {
        let number = status.as_u16();
        match number {
            429 => Self::rate_limited(provider, wait),
            503 if wait.is_some() => Self::unavailable(provider, wait),
            500.. => Self::uncertain(format!("{provider} did not confirm the call: it answered with status {number}")),
            300..400 => Self::refused("redirected", format!("{provider} redirects the call; use the final URL")),
            _ => {
                Self::refused("http_status", format!("{provider} answered with status {number}; check the credential"))
            }
        }
    }
}
