//! The errors of calls. Their messages have no URL and no credential. A text of the server is marked as such and bounded.

use std::time::Duration;

use domain::text::shorten_to;
use outbound::{CallError, OutboundError};

use crate::limits::{MAX_MESSAGE_CHARS, MAX_PAGES, MAX_TOOLS};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("the server answered with status {status}{}", remedy(*status))]
    Status { status: u16, retry_after: Option<Duration> },
    /// The error of JSON-RPC.
    #[error("the server refused the request with the error {code}: {message}")]
    Refused { code: i64, message: String },
    /// The server does not know the session any more, so it did nothing.
    #[error("the server ended the session; try again")]
    SessionEnded,
    #[error("the answer is not one of the Model Context Protocol: {0}; check whether the URL is that of an MCP server")]
    InvalidAnswer(&'static str),
    #[error(
        "the server speaks only versions of the protocol that are not supported here; use 2025-11-25 or 2026-07-28"
    )]
    UnknownVersion,
    #[error(
        "the server asks for input of a person in the middle of the call, which is not supported; use another tool"
    )]
    InputRequired,
    #[error(
        "the server lists more than {MAX_TOOLS} tools, more than {MAX_PAGES} pages or too large ones; use a server with fewer"
    )]
    ListingTooLarge,
}

fn remedy(status: u16) -> &'static str {
    match status {
        401 | 403 => ": the credential is missing or does not allow this; set another one",
        300..=399 => ": it redirects to another address; use that one as the URL",
        404 | 405 => ": there is no MCP server; check the URL",
        _ => "",
    }
}

impl McpError {
    pub(crate) fn refused(code: i64, message: &str) -> Self {
        Self::Refused { code, message: shorten_to(message, MAX_MESSAGE_CHARS).into_owned() }
    }

    /// The error code of a step.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Call(error) => error.code(),
            Self::Status { status: 401 | 403, .. } => "mcp_unauthorized",
            Self::Status { .. } => "mcp_status",
            Self::Refused { .. } => "mcp_refused",
            Self::SessionEnded => "mcp_session_ended",
            Self::InvalidAnswer(_) => "mcp_invalid_answer",
            Self::UnknownVersion => "mcp_unknown_version",
            Self::InputRequired => "mcp_input_required",
            Self::ListingTooLarge => "mcp_listing_too_large",
        }
    }

    /// Whether another attempt may succeed.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Call(CallError::Outbound(error)) => matches!(
                error,
                OutboundError::Exhausted
                    | OutboundError::Unreachable
                    | OutboundError::Timeout { .. }
                    | OutboundError::Cut
            ),
            Self::Call(CallError::TokenRefused { status, .. }) | Self::Status { status, .. } => {
                matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
            }
            Self::SessionEnded | Self::Call(CallError::TokenUnavailable { .. }) => true,
            _ => false,
        }
    }

    /// Whether the request may have been carried out, if it was sent with this result.
    pub(crate) fn outcome(&self) -> CallOutcome {
        match self {
            Self::Call(CallError::Outbound(OutboundError::Timeout { sent: true } | OutboundError::Cut)) => {
                CallOutcome::Unknown
            }
            // A gateway in front of the server may have lost the answer.
            Self::Status { status: 408 | 500 | 502 | 504, .. } => CallOutcome::Unknown,
            Self::Call(CallError::Outbound(OutboundError::TooLarge { .. }))
            | Self::InvalidAnswer(_)
            | Self::InputRequired => CallOutcome::Made,
            _ => CallOutcome::NotMade,
        }
    }
}

/// Whether a call that failed took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    NotMade,
    /// It was sent, and there is no answer.
    Unknown,
    /// The server answered it, but the answer cannot be used.
    Made,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct FailedCall {
    pub error: McpError,
    pub outcome: CallOutcome,
}

impl FailedCall {
    pub(crate) fn not_made(error: McpError) -> Self {
        Self { error, outcome: CallOutcome::NotMade }
    }

    pub(crate) fn sent(error: McpError) -> Self {
        Self { outcome: error.outcome(), error }
    }
}
